"""How a Robota session record is recognised by the beginning of its file. Imports no decoder."""

from __future__ import annotations

import re

from sesskit.records.format import Recognition
from sesskit.schemas.sketch import Sketch, sketch

ENVELOPE = ("schemaVersion", "record")
REQUIRED = frozenset({"id", "cwd", "createdAt", "updatedAt", "messages"})
RECORD_MEMBERS = REQUIRED | {
    "name", "systemPrompt", "sandboxSnapshotId", "history", "toolSchemas", "backgroundTasks",
    "backgroundTaskEvents", "backgroundJobGroups", "backgroundJobGroupEvents", "sessionLoops",
    "skillActivationEvents", "memoryEvents", "usedMemoryReferences", "contextReferences", "goal",
    "plan", "activeBranch",
}  # fmt: skip
_WRITTEN = re.compile(rb'\s*\{\s*"schemaVersion"\s*:\s*[-+.\w]{1,40}\s*,\s*"record"\s*:')
_VERSION = re.compile(rb'"schemaVersion"\s*:')
_RECORD = re.compile(rb'"record"\s*:\s*\{')
_OPENINGS = (b'{"schemaVersion":', b'{"record":')
_BLANKS = re.compile(rb"\s+")

_BLANK = b" \t\r\n"
_NOTHING = b"\0" + _BLANK
_BOM = b"\xef\xbb\xbf"
_GARBAGE = 8
"""So many bytes in front of a record are damage; more are a text that speaks of one."""

AS_WRITTEN = Recognition("certain", "it begins with the members schemaVersion and record")
MENTIONED = Recognition("guess", "somewhere inside it there is what looks like a session record")
"""Enough for a file that somebody names, never for one that is met in a folder."""


def enveloped(head: bytes, name: str) -> Recognition | None:
    """A file of the form ``{schemaVersion, record}``, in any order, also damaged or cut."""
    if _WRITTEN.match(head):
        return AS_WRITTEN
    if not head.removeprefix(_BOM).strip(_NOTHING):
        return _of_nothing(head, name)
    drawn = sketch(head)
    return _placed(head, drawn, _enveloped(head, drawn, name))


def _enveloped(head: bytes, drawn: Sketch, name: str) -> Recognition | None:
    found = set(drawn.members)
    if drawn.kind != "object":
        return None
    if found.issuperset(ENVELOPE):
        if drawn.before:
            return Recognition("likely", "it has schemaVersion and record, after something else")
        return Recognition("certain", "it has the members schemaVersion and record")
    return _by_record(drawn, found) or _by_traces(head, drawn, found, name)


def bare(head: bytes, name: str) -> Recognition | None:
    """A record without its envelope, as builds wrote it before there was one."""
    drawn = sketch(head)
    return _placed(head, drawn, _bare(drawn))


def _bare(drawn: Sketch) -> Recognition | None:
    if drawn.kind != "object":
        return None
    found = set(drawn.members)
    hits = found & REQUIRED
    if found & set(ENVELOPE):
        return None
    if hits == REQUIRED and not drawn.before:
        return Recognition("certain", "it has the members of a record, without an envelope")
    if len(hits) >= 4 or (len(hits) == 3 and {"messages", "cwd"} <= hits):
        return Recognition("likely", "it has most members of a record, without an envelope")
    if not drawn.ended and hits and "messages" in hits and found <= RECORD_MEMBERS:
        return Recognition("guess", "as far as it goes, its members are those of a bare record")
    return None


def _of_nothing(head: bytes, name: str) -> Recognition | None:
    if not name.endswith(".json"):
        return None
    what = "empty"
    if head:
        what = "blank" if head.removeprefix(_BOM).strip(_BLANK) == b"" else "filled with NUL bytes"
    return Recognition("guess", f"it is {what}; its name could be that of a session record")


def _placed(head: bytes, drawn: Sketch, answer: Recognition | None) -> Recognition | None:
    """The answer, but for an object that begins far behind something else: any text may hold it."""
    if answer is None or not drawn.before:
        return answer
    garbage = head.removeprefix(_BOM).lstrip(_NOTHING).find(b"{")
    return answer if garbage <= _GARBAGE else MENTIONED


def _by_record(drawn: Sketch, found: set[str]) -> Recognition | None:
    """By the members inside ``record``, or by a record's members beside ``schemaVersion``."""
    inner = set(drawn.inner.get("record", ()))
    hits = inner & REQUIRED
    if len(hits) >= 3 or (hits and not drawn.ended and inner <= RECORD_MEMBERS):
        return Recognition("likely", "its member record holds members of a session record")
    if "schemaVersion" in found and len(found & REQUIRED) >= 4:
        return Recognition("likely", "it has schemaVersion beside the members of a record")
    return None


def _by_traces(head: bytes, drawn: Sketch, found: set[str], name: str) -> Recognition | None:
    """By what is left of an envelope that was cut early or has something in front of it."""
    if found == {"schemaVersion"}:
        return Recognition("guess", "its only member is schemaVersion")
    if not drawn.ended or drawn.before:
        foreign = found and found.isdisjoint(ENVELOPE)
        if not foreign and _VERSION.search(head) and _RECORD.search(head):
            return Recognition("likely", "damaged, but it speaks of schemaVersion and record")
        begin = _BLANKS.sub(b"", head[:64])
        if name.endswith(".json") and any(known.startswith(begin) for known in _OPENINGS):
            return Recognition("guess", "it was cut where the envelope of a session record begins")
    return None
