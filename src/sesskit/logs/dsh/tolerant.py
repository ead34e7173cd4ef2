"""Migration of logs that the released steps refuse for small things.

Members that no release knows, old helper descriptors, sources and blocks of third parties, events
that may be ignored: each is changed into what the steps take. Nothing is lost: what was taken out
is told, and from v2 on stands in an event of its own at the end, which every reader may ignore.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from sesskit.logs.dsh.content import blocks, foreign_content, messages
from sesskit.logs.dsh.header import HEADER_RULES
from sesskit.logs.dsh.lossless import NEGATIVE_ZERO, losses
from sesskit.logs.dsh.migrate import Migrated, migrate
from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.renumbering import dense
from sesskit.logs.dsh.salvage import Found
from sesskit.logs.dsh.vocabulary import COMPACT_NAMES, KNOWN_SEED, RELEASED_V0
from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER
from sesskit.schemas.dsh_values import is_negative_zero, is_number, plain_copy
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Keys, dotted

Json = dict[str, Any]

KEPT = "sesskit/kept"
"""The type of the event that holds what was taken out; it is marked as one to ignore."""

TOLERABLE = frozenset(
    [
        "generation-seed",
        "member-foreign",
        "member-unknown",
        "negative-zero",
        "range",
        "type-unknown",
        "unclassified-content",
        "unclassified-source",
    ]
)
"""Refusals that tolerant migration may get round; the others stand, whatever the mode."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was changed so that the steps take the log: ``seq`` is the old number of the
    event, None for the header."""

    seq: int | None
    path: str
    what: str
    value: Any = None


@dataclass(slots=True)
class _Changes:
    found: list[Change] = field(default_factory=list)

    def note(self, event: Json, keys: Keys, what: str, value: Any) -> None:
        self.found.append(Change(int(event["seq"]), dotted(keys), what, value))


def migrate_tolerantly(
    header: Json, events: Iterable[Json], inherited: int, to: int, earlier: Iterable[Change] = ()
) -> tuple[Migrated, tuple[Change, ...]]:
    """As `migrate`, but for what can be changed without changing what was said.

    Only logs of v0 and v1 are changed; raises `Refused` for what remains. ``earlier`` are changes
    that were made before, to be kept with these.
    """
    changes = _Changes(list(earlier))
    if header["version"] >= 2 or to < 2:
        moved = migrate(header, events, inherited, to)
    else:
        moved = _moved(header, events, inherited, to, changes)
    if not changes.found or to < 2:
        # The next released step would refuse an event that it does not know.
        return moved, tuple(changes.found)
    return _with_kept(moved, changes.found, int(header["version"])), tuple(changes.found)


def _moved(
    header: Json, events: Iterable[Json], inherited: int, to: int, changes: _Changes
) -> Migrated:
    header = _fitted_header(header, changes)
    fitted = [_fitted(event, changes, to) for event in events]
    known = dense((Found(0, b"", event) for event in fitted), _foreign)
    for item, _ in known.aside:
        event = item.record
        changes.note(event, (), "taken out: an event type that no release knows", event)
    remaining = [event for item in known.kept for event in item.events]
    lost = sum(1 for item, _ in known.aside if item.seq < inherited)
    shorter = {**header, "seedLength": inherited - lost} if "seedLength" in header else header
    return migrate(shorter, remaining, inherited - lost, to)


def _foreign(event: Json) -> str | None:
    old = event["type"] in COMPACT_NAMES or event["type"] in KNOWN_SEED
    unknown = event["type"] not in RELEASED_V0 and not old
    return "type-unknown" if unknown and event.get("ignorable") is True else None


def _fitted_header(header: Json, changes: _Changes) -> Json:
    """The header without the members that readers of v0 pass by."""
    for name in header.keys() - {"type", "version", *HEADER_RULES}:
        what = "taken out: no release knows it in a header"
        changes.found.append(Change(None, dotted((name,)), what, header[name]))
    kept = {name: header[name] for name in header if name in {"type", "version", *HEADER_RULES}}
    _without_negative_zeros(kept, lambda keys: changes.found.append(_zero(None, keys)))
    return kept


def _zero(seq: int | None, keys: Keys) -> Change:
    return Change(seq, dotted(keys), "-0 read as 0", -0.0)


def _without_negative_zeros(value: Json, note: Callable[[Keys], None]) -> None:
    """Put 0 for each -0 of an object."""
    for issue in losses(value):
        if issue.code == NEGATIVE_ZERO:
            holder: Any = value
            for key in issue.keys[:-1]:
                holder = holder[key]
            holder[issue.keys[-1]] = 0
            note(issue.keys)


def _fitted(event: Json, changes: _Changes, to: int) -> Json:
    """The event as the released steps take it, as far as that is possible."""
    if not isinstance(event.get("type"), str) or "data" not in event:
        return event
    copy: Json = plain_copy(event)
    data = copy["data"] if copy["type"] == "subagent/descriptor" else None
    if isinstance(data, dict) and data.get("version") == 2:
        changes.note(event, ("data", "version"), "descriptor version 2 read as 3", 2)
        data["version"] = 3
    if to >= 3:
        _fit_content(event, copy, changes)
    seq = int(event["seq"])
    _without_negative_zeros(copy, lambda keys: changes.found.append(_zero(seq, keys)))
    if copy["type"] in RELEASED_V0:
        for issue in check_payload(1, copy):
            if issue.code in ("member-unknown", "member-foreign"):
                value = _taken_out(copy, issue.keys)
                changes.note(event, issue.keys, "taken out: no release knows it here", value)
    return copy


def _fit_content(event: Json, copy: Json, changes: _Changes) -> None:
    wrong = {issue.keys for issue in foreign_content(copy)}
    for keys, message in [*messages(copy)]:
        source = message.get("source") if isinstance(message, dict) else None
        if (*keys, "source", "kind") in wrong and isinstance(source, dict):
            changes.note(event, (*keys, "source"), "now the source of a plugin", source)
            message["source"] = {"kind": "plugin", "plugin": f"source:{source.get('kind')}"}
    for keys, block in [*blocks(copy)]:
        if (*keys, "type") in wrong and isinstance(block, dict):
            whole = dict(block)
            changes.note(event, keys, "now a block of text", whole)
            block.clear()
            block |= {"type": "text", "text": dumps(whole).decode("utf-8", "surrogatepass")}


def _taken_out(value: Any, keys: Keys) -> Any:
    for key in keys[:-1]:
        value = value[key]
    return value.pop(keys[-1])


def _with_kept(log: Migrated, changes: list[Change], version: int) -> Migrated:
    """The log with one more event, which holds everything that was changed as it was."""
    time = log.events[-1]["time"] if log.events else log.header["createdAt"]
    data = {"version": version, "changes": list(_told(changes))}
    kept = {"type": KEPT, "seq": len(log.events), "time": time, "data": data, "ignorable": True}
    return replace(log, events=(*log.events, kept))


def _told(changes: list[Change]) -> Iterator[Json]:
    for change in changes:
        was, numbers = spelled(change.value)
        member: Json = {} if change.seq is None else {"seq": change.seq}
        member |= {"path": change.path, "what": change.what, "was": was}
        yield {**member, "numbers": numbers} if numbers else member


def spelled(value: Any) -> tuple[Any, list[str]]:
    """The value with numbers that a log does not keep as text, and the paths of those."""
    holder: list[Any] = [plain_copy(value)]
    found: list[Keys] = []
    todo: list[tuple[Any, Keys]] = [(holder, ())]
    while todo:
        container, keys = todo.pop()
        inner = container.items() if isinstance(container, dict) else enumerate(container)
        for key, item in [*inner]:
            here = (*keys, key)
            if isinstance(item, dict | list):
                todo.append((item, here))
            elif is_number(item) and (text := _spelling(item)):
                container[key] = text
                found.append(here[1:])
    return holder[0], [dotted(keys) for keys in found]


def _spelling(number: float) -> str:
    """A number as text where a log would keep another one; else nothing."""
    if isinstance(number, int):
        kept = abs(number) <= MAX_SAFE_INTEGER + 1
        return "" if kept else str(Decimal(number))
    if is_negative_zero(number):
        return "-0"
    return "" if math.isfinite(number) else f"{'-' if number < 0 else ''}1e400"
