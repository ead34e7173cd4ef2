"""Verification: the bytes that are about to be published, scanned again by every layer.

What is sure to be a secret, and every value that was found or is known from elsewhere, must be
gone, in any form it can be written in. What is less sure is told and does not refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sesskit.artifacts.documents import Document, Found, again, found_in
from sesskit.artifacts.edits import Edit, combined
from sesskit.artifacts.known_values import KnownValues
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.tokens_in_text import runs_of, tokens_in

__all__ = ["each_once", "refuses", "remaining"]


def remaining(
    documents: Sequence[Document],
    known: KnownValues | None = None,
    allow: frozenset[str] = frozenset(),
) -> list[tuple[str, Found]]:
    """What is still in documents, with the names of their files; the documents stay as they are.

    No place is spared here: ids, names of files and words of the format are looked at too.
    """
    left: list[tuple[str, Found]] = []
    for document in documents:
        name = document.name
        left += ((name, f._replace(file=name)) for f in _left_in(document, known, allow))
    return left


def _left_in(
    document: Document, known: KnownValues | None, allow: frozenset[str]
) -> Iterator[Found]:
    redactor = Redactor(Policy(values=True, allow=allow))
    seen = Document(document.name, document.text, document.form, streamed=document.streamed)
    found = found_in(seen, redactor, depth=1)
    seen.edits = combined([*found, *_raw(document.text, redactor), *_known(seen, known, allow)])
    yield from seen.found()
    named = Document(document.name, document.name, "text")
    found = found_in(named, redactor)
    named.edits = combined([*found, *_raw(named.text, redactor), *_known(named, known, allow)])
    yield from (one._replace(line=0, column=0) for one in named.found())


def _raw(text: str, redactor: Redactor) -> Iterator[Edit]:
    """Tokens in the text as it stands."""
    return redactor.edits(tokens_in(text, runs_of(text)))


def _known(document: Document, known: KnownValues | None, allow: frozenset[str]) -> Iterator[Edit]:
    """Known values in any form and in pieces. A known secret is a sure one."""
    if known is None:
        return
    redactor = Redactor(Policy(values=True, allow=allow))
    redactor.known = known
    here = Document(document.name, document.text, document.form, streamed=document.streamed)
    here.pieces = document.pieces
    for edit in (*redactor.edits(known.spans_in(document.text)), *again(here, redactor)):
        span = edit.span
        sure = span._replace(confidence="high") if span.kind == "secret" else span
        yield edit._replace(span=sure, rank=(*edit.rank[:1], *sure.rank))


def each_once(
    documents: Sequence[Document], known: KnownValues | None, allow: frozenset[str]
) -> Iterator[tuple[str, Found]]:
    """What is left, told once where several texts were made of the same file."""
    told: set[tuple[str, str, int]] = set()
    for document in documents:
        left = remaining([document], known, allow)
        fresh = [(name, f) for name, f in left if (name, f.rule, f.line) not in told]
        told.update((name, found.rule, found.line) for name, found in fresh)
        yield from fresh


def refuses(left: Iterable[tuple[str, Found]]) -> bool:
    """Whether something is left that nobody may publish: a secret, as good as certain."""
    return any(found.kind == "secret" and found.confidence == "high" for _, found in left)
