"""People in places that a share keeps: a mail address as an id, a login in the name of a tool.

Ids have to agree with each other and with no word outside, so the placeholder of a person can
stand in all of them. Where the decoder does not take it the share is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sesskit.artifacts.documents import Document, Found, again, found_in
from sesskit.artifacts.edits import Edit, combined
from sesskit.artifacts.redaction import Policy, Redactor

__all__ = ["Before", "Person", "left_of_people", "people_in", "put_back"]

Before = list[tuple[str, list[Edit]]]
"""Names and edits of documents, as they were before files were made of them."""


class Person(NamedTuple):
    """An edit of personal data, in which document; ``word`` if it may be a word of the format."""

    document: Document
    edit: Edit
    word: bool


def people_in(documents: Sequence[Document], redactor: Redactor) -> list[Person]:
    """The edits that take personal data out of every place of documents, kept ones too."""
    everywhere = [Document(d.name, d.text, d.form) for d in documents]
    found: list[list[Edit]] = []
    for one in everywhere:
        other = Redactor(Policy(values=True, allow=redactor.policy.allow))
        told = [e for e in found_in(one, other, depth=1) if e.span.kind == "personal"]
        redactor.known.add(edit.span for edit in told)
        found.append([edit._replace(text=redactor.replacement(edit.span)) for edit in told])
    return [
        Person(document, edit, _is_word(document.text, edit))
        for document, one, told in zip(documents, everywhere, found, strict=True)
        for edit in combined([*told, *again(one, redactor)])
        if edit.span.kind == "personal"
    ]


def _is_word(text: str, edit: Edit) -> bool:
    """Whether it is a whole string of nothing but letters, as words of a format are."""
    quoted = text[edit.start - 1 : edit.start] == text[edit.end : edit.end + 1] == '"'
    return quoted and text[edit.start : edit.end].isalpha()


def put_back(documents: Sequence[Document], before: Before) -> None:
    """Make documents what they were."""
    for document, (name, edits) in zip(documents, before, strict=True):
        document.name, document.edits = name, list(edits)


def left_of_people(left: Iterable[tuple[str, Found]]) -> int:
    """How often there is still personal data."""
    return sum(found.kind == "personal" for _, found in left)
