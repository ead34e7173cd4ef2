"""Reading a sum that holds itself, to any depth up to the limit and without recursion.

The constructors of such a sum (`binprot_types.Tree`) hold scalars and, as the last argument, at
most one list: of the sum itself, or of pairs of a string and the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sesskit.schemas.binprot import (
    BinaryError,
    Notes,
    Reader,
    note_overlong,
    read_byte,
    read_length,
    read_string,
    unknown_tag,
)
from sesskit.schemas.binprot_types import ListOf, Node, Pair, Part, Record, Tree
from sesskit.schemas.issues import Key, Keys
from sesskit.schemas.limits import MAX_DEPTH


@dataclass(frozen=True, slots=True)
class Plan:
    """How to read one constructor: its scalars, and whether a list follows, keyed or not."""

    case: Record
    scalars: tuple[Reader, ...]
    holds: bool
    keyed: bool

    def steps(self, argument: int) -> Keys:
        """The keys from the constructor to one of its arguments."""
        if self.case.form == "record":
            return (self.case.members[argument].name,)
        return (argument,) if self.case.form == "tuple" else ()


class _Open:
    """A constructor whose list is being read."""

    __slots__ = ("items", "key", "left", "plan", "values")

    def __init__(self, plan: Plan, values: list[Any], left: int) -> None:
        self.plan = plan
        self.values = values
        self.left = left
        self.items: list[Any] = []
        self.key: str | bytes | None = None

    def add(self, value: Any) -> None:
        self.items.append((self.key, value) if self.plan.keyed else value)
        self.left -= 1

    def close(self) -> Part:
        return self.plan.case.cls(*self.values, self.items)

    def steps(self) -> Keys:
        """The keys from this constructor to the element that is read now."""
        element = (*self.plan.steps(len(self.plan.scalars)), len(self.items))
        return (*element, 1) if self.plan.keyed else element


def plan_of(case: Record, tree: Tree, reader: Callable[[Node], Reader]) -> Plan:
    """The plan of a constructor. Raises `TypeError` for one that holds the tree elsewhere."""
    members = case.members
    last = members[-1].node if members else None
    if not isinstance(last, ListOf):
        return Plan(case, tuple(reader(m.node) for m in members), holds=False, keyed=False)
    keyed = isinstance(last.of, Pair) and last.of.second is tree
    if not keyed and last.of is not tree:
        raise TypeError(f"{case.name} holds a list of something else")
    return Plan(case, tuple(reader(m.node) for m in members[:-1]), holds=True, keyed=keyed)


def tree_reader(tree: Tree, reader: Callable[[Node], Reader]) -> Reader:
    """The reader of such a sum."""
    plans: list[Plan] = []

    def read(data: bytes, position: int, notes: Notes) -> tuple[Any, int]:
        if not plans:  # the cases are known only after the tree itself
            plans.extend(plan_of(case, tree, reader) for case in tree.cases)
        return _Reading(data, notes, plans).value(position)

    return read


class _Reading:
    """One pass over one value."""

    def __init__(self, data: bytes, notes: Notes, plans: list[Plan]) -> None:
        self.data = data
        self.plans = plans
        self.notes = notes
        self.stack: list[_Open] = []

    def value(self, position: int) -> tuple[Any, int]:
        stack = self.stack
        while True:
            value, position = self._head(position)
            while value is not None:
                if not stack:
                    return value, position
                stack[-1].add(value)
                value = None if stack[-1].left else stack.pop().close()
            position = self._key(position)

    def _head(self, position: int) -> tuple[Any, int]:
        """A constructor and its scalars; None where elements follow."""
        try:
            code = read_byte(self.data, position, "a tag")
            if code >= len(self.plans):
                raise unknown_tag(position, code, len(self.plans))
        except BinaryError as fault:
            raise self._placed(fault, ()) from None
        plan = self.plans[code]
        values: list[Any] = []
        position += 1
        for number, scalar in enumerate(plan.scalars):
            value, position = self._read(scalar, position, plan.steps(number))
            values.append(value)
        if not plan.holds:
            return plan.case.cls(*values), position
        left, position = self._read(read_length, position, plan.steps(len(values)))
        opened = _Open(plan, values, left)
        if not left:
            return opened.close(), position
        self._descend(opened, position)
        return None, position

    def _descend(self, opened: _Open, position: int) -> None:
        if len(self.stack) >= MAX_DEPTH:
            message = "this value is nested deeper than is read here"
            limit = f"at most {MAX_DEPTH} levels"
            # Its path is that of the whole value: one of so many steps helps nobody.
            raise BinaryError("value-depth", position, message, limit, "a deeper level")
        self.stack.append(opened)

    def _key(self, position: int) -> int:
        """The name before the next element, where elements have one."""
        top = self.stack[-1]
        if top.plan.keyed:
            top.key, position = self._read(read_string, position, None)
        return position

    def _read(self, scalar: Reader, position: int, steps: Keys | None) -> tuple[Any, int]:
        """A scalar at ``steps`` of the constructor; at None, the name of the next element."""
        mine: Notes = []
        try:
            value, position = scalar(self.data, position, mine)
        except BinaryError as fault:
            raise self._placed(fault, steps) from None
        for note in mine:
            note_overlong(self.notes, note.offset, self._keys(steps))
        return value, position

    def _keys(self, steps: Keys | None) -> Keys:
        keys: list[Key] = [key for opened in self.stack for key in opened.steps()]
        if steps is None:
            return (*keys[:-1], 0)
        return (*keys, *steps)

    def _placed(self, fault: BinaryError, steps: Keys | None) -> BinaryError:
        fault.steps = [*reversed(self._keys(steps))]
        return fault
