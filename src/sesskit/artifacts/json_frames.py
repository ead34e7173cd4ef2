"""Open objects and lists of a JSON text that is being walked, and what is known of each so far."""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.treatments import Treatment
from sesskit.schemas.issues import Keys
from sesskit.schemas.limits import MAX_DEPTH

__all__ = ["Frame", "holds_pieces", "in_event", "is_piece"]

_STREAMED: Final = frozenset({"delta", "text_delta", "partial_json", "chunk"})
"""Members that are pieces of a longer text, in formats that nobody has described."""

_TOLD: Final = frozenset({"text", "arguments", "content", "input", "thinking"})
_AROUND: Final = frozenset({"delta", "choices", "candidates", "contentBlockDelta"})
_MOST_AROUND: Final = 8
"""The same further in, in what providers stream: members, and what is around them."""

_NO_PIECES: Final[list[tuple[int, int]]] = []
_NO_MARKS: Final[dict[str, str]] = {}


class Frame:
    """An open object or list. ``key`` leads to the value that is being read in it."""

    __slots__ = (
        "children",
        "events",
        "is_list",
        "key",
        "key_start",
        "label",
        "labelled",
        "listed",
        "marks",
        "parent",
        "pieces",
        "place",
        "secret",
        "secret_name",
        "start",
        "tag",
        "typed",
        "value",
        "valued",
    )

    def __init__(self, parent: Frame | None, place: Treatment, start: int, is_list: bool) -> None:
        self.parent = parent
        self.place = place
        self.start = start
        self.is_list = is_list
        self.key: str | int = -1 if is_list else ""
        self.key_start = start
        self.secret = False
        # The secret name that all in here belongs to, if the container was not taken as a whole.
        self.secret_name = parent.own_secret_name() if parent else ""
        if parent is not None and parent.place.named_secret is place:
            self.secret_name = str(parent.key)
        # Whether a name decides for strings further in, as their containers cannot be replaced.
        self.typed: bool = parent is not None and (
            parent.typed or (parent.is_list and parent.secret)
        )
        # Whether strings are pieces of those at the same place in other texts.
        self.events: bool = place.events or (parent is not None and parent.events)
        self.tag = ""  # the member ``type``
        self.label = ""  # the member ``name`` of a name and a value, and how it is called
        self.labelled = self.valued = ""
        self.value: tuple[int, int] | None = None  # the text of the member ``value``
        self.listed: list[tuple[int, int]] = []  # the texts of the strings of a list
        # The texts that are pieces of a longer one, and what says of which.
        self.pieces: list[tuple[int, int]] = [] if place.pieces else _NO_PIECES
        self.marks: dict[str, str] = {} if place.pieces or place.scope else _NO_MARKS
        self.children: list[tuple[int, int, bool]] | None = [] if place.drops else None

    def types(self) -> bool:
        """Whether a name decides for the strings in here and further in."""
        return self.typed or (self.is_list and self.secret)

    def own_secret_name(self) -> str:
        """The secret name that the value that is being read belongs to."""
        if not self.secret:
            return self.secret_name
        return self.label if self.is_list else str(self.key)

    def place_of_value(self) -> Treatment:
        """The place of the value that is being read."""
        place = self.place
        if not self.is_list:
            return place.member(str(self.key))
        return place.first if place.first is not None and self.key == 0 else place.elements

    def stream(self) -> str:
        """Of which longer text the pieces in here are."""
        found = [self.marks.get(name, "") for name in self.place.stream]
        return "\0".join([*found, *self.scopes()])

    def scopes(self) -> list[str]:
        """What this object and those around it say of which longer text pieces in here are."""
        found: list[str] = []
        frame: Frame | None = self
        while frame is not None:
            found += (frame.marks.get(name, "") for name in frame.place.scope)
            frame = frame.parent
        return found

    def keys(self) -> Keys:
        """The way from the root to the value that is being read; of the deepest ones its end."""
        found: list[str | int] = []
        frame: Frame | None = self
        while frame is not None and len(found) <= MAX_DEPTH:
            found.append(frame.key)
            frame = frame.parent
        return tuple(reversed(found[:-1]))


def holds_pieces(frame: Frame) -> bool:
    """Whether a list holds pieces of the text of the object that it stands in."""
    above = frame.parent
    return frame.is_list and above is not None and above.key in above.place.pieces


def in_event(frame: Frame) -> bool:
    """Whether the value that is being read stands in an event of a stream."""
    return frame.events or frame.place_of_value().events


def is_piece(frame: Frame) -> bool:
    """Whether a string is a piece of a longer text, as far as names can tell."""
    if in_event(frame):
        return True
    above = frame.parent
    if frame.key in _STREAMED or (above is not None and above.key == "delta"):
        return True
    if frame.key not in _TOLD:
        return False
    for _ in range(_MOST_AROUND):
        if above is None or above.key == "message":
            return False  # a whole message
        if above.key in _AROUND:
            return True
        above = above.parent
    return False
