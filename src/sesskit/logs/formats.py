"""All formats, and what is in a file: `FORMATS`, `by_name`, `recognize`, `examine`.

A new format is one line in `FORMATS`. A line names where the format's cheap recogniser and its
`Format` live, so that asking what a file is imports no decoder, and decoding imports only one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from sesskit.logs.recognition import looks_like
from sesskit.records.files import Document, ZeroFilled, read_document
from sesskit.records.format import Format, Options, Recognition
from sesskit.records.heads import read_head
from sesskit.schemas.issues import Issue
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Original, Outcome, Unreadable, Unrecognized, Version

STDIN = "-"
"""The path that stands for standard input."""

_SMALL = 1 << 20
"""Up to here a file is read at once; of a bigger one first the beginning."""
_SURENESS = ("certain", "likely", "guess")
_FORCED = Recognition("certain", "it was asked for")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the registry: ``recognizer`` and ``home`` are ``module:attribute``."""

    name: str
    recognizer: str
    home: str

    def load(self) -> Format:
        """The format itself; imports its decoder."""
        found = _attribute(self.home)
        if not isinstance(found, Format):
            raise TypeError(f"{self.home} is not a Format")
        return found

    def recognize(self, head: bytes, name: str) -> Recognition | None:
        """What its recogniser says of a file that begins like this and is called so."""
        answer = _attribute(self.recognizer)(head, name)
        return answer if isinstance(answer, Recognition) else None


FORMATS = (  # asked in this order
    Entry(
        "robota-record",
        "sesskit.records.robota_recognition:enveloped",
        "sesskit.records.robota:RECORD",
    ),
    Entry(
        "robota-record-bare",
        "sesskit.records.robota_recognition:bare",
        "sesskit.records.robota:BARE",
    ),
)


class UnknownFormat(LookupError):
    """There is no format of that name; the text says which there are."""


class Recognized(NamedTuple):
    """The surest answer; ``others`` are the names of formats that are just as sure."""

    entry: Entry
    recognition: Recognition
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What is in one file: its outcome, and how its format was recognised.

    ``path`` is as it was typed or walked. ``source`` holds the bytes of what cannot be read again,
    standard input; it is None for a file.
    """

    path: str
    outcome: Outcome
    format: str | None = None
    recognition: Recognition | None = None
    others: tuple[str, ...] = ()
    source: bytes | None = None

    @property
    def status(self) -> str:
        return self.outcome.status

    @property
    def issues(self) -> tuple[Issue, ...]:
        return self.outcome.issues

    @property
    def version(self) -> Version:
        return getattr(self.outcome, "version", None)

    @property
    def original(self) -> Original | None:
        """What the system that owns the format would do with the file."""
        return getattr(self.outcome, "original", None)


def by_name(name: str) -> Entry:
    """The format of that name; raises `UnknownFormat` with the names there are."""
    names = [entry.name for entry in FORMATS]
    if name in names:
        return FORMATS[names.index(name)]
    close = get_close_matches(name, names, n=1)
    meant = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
    raise UnknownFormat(f"there is no such format; {meant}")


def recognize(head: bytes, name: str = "") -> Recognized | None:
    """Which format a file has that begins with ``head`` and whose absolute path is ``name``.

    Every format is asked, until one is certain; among equals the first of `FORMATS` has it.
    """
    answers: list[tuple[Entry, Recognition]] = []
    for entry in FORMATS:
        answer = entry.recognize(head, name)
        if answer is None:
            continue
        if answer.sure == "certain":
            return Recognized(entry, answer)
        answers.append((entry, answer))
    if not answers:
        return None
    best = min(answers, key=lambda pair: _SURENESS.index(pair[1].sure))
    equals = (e.name for e, a in answers if a.sure == best[1].sure and e is not best[0])
    return Recognized(*best, tuple(equals))


def examine(
    source: str | os.PathLike[str] | bytes,
    *,
    format: str | None = None,
    options: Options | None = None,
) -> Finding:
    """What is in the file at a path, or in bytes (of standard input). Never raises for content.

    ``format`` is the name of the format to read it as; without it the format is recognised.
    Raises `UnknownFormat` for a name that is none.
    """
    forced = None if format is None else Recognized(by_name(format), _FORCED)
    chosen = options or Options()
    if isinstance(source, bytes):
        return _of_bytes(source, forced, chosen)
    path = os.fspath(source)
    whole = read_document(path) if _is_small(path) else None
    begin = read_head(path) if whole is None else whole
    if isinstance(begin, (Missing, Unreadable)):
        return Finding(path, begin, format)
    head = _bytes_of(begin)[:RECOGNITION_BYTES]
    found = forced or recognize(head, os.path.abspath(path))
    if found is None:
        return Finding(path, Unrecognized(looks_like(head)))
    outcome = _outcome(path, whole, found.entry.load(), chosen)
    return Finding(path, outcome, found.entry.name, found.recognition, found.others)


def _of_bytes(source: bytes, forced: Recognized | None, options: Options) -> Finding:
    head = source[:RECOGNITION_BYTES]
    found = forced or recognize(head)
    if found is None:
        return Finding(STDIN, Unrecognized(looks_like(head)), source=source)
    entry, recognition, others = found
    outcome = entry.load().decode(source, options)
    return Finding(STDIN, outcome, entry.name, recognition, others, source)


def _outcome(path: str, whole: Document | None, known: Format, options: Options) -> Outcome:
    if known.read is not None:
        return known.read(Path(path), options)
    document = read_document(path) if whole is None else whole
    if isinstance(document, (Missing, Unreadable)):
        return document
    return known.decode(_bytes_of(document), options)


def _bytes_of(document: bytes | ZeroFilled) -> bytes:
    return document.sample() if isinstance(document, ZeroFilled) else document


def _is_small(path: str) -> bool:
    try:
        return os.stat(path).st_size <= _SMALL
    except (OSError, ValueError):
        return True


def _attribute(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
