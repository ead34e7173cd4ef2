"""Verification: the bytes that are about to be published, scanned again by every layer.

What is sure to be a secret, and every value that was found or is known from elsewhere, must be
gone, in any form it can be written in. What is less sure is told and does not refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sesskit.artifacts.documents import Document, Found, found_in
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
        redactor = Redactor(Policy(values=True, allow=allow))
        text = document.text
        seen = Document(document.name, text, document.form)
        seen.edits = combined([*found_in(seen, redactor, depth=1), *_raw(text, redactor, known)])
        left += ((document.name, found) for found in seen.found())
        named = Document(document.name, document.name, "text")
        named.edits = combined([*found_in(named, redactor), *_raw(named.text, redactor, known)])
        left += ((document.name, found._replace(line=0, column=0)) for found in named.found())
    return left


def _raw(text: str, redactor: Redactor, known: KnownValues | None) -> list[Edit]:
    """Tokens and known values in the text as it stands. A known secret is a sure one."""
    spans: list[Span] = tokens_in(text, runs_of(text))
    if known is not None:
        spans += (
            span._replace(confidence="high") if span.kind == "secret" else span
            for span in known.spans_in(text)
        )
    return list(redactor.edits(spans))


def refuses(left: Iterable[tuple[str, Found]]) -> bool:
    """Whether something is left that nobody may publish: a secret, as good as certain."""
    return any(found.kind == "secret" and found.confidence == "high" for _, found in left)
