"""Documents of one share: their text, what is found in them, and what becomes of them.

All files of one session are redacted together: the same value gets the same placeholder in each,
and what one gives away is looked for in all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import orjson

from sesskit.artifacts.edits import Edit, applied, combined, lifted
from sesskit.artifacts.json_leaves import leaves, text_of
from sesskit.artifacts.longer_texts import Part, Pieces, named_pieces, over_pieces
from sesskit.artifacts.redaction import Redactor
from sesskit.artifacts.secret_rule import Confidence, Kind
from sesskit.artifacts.seen_through import is_odd, seen_through
from sesskit.artifacts.span import Span
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.artifacts.views import decoded

__all__ = [
    "FOLLOWS",
    "As",
    "Document",
    "Found",
    "Place",
    "again",
    "form_of",
    "found_in",
    "is_wide",
    "over_streams",
    "redact",
]

As = Literal["json", "jsonl", "text"]
Place = Treatment | Callable[[str], Treatment]
"""What a format says about a text; where that depends on the line, what says so for each."""

FOLLOWS: Final = "follows"
"""The rule of an edit that is no finding: something that has to agree with another change."""

_WIDE: Final = (b"\xff\xfe", b"\xfe\xff", b"\0")


class Found(NamedTuple):
    """One place of the report. It holds nothing of the value, nor its length."""

    rule: str
    kind: Kind
    confidence: Confidence
    placeholder: str
    line: int
    column: int
    pointer: str
    file: str = ""
    """The name of the file, in a session of several."""


@dataclass(slots=True)
class Document:
    """One file: ``text`` is its bytes as text, where bytes that are no UTF-8 are lone surrogates.

    ``form`` says how it is read, ``place`` what its format says about its places. Where no place
    is to be spared, ``streamed`` is the format's word on what is a piece of a longer text.
    """

    name: str
    text: str
    form: As
    place: Place = TEXT
    edits: list[Edit] = field(default_factory=list)
    streamed: Place | None = None
    pieces: Pieces = field(default_factory=dict)
    """The places of the pieces of longer texts, once they were looked for."""
    given: list[Edit] = field(default_factory=list)
    """Edits that are to be made whatever is found."""
    head: bytes = b""
    """How the file began, as bytes."""

    @classmethod
    def of(cls, name: str, data: bytes, form: As | None = None, place: Place = TEXT) -> Document:
        """A document of the bytes of a file."""
        return cls(
            name, data.decode("utf-8", "surrogateescape"), form or form_of(data, name), place
        )

    def add(self, edits: Iterable[Edit]) -> None:
        """Further edits, in places of the text."""
        self.edits = combined([*self.edits, *edits])

    def result_text(self) -> str:
        """The text with its edits made."""
        return applied(self.text, self.edits)

    def result(self) -> bytes:
        """The bytes of that text."""
        return self.result_text().encode("utf-8", "surrogateescape")

    def found(self) -> Iterator[Found]:
        """What the edits are, with their places in the original file."""
        line, begin, at = 1, 0, 0
        for edit in self.edits:
            line += self.text.count("\n", at, edit.start)
            begin = max(self.text.rfind("\n", at, edit.start) + 1, begin)
            at = edit.start
            span = edit.span
            if span.rule == FOLLOWS:
                continue
            said = edit.text.strip('"\\') if span.value else ""
            yield Found(
                span.rule,
                span.kind,
                span.confidence,
                said,
                line,
                edit.start - begin + 1,
                edit.pointer,
            )


def form_of(data: bytes, name: str = "") -> As:
    """How a file is read: one JSON text, one for each line, or text that is neither."""
    if name.endswith(".jsonl"):
        return "jsonl"
    head = data.lstrip()[:1]
    if head in (b"{", b"["):
        try:
            orjson.loads(data)
        except orjson.JSONDecodeError:
            first = data.lstrip().partition(b"\n")[0]
            return "jsonl" if _is_json(first) else "json" if name.endswith(".json") else "text"
        return "json"
    return "json" if name.endswith(".json") else "text"


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def is_wide(data: bytes) -> bool:
    """Whether this is text of two or four bytes for a character, where nothing would be found."""
    return data.startswith(_WIDE[:2]) or 0 in data[:2]


def redact(documents: Sequence[Document], redactor: Redactor) -> None:
    """Give the documents of one family their edits."""
    for document in documents:
        redactor.placeholders.reserve(document.text)
    for document in documents:
        document.edits = combined([*found_in(document, redactor), *document.given])
    if redactor.policy.values or redactor.policy.deny:
        for document in documents:
            document.add(again(document, redactor))


def found_in(document: Document, redactor: Redactor, *, depth: int = 0) -> list[Edit]:
    """What the document itself gives away. Beyond depth 0 a name decides only for true values."""
    redactor.streams, redactor.top = {}, depth
    found: list[Edit] = []
    for start, end, place in _parts(document):
        part = document.text[start:end]
        redactor.base = start
        if place is None:
            edits = redactor.string(part, depth=depth)
        else:
            edits = redactor.document(part, place, depth=depth)
        found += _moved(edits, start)
    document.pieces = redactor.streams
    if document.streamed is not None:
        document.pieces |= named_pieces(document.text, _parts(document, document.streamed))
    if redactor.policy.values:
        found += over_streams(
            document,
            lambda joined: combined(
                [
                    *redactor.string(joined, depth=depth),
                    *redactor.edits(redactor.known.spans_in(joined)),
                ]
            ),
            redactor,
        )
    return combined(found)


def over_streams(
    document: Document, edits_of: Callable[[str], Iterable[Edit]], redactor: Redactor
) -> list[Edit]:
    """The edits of longer texts that came in pieces, once `found_in` has seen the pieces."""
    if not document.pieces:
        return []
    parts = list(_parts(document))
    return over_pieces(document.text, parts, document.pieces, edits_of, redactor.where)


def _of_part(place: Place, part: str) -> Treatment:
    return place if isinstance(place, Treatment) else place(part)


def _parts(document: Document, said: Place | None = None) -> Iterator[Part]:
    """The JSON texts of a document with their treatment, and its other parts without one."""
    text, place = document.text, document.place if said is None else said
    if document.form == "text":
        yield 0, len(text), None
    elif document.form == "json":
        yield 0, len(text), _of_part(place, text)
        if not _is_json(text.encode("utf-8", "replace")):
            yield 0, len(text), None
    else:
        yield from _lines(text, place)


def _lines(text: str, place: Place) -> Iterator[Part]:
    """The lines; a broken one is walked as far as it goes, and is scanned as text as well."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        if line.strip():
            yield start, end, _of_part(place, line)
            if not _is_json(line.encode("utf-8", "replace")):
                yield start, end, None
        start = end + 1


def _moved(edits: Iterable[Edit], by: int) -> Iterator[Edit]:
    return (edit._replace(start=edit.start + by, end=edit.end + by) for edit in edits)


def again(document: Document, redactor: Redactor) -> Iterator[Edit]:
    """Where what is known by now stands once more."""
    text = document.text
    yield from over_streams(
        document, lambda joined: redactor.edits(redactor.known.spans_in(joined)), redactor
    )
    hits = _outside(list(redactor.known.spans_in(text)), document.edits)
    odd = is_odd(text)
    if not hits and not odd:
        return
    places = [hit.start for hit in hits]
    for start, end, place in _parts(document):
        mine = hits[bisect_left(places, start) : bisect_left(places, end)]
        if place is None:
            yield from redactor.edits(mine)
            if odd:
                spans = seen_through(text[start:end], redactor.known.spans_in)
                yield from _moved(redactor.edits(spans), start)
        elif mine or (odd and is_odd(text[start:end])):
            moved = [h._replace(start=h.start - start, end=h.end - start) for h in mine]
            yield from _moved(_in_leaves(text[start:end], place, moved, redactor), start)


def _outside(hits: list[Span], edits: list[Edit]) -> list[Span]:
    """The hits that touch no edit."""
    starts = [edit.start for edit in edits]
    found = []
    for hit in hits:
        number = bisect_left(starts, hit.end) - 1
        if number < 0 or edits[number].end <= hit.start:
            found.append(hit)
    return found


def _in_leaves(text: str, place: Treatment, hits: list[Span], redactor: Redactor) -> Iterator[Edit]:
    """The edits of hits that lie in names and strings which may be changed."""
    starts = [hit.start for hit in hits]
    for leaf in leaves(text, place, lambda _: False):
        if leaf.role not in ("text", "name"):
            continue
        first = bisect_left(starts, leaf.start)
        mine = [hit for hit in hits[first : bisect_left(starts, leaf.end)] if hit.end <= leaf.end]
        raw = text[leaf.start : leaf.end]
        edits = list(redactor.edits(mine))
        if is_odd(raw):
            spans = seen_through(text_of(raw), redactor.known.spans_in)
            edits += lifted(redactor.edits(spans), decoded(raw), leaf.start)
        where = redactor.where(leaf.frame.keys()) if edits else ""
        yield from (edit._replace(pointer=where) for edit in edits)
