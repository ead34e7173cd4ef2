"""Scrubbing one file of any kind: JSON, lines of JSON, text, or a session of a known format.

Lines of any size stream through (`scrub_lines`), and where only the exact rule is asked for any
JSON does. All other ways hold the file. A session that was valid stays valid, or there is no
result.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sesskit.artifacts.archives import opener_of
from sesskit.artifacts.documents import As, Document, Found, form_of, is_wide, redact
from sesskit.artifacts.packings import is_shut
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.scrub_keys import KeyScrubber
from sesskit.artifacts.share import Made, Share, documents_of, put_together
from sesskit.artifacts.share_formats import File, NotClosed, share_format
from sesskit.artifacts.span import Span
from sesskit.logs.formats import by_name
from sesskit.records.format import Options
from sesskit.records.reading import Readable, open_regular
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_text import read_json
from sesskit.schemas.outcomes import Corrupt, Outcome, Unreadable, Valid

__all__ = [
    "BROKEN",
    "STREAMED_BYTES",
    "Scrubbed",
    "document_of",
    "is_lines",
    "is_packed",
    "redactor_of",
    "scrub_data",
    "scrub_session",
    "streamed",
]

STREAMED_BYTES: Final = 16 << 20
"""Files from this size on are not held where they can be scrubbed as they are read."""

_CHUNK: Final = 1 << 18
_MOST_BROKEN: Final = 1000
_BINARY: Final = "this build cannot take this format apart"
BROKEN: Final = "the result would not be valid any more"
_PACKED: Final = "it is packed, and only files that can be read as text are scrubbed; unpack it"
_DATABASE: Final = b"SQLite format 3\0"
_WIDE: Final = "its text has two or four bytes for each character; convert it to UTF-8"


class Scrubbed(NamedTuple):
    """What became of a file. Without ``data`` nothing may be written, and ``why`` says why.

    ``outcome`` is that of the result for a session, for other files whether they are JSON.
    """

    outcome: Outcome
    data: bytes | None = None
    found: tuple[Found, ...] = ()
    why: str = ""


def scrub_data(
    name: str,
    data: bytes,
    policy: Policy,
    *,
    form: As | None = None,
    session: str | None = None,
    redactor: Redactor | None = None,
) -> Scrubbed:
    """Scrub the bytes of a file. ``session`` is the name of its format, if it is a session.

    Files of one session share a ``redactor`` that has seen all of them.
    """
    adapter = None if form else share_format(session)
    if is_wide(data) and adapter is None:
        why = _BINARY if session else _WIDE
        return Scrubbed(Unreadable(why), why=why)
    if adapter is None and form is None and is_packed(name, data):
        return Scrubbed(Unreadable(_PACKED), why=_PACKED)
    redactor = redactor or Redactor(policy)
    if adapter is None or session is None:
        document = Document.of(name, data, form)
        redact([document], redactor)
        result = document.result()
        return Scrubbed(_soundness(result, document.form), result, tuple(document.found()))
    decode = by_name(session).load().decode
    before = decode(data, Options(keep=False))
    try:
        document = Document(name, adapter.opened(data), adapter.form, adapter.scrubbed)
        redact([document], redactor)
        result = adapter.closed(document.result_text(), data)
    except NotClosed as error:
        return Scrubbed(error.outcome, why=BROKEN)
    after = decode(result, Options(keep=False))
    if isinstance(before, Valid) and not isinstance(after, Valid):
        return Scrubbed(after, why=BROKEN)
    return Scrubbed(after, result, tuple(document.found()))


def is_packed(name: str, data: bytes) -> bool:
    """Whether nothing can be found in these bytes, or changed in them, before they are opened."""
    skipped = data[1:4] == b"\x2a\x4d\x18" and data[0] & 0xF0 == 0x50  # a frame to pass over
    opened = skipped or data.startswith(_DATABASE) or opener_of(data) is not None
    return opened or is_shut(name, data)


def redactor_of(policy: Policy, known: Iterable[Span]) -> Redactor:
    """A redactor that looks for values from elsewhere as well."""
    redactor = Redactor(policy)
    redactor.known.add(known)
    return redactor


def document_of(name: str, data: bytes, form: As | None, session: str | None) -> Document | None:
    """The document of a file; None where nothing can be found in it."""
    adapter = None if form else share_format(session)
    if is_wide(data) and adapter is None:
        return None
    if adapter is None:
        return Document.of(name, data, form)
    try:
        return Document(name, adapter.opened(data), adapter.form, adapter.scrubbed)
    except NotClosed:
        return None


def scrub_session(
    files: Sequence[File], session: str, redactor: Redactor, called: str
) -> Made | Share | None:
    """Scrub a valid session of files, the main one first, whose names or bytes depend on each
    other; None if it is no such session. The main one will be ``called`` so."""
    adapter = share_format(session)
    if adapter is None or adapter.decoded is None:
        return None
    if not isinstance(adapter.decoded(files)[1], Valid):
        return None
    documents = documents_of(adapter, files, adapter.scrubbed, redactor.is_secret)
    redact(documents, redactor)
    return put_together(adapter, session, documents, called)


def _soundness(data: bytes, form: As) -> Outcome:
    """Whether the text is JSON, with the places where it is not."""
    if form == "text":
        return Valid(None)
    whole = form == "json"
    issues = read_json(data, thorough=False).issues if whole else tuple(_of_lines(data))
    wrong = any(issue.severity == "error" for issue in issues)
    return Corrupt(issues) if wrong else Valid(None, issues)


def _of_lines(data: bytes) -> Iterator[Issue]:
    offset, count = 0, 0
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip() and count < _MOST_BROKEN:
            for issue in read_json(line, thorough=False).issues:
                count += 1
                place = (issue.offset or 0) + offset
                yield issue.placed(place, number, issue.column or 1)
        offset += len(line) + 1


def streamed(
    path: str | os.PathLike[str],
    scrubber: KeyScrubber,
    *,
    head: bytes = b"",
    stream: Readable | None = None,
) -> Iterator[bytes]:
    """The scrubbed bytes of a file of any size, by the exact rule. Raises `OSError`.

    With a ``stream`` the rest of it follows ``head``; nothing is read from ``path`` then.
    """
    if stream is not None:
        yield scrubber.feed(head)
        while chunk := stream.read(_CHUNK):
            yield scrubber.feed(chunk)
    else:
        descriptor = open_regular(Path(path))
        try:
            while chunk := os.read(descriptor, _CHUNK):
                yield scrubber.feed(chunk)
        finally:
            os.close(descriptor)
    yield scrubber.finish()


def is_lines(head: bytes, name: str) -> bool:
    """Whether a file that begins so is read line by line."""
    return form_of(head, name) == "jsonl"
