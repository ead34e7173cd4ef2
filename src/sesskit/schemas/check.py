"""The collecting decoder: walks a parsed value and its shape together and reports every fault.

It runs only on what the fast path refused. The walk keeps its own stack, so nesting costs no
Python frames; a path is put together only where there is a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, tzinfo
from typing import Any

from sesskit.schemas import check_values as v
from sesskit.schemas import shapes as s
from sesskit.schemas.check_walk import Trail, Walk, unlisted
from sesskit.schemas.damaged import DAMAGED, BrokenText
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.kinds import kind_word


def check(
    shape: s.Shape, value: Any, keys: Keys = (), *, zone: tzinfo = UTC, build: bool = True
) -> tuple[Any, list[Issue]]:
    """The value in its typed form, and every fault below ``keys`` in the order met.

    ``build`` is False where the text had errors: then what was read may lack members.
    The parsed value is used up: its containers become the containers of the result. With an error
    among the issues the result means nothing.
    """
    walk = Walk(zone)
    holder = [value]
    trail: Trail = None
    for key in keys:
        trail = (trail, key)
    walk.stack.append((shape, holder, 0, trail))
    _run(walk)
    if build and not walk.lost and not any(issue.severity == "error" for issue in walk.issues):
        walk.build()
    if walk.unlisted:
        walk.issues.append(unlisted("further faults of this value are not listed", keys))
    return holder[0], walk.issues


def _run(walk: Walk) -> None:
    stack, visits = walk.stack, _VISITS
    while stack:
        shape, container, key, trail = stack.pop()
        value = container[key]
        if value is not DAMAGED and type(value) is not BrokenText:  # its text was reported
            visits[type(shape)](walk, shape, value, container, key, trail)


def _list(w: Walk, shape: s.ListOf, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not list:
        w.wrong_kind(shape, value, trail)
    elif type(shape.item) is not s.PlainJson:
        item = shape.item
        w.stack.extend((item, value, n, (trail, n)) for n in range(len(value) - 1, -1, -1))


def _map(w: Walk, shape: s.MapOf, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not dict:
        w.wrong_kind(shape, value, trail)
    elif type(shape.value) is not s.PlainJson:
        inner = shape.value
        w.stack.extend((inner, value, n, (trail, n)) for n in reversed(value))


def _uniform(w: Walk, shape: s.Uniform, value: Any, container: Any, key: Any, trail: Trail) -> None:
    kinds = {kind_word(item) for item in value if item is not DAMAGED}
    permitted = {item.words for item in shape.items}
    if len(kinds) > 1 or kinds - permitted:
        expected = " or ".join(f"array of only {word}s" for word in sorted(permitted, reverse=True))
        found = "array of " + ", ".join(sorted(kinds))
        w.fault("open-map-value", trail, f"expected {expected}; found {found}", expected, found)


def _kinds(w: Walk, shape: s.Kinds, value: Any, container: Any, key: Any, trail: Trail) -> None:
    inner = shape.by_kind.get(kind_word(value))
    if inner is None and isinstance(shape.by_kind.get("object"), s.Tagged):
        inner = shape.by_kind["object"]  # it says that its tag is missing, and what else may stand
    if inner is None:
        w.wrong_kind(shape, value, trail, shape.code)
    else:
        w.stack.append((inner, container, key, trail))


def _tagged(w: Walk, shape: s.Tagged, value: Any, container: Any, key: Any, trail: Trail) -> None:
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


def _object(w: Walk, shape: s.ObjectOf, value: Any, container: Any, key: Any, trail: Trail) -> None:
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


def _rules(w: Walk, shape: s.ObjectOf, value: dict[str, Any], trail: Trail) -> None:
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
    walk = Walk()
    holder = [value]
    _VISITS[type(shape)](walk, shape, value, holder, 0, None)
    return value is not DAMAGED and not any(i.severity == "error" for i in walk.issues)


_VISITS: dict[type, Callable[[Walk, Any, Any, Any, Any, Trail], None]] = {
    s.Text: v.text,
    s.Revived: v.revived,
    s.Number: v.number,
    s.Boolean: v.boolean,
    s.Null: v.null,
    s.Choice: v.choice,
    s.PlainJson: v.plain,
    s.ListOf: _list,
    s.MapOf: _map,
    s.Uniform: _uniform,
    s.Kinds: _kinds,
    s.Tagged: _tagged,
    s.ObjectOf: _object,
}
