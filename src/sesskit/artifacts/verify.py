"""Verification: the bytes that are about to be published, scanned again by every layer.

What is sure to be a secret, and every value that was found or is known from elsewhere, must be
gone, in any form it can be written in. What is less sure is told and does not refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sesskit.artifacts.documents import Document, Found, found_in, over_streams
from sesskit.artifacts.edits import Edit, combined
from sesskit.artifacts.known_values import KnownValues
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.span import Span
from sesskit.artifacts.tokens_in_text import runs_of, tokens_in

__all__ = ["refuses", "remaining"]


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
    text = document.text
    seen = Document(document.name, text, document.form, streamed=document.streamed)
    found = found_in(seen, redactor, depth=1)
    if known is not None:
        found += over_streams(seen, lambda joined: _known(joined, redactor, known), redactor)
    seen.edits = combined([*found, *_raw(text, redactor, known)])
    yield from seen.found()
    named = Document(document.name, document.name, "text")
    named.edits = combined([*found_in(named, redactor), *_raw(named.text, redactor, known)])
    yield from (found._replace(line=0, column=0) for found in named.found())


def _raw(text: str, redactor: Redactor, known: KnownValues | None) -> list[Edit]:
    """Tokens and known values in the text as it stands."""
    found = list(redactor.edits(tokens_in(text, runs_of(text))))
    return found if known is None else [*found, *_known(text, redactor, known)]


def _known(text: str, redactor: Redactor, known: KnownValues) -> list[Edit]:
    """Known values in a text. A known secret is a sure one."""
    spans: list[Span] = [
        span._replace(confidence="high") if span.kind == "secret" else span
        for span in known.spans_in(text)
    ]
    return list(redactor.edits(spans))


def refuses(left: Iterable[tuple[str, Found]]) -> bool:
    """Whether something is left that nobody may publish: a secret, as good as certain."""
    return any(found.kind == "secret" and found.confidence == "high" for _, found in left)
