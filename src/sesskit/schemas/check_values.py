"""What single values are held to: text, instants, numbers, choices. Each looks at one value."""

from __future__ import annotations

import math
from typing import Any

from sesskit.schemas import shapes as s
from sesskit.schemas.check_walk import Trail, Walk
from sesskit.schemas.instants import is_zoneless, parse_instant, revive
from sesskit.schemas.kinds import kind_word

ECMASCRIPT_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What counts as white space for "blank" (robota-record section 4.8)."""


def text(w: Walk, shape: s.Text, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not str:
        w.wrong_kind(shape, value, trail)
    elif shape.rule == "instant":
        _instant(w, value, trail)
    elif shape.rule == "not-blank" and not value.strip(ECMASCRIPT_SPACE):
        w.fault("blank", trail, "must hold more than white space", "text", "blank string")
    elif shape.rule == "not-empty" and not value:
        w.fault("empty", trail, "must not be empty", "text", "empty string")


def _instant(w: Walk, text: str, trail: Trail) -> Any:
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


def revived(w: Walk, shape: s.Revived, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not str:
        w.wrong_kind(shape, value, trail)
    else:
        container[key] = _instant(w, value, trail)


def number(w: Walk, shape: s.Number, value: Any, container: Any, key: Any, trail: Trail) -> None:
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


def _bounds(w: Walk, shape: s.Number, value: int, trail: Trail) -> None:
    low, high = shape.low, shape.high
    if (low is not None and value < low) or (high is not None and value > high):
        span = f"{low} to {high}" if high is not None else f"{low} or more"
        side = "smaller" if low is not None and value < low else "larger"
        w.fault("range", trail, f"expected {span}, found a {side} number", span, f"{side} number")


def boolean(w: Walk, shape: s.Boolean, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if type(value) is not bool:
        w.wrong_kind(shape, value, trail)


def null(w: Walk, shape: s.Null, value: Any, container: Any, key: Any, trail: Trail) -> None:
    if value is not None:
        w.wrong_kind(shape, value, trail)


def choice(w: Walk, shape: s.Choice, value: Any, container: Any, key: Any, trail: Trail) -> None:
    words = ", ".join(shape.choices)
    if type(value) is not str:
        found = kind_word(value)
        w.fault("type", trail, f"expected one of {words}; found {found}", words, found)
    elif value not in shape.choices:
        w.fault(
            "choice", trail, f"expected one of {words}; found another word", words, "other word"
        )


def plain(w: Walk, shape: s.Shape, value: Any, container: Any, key: Any, trail: Trail) -> None:
    """Anything goes."""
