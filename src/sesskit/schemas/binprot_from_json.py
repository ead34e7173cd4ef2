"""Values from their neutral JSON (`binprot_to_json`), checked as strictly as bytes are.

Every fault becomes an issue with the keys of its place in the JSON, and checking goes on; with an
error among the issues the value means nothing. Nothing recurses with the depth of the input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sesskit.schemas.binprot import INT_HIGH, INT_LOW
from sesskit.schemas.binprot_json_checks import (
    Issues,
    Trail,
    chosen,
    has_members,
    is_pair,
    load_bool,
    load_double,
    load_string,
    whole,
    wrong,
    wrong_kind,
)
from sesskit.schemas.binprot_types import (
    Enum,
    ListOf,
    Node,
    Option,
    Pair,
    Prim,
    Record,
    Rule,
    Sum,
    Tree,
)
from sesskit.schemas.limits import MAX_DEPTH

Load = Callable[[Any, Trail, Issues], Any]

_RANGES = {"int": (INT_LOW, INT_HIGH, "-2^62 to 2^62-1"), "int64": (-(2**63), 2**63 - 1, "64 bits")}

_made: dict[Node, Load] = {}


def loader(node: Node) -> Load:
    """The function that makes a value of this type from JSON; made once.

    It takes the parsed JSON, the trail of its place (None at the root) and the list of issues.
    """
    if node not in _made:
        _made[node] = _MAKERS[type(node)](node)
    return _made[node]


def _prim(node: Prim) -> Load:
    if node.kind in _RANGES:
        return _integer(*_RANGES[node.kind])
    if node.kind == "string":
        return load_string if node.rule is None else _ruled(node.rule)
    return load_bool if node.kind == "bool" else load_double


def _integer(low: int, high: int, words: str) -> Load:
    def load(value: Any, trail: Trail, issues: Issues) -> Any:
        value = whole(value)
        if type(value) is not int:
            wrong_kind(value, "a whole number", trail, issues)
        elif not low <= value <= high:
            wrong("range", "a number outside the range of its type", words, trail, issues)
        return value

    return load


def _ruled(rule: Rule) -> Load:
    def load(value: Any, trail: Trail, issues: Issues) -> Any:
        before = len(issues)
        text = load_string(value, trail, issues)
        if len(issues) == before and not rule.holds(text):
            wrong(rule.code, f"this is not {rule.words}", rule.words, trail, issues)
        return text

    return load


def _option(node: Option) -> Load:
    inner = loader(node.of)
    return lambda value, trail, issues: None if value is None else inner(value, trail, issues)


def _list(node: ListOf) -> Load:
    inner = loader(node.of)

    def load(values: Any, trail: Trail, issues: Issues) -> Any:
        if type(values) is not list:
            wrong_kind(values, "an array", trail, issues)
            return []
        return [inner(value, (trail, place), issues) for place, value in enumerate(values)]

    return load


def _pair(node: Pair) -> Load:
    first, second = loader(node.first), loader(node.second)

    def load(value: Any, trail: Trail, issues: Issues) -> Any:
        if not is_pair(value, trail, issues):
            return value
        return first(value[0], (trail, 0), issues), second(value[1], (trail, 1), issues)

    return load


def _enum(node: Enum) -> Load:
    words = frozenset(node.words)
    expected = ", ".join(node.words)

    def load(value: Any, trail: Trail, issues: Issues) -> Any:
        if type(value) is not str:
            wrong_kind(value, expected, trail, issues)
        elif value not in words:
            wrong("choice", f"expected one of {expected}", expected, trail, issues)
        return value

    return load


def _record(node: Record) -> Load:
    members = tuple((member.name, loader(member.node)) for member in node.members)
    names = frozenset(name for name, _ in members)

    def load(value: Any, trail: Trail, issues: Issues) -> Any:
        if not has_members(value, names, trail, issues):
            return None
        return node.cls(*(inner(value[name], (trail, name), issues) for name, inner in members))

    return load


def _arguments(case: Record) -> Load:
    """The arguments of a constructor, by its form."""
    if case.form == "single":
        inner = loader(case.members[0].node)
        return lambda value, trail, issues: case.cls(inner(value, trail, issues))
    return loader(case)


def _sum(node: Sum) -> Load:
    cases = {case.name: case for case in node.cases}
    loads = {name: _arguments(case) for name, case in cases.items()}

    def load(value: Any, trail: Trail, issues: Issues) -> Any:
        name, argument = chosen(value, cases, trail, issues)
        if name is None:
            return None
        if not cases[name].members:
            return cases[name].cls()
        return loads[name](argument, (trail, name), issues)

    return load


class _Open:
    """A constructor of a tree whose list is being made."""

    __slots__ = ("case", "items", "keyed", "left", "name", "scalars", "trail")

    def __init__(self, case: Record, scalars: list[Any], raw: list[Any], trail: Trail) -> None:
        self.case = case
        self.scalars = scalars
        self.left = list(reversed(list(enumerate(raw))))
        self.items: list[Any] = []
        self.trail = trail
        node = case.members[-1].node
        self.keyed = isinstance(node, ListOf) and isinstance(node.of, Pair)
        self.name: Any = None

    def next(self, issues: Issues) -> tuple[Any, Trail]:
        """The next element and its place; its name is kept."""
        place, value = self.left.pop()
        at: Trail = (self.trail, place)
        if not self.keyed:
            return value, at
        if not is_pair(value, at, issues):
            return "Unit", at
        self.name = load_string(value[0], (at, 0), issues)
        return value[1], (at, 1)

    def add(self, value: Any) -> None:
        self.items.append((self.name, value) if self.keyed else value)

    def close(self) -> Any:
        return self.case.cls(*self.scalars, self.items)


def _tree(node: Tree) -> Load:
    def load(value: Any, trail: Trail, issues: Issues) -> Any:
        cases = {case.name: case for case in node.cases}
        stack: list[_Open] = []
        while True:
            made = _opened(value, cases, trail, issues)
            if isinstance(made, _Open) and len(stack) >= MAX_DEPTH:
                message = "this value is nested deeper than is read here"
                wrong("value-depth", message, f"at most {MAX_DEPTH} levels", trail, issues)
                return None
            if isinstance(made, _Open):
                stack.append(made)
            elif stack:
                stack[-1].add(made)
            while stack and not stack[-1].left:
                made = stack.pop().close()
                if stack:
                    stack[-1].add(made)
            if not stack:
                return made
            value, trail = stack[-1].next(issues)

    return load


def _opened(value: Any, cases: dict[str, Record], trail: Trail, issues: Issues) -> Any:
    """A constructor with its scalars; an `_Open` where elements follow."""
    name, argument = chosen(value, cases, trail, issues)
    if name is None:
        return None
    case, at = cases[name], (trail, name)
    if not case.members:
        return case.cls()
    if case.form == "single":
        return _last(case, [], argument, at, issues)
    if not is_pair(argument, at, issues):
        return None
    scalar = loader(case.members[0].node)(argument[0], (at, 0), issues)
    return _last(case, [scalar], argument[1], (at, 1), issues)


def _last(case: Record, scalars: list[Any], raw: Any, trail: Trail, issues: Issues) -> Any:
    node = case.members[-1].node
    if not isinstance(node, ListOf):
        return case.cls(*scalars, loader(node)(raw, trail, issues))
    if type(raw) is not list:
        wrong_kind(raw, "an array", trail, issues)
        return None
    return _Open(case, scalars, raw, trail)


_MAKERS: dict[type[Node], Callable[[Any], Load]] = {
    Prim: _prim,
    Option: _option,
    ListOf: _list,
    Pair: _pair,
    Enum: _enum,
    Record: _record,
    Sum: _sum,
    Tree: _tree,
}
