"""One value of a file, for ``inspect --at``: found by its path, masked, and made safe to show.

In a text it has a line and a column, in a binary file the byte where it starts.
"""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from sesskit.cli.deep import DEEPEST, depth_of
from sesskit.cli.folding import folded
from sesskit.cli.looking import data_of
from sesskit.cli.screen import Screen
from sesskit.logs.formats import Finding, by_name
from sesskit.logs.log_sources import LogBytes, LogPlace
from sesskit.records.lookup import JSON, Found
from sesskit.records.reading import reason_for
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import dotted, pointer
from sesskit.schemas.json_position import Ruler
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.masking import MASK, columns, mask_payload, mask_text, shorten
from sesskit.schemas.sensitive import rebuilt

LINE_FIRST = "12 or 12:message.content, counted from 1"
DSH = "dsh-log"
LINES = 40
"""Lines of a value that are shown without ``--full``."""

_PATH = 120
_NAMES = 60


class Looked(NamedTuple):
    """What a path leads to in one file. ``value`` is masked; ``trouble`` says why there is none.

    ``place`` is line and column; None in a binary file.
    """

    path: str
    found: Found | None
    value: Any = None
    place: tuple[int, int] | None = None
    trouble: str | None = None
    offset: int | None = None
    """Where it begins in the file, if that is not where its span does."""
    sidecar: str | None = None


def look_up(finding: Finding, data: bytes, path: str) -> Looked:
    """Find, read and mask a value; whatever the bytes are, there is an answer."""
    lookup = JSON if finding.format is None else by_name(finding.format).looks_up()
    found = lookup.find(data, path)
    if found is None:
        return Looked(path, None, trouble="there is no value in this file at all")
    if found.rest:
        return Looked(path, found, trouble=_trouble(found, lookup.meant(data, path)))
    value = MASK if found.secret else _masked(lookup.value(data, found))
    place = Ruler(data).position(found.span.start) if lookup.windows is None else None
    return Looked(path, found, value, place)


def look_in_log(finding: Finding, path: str) -> Looked:
    """The same for a log: a line, a path inside it, and through its sidecars."""
    from sesskit.logs.log_lookup import find_in_log, where  # only here: other files go without

    at = where(path)
    if at is None:
        return Looked(path, None, trouble=f"name a line of the log first: {LINE_FIRST}")
    place: LogPlace = Path(finding.path) if finding.source is None else LogBytes(finding.source)
    if finding.format == DSH:  # without sidecars, and maybe compressed
        place = LogBytes(by_name(DSH).text_of(data_of(finding)))
    try:
        seen = find_in_log(place, at)
    except OSError as error:
        return Looked(path, None, trouble=f"it cannot be read: {reason_for(error)}")
    if isinstance(seen, int):
        lines = "1 line" if seen == 1 else f"{seen:,} lines"
        return Looked(path, None, trouble=f"the log has {lines}")
    if seen is None:
        return Looked(path, None, trouble=f"there is no value in line {at.line:,} at all")
    found = seen.found
    if seen.fault is not None and found.rest:
        return Looked(path, found, trouble=f"it lies in a sidecar; {seen.fault.issue().message}")
    if found.rest:
        return Looked(path, found, trouble=_trouble(found, None))
    value = MASK if found.secret else _masked(seen.value)
    line, column, offset = seen.place
    return Looked(path, found, value, (line, column), None, offset, seen.sidecar)


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
    span = looked.found.span
    place = dict(zip(("line", "column"), looked.place or (), strict=False))
    shown: dict[str, Any] = {"value": looked.value}
    size = {} if looked.found.secret else {"bytes": span.end - span.start}
    if depth_of(looked.value) > DEEPEST:
        shown = {"text": dumps(looked.value).decode()}
    return {
        "path": mask_text(dotted(looked.found.keys)),
        "pointer": mask_text(pointer(looked.found.keys)),
        "found": True,
        "kind": kind_word(looked.value),
        **place,
        "offset": span.start if looked.offset is None else looked.offset,
        **({} if looked.sidecar is None else {"sidecar": mask_text(looked.sidecar)}),
        **size,
        **shown,
    }


def as_body(looked: Looked, screen: Screen, *, full: bool) -> tuple[str, ...]:
    """The lines of the text report."""
    if looked.found is None or looked.trouble is not None:
        path = shorten(mask_text(looked.path), _PATH)
        text = f"nothing at {path}: {looked.trouble}"
        return ("", *wrap(text, screen.width, initial_indent="  ", subsequent_indent="    "))
    path = shorten(mask_text(dotted(looked.found.keys)), screen.width - 2) or "(the whole value)"
    about = _about(looked, looked.found)
    gap = "   " if columns(path) + len(about) + 5 <= screen.width else "\n  "
    title = f"  {screen.paint('title', path)}{gap}{about}"
    if looked.sidecar is not None:
        title += f"\n  in {shorten(mask_text(looked.sidecar), _PATH)}"
    text = looked.value if isinstance(looked.value, str) else _pretty(looked.value)
    lines = folded(text, screen.width, indent=4, lines=None if full else LINES)
    return ("", *title.split("\n"), "", *lines)


def _about(looked: Looked, found: Found) -> str:
    """Kind and size of a value, and where it is."""
    size = found.span.end - found.span.start
    unit = "byte" if size == 1 else "bytes"
    what = "secret" if found.secret else f"{kind_word(looked.value)}, {size:,} {unit}"
    where = f"byte {found.span.start:,}" if looked.place is None else f"line {looked.place[0]:,}"
    return f"{what}, {where}" + ("" if found.span.whole else ", cut off")


def _pretty(value: Any) -> str:
    """Indented JSON. The standard library keeps big numbers exact but goes only so deep."""
    if depth_of(value) > DEEPEST:
        return dumps(value, indent=2).decode()
    return json.dumps(value, ensure_ascii=False, indent=2)


def _masked(value: Any) -> Any:
    return rebuilt(value, MASK, leaf=_leaf, name=mask_text)


def _leaf(value: Any) -> Any:
    if isinstance(value, str):
        return mask_payload(value)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "[a number beyond all doubles]"
    return "[damaged]" if value is DAMAGED else value


def _trouble(found: Found, other: str | None) -> str:
    """Why a path ends where it does, and what was probably meant."""
    where = shorten(mask_text(dotted(found.keys)), _NAMES) or "the whole value"
    hint = f"; did you mean {shorten(mask_text(other), _NAMES)}?" if other else ""
    if found.count is not None:
        return f"{where} has {found.count:,} {'element' if found.count == 1 else 'elements'}{hint}"
    if found.names:
        names = ", ".join(shorten(mask_text(name), 24) for name in found.names)
        return f"{where} has the members {names} ...{hint}"
    what = "an empty object" if found.kind == "object" else "no object or array"
    return f"{where} is {what}{hint}"
