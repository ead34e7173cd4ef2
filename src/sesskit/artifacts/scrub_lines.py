"""Lines of JSON of any size scrubbed in passes: what is found first is replaced then, everywhere.

Nothing is held but a block of lines, and what was found: a value that stands late in the file goes
from its beginning, too. A block that gave nothing away is only searched for what others gave away.
Pieces of one message are put together within a block and over the edge of two.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final
from zlib import crc32

from sesskit.artifacts.documents import Document, Found, Place, again, found_in, over_streams
from sesskit.artifacts.edits import Edit, combined
from sesskit.artifacts.longer_texts import Pieces
from sesskit.artifacts.redaction import Redactor
from sesskit.artifacts.treatments import TEXT
from sesskit.records.reading import open_regular
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_text import read_json

__all__ = ["FileChanged", "LineScrubber", "Rereadable", "blocks_of"]

BLOCK: Final = 1 << 17
"""Bytes of a block, about: it ends with a line."""

_MOST_FOUND: Final = 20_000
_MOST_BROKEN: Final = 1000
_EDGE: Final = 4096


class FileChanged(OSError):
    """A file that is not any more what it was when it was read first."""


class Rereadable:
    """A file that is read several times: as much as there was at first, and the same each time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._size = self._path.stat().st_size
        self._sum: int | None = None

    def chunks(self) -> Iterator[bytes]:
        """The bytes. Raises `OSError`, also where they are not those of the time before."""
        left, checksum = self._size, 0
        descriptor = open_regular(self._path)
        try:
            while left and (chunk := os.read(descriptor, min(BLOCK, left))):
                left -= len(chunk)
                checksum = crc32(chunk, checksum)
                yield chunk
        finally:
            os.close(descriptor)
        if left or self._sum not in (None, checksum):
            raise FileChanged(errno.EIO, "it changed while it was read", os.fspath(self._path))
        self._sum = checksum


def blocks_of(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a file in blocks; bytes that are no UTF-8 are lone surrogates."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end and size + end >= BLOCK:
            yield _text(b"".join((*held, chunk[:end])))
            held, size = [chunk[end:]], len(chunk) - end
        else:
            held.append(chunk)
            size += len(chunk)
    if size:
        yield _text(b"".join(held))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


class LineScrubber:
    """The passes over one file; ``blocks`` gives its blocks anew for each of them.

    Files that belong together share a ``redactor``: `reserve` and `find` in all of them before
    `scrub` of any. ``found`` has the first places, ``count`` says of how many; ``issues`` are
    faults of the text.
    """

    def __init__(
        self, blocks: Callable[[], Iterable[str]], redactor: Redactor, place: Place = TEXT
    ) -> None:
        self.found: list[Found] = []
        self.count = 0
        self.issues: list[Issue] = []
        self._blocks = blocks
        self._redactor = redactor
        self._place = place
        self._telling: set[int] = set()
        self._edges: dict[int, list[Edit]] = {}

    def reserve(self) -> None:
        """Keep the numbers of the placeholders that are there."""
        for block in self._blocks():
            self._redactor.placeholders.reserve(block)

    def find(self) -> None:
        """Find what is to be replaced; remember values, and which blocks told something."""
        before, tails = "", Pieces()
        for number, block in enumerate(self._blocks()):
            document = self._document(block)
            if found_in(document, self._redactor):
                self._telling.add(number)
            self._over_edge(number, before, tails, document)
            before, tails = block, document.pieces

    def _document(self, block: str) -> Document:
        return Document("", block, "jsonl", self._place)

    def _over_edge(self, number: int, before: str, tails: Pieces, after: Document) -> None:
        """What begins in a piece of the block before and ends in one of this block."""
        by = len(before)
        pieces: Pieces = {}
        for stream in tails.keys() & after.pieces.keys():
            tail, first = tails[stream], after.pieces[stream]
            pieces[stream] = [piece for piece in tail if piece[1] > tail[-1][1] - _EDGE]
            near = [piece for piece in first if piece[0] < first[0][0] + _EDGE]
            pieces[stream] += [(p[0] + by, p[1] + by, *p[2:]) for p in near]
        if not pieces or not self._redactor.policy.values:
            return
        both = self._document(before + after.text)
        both.pieces = pieces
        for edit in over_streams(both, self._edits_of, self._redactor):
            if edit.start < by:
                self._edges.setdefault(number - 1, []).append(edit)
            else:
                moved = edit._replace(start=edit.start - by, end=edit.end - by)
                self._edges.setdefault(number, []).append(moved)

    def _edits_of(self, joined: str) -> list[Edit]:
        known = self._redactor.known.spans_in(joined)
        return combined([*self._redactor.string(joined), *self._redactor.edits(known)])

    def scrub(self) -> Iterator[bytes]:
        """The bytes of the file with everything replaced that is known."""
        policy = self._redactor.policy
        line = offset = 0
        for number, block in enumerate(self._blocks()):
            document = self._document(block)
            if number in self._telling:
                document.edits = found_in(document, self._redactor)
            document.add(self._edges.get(number, ()))
            if policy.values or policy.deny:
                document.add(again(document, self._redactor))
            self._note(document, line, offset)
            line += block.count("\n")
            offset += len(block.encode("utf-8", "surrogateescape"))
            yield document.result()

    def _note(self, document: Document, line: int, offset: int) -> None:
        """Keep the places of a block that begins behind so many lines and bytes, and its faults."""
        self.count += len(document.edits)
        if document.edits and len(self.found) < _MOST_FOUND:
            self.found += (one._replace(line=one.line + line) for one in document.found())
        for number, text in enumerate(document.text.split("\n"), line + 1):
            raw = text.encode("utf-8", "surrogateescape")
            if text.strip() and len(self.issues) < _MOST_BROKEN:
                found = read_json(raw, thorough=False).issues
                placed = (i.placed((i.offset or 0) + offset, number, i.column or 1) for i in found)
                self.issues += placed
            offset += len(raw) + 1
