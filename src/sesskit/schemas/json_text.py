"""Strict JSON text, read tolerantly: one value, and everything that is wrong with its text.

JSON as JSON.parse of ECMAScript reads it, after decoding as UTF-8 where each broken sequence
becomes U+FFFD and a byte order mark stays. The fast parsers go first; only text that they refuse,
or that may hide a warning, is read by the tolerant reader.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import orjson

from sesskit.schemas.json_position import START, Base
from sesskit.schemas.json_reader import JsonText, Reader
from sesskit.schemas.json_scan import Members, skip, too_deep

__all__ = [
    "Base",
    "JsonText",
    "Members",
    "parse_fast",
    "read_json",
    "repeats_names",
    "skip",
    "too_deep",
]


def read_json(data: bytes, *, thorough: bool = True, base: Base = START) -> JsonText:
    """Read one JSON text. Total: no exception, no recursion, linear time.

    Errors of the text have no keys; warnings have those of the value they are about. All issues
    have their places, in a file where ``data`` stands at ``base``, and are sorted by them. Only
    with ``thorough`` is it promised that doubled member names are found. Whole numbers beyond 64
    bits are exact if so, else they may come as floats.
    """
    if too_deep(data) is None:
        try:
            value = _distinct_everywhere(data) if thorough else orjson.loads(data)
        except (ValueError, RecursionError):
            pass
        else:
            return JsonText(value, (), True, value)
    return Reader(data).read(base)


def _distinct_everywhere(data: bytes) -> Any:
    orjson.loads(data)  # what it takes has no fault but doubled names
    return _distinct(data)


def parse_fast(data: bytes) -> Any:
    """The value of sound text, by the fast parsers alone; nothing is said about warnings.

    Raises ValueError where they refuse it, which need not mean that the text is not sound.
    """
    if too_deep(data) is not None:
        raise ValueError("too deep")
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse)
    except RecursionError:
        raise ValueError("too deep for this parser here") from None


def repeats_names(data: bytes) -> bool:
    """Whether an object has two members of one name, or the text is none that can be asked."""
    try:
        _distinct(data)
    except (ValueError, RecursionError):
        return True
    return False


def _distinct(data: bytes) -> Any:
    return json.loads(data.decode(), object_pairs_hook=_distinct_names, parse_constant=_refuse)


def _distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name twice")
    return members


def _refuse(_: str) -> NoReturn:
    raise ValueError("no JSON value")
