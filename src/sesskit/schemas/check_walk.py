"""One walk of a parsed value beside its shape: what is left to look at, and what was found."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Any

from sesskit.schemas import shapes as s
from sesskit.schemas.issues import Issue, Key, Keys, Severity
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.limits import MAX_ISSUES

Trail = tuple["Trail", Key] | None
Task = tuple[s.Shape, Any, Any, Trail]  # shape, container, key in the container, trail


def _keys(trail: Trail) -> Keys:
    keys: list[Key] = []
    while trail is not None:
        trail, key = trail
        keys.append(key)
    return tuple(reversed(keys))


def unlisted(message: str, keys: Keys) -> Issue:
    """What is said of faults that are not kept one by one."""
    return Issue("json-unlisted", message, "info", keys)


class Walk:
    """One walk: what is left to look at, what was found, what is to be built afterwards."""

    __slots__ = ("issues", "lost", "objects", "stack", "unlisted", "zone")

    def __init__(self, zone: tzinfo = UTC) -> None:
        self.zone = zone
        self.lost = False
        """Whether a member's name could not be read: nothing is built then."""
        self.unlisted = False
        """Whether the walk ended early, with faults enough."""
        self.stack: list[Task] = []
        self.issues: list[Issue] = []
        self.objects: list[tuple[s.ObjectOf, Any, Any]] = []

    def build(self) -> None:
        """Turn checked objects into their classes, innermost first."""
        for shape, container, key in reversed(self.objects):
            members = shape.members
            tag = shape.tag[0] if shape.tag else None
            container[key] = shape.cls(
                **{members[n].attribute: v for n, v in container[key].items() if n != tag}
            )

    def fault(
        self,
        code: str,
        trail: Trail,
        message: str,
        expected: str | None = None,
        found: str | None = None,
        *,
        at_key: bool = False,
        warning: bool = False,
    ) -> None:
        if len(self.issues) >= MAX_ISSUES:
            self.unlisted = True
            self.stack.clear()
            return
        severity: Severity = "warning" if warning else "error"
        self.issues.append(
            Issue(code, message, severity, _keys(trail), expected, found, at_key=at_key)
        )

    def wrong_kind(self, shape: s.Shape, value: Any, trail: Trail, code: str = "type") -> None:
        found = kind_word(value)
        self.fault(code, trail, f"expected {shape.words}, found {found}", shape.words, found)
