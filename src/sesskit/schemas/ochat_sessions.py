"""ochat: session records of versions 0 to 5, and the layouts that files of each version have.

`LAYOUTS` is the table: a version with its layout of items and of the moderator, in the order in
which they are tried, each with the type of its record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from sesskit.schemas.binprot_types import Describer, Int, Part, Record, Str
from sesskit.schemas.ochat_items import Item, ItemR1, ItemR2
from sesskit.schemas.ochat_moderator import (
    MessageOverlay,
    ModeratorSnapshot,
    ModeratorState,
    Overlay,
    OverlayT,
)
from sesskit.schemas.ochat_shell import ShellState
from sesskit.schemas.ochat_values import HistoryIdText, Value

VERSIONS = (0, 1, 2, 3, 4, 5)
LATEST = 5

Items = Literal["R1", "R2", "R3"]
Moderator = Literal["M1", "M2"]

ItemT = TypeVar("ItemT")


class Task(Part, frozen=True, gc=False):
    id: Str
    title: Str
    state: Literal["Pending", "In_progress", "Done"]


class Entry(Part, frozen=True, gc=False):
    """An item of the history under the id that it keeps."""

    id: HistoryIdText
    item: Item


class SessionV0(Part, Generic[ItemT], frozen=True, gc=False):
    id: Str
    prompt_file: Str
    history: list[ItemT]
    tasks: list[Task]
    kv_store: list[tuple[Str, Str]]
    vfs_root: Str


class SessionV1(Part, Generic[ItemT], frozen=True, gc=False):
    version: Int
    id: Str
    prompt_file: Str
    history: list[ItemT]
    tasks: list[Task]
    kv_store: list[tuple[Str, Str]]
    vfs_root: Str


class SessionV2(Part, Generic[ItemT], frozen=True, gc=False):
    version: Int
    id: Str
    prompt_file: Str
    local_prompt_copy: Str | None
    history: list[ItemT]
    tasks: list[Task]
    kv_store: list[tuple[Str, Str]]
    vfs_root: Str


class SessionV3(Part, Generic[ItemT, OverlayT], frozen=True, gc=False):
    version: Int
    id: Str
    prompt_file: Str
    local_prompt_copy: Str | None
    history: list[ItemT]
    tasks: list[Task]
    moderator_snapshot: ModeratorSnapshot[OverlayT] | None
    kv_store: list[tuple[Str, Str]]
    vfs_root: Str


class SessionV4(Part, frozen=True, gc=False):
    version: Int
    id: Str
    prompt_file: Str
    local_prompt_copy: Str | None
    history: list[Entry]
    next_history_sequence: Int
    tasks: list[Task]
    moderator_state: ModeratorState
    kv_store: list[tuple[Str, Str]]
    vfs_root: Str


class SessionV5(Part, frozen=True, gc=False):
    version: Int
    id: Str
    prompt_file: Str
    local_prompt_copy: Str | None
    history: list[Entry]
    next_history_sequence: Int
    tasks: list[Task]
    moderator_state: ModeratorState
    shell_state: ShellState
    kv_store: list[tuple[Str, Str]]
    vfs_root: Str


Session = (
    SessionV0[Any] | SessionV1[Any] | SessionV2[Any] | SessionV3[Any, Any] | SessionV4 | SessionV5
)


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which the bytes of a version are laid out."""

    version: int
    items: Items = "R3"
    moderator: Moderator | None = None

    @property
    def current(self) -> bool:
        """Whether today's ochat reads its version in this layout (and in no other)."""
        return self.items == "R3" and self.moderator != "M1"


_ITEMS: dict[Items, Any] = {"R3": Item, "R2": ItemR2, "R1": ItemR1}
_OVERLAYS: dict[Moderator, Any] = {"M2": Overlay, "M1": MessageOverlay}

_types = Describer({Value: "Value"}, {Item: "Item", ItemR2: "ItemR2", ItemR1: "ItemR1"})


def _layouts() -> dict[Layout, Record]:
    table = {
        Layout(5, moderator="M2"): _types.record(SessionV5),
        Layout(4, moderator="M2"): _types.record(SessionV4),
    }
    for items, item in _ITEMS.items():
        for moderator, overlay in _OVERLAYS.items():
            bound = {ItemT: item, OverlayT: overlay}
            table[Layout(3, items, moderator)] = _types.record(SessionV3, bound)
    plain: tuple[tuple[int, type[Part]], ...] = ((2, SessionV2), (1, SessionV1), (0, SessionV0))
    for version, cls in plain:
        for items, item in _ITEMS.items():
            table[Layout(version, items)] = _types.record(cls, {ItemT: item})
    return table


LAYOUTS: dict[Layout, Record] = _layouts()


def layouts_of(version: int) -> tuple[Layout, ...]:
    """The layouts of a version, in the order in which they are tried."""
    return tuple(layout for layout in LAYOUTS if layout.version == version)


def type_of(layout: Layout) -> Record:
    """The type of the session record in a layout."""
    return LAYOUTS[layout]
