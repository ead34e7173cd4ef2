"""The Robota session record: its typed model and its total decoder (robota-record sections 1 to 4).

`decode_envelope` reads a stored file or an artifact, `decode_bare` a record from before the envelope
existed. Both are total.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from sesskit.schemas.check import check, kind_word
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.items import REFUSALS, Item, parse
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid, Verdict
from sesskit.schemas.places import Places
from sesskit.schemas.robota_messages import HistoryEntry, Message, ToolSchema
from sesskit.schemas.robota_places import element_starts, member_faults
from sesskit.schemas.robota_scalars import TextInstant
from sesskit.schemas.robota_session import (
    ActiveBranch,
    ContextReference,
    Goal,
    MemoryEvent,
    MemoryReference,
    Plan,
    SessionLoop,
    SkillActivation,
)
from sesskit.schemas.robota_tasks import GroupEvent, JobGroup, Task, TaskEvent
from sesskit.schemas.shapes import Closed, shape_of

SUPPORTED: Final = (1,)
"""The envelope's number has never been another one."""

Layout = Literal["envelope", "bare"]


class Record(Closed):
    """One session, in the order in which it is written."""

    id: str
    cwd: str
    created_at: TextInstant
    updated_at: TextInstant
    messages: list[Message]
    name: str | UnsetType = UNSET
    system_prompt: str | UnsetType = UNSET
    sandbox_snapshot_id: str | UnsetType = UNSET
    history: list[HistoryEntry] | UnsetType = UNSET
    tool_schemas: list[ToolSchema] | UnsetType = UNSET
    background_tasks: list[Task] | UnsetType = UNSET
    background_task_events: list[TaskEvent] | UnsetType = UNSET
    background_job_groups: list[JobGroup] | UnsetType = UNSET
    background_job_group_events: list[GroupEvent] | UnsetType = UNSET
    session_loops: list[SessionLoop] | UnsetType = UNSET
    skill_activation_events: list[SkillActivation] | UnsetType = UNSET
    memory_events: list[MemoryEvent] | UnsetType = UNSET
    used_memory_references: list[MemoryReference] | UnsetType = UNSET
    context_references: list[ContextReference] | UnsetType = UNSET
    goal: Goal | UnsetType = UNSET
    plan: Plan | UnsetType = UNSET
    active_branch: ActiveBranch | UnsetType = UNSET


class Envelope(Closed):
    """What a stored file and an artifact hold."""

    schema_version: Annotated[int, Meta(ge=1, le=1)]
    record: Record


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    attribute: str
    item: Item
    is_list: bool
    required: bool


def _members() -> dict[str, _Member]:
    hints = get_type_hints(Record, include_extras=True)
    members: dict[str, _Member] = {}
    for info in msgspec.structs.fields(Record):
        hint = hints[info.name]
        kinds = [k for k in get_args(hint) if k is not UnsetType] if _is_union(hint) else [hint]
        is_list = len(kinds) == 1 and get_origin(kinds[0]) is list
        kind = get_args(kinds[0])[0] if is_list else kinds[0]
        # Only these hold values that nest without end.
        deep = info.name in {"history", "tool_schemas", "memory_events"}
        item = Item(kind, open_depth=deep)
        members[info.encode_name] = _Member(
            info.encode_name, info.name, item, is_list, info.required
        )
    return members


def _is_union(hint: Any) -> bool:
    return UnsetType in get_args(hint)


MEMBERS: Final = _members()
LISTS: Final = frozenset(m.name for m in MEMBERS.values() if m.is_list)

_Skeleton = msgspec.defstruct(
    "_Skeleton",
    [
        (m.attribute, (list[Raw] if m.is_list else Raw) | UnsetType, UNSET)
        for m in MEMBERS.values()
    ],
    forbid_unknown_fields=True,
    rename={m.attribute: m.name for m in MEMBERS.values()},
    gc=False,
)
_EnvelopeSkeleton = msgspec.defstruct(
    "_EnvelopeSkeleton",
    [("schemaVersion", Raw), ("record", _Skeleton)],
    forbid_unknown_fields=True,
    gc=False,
)
_ENVELOPE_SKELETON: Final = msgspec.json.Decoder(_EnvelopeSkeleton)
_SKELETON: Final = msgspec.json.Decoder(_Skeleton)
_PIECES: Final = msgspec.json.Decoder(dict[str, Raw])
_ELEMENTS: Final = msgspec.json.Decoder(list[Raw])

Pieces = dict[str, Raw | list[Raw]]
T = TypeVar("T")


def decode_envelope(
    data: bytes, *, thorough: bool = False, keep: bool = True, zone: tzinfo = UTC
) -> Decoded:
    """A stored session file or artifact.

    ``thorough`` also finds doubled member names; without ``keep`` the answer carries no value,
    which saves the memory of it.
    """
    return _Reading(data, "envelope", thorough, keep, zone).answer()


def decode_bare(
    data: bytes, *, thorough: bool = False, keep: bool = True, zone: tzinfo = UTC
) -> Decoded:
    """A record without an envelope, as builds before the envelope wrote it."""
    return _Reading(data, "bare", thorough, keep, zone).answer()


class _Reading:
    """One document being read: its issues so far, and where its lists stand."""

    def __init__(
        self, data: bytes, layout: Layout, thorough: bool, keep: bool, zone: tzinfo
    ) -> None:
        self.data = data
        self.layout = layout
        self.thorough = thorough
        self.keep = keep
        self.zone = zone
        self.prefix: Keys = ("record",) if layout == "envelope" else ()
        self.issues: list[Issue] = []
        self.pieces: Pieces | None = None

    def answer(self) -> Decoded:
        if self.layout == "envelope":
            try:
                skeleton = _ENVELOPE_SKELETON.decode(self.data)
            except (msgspec.MsgspecError, RecursionError):
                return self._by_members()
            version = _version(skeleton.schemaVersion)
            if version != 1:
                return _unsupported(version)
            return self._record(_pieces_of(skeleton.record))
        try:
            return self._record(_pieces_of(_SKELETON.decode(self.data)))
        except (msgspec.MsgspecError, RecursionError):
            return self._by_members()

    # The document is JSON, but not of the outer form: unknown members, a wrong kind, no record.

    def _by_members(self) -> Decoded:
        outer = _pieces(_PIECES, self.data)
        if outer is None:
            return self._by_text()
        if self.layout == "bare":
            return self._record(dict(outer))
        if "schemaVersion" not in outer or (version := _version(outer["schemaVersion"])) is None:
            return _unsupported(None)
        if version != 1:
            return _unsupported(version)
        for name in outer:
            if name not in ("schemaVersion", "record"):
                self._unknown((name,), outer[name])
        if "record" not in outer:
            self._missing(("record",), "object")
            return self._finish(None)
        inner = _pieces(_PIECES, outer["record"])
        if inner is None:
            found = kind_word(parse(bytes(outer["record"]))[0])
            message = f"expected object, found {found}"
            self.issues.append(Issue("type", message, "error", ("record",), "object", found))
            return self._finish(None)
        return self._record(dict(inner))

    # The document as a whole is refused by the fast parser: read it with the tolerant reader.

    def _by_text(self) -> Decoded:
        value, text = parse(self.data)
        self.issues.extend(text)
        sound = not any(i.severity == "error" for i in text)
        if self.layout == "envelope" and isinstance(value, dict):
            version = _number(value.get("schemaVersion"))
            if sound and version != 1:
                return _unsupported(version)
        if value is DAMAGED or not (sound or isinstance(value, dict)):
            return self._finish(None)
        shape = shape_of(Envelope if self.layout == "envelope" else Record)
        built, found = check(shape, value, zone=self.zone)
        declared = {i.keys for i in found if i.code == "number-overflow"}
        self.issues = [
            i for i in self.issues if i.code != "number-overflow" or i.keys not in declared
        ]
        self.issues.extend(found)
        record = built.record if isinstance(built, Envelope) else built
        return self._finish(record)

    def _record(self, pieces: Pieces) -> Decoded:
        self.pieces = pieces
        values: dict[str, Any] = {}
        for name, piece in pieces.items():
            member = MEMBERS.get(name)
            if member is None:
                self._unknown((*self.prefix, name), piece)
            elif member.is_list:
                values[member.attribute] = self._list(member, piece)
            else:
                value, issues = member.item.read(
                    piece, (*self.prefix, name), thorough=self.thorough, zone=self.zone
                )
                self.issues.extend(issues)
                values[member.attribute] = value
        for member in MEMBERS.values():
            if member.required and member.name not in pieces:
                kind = "array" if member.is_list else member.item.shape.words
                self._missing((*self.prefix, member.name), kind)
        if self.thorough:
            self.issues.extend(member_faults(self.data, self.layout == "envelope"))
        if any(i.severity == "error" for i in self.issues) or not self.keep:
            return self._finish(None)
        return self._finish(Record(**values))

    def _list(self, member: _Member, piece: Raw | list[Raw]) -> list[Any]:
        keys = (*self.prefix, member.name)
        if not isinstance(piece, list):
            elements = _pieces(_ELEMENTS, piece)
            if elements is None:
                found = kind_word(parse(bytes(piece))[0])
                message = f"expected array, found {found}"
                self.issues.append(Issue("type", message, "error", keys, "array", found))
                return []
            assert self.pieces is not None
            self.pieces[member.name] = piece = elements
        if self.thorough or member.item.open_depth:
            return self._careful(member, piece, keys)
        values: list[Any] = []
        append = values.append if self.keep else _drop
        decode = member.item.decode
        for n, element in enumerate(piece):
            try:
                append(decode(element))
            except REFUSALS:
                value, issues = member.item.collect(bytes(element), (*keys, n), zone=self.zone)
                self.issues.extend(issues)
                append(value)
        return values

    def _careful(self, member: _Member, elements: list[Raw], keys: Keys) -> list[Any]:
        values = []
        read = member.item.read
        for n, element in enumerate(elements):
            value, issues = read(element, (*keys, n), thorough=self.thorough, zone=self.zone)
            self.issues.extend(issues)
            if self.keep:
                values.append(value)
        return values

    def _unknown(self, keys: Keys, piece: Raw | list[Raw]) -> None:
        found = "array" if isinstance(piece, list) else kind_word(parse(bytes(piece))[0])
        self.issues.append(
            Issue("member-unknown", "no such member", "error", keys, None, found, at_key=True)
        )

    def _missing(self, keys: Keys, kind: str) -> None:
        message = f"missing; expected {kind}"
        self.issues.append(Issue("member-missing", message, "error", keys, kind, "nothing"))

    def _finish(self, record: Record | None) -> Decoded:
        issues: tuple[Issue, ...] = ()
        if self.issues:
            starts = element_starts(self.data, self.pieces, self.layout == "envelope")
            issues = Places(self.data, starts).place(self.issues)
        errors = any(i.severity == "error" for i in issues)
        version = 1 if self.layout == "envelope" else None
        original = self._original(issues, errors)
        if errors:
            return Corrupt(issues, version, original=original)
        return Valid(record if self.keep else None, issues, version, original=original)

    def _original(self, issues: tuple[Issue, ...], errors: bool) -> Original | None:
        if errors and all(i.code in OUR_LIMITS for i in issues if i.severity == "error"):
            return None
        verdict: Verdict = "reject" if errors else "accept"
        text_fault = any(i.severity == "error" and not i.keys for i in issues)
        if self.layout == "bare" and not text_fault:
            verdict = "unsupported"
        return Original(verdict)


OUR_LIMITS: Final = frozenset({"json-depth", "size-limit"})
"""Refused by a limit of ours: what the original would do is not known."""


def _drop(value: Any) -> None:
    """Where only the check counts, values are not kept."""


def _pieces(decoder: msgspec.json.Decoder[T], data: bytes | Raw) -> T | None:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _pieces_of(skeleton: Any) -> Pieces:
    pairs = ((m.name, getattr(skeleton, m.attribute)) for m in MEMBERS.values())
    return {name: piece for name, piece in pairs if piece is not UNSET}


def _version(raw: Raw) -> int | float | None:
    return _number(parse(bytes(raw))[0])


def _number(value: Any) -> int | float | None:
    """A version: a finite number, whole ones as int; None for anything else."""
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    if number in (float("inf"), float("-inf")):
        return None
    return int(number) if number.is_integer() else number


def _unsupported(version: int | float | None) -> Unsupported:
    return Unsupported(version, SUPPORTED, original=Original("unsupported"))
