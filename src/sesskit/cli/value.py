"""One value of a file, for ``inspect --at``: found by its path, masked, and made safe to show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, NamedTuple

from sesskit.cli.screen import Screen
from sesskit.records.lookup import Found, find, meant
from sesskit.records.outline import kind
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import dotted, pointer
from sesskit.schemas.json_position import Ruler
from sesskit.schemas.json_text import read_json
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.masking import MASK, columns, mask_text, printable, shorten
from sesskit.schemas.sensitive import is_sensitive_key, rebuilt

LINES = 40
"""Lines of a value that are shown without ``--full``."""

DEEPEST = 200
"""Levels of a value that the standard library writes; in the JSON report a deeper one is a text."""

_PATH = 120
_NAMES = 60


class Looked(NamedTuple):
    """What a path leads to in one file. ``value`` is masked; ``trouble`` says why there is none."""

    path: str
    found: Found | None
    value: Any = None
    place: tuple[int, int] = (1, 1)
    trouble: str | None = None


def look_up(data: bytes, path: str) -> Looked:
    """Find, read and mask a value; whatever the bytes are, there is an answer."""
    found = find(data, path)
    if found is None:
        return Looked(path, None, trouble="there is no value in this file at all")
    if found.rest:
        return Looked(path, found, trouble=_trouble(data, found, path))
    return Looked(path, found, _masked(data, found), Ruler(data).position(found.span.start))


def as_member(looked: Looked) -> dict[str, Any]:
    """The member ``value`` of the file in the JSON report."""
    if looked.found is None or looked.trouble is not None:
        reached = dotted(looked.found.keys) if looked.found else ""
        return {
            "path": looked.path,
            "found": False,
            "reached": mask_text(reached),
            "message": looked.trouble,
        }
    span, (line, column) = looked.found.span, looked.place
    shown: dict[str, Any] = {"value": looked.value}
    size = {} if _is_secret(looked.found) else {"bytes": span.end - span.start}
    if _depth(looked.value) > DEEPEST:
        shown = {"text": dumps(looked.value).decode()}
    return {
        "path": mask_text(dotted(looked.found.keys)),
        "pointer": mask_text(pointer(looked.found.keys)),
        "found": True,
        "kind": kind_word(looked.value),
        "line": line,
        "column": column,
        "offset": span.start,
        **size,
        **shown,
    }


def as_body(looked: Looked, screen: Screen, *, full: bool) -> tuple[str, ...]:
    """The lines of the text report."""
    if looked.found is None or looked.trouble is not None:
        path = shorten(mask_text(looked.path), _PATH)
        text = f"nothing at {path}: {looked.trouble}"
        return ("", *wrap(text, screen.width, initial_indent="  ", subsequent_indent="    "))
    span = looked.found.span
    size = span.end - span.start
    path = shorten(mask_text(dotted(looked.found.keys)), screen.width - 2) or "(the whole value)"
    unit = "byte" if size == 1 else "bytes"
    cut = "" if span.whole else ", cut off"
    what = "secret" if _is_secret(looked.found) else f"{kind_word(looked.value)}, {size:,} {unit}"
    about = f"{what}, line {looked.place[0]:,}{cut}"
    gap = "   " if columns(path) + len(about) + 5 <= screen.width else "\n  "
    title = f"  {screen.paint('title', path)}{gap}{about}"
    text = looked.value if isinstance(looked.value, str) else _pretty(looked.value)
    return ("", *title.split("\n"), "", *_bounded(text, screen, full=full))


def _bounded(text: str, screen: Screen, *, full: bool) -> Iterator[str]:
    """The text indented, folded to the width and made harmless, as far as it is to be shown."""
    width, shown, position = max(screen.width - 4, 20), 0, 0
    while position < len(text) and (full or shown < LINES):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        size = _fitting(text, position, end, width)
        yield f"    {printable(text[position : position + size])}".rstrip()
        position += size
        position += position == end
        shown += 1
    rest = len(text) - position
    if rest > 0:
        unit = "character" if rest == 1 else "characters"
        yield f"    ... {rest:,} more {unit}; --full shows all"


def _fitting(text: str, start: int, end: int, width: int) -> int:
    """How many characters go into a line: up to the last blank that fits, at least one."""
    size = min(end - start, width)
    while size > 1 and columns(printable(text[start : start + size])) > width:
        size -= 1 + size // 8
    if start + size == end:
        return size
    blank = text.rfind(" ", start + size // 2, start + size)
    return size if blank < 0 else blank + 1 - start


def _pretty(value: Any) -> str:
    """Indented JSON. The standard library keeps big numbers exact but goes only so deep."""
    if _depth(value) > DEEPEST:
        return dumps(value, indent=2).decode()
    return json.dumps(value, ensure_ascii=False, indent=2)


def _masked(data: bytes, found: Found) -> Any:
    if _is_secret(found):
        return MASK
    raw = data[found.span.start : found.span.end]
    value = read_json(raw, thorough=False).partial
    if value is DAMAGED:
        value = raw.decode("utf-8", errors="replace")
    return rebuilt(value, MASK, leaf=_leaf, name=mask_text)


def _is_secret(found: Found) -> bool:
    """Whether the path leads through a sensitive member; then not even the length is told."""
    return any(isinstance(key, str) and is_sensitive_key(key) for key in found.keys)


def _leaf(value: Any) -> Any:
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "[a number beyond all doubles]"
    return "[damaged]" if value is DAMAGED else value


def _trouble(data: bytes, found: Found, path: str) -> str:
    """Why a path ends where it does, and what was probably meant."""
    where = shorten(mask_text(dotted(found.keys)), _NAMES) or "the whole value"
    other = meant(data, path)
    hint = f"; did you mean {shorten(mask_text(other), _NAMES)}?" if other else ""
    if found.count is not None:
        return f"{where} has {found.count:,} {'element' if found.count == 1 else 'elements'}{hint}"
    if found.names:
        names = ", ".join(shorten(mask_text(name), 24) for name in found.names)
        return f"{where} has the members {names} ...{hint}"
    what = kind(data, found.span)
    return f"{where} is {'an empty object' if what == 'object' else 'no object or array'}{hint}"


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        inner: list[Any] = []
        for held in level:
            if isinstance(held, dict):
                inner += held.values()
            elif isinstance(held, list):
                inner += held
        depth, level = depth + 1, inner
    return depth
