"""What stands for what was found, and where it stood: the ground that redaction works on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.edits import Edit, applied
from sesskit.artifacts.json_leaves import Leaf
from sesskit.artifacts.known_values import KnownValues
from sesskit.artifacts.placeholders import PLACEHOLDER, REDACTED, Placeholders
from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.span import Span
from sesskit.schemas.issues import Keys, pointer

__all__ = ["SHORTEST_NAME", "Policy", "Replacing", "under"]

SHORTEST_NAME: Final = 8
"""Shorter names of members hold nothing that could be found in them."""

_MOST_NAMES: Final = 8192
_OF_TEXT: Final = 1


class Policy(NamedTuple):
    """What to look for: ``extended`` names beside the exact ones, and ``values`` in all text.

    With ``extended`` a name decides alone; with ``values`` what has a name of the wider rule goes
    if it can be a secret. ``fill`` stands for what gets no placeholder. ``deny`` are values to be
    taken out wherever they stand, ``allow`` values that stay. With ``samples`` those go as
    well that say they are no secrets.
    """

    extended: bool = False
    values: bool = False
    fill: str = REDACTED
    deny: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()
    samples: bool = False


class Replacing:
    """Gives edits for spans, remembers what was found, and says where things are."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.placeholders = Placeholders()
        self.known = KnownValues()
        self.known.add(Span(0, len(v), "deny-list", v, "denied") for v in policy.deny)
        self._names: dict[str, list[Span]] = {}

    @property
    def wide(self) -> bool:
        """Whether anything but the exact rule for members is asked for."""
        return self.policy.extended or self.policy.values

    def edits(self, spans: Iterable[Span]) -> Iterator[Edit]:
        """The edits that replace spans by their placeholders; what is allowed or is one stays."""
        for span in spans:
            if span.value in self.policy.allow or PLACEHOLDER.fullmatch(span.value):
                continue
            self.known.add([span])
            yield Edit(
                span.start, span.end, self.replacement(span), span, "", (_OF_TEXT, *span.rank)
            )

    def replacement(self, span: Span) -> str:
        """What stands for a span: its placeholder, or the fill where there are none."""
        if not self.policy.values:
            return self.policy.fill
        if span.parts:
            return "@".join(self.placeholders.name(stem, value) for stem, value in span.parts)
        return self.placeholders.name(span.called, span.value)

    def in_name(self, name: str) -> list[Span]:
        """What has to go from the name of a member. The same names come again and again."""
        spans = self._names.get(name)
        if spans is None:
            spans = scan(name)
            if len(self._names) < _MOST_NAMES:
                self._names[name] = spans
        return spans

    def where(self, keys: Keys) -> str:
        """The pointer of some keys, as it may be shown: secrets in names are left out of it."""
        return pointer(tuple(key if isinstance(key, int) else self._shown(key) for key in keys))

    def _shown(self, name: str) -> str:
        if len(name) < SHORTEST_NAME or name.isalpha():
            return name
        spans = self.in_name(name)
        edits = [Edit(s.start, s.end, self.replacement(s), s) for s in spans]
        return applied(name, edits) if edits else name

    def placed(self, edits: Iterable[Edit], leaf: Leaf) -> list[Edit]:
        """The edits of a leaf with the way to it, which is only found out if there are any."""
        found = list(edits)
        if not found:
            return found
        where = self.where(leaf.frame.keys())
        return [under(where, edit) for edit in found]


def under(where: str, edit: Edit) -> Edit:
    """The edit, seen from what holds its text."""
    return edit._replace(pointer=where + edit.pointer)
