"""Finding the value that a path names, in JSON bytes that may be damaged.

A path is dotted (``record.messages[0].role``) or a JSON Pointer (``/record/messages/0/role``). A
dotted path is read against the value, so names that hold dots or brackets are found as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from sesskit.records.outline import Span, children, kind, members, root
from sesskit.schemas.issues import Keys, dotted

_INDEX = re.compile(r"\.?\[(-?\d{1,9})\]|\.?(\d{1,9})(?=[.\[]|\Z)")
_ENDS = (".", "[", "")
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads: ``keys`` and ``span`` of the value, or of the last one that was found.

    ``rest`` is what of the path leads nowhere from there; empty if the value was found.
    """

    keys: Keys
    span: Span
    rest: str = ""
    names: tuple[str, ...] = ()
    """Where an object has no such member: some of the names that it has."""
    count: int | None = None
    """Where an array has no such element: how many it has."""


def find(data: bytes, path: str) -> Found | None:
    """Follow a path from the outermost value; None where there is no value at all. Total."""
    span = root(data)
    if span is None:
        return None
    by_pointer = path.startswith("/")
    keys: Keys = ()
    while path:
        step = _pointed(data, span, path) if by_pointer else _dotted(data, span, path, not keys)
        if step is None:
            return _lost(data, Found(keys, span, path))
        span, path = step
        keys = (*keys, span.key)
    return Found(keys, span)


def meant(data: bytes, path: str) -> str | None:
    """The path of a value one level down that was probably meant, if there is one."""
    span = root(data)
    if span is None:
        return None
    for name, member in members(data, span).items():
        whole = f"/{name}{path}" if path.startswith("/") else f"{name}.{path}"
        if kind(data, member) == "object" and (found := find(data, whole)) and not found.rest:
            return dotted(found.keys)
    return None


def _lost(data: bytes, found: Found) -> Found:
    what = kind(data, found.span)
    if what == "object":
        names = tuple(islice(members(data, found.span), _SHOWN))
        return Found(found.keys, found.span, found.rest, names=names)
    if what == "array":
        count = sum(1 for _ in children(data, found.span))
        return Found(found.keys, found.span, found.rest, count=count)
    return found


def _pointed(data: bytes, span: Span, path: str) -> tuple[Span, str] | None:
    token, slash, rest = path[1:].partition("/")
    name = token.replace("~1", "/").replace("~0", "~")
    part = members(data, span).get(name)
    if part is None and kind(data, span) == "array" and re.fullmatch(r"0|[1-9]\d{0,8}", name):
        part = _element(data, span, int(name))
    return None if part is None else (part, slash + rest)


def _dotted(data: bytes, span: Span, path: str, at_root: bool) -> tuple[Span, str] | None:
    if kind(data, span) == "array":
        index = _INDEX.match(path)
        part = _element(data, span, int(index[1] or index[2])) if index else None
        return None if index is None or part is None else (part, path[index.end() :])
    if not at_root and not path.startswith("."):
        return None
    text = path if at_root else path[1:]
    fits = [
        part
        for name, part in members(data, span).items()
        if text.startswith(name) and text[len(name) : len(name) + 1] in _ENDS
    ]
    if not fits:
        return None
    best = max(fits, key=lambda part: len(str(part.key)))
    return best, text[len(str(best.key)) :]


def _element(data: bytes, span: Span, number: int) -> Span | None:
    if number >= 0:
        return next(islice(children(data, span), number, None), None)
    every: list[Span] = list(children(data, span))
    return every[number] if -number <= len(every) else None
