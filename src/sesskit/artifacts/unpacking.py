"""The texts in a file of any kind: archives and compressed files are opened, binary ones read.

For verifying what was made elsewhere. What cannot be looked into is said, never passed by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.archives import opener_of
from sesskit.artifacts.broken_tokens import broken_in
from sesskit.artifacts.byte_lists import texts_listed
from sesskit.artifacts.documents import Document, form_of
from sesskit.artifacts.markup_text import seen_text
from sesskit.artifacts.packings import TOO_MUCH, Sealed, hidden_in, is_shut
from sesskit.artifacts.share_formats import NotClosed, as_text, share_format
from sesskit.artifacts.tokens_in_text import runs_of
from sesskit.logs.dsh.sqlite_access import values_of
from sesskit.logs.formats import recognize
from sesskit.schemas.limits import RECOGNITION_BYTES

__all__ = ["Sealed", "documents_in"]

_MOST_BYTES: Final = 1 << 30
_MOST_UNPACKED: Final = 1 << 28
"""How much of one packed file is looked into, where that is more than its own bytes."""

_MOST_FILES: Final = 100_000
_DEEPEST: Final = 4
_DATABASE: Final = b"SQLite format 3\0"
_SURE: Final = ("certain", "likely")
_MARKS: Final = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class _Held(NamedTuple):
    name: str
    data: bytes
    depth: int


def documents_in(name: str, data: bytes) -> Iterator[Document]:
    """All texts in a file, each with the name under which it is found. Raises `Sealed`."""
    waiting = [_Held(name, data, 0)]
    left, files = _MOST_BYTES, 0
    while waiting:
        held = waiting.pop()
        files += 1
        left -= len(held.data)
        if left < 0 or files > _MOST_FILES:
            raise Sealed(TOO_MUCH)
        opener = opener_of(held.data)
        if opener is None and is_shut(held.name, held.data):
            raise Sealed("it is packed or encrypted in a way that is not opened here")
        if opener is None:
            yield from _texts(held.name, held.data)
            opener = _values if held.data.startswith(_DATABASE) else hidden_in
            if held.depth < _DEEPEST:
                found = opener(held.name, held.data, left)
                waiting += [_Held(*one, held.depth + 1) for one in found]
            continue
        if held.depth == _DEEPEST:
            raise Sealed("archives are nested too deep in it")
        most = min(left, max(_MOST_UNPACKED, len(held.data)))
        inner = [_Held(*found, held.depth + 1) for found in opener(held.name, held.data, most)]
        waiting += reversed(inner)


def _texts(name: str, data: bytes) -> Iterator[Document]:
    """The text of a file, and where it is the binary form of a session, that of its strings."""
    known = recognize(data[:RECOGNITION_BYTES], name)
    sure = known is not None and known.recognition.sure in _SURE
    adapter = share_format(known.entry.name) if known is not None and sure else None
    if adapter is not None and adapter.sessions is not None:
        for inner, log in adapter.sessions(data):
            yield Document(f"{name}!{inner}", as_text(log), "jsonl", streamed=adapter.shared)
        adapter = None  # its bytes are looked at as well
    wide = next((code for mark, code in _MARKS if data.startswith(mark)), None)
    if wide is not None:
        yield Document.of(name, data.decode(wide, "replace").encode("utf-8", "replace"))
    if adapter is not None:
        streamed = adapter.shared
        try:
            yield Document(name, adapter.opened(data), adapter.form, streamed=streamed)
        except NotClosed:
            yield Document(name, as_text(data), "text")
        return
    text = as_text(data)
    yield Document(name, text, form_of(data, name))
    seen = seen_text(text)
    if seen is not None:
        yield Document(name, seen, "text")
    if any(broken_in(text, list(runs_of(text)))):  # maybe over strings of a list of JSON
        yield Document(name, f"- {text}", "text")
    yield from (Document(f"{name}!bytes", listed, "text") for listed in texts_listed(text))
    if b"\0" in data[:RECOGNITION_BYTES]:
        # Wide text without a mark, and strings of a database between its numbers.
        yield Document(name, as_text(data.replace(b"\0", b"")), "text")


def _values(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """The values of a database that are long enough to lie in several pages, or are bytes."""
    for number, value in enumerate(values_of(data)):
        limit -= len(value)
        if limit < 0:
            raise Sealed(TOO_MUCH)
        yield f"{name}!{number}", value
