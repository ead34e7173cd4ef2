"""What a share does with each place of a format: scan it, keep it, blank it, or drop it.

A format says so with a few lists of paths; all it does not name is text and is scanned. Paths are
dotted, ``[]`` stands for the elements of a list, ``*`` for any member, and ``{a,b}`` for several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

__all__ = ["TEXT", "Treatment", "treatments"]

Way = Literal["text", "keep", "blank", "drop", "secret"]
_STEP: Final = re.compile(r"\{([^{}]*)\}|\[\]|[^.\[\]{}]+")


class Treatment:
    """One place: ``way`` says what to do with the value there, the rest leads further in.

    ``fill`` is the JSON text that a sensitive member gets there, or that a ``blank`` value becomes.
    ``neutral`` maps the value of the member ``type`` to the JSON text that replaces such an object
    whole. Under ``names`` False member names are words of the format or of a schema, and never
    make a value secret; members with secret names are led on by ``named_secret`` instead.
    ``pieces`` names members that are a piece of a longer text, or a list of such pieces, and
    ``stream`` those that say of which; ``scope`` are members that say so for streams further in.
    ``events`` says that each string from here on may be a piece of the one that stands at the same
    place in the next text; ``scope`` says of which texts.
    ``pair`` marks a list that is a name and its value; ``first`` is the place of the first element
    of a list where that is another one. ``tagged`` is as ``neutral``, by the name of the only
    member of the object. ``instead`` is the JSON text that a sensitive value gets that stands right
    here. ``called`` is what the report calls what is blanked.
    """

    __slots__ = (
        "called",
        "drops",
        "elements",
        "events",
        "fill",
        "first",
        "instead",
        "members",
        "named_secret",
        "names",
        "neutral",
        "others",
        "pair",
        "pieces",
        "scope",
        "stream",
        "tagged",
        "way",
    )

    def __init__(self, way: Way = "text", *, fill: str | None = None, names: bool = True) -> None:
        self.way = way
        self.fill = fill
        self.names = names
        self.neutral: Mapping[str, str] = {}
        self.tagged: Mapping[str, str] = {}
        self.called = ""
        self.instead: str | None = None
        self.drops = False
        self.pieces: frozenset[str] = frozenset()
        self.stream: tuple[str, ...] = ()
        self.scope: tuple[str, ...] = ()
        self.pair = False
        self.events = False
        self.first: Treatment | None = None
        self.members: dict[str, Treatment] = {}
        self.others: Treatment = self
        self.elements: Treatment = self
        self.named_secret: Treatment | None = None

    def streams(self, pieces: Iterable[str], *of: str) -> Treatment:
        """The same place, whose members ``pieces`` are pieces of a text that ``of`` tell apart."""
        self.pieces, self.stream = frozenset(pieces), of
        return self

    def member(self, name: str) -> Treatment:
        """The place of a member."""
        return self.members.get(name, self.others)


TEXT: Final = Treatment()
"""Anything may stand here and further in: every string is scanned, every name is looked at."""


def treatments(
    *,
    keep: Iterable[str] = (),
    drop: Iterable[str] = (),
    blank: Mapping[str, str] | None = None,
    special: Mapping[str, Treatment] | None = None,
) -> Treatment:
    """The treatment of a whole document, from paths to what ends there."""
    root = _branch()
    ends: list[tuple[str, Treatment]] = [(path, Treatment("keep")) for path in keep]
    ends += [(path, Treatment("drop")) for path in drop]
    ends += [(path, Treatment("blank", fill=fill)) for path, fill in (blank or {}).items()]
    ends += (special or {}).items()
    for path, end in ends:
        for steps in _steps(path):
            _put(root, steps, end)
    return root


def _branch() -> Treatment:
    branch = Treatment()
    branch.others = branch.elements = TEXT
    return branch


def _put(root: Treatment, steps: list[str], end: Treatment) -> None:
    at = root
    for number, step in enumerate(steps):
        following = _next(at, step)
        if number == len(steps) - 1:
            _set(at, step, end)
        elif following is TEXT:
            following = _branch()
            _set(at, step, following)
        at = following


def _next(at: Treatment, step: str) -> Treatment:
    if step == "[]":
        return at.elements
    return at.others if step == "*" else at.members.get(step, TEXT)


def _set(at: Treatment, step: str, to: Treatment) -> None:
    at.drops = at.drops or to.way == "drop"
    if step == "[]":
        at.elements = to
    elif step == "*":
        at.others = to
    else:
        at.members[step] = to


def _steps(path: str) -> Iterator[list[str]]:
    """The steps of a path; one with ``{a,b}`` stands for several paths."""
    ways: list[list[str]] = [[]]
    for found in _STEP.finditer(path):
        choices = found[1].split(",") if found[1] is not None else [found[0]]
        ways = [[*way, choice.strip()] for way in ways for choice in choices]
    yield from ways
