"""ochat: finding the value that a path names in the bytes of a snapshot, damaged or not.

A path is one of the neutral JSON (``history[0].item.Input_message.role``), or one as issues name
it, without the constructors (``history[0].item.role``); both dotted or as a JSON Pointer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from sesskit.records.lookup import Found, Lookup
from sesskit.records.ochat_attempts import likely_layout
from sesskit.records.ochat_bytes import windows
from sesskit.records.ochat_masking import guarded, is_secret_name
from sesskit.records.outline import Span
from sesskit.schemas.binprot import HEADER_BYTES, BinaryError
from sesskit.schemas.binprot_places import Child, children
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.binprot_to_json import json_of
from sesskit.schemas.binprot_types import Enum, ListOf, Option, Pair, Prim, Record, Sum, Tree
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Key, Keys
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.masking import MASK
from sesskit.schemas.ochat_sessions import type_of
from sesskit.schemas.sensitive import is_sensitive_key

_SHOWN = 8
_TOKEN = re.compile(r"[^.\[\]]+")
_KINDS = {"object": "object", "array": "array", "string": "string"}
_INDEX = re.compile(r"-?\d{1,9}")

Parts = Iterator[tuple[Key, Child]]
_NOWHERE = Child(None, Prim("int"), 0, 0)


@dataclass(frozen=True, slots=True)
class Place(Found):
    """Where a path leads in a snapshot: the part there, and the way on inside of a script's value,
    whose own parts have no places."""

    part: Child = _NOWHERE
    inside: Keys = ()


def find(data: bytes, path: str) -> Place | None:
    """Follow a path from the record; None where there is no record at all. Total."""
    layout = likely_layout(data)
    if layout is None:
        return None
    walk = _Walk(data, Child(None, type_of(layout), HEADER_BYTES, _end_of(data, type_of(layout))))
    tokens = _tokens(path)
    while tokens and walk.step(tokens[0]):
        del tokens[0]
    return walk.place(".".join(tokens))


def value_of(data: bytes, found: Found) -> Any:
    """What was found as neutral JSON; `DAMAGED` stands for what cannot be read."""
    if not isinstance(found, Place):
        return DAMAGED
    if found.secret:
        return MASK
    value = guarded(neutral_of(data, found.part))
    for key in found.inside:
        value = value if value in (MASK, DAMAGED) else value[key]
    return value


def neutral_of(data: bytes, part: Child) -> Any:
    """The neutral JSON of a part. Of one that is cut, what there is; the rest is `DAMAGED`."""
    node = part.node
    if part.end <= len(data):
        value = json_of(node)(reader(node)(data, part.start, [])[0])
        return value[node.name] if isinstance(node, Record) and node.name else value
    kind, parts = _expanded(data, part)
    if kind == "object":
        return {key: neutral_of(data, one) for key, one in parts}
    if kind == "array":
        return [neutral_of(data, one) for _, one in parts]
    return DAMAGED


def _end_of(data: bytes, node: Record) -> int:
    """Where the record ends; behind the data if it cannot be read."""
    try:
        return reader(node)(data, HEADER_BYTES, [])[1]
    except BinaryError:
        return len(data) + 1


def _expanded(data: bytes, part: Child) -> tuple[str, Parts]:
    """The kind of the neutral JSON of a part, and its members or elements."""
    node = part.node
    inner = children(node, data, part.start)
    if isinstance(node, Option):
        held = next(inner, None)
        return ("scalar", iter(())) if held is None else _expanded(data, held)
    if isinstance(node, Sum):
        case = next(inner, None)
        if case is None or not isinstance(case.node, Record) or not case.node.members:
            return "string", iter(())
        return "object", iter([(case.node.name, case)])
    if isinstance(node, Record) and node.form == "single":
        held = next(inner, None)
        return ("scalar", iter(())) if held is None else _expanded(data, held)
    if isinstance(node, Record) and node.form == "record":
        return "object", ((str(one.key), one) for one in inner)
    if isinstance(node, ListOf | Pair | Record):
        return "array", enumerate(inner)
    text = isinstance(node, Enum) or (isinstance(node, Prim) and node.kind == "string")
    return "string" if text else "scalar", iter(())


class _Walk:
    """One walk from the record to a part of it."""

    def __init__(self, data: bytes, part: Child) -> None:
        self.data = data
        self.part = part
        self.keys: Keys = ()
        self.inside: Keys = ()
        self.secret = False

    def step(self, token: str) -> bool:
        """Go one step on; False if there is no such part."""
        self._unwrap()
        if isinstance(self.part.node, Tree):
            return self._into_value(token)
        kind, parts = _expanded(self.data, self.part)
        if kind == "array":
            return self._into_array(token, parts)
        for key, part in parts:
            if key == token:
                self._to(key, part, secret=is_sensitive_key(token))
                return True
        return self._through_constructor(token)

    def place(self, rest: str) -> Place:
        """Where the walk ended, and what there is instead of what was not found."""
        self._unwrap()
        part = self.part
        cut = part.end > len(self.data)
        key = self.keys[-1] if self.keys else ""
        span = Span(key, part.start, min(part.end, len(self.data)), whole=not cut)
        names: tuple[str, ...] = ()
        count = None
        if isinstance(part.node, Tree):
            held = self._held()
            kind = _KINDS.get(kind_word(held), "scalar")
            names = tuple(held) if kind == "object" else ()
            count = len(held) if kind == "array" else None
        else:
            kind, parts = _expanded(self.data, part)
            if rest and kind == "object":
                names = tuple(str(name) for name, _ in islice(parts, _SHOWN))
            elif rest and kind == "array":
                count = sum(1 for _ in parts)
        return Place(
            self.keys, span, rest, kind, self.secret, names, count, part=part, inside=self.inside
        )

    def _to(self, key: Key, part: Child, *, secret: bool) -> None:
        self.keys, self.part = (*self.keys, key), part
        self.secret = self.secret or secret

    def _unwrap(self) -> None:
        """An option is nothing of its own: what it holds is the value."""
        while isinstance(self.part.node, Option):
            held = next(children(self.part.node, self.data, self.part.start), None)
            if held is None:
                return
            self.part = held

    def _into_array(self, token: str, parts: Parts) -> bool:
        if not _INDEX.fullmatch(token):
            return False
        number = int(token)
        if number < 0:
            every = [part for _, part in parts]
            number += len(every)
            parts = enumerate(every)
        if number < 0:
            return False
        near = list(islice(parts, max(number - 1, 0), number + 1))
        if not near or near[-1][0] != number:
            return False
        beside = near[0][1] if number else None
        secret = beside is not None and is_secret_name(self._word(beside))
        self._to(number, near[-1][1], secret=secret)
        return True

    def _through_constructor(self, token: str) -> bool:
        """A path as issues name it goes past constructors: their names are added here."""
        if not isinstance(self.part.node, Sum):
            return False
        before = self.part, self.keys
        _, parts = _expanded(self.data, self.part)
        for name, case in chain(parts):
            self._to(name, case, secret=False)
            if self.step(token):
                return True
        self.part, self.keys = before
        return False

    def _into_value(self, token: str) -> bool:
        """A step inside of a script's value, by its neutral JSON."""
        held = self._held()
        key: Key = token
        if isinstance(held, list) and _INDEX.fullmatch(token):
            key = int(token) + (len(held) if token.startswith("-") else 0)
            if not 0 <= key < len(held):
                return False
            self.secret = self.secret or (key > 0 and is_secret_name(held[key - 1]))
        elif not isinstance(held, dict) or token not in held:
            return False
        self.inside, self.keys = (*self.inside, key), (*self.keys, key)
        return True

    def _held(self) -> Any:
        held = neutral_of(self.data, self.part)
        for key in self.inside:
            held = held[key]
        return held

    def _word(self, part: Child) -> Any:
        if not isinstance(part.node, Prim) or part.end > len(self.data):
            return None
        return reader(part.node)(self.data, part.start, [])[0]


def _meant(data: bytes, path: str) -> str | None:
    """Nothing is guessed: a snapshot has no outer level that people forget."""
    return None


def _tokens(path: str) -> list[str]:
    if not path.startswith("/"):
        return _TOKEN.findall(path)
    return [name.replace("~1", "/").replace("~0", "~") for name in path[1:].split("/")]


BINARY = Lookup(find, value_of, _meant, windows)
