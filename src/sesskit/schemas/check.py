"""The collecting decoder: walks a parsed value and its shape together and reports every fault.

It runs only on what the fast path refused. The walk keeps its own stack, so nesting costs no
Python frames; a path is put together only where there is a fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import Any

from sesskit.schemas import shapes as s
from sesskit.schemas.damaged import DAMAGED, BrokenText
from sesskit.schemas.instants import is_zoneless, parse_instant, revive
from sesskit.schemas.issues import Issue, Key, Keys, Severity
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.limits import MAX_ISSUES

ECMASCRIPT_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What counts as white space for "blank" (robota-record section 4.8)."""

Trail = tuple["Trail", Key] | None
Task = tuple[s.Shape, Any, Any, Trail]  # shape, container, key in the container, trail


def _keys(trail: Trail) -> Keys:
    keys: list[Key] = []
    while trail is not None:
        trail, key = trail
        keys.append(key)
    return tuple(reversed(keys))


def check(
    shape: s.Shape, value: Any, keys: Keys = (), *, zone: tzinfo = UTC, build: bool = True
) -> tuple[Any, list[Issue]]:
    """The value in its typed form, and every fault below ``keys`` in the order met.

    ``build`` is False where the text had errors: then what was read may lack members.
    The parsed value is used up: its containers become the containers of the result. With an error
    among the issues the result means nothing.
    """
    walk = _Walk(zone)
    holder = [value]
    trail: Trail = None
    for key in keys:
        trail = (trail, key)
    walk.stack.append((shape, holder, 0, trail))
    walk.run()
    if build and not walk.lost and not any(issue.severity == "error" for issue in walk.issues):
        walk.build()
    if walk.unlisted:
        walk.issues.append(unlisted("further faults of this value are not listed", keys))
    return holder[0], walk.issues


def unlisted(message: str, keys: Keys) -> Issue:
    """What is said of faults that are not kept one by one."""
    return Issue("json-unlisted", message, "info", keys)


class _Walk:
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

    def run(self) -> None:
        stack, visits = self.stack, _VISITS
        while stack:
            shape, container, key, trail = stack.pop()
            value = container[key]
            if value is not DAMAGED and type(value) is not BrokenText:  # its text was reported
                visits[type(shape)](self, shape, value, container, key, trail)

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


def _text(w: _Walk, shape: s.Text, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not str:
        w.wrong_kind(shape, value, trail)
    elif shape.rule == "instant":
        _instant(w, value, trail)
    elif shape.rule == "not-blank" and not value.strip(ECMASCRIPT_SPACE):
        w.fault("blank", trail, "must hold more than white space", "text", "blank string")
    elif shape.rule == "not-empty" and not value:
        w.fault("empty", trail, "must not be empty", "text", "empty string")


def _instant(w: _Walk, text: str, trail: Trail) -> Any:
    instant = revive(text)
    if instant is not None:
        return instant  # the usual form, with nothing to be said of it
    instant = parse_instant(text, w.zone)
    if instant is None:
        found = "empty string" if not text else "string that is no date-time"
        w.fault("instant", trail, f"expected a date-time, found {found}", "date-time", found)
    elif is_zoneless(text):
        message = "date-time without a zone; read as UTC (or as --zone says)"
        w.fault("instant-zoneless", trail, message, "Z or an offset", "no zone", warning=True)
    return instant


def _revived(
    w: _Walk, shape: s.Revived, value: Any, container: Any, key: Any, trail: Trail
) -> None:
    if type(value) is not str:
        w.wrong_kind(shape, value, trail)
    else:
        container[key] = _instant(w, value, trail)


def _number(w: _Walk, shape: s.Number, value: Any, container: Any, key: Any, trail: Trail) -> None:
    kind = type(value)
    if kind is not int and kind is not float:
        w.wrong_kind(shape, value, trail)
        return
    if not shape.finite:
        return
    if kind is int and not -_DOUBLE_LIMIT < value < _DOUBLE_LIMIT:
        kind, value = float, math.inf
    if kind is float and not math.isfinite(value):
        message = "number too large: it reads as infinity, which is not allowed here"
        w.fault("number-overflow", trail, message, shape.words, "infinity")
    elif shape.integer:
        if kind is float:
            if not value.is_integer():
                message = "expected a whole number, found one with a fraction"
                w.fault("integer", trail, message, "whole number", "number with a fraction")
                return
            value = container[key] = int(value)
        _bounds(w, shape, value, trail)


_DOUBLE_LIMIT = 2**1024 - 2**970  # from here on a number rounds to infinity as a double


def _bounds(w: _Walk, shape: s.Number, value: int, trail: Trail) -> None:
    low, high = shape.low, shape.high
    if (low is not None and value < low) or (high is not None and value > high):
        span = f"{low} to {high}" if high is not None else f"{low} or more"
        side = "smaller" if low is not None and value < low else "larger"
        w.fault("range", trail, f"expected {span}, found a {side} number", span, f"{side} number")


def _boolean(
    w: _Walk, shape: s.Boolean, value: Any, container: Any, key: Any, trail: Trail
) -> None:
    if type(value) is not bool:
        w.wrong_kind(shape, value, trail)


def _null(w: _Walk, shape: s.Null, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if value is not None:
        w.wrong_kind(shape, value, trail)


def _choice(w: _Walk, shape: s.Choice, value: Any, container: Any, key: Any, trail: Trail) -> None:
    words = ", ".join(shape.choices)
    if type(value) is not str:
        found = kind_word(value)
        w.fault("type", trail, f"expected one of {words}; found {found}", words, found)
    elif value not in shape.choices:
        w.fault(
            "choice", trail, f"expected one of {words}; found another word", words, "other word"
        )


def _plain(w: _Walk, shape: s.Shape, value: Any, container: Any, key: Any, trail: Trail) -> None:
    """Anything goes."""


def _list(w: _Walk, shape: s.ListOf, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not list:
        w.wrong_kind(shape, value, trail)
    elif type(shape.item) is not s.PlainJson:
        item = shape.item
        w.stack.extend((item, value, n, (trail, n)) for n in range(len(value) - 1, -1, -1))


def _map(w: _Walk, shape: s.MapOf, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not dict:
        w.wrong_kind(shape, value, trail)
    elif type(shape.value) is not s.PlainJson:
        inner = shape.value
        w.stack.extend((inner, value, n, (trail, n)) for n in reversed(value))


def _uniform(
    w: _Walk, shape: s.Uniform, value: Any, container: Any, key: Any, trail: Trail
) -> None:
    kinds = {kind_word(item) for item in value if item is not DAMAGED}
    permitted = {item.words for item in shape.items}
    if len(kinds) > 1 or kinds - permitted:
        expected = " or ".join(f"array of only {word}s" for word in sorted(permitted, reverse=True))
        found = "array of " + ", ".join(sorted(kinds))
        w.fault("open-map-value", trail, f"expected {expected}; found {found}", expected, found)


def _kinds(w: _Walk, shape: s.Kinds, value: Any, container: Any, key: Any, trail: Trail) -> None:
    inner = shape.by_kind.get(kind_word(value))
    if inner is None and isinstance(shape.by_kind.get("object"), s.Tagged):
        inner = shape.by_kind["object"]  # it says that its tag is missing, and what else may stand
    if inner is None:
        w.wrong_kind(shape, value, trail, shape.code)
    else:
        w.stack.append((inner, container, key, trail))


def _tagged(w: _Walk, shape: s.Tagged, value: Any, container: Any, key: Any, trail: Trail) -> None:
    at: Trail = (trail, shape.tag)
    words = ", ".join(shape.variants)
    if type(value) is not dict:
        found = kind_word(value)
        w.fault("type", at, f"expected an object with this member, found {found}", "object", found)
        return
    tag = value.get(shape.tag, DAMAGED if shape.tag not in value else None)
    if shape.tag not in value:
        if _has_lost(value):
            return
        message = f"missing; it must be one of {words}"
        w.fault("tag", at, message, words, "nothing")
    elif type(tag) is not str:
        if tag is not DAMAGED and type(tag) is not BrokenText:
            found = kind_word(tag)
            w.fault("tag", at, f"expected one of {words}; found {found}", words, found)
    elif tag not in shape.variants:
        if shape.open and tag:
            return
        message = f"expected one of {words}; found another word"
        w.fault("tag", at, message, words, "other word")
    else:
        _object(w, shape.variants[tag], value, container, key, trail)


def _object(
    w: _Walk, shape: s.ObjectOf, value: Any, container: Any, key: Any, trail: Trail
) -> None:
    if type(value) is not dict:
        w.wrong_kind(shape, value, trail)
        return
    members = shape.members
    tag = shape.tag[0] if shape.tag else None
    for name in value:
        if name not in members and name != tag:
            if type(name) is BrokenText:
                w.lost = True
                continue
            w.fault(
                "member-unknown",
                (trail, name),
                "no such member",
                None,
                kind_word(value[name]),
                at_key=True,
            )
    for name, member in members.items():
        if name in value:
            continue
        if member.required and not _has_lost(value):
            words = expectation(member.shape)
            w.fault("member-missing", (trail, name), f"missing; expected {words}", words, "nothing")
    if shape.rules:
        _rules(w, shape, value, trail)
    w.objects.append((shape, container, key))
    stack = w.stack
    for name in reversed(value):
        found = members.get(name)
        if found is not None:
            stack.append((found.shape, value, name, (trail, name)))


def _has_lost(value: dict[str, Any]) -> bool:
    """Whether a member's name could not be read: it may be any that seems to be missing."""
    return any(type(name) is BrokenText for name in value)


def expectation(shape: s.Shape) -> str:
    """What a member has to be, in words; of a choice, its words."""
    return f"one of {', '.join(shape.choices)}" if isinstance(shape, s.Choice) else shape.words


def _rules(w: _Walk, shape: s.ObjectOf, value: dict[str, Any], trail: Trail) -> None:
    """Rules see only members that are sound by themselves: a fault is reported once."""
    sound = {
        name: value[name]
        for name, member in shape.members.items()
        if name in value and sound_by_itself(member.shape, value[name])
    }
    for rule in shape.rules:
        for broken in rule(sound, value):
            at = trail
            for key in broken.keys:
                at = (at, key)
            w.fault(
                broken.code, at, broken.message, broken.expected, broken.found, at_key=broken.at_key
            )


def sound_by_itself(shape: s.Shape, value: Any) -> bool:
    """Whether a scalar has no fault, or a container is at least of the right kind."""
    if type(value) is BrokenText:
        return False
    if isinstance(shape, s.ObjectOf | s.MapOf | s.Tagged):
        return type(value) is dict
    if isinstance(shape, s.ListOf | s.Uniform):
        return type(value) is list
    if isinstance(shape, s.Kinds):
        return kind_word(value) in shape.by_kind
    walk = _Walk()
    holder = [value]
    _VISITS[type(shape)](walk, shape, value, holder, 0, None)
    return value is not DAMAGED and not any(i.severity == "error" for i in walk.issues)


_VISITS: dict[type, Callable[[_Walk, Any, Any, Any, Any, Trail], None]] = {
    s.Text: _text,
    s.Revived: _revived,
    s.Number: _number,
    s.Boolean: _boolean,
    s.Null: _null,
    s.Choice: _choice,
    s.PlainJson: _plain,
    s.ListOf: _list,
    s.MapOf: _map,
    s.Uniform: _uniform,
    s.Kinds: _kinds,
    s.Tagged: _tagged,
    s.ObjectOf: _object,
}
