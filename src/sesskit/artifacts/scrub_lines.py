"""Values scrubbed from lines of JSON of any size: one pass finds them, the next replaces them.

Nothing is held but a block of lines, and what was found: a value that stands late in the file is
replaced early in it, too. What a block did not give away in the first pass is not looked for in it
again. Pieces of one message are put together within a block and over the edge of two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sesskit.artifacts.documents import Document, Found, again, found_in, over_pieces
from sesskit.artifacts.edits import Edit
from sesskit.artifacts.redaction import Redactor
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_text import read_json

__all__ = ["LineScrubber", "blocks_of"]

BLOCK: Final = 1 << 17
"""Bytes of a block, about: it ends with a line."""

_MOST_FOUND: Final = 20_000
_MOST_BROKEN: Final = 1000
_EDGE: Final = 4096

Pieces = dict[str, list[tuple[int, int]]]


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
    """The passes over one file. Each gets its blocks, and they have to be the same ones.

    Several files that belong together share a ``redactor``: `reserve` all of them first, then `find`
    in all of them, then `scrub` each. ``found`` has the first places, ``count`` says of how many;
    ``issues`` are the faults of the text.
    """

    def __init__(self, redactor: Redactor, place: Treatment = TEXT) -> None:
        self.found: list[Found] = []
        self.count = 0
        self.issues: list[Issue] = []
        self._redactor = redactor
        self._place = place
        self._telling: set[int] = set()
        self._edges: dict[int, list[Edit]] = {}

    def reserve(self, blocks: Iterable[str]) -> None:
        """Keep the numbers of the placeholders that are there."""
        for block in blocks:
            self._redactor.placeholders.reserve(block)

    def find(self, blocks: Iterable[str]) -> None:
        """Find what is to be replaced; remember values, and which blocks told something."""
        before, tails = "", Pieces()
        for number, block in enumerate(blocks):
            if found_in(Document("", block, "jsonl", self._place), self._redactor):
                self._telling.add(number)
            pieces = self._redactor.streams
            for stream in tails.keys() & pieces.keys():
                self._over_edge(number, before, tails[stream], block, pieces[stream])
            before, tails = block, pieces

    def _over_edge(
        self,
        number: int,
        before: str,
        tail: list[tuple[int, int]],
        block: str,
        pieces: list[tuple[int, int]],
    ) -> None:
        """What begins in a piece of the block before and ends in one of this block."""
        by = len(before)
        last = [piece for piece in tail if piece[1] > tail[-1][1] - _EDGE]
        first = [(a + by, b + by) for a, b in pieces if b < pieces[0][1] + _EDGE]
        for edit in over_pieces(before + block, [*last, *first], self._redactor):
            if edit.start < by:
                self._edges.setdefault(number - 1, []).append(edit)
            else:
                moved = edit._replace(start=edit.start - by, end=edit.end - by)
                self._edges.setdefault(number, []).append(moved)

    def scrub(self, blocks: Iterable[str]) -> Iterator[bytes]:
        """The bytes of the blocks with everything replaced that is known."""
        line = 0
        for number, block in enumerate(blocks):
            document = Document("", block, "jsonl", self._place)
            if number in self._telling:
                document.edits = found_in(document, self._redactor)
            document.add(self._edges.get(number, ()))
            document.add(again(document, self._redactor))
            self._note(document, line)
            line += block.count("\n")
            yield document.result()

    def _note(self, document: Document, line: int) -> None:
        """Keep the places of a block that begins behind so many lines, and its faults."""
        self.count += len(document.edits)
        if document.edits and len(self.found) < _MOST_FOUND:
            self.found += (one._replace(line=one.line + line) for one in document.found())
        for number, text in enumerate(document.text.split("\n"), line + 1):
            if len(self.issues) >= _MOST_BROKEN:
                return
            if text.strip():
                raw = text.encode("utf-8", "surrogateescape")
                found = read_json(raw, thorough=False).issues
                self.issues += (i.placed(None, number, i.column or 1) for i in found)
