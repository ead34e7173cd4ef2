"""All formats, and what is in a file: `FORMATS`, `by_name`, `recognize`, `examine`.

A new format is one line in `FORMATS`. A line names where the format's cheap recogniser and its
`Format` live, so that asking what a file is imports no decoder, and decoding imports only one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from sesskit.logs.format_entry import Entry
from sesskit.records.format import Format, Options, Recognition
from sesskit.records.heads import read_head, read_line_end
from sesskit.records.reading import Document, ZeroFilled, read_document
from sesskit.schemas.issues import Issue
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Original, Outcome, Unreadable, Unrecognized, Version

STDIN = "-"
"""The path that stands for standard input."""

_SMALL = 1 << 20
"""Up to here a file is read at once; of a bigger one first the beginning."""
_SURENESS = ("certain", "likely", "guess")
_FORCED = Recognition("certain", "it was asked for")


FORMATS = (  # asked in this order
    Entry(
        "robota-record",
        "sesskit.records.robota_recognition:enveloped",
        "sesskit.records.robota:RECORD",
        "sesskit.records.robota_view:enveloped",
        zoned=True,
    ),
    Entry(
        "robota-record-bare",
        "sesskit.records.robota_recognition:bare",
        "sesskit.records.robota:BARE",
        "sesskit.records.robota_view:bare",
        zoned=True,
    ),
    Entry(
        "robota-log",
        "sesskit.logs.robota_recognition:log",
        "sesskit.logs.robota_formats:LOG",
        "sesskit.logs.robota_log_view:view",
        zoned=True,
    ),
    Entry(
        "robota-history",
        "sesskit.logs.robota_recognition:history",
        "sesskit.logs.prompt_history_format:HISTORY",
    ),
    Entry(
        "ochat-record",
        "sesskit.records.ochat_recognition:recognize",
        "sesskit.records.ochat:RECORD",
        "sesskit.records.ochat_view:view",
        "sesskit.records.ochat_lookup:BINARY",
    ),
    Entry(
        "dsh-log",
        "sesskit.logs.dsh.recognition:recognize",
        "sesskit.logs.dsh.format:LOG",
        "sesskit.logs.dsh.view:view",
        unpacker="sesskit.logs.dsh.view:text_of_log",
    ),
    Entry(
        "dsh-sqlite",
        "sesskit.logs.dsh.recognition:recognize_store",
        "sesskit.logs.dsh.format:STORE",
    ),
)


class UnknownFormat(LookupError):
    """There is no format of that name; the text says which there are."""


class Recognized(NamedTuple):
    """The surest answer; ``others`` are the names of formats that are just as sure."""

    entry: Entry
    recognition: Recognition
    others: tuple[str, ...] = ()


class Finding(NamedTuple):
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
        """Those of the outcome; for a file that was not decoded, one that says why not."""
        outcome = self.outcome
        why: str | None = None
        if isinstance(outcome, Missing):
            why = "there is no such file"
        elif isinstance(outcome, Unreadable):
            why = outcome.reason
        elif isinstance(outcome, Unrecognized):
            why = f"it looks like {outcome.looks_like}"
        return outcome.issues if why is None else (Issue(outcome.status, why), *outcome.issues)

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
    from difflib import get_close_matches

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
    if not path:
        return Finding(path, Missing(), format)
    whole = read_document(path) if _is_small(path) else None
    begin = read_head(path) if whole is None else whole
    if isinstance(begin, (Missing, Unreadable)):
        return Finding(path, begin, format)
    head = _bytes_of(begin)[:RECOGNITION_BYTES]
    found = forced or recognize(head, _absolute(path)) or _by_line_end(path, head)
    if found is None:
        return Finding(path, _unrecognized(head))
    outcome = _outcome(path, whole, found.entry.load(), chosen)
    return Finding(path, outcome, found.entry.name, found.recognition, found.others)


def identify_bytes(data: bytes, format: str | None = None) -> Recognized | Finding:
    """`identify` for bytes that have no path."""
    if format is not None:
        return Recognized(by_name(format), _FORCED)
    head = data[:RECOGNITION_BYTES]
    return recognize(head) or Finding(STDIN, _unrecognized(head), source=data)


def identify(path: str, format: str | None = None) -> Recognized | Finding:
    """The format of the file at a path, by its beginning alone; a `Finding` says why it has none.

    Raises `UnknownFormat` for a name that is none.
    """
    if not path:
        return Finding(path, Missing(), format)
    begin = read_head(Path(path))
    if isinstance(begin, (Missing, Unreadable)):
        return Finding(path, begin, format)
    head = _bytes_of(begin)[:RECOGNITION_BYTES]
    if format is not None:
        return Recognized(by_name(format), _FORCED)
    found = recognize(head, _absolute(path)) or _by_line_end(path, head)
    return found or Finding(path, _unrecognized(head))


def _by_line_end(source: str | bytes, head: bytes) -> Recognized | None:
    """A log whose first line is longer than what is looked at: the envelope may be its end."""
    if len(head) < RECOGNITION_BYTES or b"\n" in head or head[:1] != b"{":
        return None
    if isinstance(source, bytes):
        return recognize(head + b"\n" + source.partition(b"\n")[0][-RECOGNITION_BYTES:])
    return recognize(head + b"\n" + read_line_end(source), _absolute(source))


def decode(data: bytes, format: str | None = None, *, options: Options | None = None) -> Outcome:
    """What is in the bytes of one file, as the format of that name. Total.

    Without a name the format is recognised, and bytes of none are `Unrecognized`; with one the
    answer is `Valid`, `Corrupt` or `Unsupported`. Raises `UnknownFormat` for a name that is none,
    and TypeError for what is not bytes: a path is read by `examine`.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError("decode takes the bytes of a file; use examine for its path")
    return examine(bytes(data), format=format, options=options).outcome


def _of_bytes(source: bytes, forced: Recognized | None, options: Options) -> Finding:
    head = source[:RECOGNITION_BYTES]
    found = forced or recognize(head) or _by_line_end(source, head)
    if found is None:
        return Finding(STDIN, _unrecognized(head), source=source)
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


def _unrecognized(head: bytes) -> Unrecognized:
    from sesskit.logs.recognition import looks_like  # only here: most runs do without

    return Unrecognized(looks_like(head))


def _bytes_of(document: bytes | ZeroFilled) -> bytes:
    return document.sample() if isinstance(document, ZeroFilled) else document


def _absolute(path: str) -> str:
    # pathlib takes its time, and this is asked for every file of a folder.
    return path if path.startswith(os.sep) else f"{Path.cwd()}{os.sep}{path}"


def _is_small(path: str) -> bool:
    try:
        return os.stat(path).st_size <= _SMALL  # noqa: PTH116 - as above
    except (OSError, ValueError):
        return True
