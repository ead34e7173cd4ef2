"""Checks of neutral JSON: scalars, and the outer form of pairs, objects and constructors."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from sesskit.schemas.binprot_to_json import BITS, BYTES, NUMBER, number_words
from sesskit.schemas.binprot_types import Double, Record
from sesskit.schemas.issues import Issue, Key, Keys
from sesskit.schemas.kinds import kind_word

Trail = tuple["Trail", Key] | None
"""The way to a place, from the inside out: cheap to make longer."""

Issues = list[Issue]

_BITS = re.compile("[0-9a-f]{16}")


def keys_of(trail: Trail) -> Keys:
    """The keys of a trail, from the root."""
    keys: list[Key] = []
    while trail is not None:
        trail, key = trail
        keys.append(key)
    return tuple(reversed(keys))


def wrong_kind(value: Any, expected: str, trail: Trail, issues: Issues) -> None:
    """Another kind of JSON than the type has."""
    found = kind_word(value)
    message = f"expected {expected}, found {found}"
    issues.append(Issue("type", message, "error", keys_of(trail), expected, found))


def wrong(code: str, message: str, expected: str, trail: Trail, issues: Issues) -> None:
    issues.append(Issue(code, message, "error", keys_of(trail), expected))


def whole(value: Any) -> Any:
    """A number without a fraction as an integer (JSON does not tell ``5.0`` from ``5``)."""
    return int(value) if type(value) is float and value.is_integer() else value


def load_bool(value: Any, trail: Trail, issues: Issues) -> Any:
    if type(value) is not bool:
        wrong_kind(value, "true or false", trail, issues)
    return value


def load_string(value: Any, trail: Trail, issues: Issues) -> Any:
    if type(value) is str:
        if not value.isascii() and _halves(value):
            message = "half of a character (a lone surrogate), which a session cannot hold"
            wrong("string-surrogate", message, "whole characters", trail, issues)
        return value
    if type(value) is not dict or set(value) != {BYTES}:
        wrong_kind(value, f"a string, or an object with the one member {BYTES}", trail, issues)
        return ""
    return _bytes(value[BYTES], (trail, BYTES), issues)


def _halves(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _bytes(text: Any, trail: Trail, issues: Issues) -> str | bytes:
    if type(text) is not str:
        wrong_kind(text, "base64 in a string", trail, issues)
        return ""
    try:
        raw = base64.b64decode(text.encode(), validate=True)
    except (binascii.Error, ValueError):
        wrong("base64", "this is no base64", "base64", trail, issues)
        return ""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def load_double(value: Any, trail: Trail, issues: Issues) -> Any:
    if type(value) is not dict or set(value) != {NUMBER, BITS}:
        wrong_kind(value, f"an object with the members {NUMBER} and {BITS}", trail, issues)
        return value
    bits, number = value[BITS], value[NUMBER]
    if type(bits) is not str or _BITS.fullmatch(bits) is None:
        message = "the bits of a float are 16 hexadecimal digits, the highest first"
        wrong("double-bits", message, "16 digits of 0-9 and a-f", (trail, BITS), issues)
        return value
    double = Double(int(bits, 16))
    words = number_words(double.value)
    if type(number) not in (int, float, str) or number != words:
        message = "this is not the number that the bits say; the bits decide"
        keys = keys_of((trail, NUMBER))
        issues.append(Issue("double-differs", message, "warning", keys, "the number of the bits"))
    return double


def is_pair(value: Any, trail: Trail, issues: Issues) -> bool:
    """Whether this is an array of two; an issue if it is not."""
    if type(value) is not list:
        wrong_kind(value, "an array of two", trail, issues)
        return False
    if len(value) != 2:
        wrong("pair-length", "a pair has two elements", "an array of two", trail, issues)
        return False
    return True


def has_members(value: Any, names: frozenset[str], trail: Trail, issues: Issues) -> bool:
    """Whether an object has these members; those that are too many are issues of their own."""
    if type(value) is not dict:
        wrong_kind(value, "an object", trail, issues)
        return False
    for name in value:
        if name not in names:
            keys = keys_of((trail, name))
            issues.append(Issue("member-unknown", "no such member", "error", keys, at_key=True))
    for name in sorted(names - value.keys()):
        wrong("member-missing", "this member is missing", "a value", (trail, name), issues)
    return names <= value.keys()


def chosen(
    value: Any, cases: dict[str, Record], trail: Trail, issues: Issues
) -> tuple[str | None, Any]:
    """The constructor that this JSON names, and its argument; None with an issue if it does not."""
    if type(value) is str and value in cases and not cases[value].members:
        return value, None
    if type(value) is dict and len(value) == 1:
        ((name, argument),) = value.items()
        if name in cases and cases[name].members:
            return name, argument
    words = ", ".join(cases)
    if type(value) not in (str, dict):
        wrong_kind(value, f"a constructor ({words})", trail, issues)
    else:
        message = (
            f"expected one of {words}: the name alone, or an object with it as the only member"
        )
        wrong("constructor", message, words, trail, issues)
    return None, None
