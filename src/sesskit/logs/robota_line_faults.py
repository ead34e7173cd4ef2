"""Every fault of one line of a Robota log.

References are resolved before shapes are looked at, as in the original; a reference that fails is
the fault, not what its place should have held.
"""

from __future__ import annotations

from datetime import UTC, tzinfo
from difflib import get_close_matches
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from sesskit.logs.line_blocks import may_overflow
from sesskit.logs.plain_values import copied
from sesskit.logs.robota_line_answer import LineAnswer, Way
from sesskit.logs.sidecar_references import MAX_SAFE_INTEGER, NOT_FINITE, may_hold_reference
from sesskit.logs.sidecars import Resolver
from sesskit.schemas.check import check
from sesskit.schemas.check_values import ECMASCRIPT_SPACE
from sesskit.schemas.damaged import DAMAGED, BrokenText
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.items import (
    REFUSALS,
    REFUSED,
    is_too_deep,
    parse,
    revive_or_refuse,
    without_repeats,
)
from sesskit.schemas.json_position import Base
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.places import Places
from sesskit.schemas.robota_log import EVENTS, Event, ServerTool
from sesskit.schemas.robota_log_envelope import ENVELOPE, LogEvent
from sesskit.schemas.shapes import Kinds, ObjectOf, Tagged, shape_of

_HEAD: Final = ("schemaVersion", "timestamp", "sessionId")
VERSION_KEYS: Final[Keys] = ("schemaVersion",)
GLUED: Final = "a second value begins after the first has ended: two lines were glued"


def collect(way: Way, line: bytes, base: Base) -> LineAnswer:
    """The collecting path: every fault of a line without line feed."""
    if is_blank(line):
        return LineAnswer(blank=True)
    value, text = _parse(way, line)
    text = [_graver(issue) for issue in text]
    sound = not any(issue.severity == "error" and not issue.keys for issue in text)
    answer = LineAnswer(is_json=sound)
    if not sound and not isinstance(value, dict) and not line.lstrip().startswith(b"{"):
        text, value = _first_error(text), DAMAGED
    if value is DAMAGED:
        answer.issues = place(line, base, text)
        return answer
    overflow = any(issue.code == "number-overflow" for issue in text)
    issues: list[Issue] = []
    if way.resolver is not None:
        way.resolver.opened = []
    resolve = overflow or may_hold_reference(line)
    if resolve:
        value = _resolve(way, value, answer, issues)
    if way.keep_plain:
        answer.plain = copied(value)
    told = way.resolver.warnings if resolve and way.resolver is not None else []
    if resolve and not (answer.faults or answer.unresolved or text or told):
        event = converted(value)
        if event is not REFUSED:
            answer.event, answer.version = event, 1
            return answer
    answer.event, found = check_line(value, answer, way.zone)
    found += _overflows_in_sidecars(way, answer, found)
    text = [issue for issue in text if not _below_broken_reference(issue, answer)]
    issues += [*without_repeats(text, found, ()), *_named(way, found), *told]
    answer.issues = place(line, base, issues)
    if answer.unresolved or any(issue.severity == "error" for issue in issues):
        answer.event = None
    return answer


def _first_error(text: list[Issue]) -> list[Issue]:
    """Of what is no record at all, garbage or the rest of one, the first fault says enough."""
    return [issue for issue in text if issue.severity == "error" and not issue.keys][:1]


def converted(value: Any) -> Any:
    """The typed event of a parsed line that is sound, by msgspec, or `REFUSED`.

    It is to be known that nothing in it is too deep, too large, or a reference.
    """
    try:
        event = msgspec.convert(value, Event, dec_hook=revive_or_refuse)
    except REFUSALS:
        return REFUSED
    return REFUSED if isinstance(event, ServerTool) else event


def _parse(way: Way, line: bytes) -> tuple[Any, list[Issue]]:
    """The value, whole numbers exactly, and the issues of its text."""
    if not (way.thorough or may_overflow(line) or is_too_deep(line)):
        try:
            return msgspec.json.decode(line), []
        except REFUSALS:
            pass
    return parse(line, thorough=way.thorough)


def _resolve(way: Way, value: Any, answer: LineAnswer, issues: list[Issue]) -> Any:
    resolver = way.resolver or Resolver(None, look=False)
    before = resolver.skipped
    value, faults = resolver.resolve(value)
    answer.unresolved = resolver.skipped - before
    answer.faults = tuple(faults)
    issues += [fault.issue() for fault in faults if fault.message != NOT_FINITE]
    return value


def _overflows_in_sidecars(way: Way, answer: LineAnswer, found: list[Issue]) -> list[Issue]:
    """The numbers without end of sidecars that no shape declares; in the line the text tells."""
    told = {issue.keys for issue in found}
    opened = [keys for keys, _ in way.resolver.opened] if way.resolver is not None else []
    return [
        replace(fault.issue(), code="number-overflow", expected="a finite number", found="infinity")
        for fault in answer.faults
        if fault.message == NOT_FINITE
        and fault.keys not in told
        and any(fault.keys[: len(keys)] == keys for keys in opened)
    ]


def _below_broken_reference(issue: Issue, answer: LineAnswer) -> bool:
    """Whether it is about a member of a reference that is wrong as a whole."""
    return issue.code == "number-overflow" and any(
        fault.code == "INVALID_REFERENCE" and issue.keys[: len(fault.keys)] == fault.keys
        for fault in answer.faults
    )


def _named(way: Way, found: list[Issue]) -> list[Issue]:
    """The issues, those inside a sidecar with its path."""
    opened = way.resolver.opened if way.resolver is not None else []
    return [_in_sidecar(issue, opened) for issue in found] if opened else found


def check_line(value: Any, answer: LineAnswer, zone: tzinfo = UTC) -> tuple[Any, list[Issue]]:
    """The event a parsed line holds, and what is wrong with it; nothing has a place yet."""
    if value is DAMAGED:
        return None, []
    if not isinstance(value, dict):
        found = kind_word(value)
        message = f"expected object, found {found}"
        return None, [Issue("type", message, "error", (), "object", found)]
    answer.version, version_issue = _version(value)
    name = value.get("event")
    shape = _shape_of(name)
    if shape is None:
        known = {key: value[key] for key in _HEAD if key in value}
        _, issues = check(shape_of(LogEvent), known, zone=zone)
        issues += _no_event(value)
        event = None
    else:
        extra = _extra_members(shape, value)
        event, issues = check(shape, value, zone=zone)
        issues = [_at_its_tag(shape, issue) for issue in issues]
        if isinstance(event, ServerTool):
            vars(event)["members"] = extra
    if version_issue is not None:
        issues = [issue for issue in issues if issue.keys != VERSION_KEYS]
        issues.insert(0, version_issue)
    return event, issues


def _in_sidecar(issue: Issue, opened: list[tuple[Keys, str]]) -> Issue:
    inside = [(keys, path) for keys, path in opened if issue.keys[: len(keys)] == keys]
    return replace(issue, sidecar=inside[-1][1]) if inside else issue


def is_blank(line: bytes) -> bool:
    """Whether a line holds nothing but what ECMAScript trims."""
    return len(line) < 4096 and not line.decode("utf-8", "replace").strip(ECMASCRIPT_SPACE)


def place(line: bytes, base: Base, issues: list[Issue]) -> tuple[Issue, ...]:
    """The issues of one line with their places in the file.

    Issues of the text carry offsets within the line.
    """
    if not issues:
        return ()
    inside = [
        issue
        if issue.offset is None
        else replace(issue, offset=issue.offset + base.offset, line=None, column=None)
        for issue in issues
    ]
    return Places(line, base=base).place(inside)


def _graver(issue: Issue) -> Issue:
    """A number that overflows fails a log wherever it stands; what is glued here are lines."""
    if issue.code == "json-two-documents":
        return replace(issue, message=GLUED)
    return replace(issue, severity="error") if issue.code == "number-overflow" else issue


def _shape_of(name: Any) -> ObjectOf | None:
    union = shape_of(Event)
    if isinstance(union, Tagged) and isinstance(name, str):
        return union.variants.get(name)
    return None


def _at_its_tag(shape: ObjectOf, issue: Issue) -> Issue:
    """A missing message is reported where its role should be, like one that is no object."""
    if issue.code != "member-missing" or len(issue.keys) != 1:
        return issue
    member = shape.members.get(str(issue.keys[0]))
    inner = None if member is None else member.shape
    if isinstance(inner, Kinds):
        inner = inner.by_kind.get("object")
    return issue if not isinstance(inner, Tagged) else replace(issue, keys=(*issue.keys, inner.tag))


def _extra_members(shape: ObjectOf, value: dict[str, Any]) -> dict[str, Any]:
    """The members of an open event that its shape does not name, taken out of the value."""
    if shape.cls is not ServerTool:
        return {}
    names = [name for name in value if name not in shape.members and name not in ENVELOPE]
    return {name: value.pop(name) for name in names}


def _version(value: dict[str, Any]) -> tuple[int | None, Issue | None]:
    """The version of a line if one can be read, and the issue if it is not ours."""
    found = value.get("schemaVersion")
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None, None
    if not (0 <= found <= MAX_SAFE_INTEGER and found == int(found)):
        return None, None
    if found == 1:
        return 1, None
    message = "a line of a version that this build does not read"
    keys = VERSION_KEYS
    return int(found), Issue("line-version", message, "error", keys, "1", "another version")


def _no_event(value: dict[str, Any]) -> list[Issue]:
    name = value.get("event")
    if name is DAMAGED or type(name) is BrokenText:
        return []
    if "event" not in value and any(type(member) is BrokenText for member in value):
        return []
    found = "nothing" if "event" not in value else kind_word(name)
    message = f"expected the name of an event, found {found}"
    if isinstance(name, str):
        close = get_close_matches(name[:64], EVENTS, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        found, message = "another word", f"there is no such event{hint}"
    return [Issue("event-unknown", message, "error", ("event",), "the name of an event", found)]
