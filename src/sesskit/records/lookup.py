"""Finding the value that a path names, in the bytes of a file that may be damaged.

A path is dotted (``record.messages[0].role``) or a JSON Pointer (``/record/messages/0/role``).
`Lookup` is what a format offers for it; here is that of JSON. A dotted path is read against the
value, so names that hold dots or brackets are found as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from sesskit.records.outline import Span, children, kind, members, root
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Keys, dotted
from sesskit.schemas.json_text import read_json
from sesskit.schemas.sensitive import is_sensitive_key

_INDEX = re.compile(r"\.?\[(-?\d{1,9})\]|\.?(\d{1,9})(?=[.\[]|\Z)")
_ENDS = (".", "[", "")
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads: ``keys`` and ``span`` of the value, or of the last one that was found.

    ``rest`` is what of the path leads nowhere from there; empty if the value was found. ``kind``
    is object, array, string or scalar. ``secret``: the path leads through a sensitive member.
    """

    keys: Keys
    span: Span
    rest: str = ""
    kind: str = "scalar"
    secret: bool = False
    names: tuple[str, ...] = ()
    """Where an object has no such member: some of the names that it has."""
    count: int | None = None
    """Where an array has no such element: how many it has."""


class Window(NamedTuple):
    """Some bytes around an offset: ``cells`` from ``start`` on; None for what is not to be seen.

    ``size`` is how many bytes from the offset on belong together there (1 where nothing does).
    """

    start: int
    cells: tuple[int | None, ...]
    size: int


class Lookup(NamedTuple):
    """How values are found in the files of a format.

    ``value`` gives what was found as JSON, with `DAMAGED` where nothing can be read, and
    what is secret by its place already masked. ``meant`` is a path that was probably meant.
    ``windows`` shows bytes of a binary format around offsets; None where files are text.
    """

    find: Callable[[bytes, str], Found | None]
    value: Callable[[bytes, Found], Any]
    meant: Callable[[bytes, str], str | None]
    windows: Callable[[bytes, Sequence[int]], dict[int, Window]] | None = None


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
    return _told(data, Found(keys, span))


def value_of(data: bytes, found: Found) -> Any:
    """The value that was found; what is no JSON at all is given as it stands."""
    raw = data[found.span.start : found.span.end]
    value = read_json(raw, thorough=False).partial
    return raw.decode("utf-8", errors="replace") if value is DAMAGED else value


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
        found = replace(found, names=tuple(islice(members(data, found.span), _SHOWN)))
    elif what == "array":
        found = replace(found, count=sum(1 for _ in children(data, found.span)))
    return _told(data, found)


def _told(data: bytes, found: Found) -> Found:
    secret = any(isinstance(key, str) and is_sensitive_key(key) for key in found.keys)
    return replace(found, kind=kind(data, found.span), secret=secret)


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


JSON = Lookup(find, value_of, meant)
