"""ochat: what is wrong with a snapshot, as issues with their byte and their path."""

from __future__ import annotations

import re
from collections import Counter

from sesskit.records.ochat_attempts import Attempt, attempt, choose
from sesskit.records.ochat_rules import Broken, mismatched
from sesskit.schemas.binprot import (
    HEADER_BYTES,
    INT_HIGH,
    INT_LOW,
    MAX_BINARY_FAULTS,
    OVERLONG,
    BinaryError,
)
from sesskit.schemas.binprot_places import offsets_of, paths_at, spans_of
from sesskit.schemas.issues import Issue, Keys, Severity
from sesskit.schemas.ochat_sessions import (
    VERSIONS,
    Layout,
    Session,
    SessionV4,
    SessionV5,
    layouts_of,
    type_of,
)

_DOCUMENT = re.compile(rb"\{\s*\"[^\0]{4}")
_WORDS = {
    "history-id": (
        "this is no history id in its one form",
        "LENGTH:NAMESPACE:NUMBER in decimal",
        "another text",
    ),
    OVERLONG: (
        "this number is written in a longer form than it needs; writing it again makes it short",
        "the shortest form",
        "a longer form",
    ),
}


def wrong_types(session: Session) -> list[tuple[Broken, Severity]]:
    entry: Keys = ("item",) if isinstance(session, SessionV4 | SessionV5) else ()
    message = "the type that this item says is not that of its constructor"
    return [
        (
            Broken("item-type", ("history", index, *entry, "_type"), message, "its own", "another"),
            "warning",
        )
        for index in mismatched(session)
    ]


def placed(data: bytes, layout: Layout, found: list[tuple[Broken, Severity]]) -> list[Issue]:
    """Issues with the bytes of the parts that they are about."""
    if not found:
        return []
    spans = spans_of(type_of(layout), data, HEADER_BYTES, [broken.keys for broken, _ in found])
    return [
        Issue(
            broken.code,
            broken.message,
            severity,
            broken.keys,
            broken.expected,
            broken.found,
            offset=spans[broken.keys].start,
        )
        for broken, severity in found
    ]


def noted(data: bytes, made: Attempt, start: int = HEADER_BYTES) -> list[Issue]:
    """What was read although it is not as it should be."""
    paths = (
        paths_at(type_of(made.layout), data, start, offsets_of(made.notes)) if made.notes else {}
    )
    issues = []
    for note in made.notes:
        message, expected, found = _WORDS[note.code]
        severity: Severity = "warning" if note.code == OVERLONG else "error"
        keys = (*paths[note.offset], *note.keys)
        issues.append(
            Issue(note.code, message, severity, keys, expected, found, offset=note.offset)
        )
    return issues


def in_order(issues: list[Issue]) -> tuple[Issue, ...]:
    """The issues by their offsets; with a word where there are more than are kept."""
    made = sorted(issues, key=lambda issue: issue.offset or 0)
    counts = Counter(issue.code for issue in issues)
    if any(count >= MAX_BINARY_FAULTS for count in counts.values()):
        message = f"of each kind only the first {MAX_BINARY_FAULTS:,} are listed"
        made.append(Issue("faults-unlisted", message, "info", offset=made[-1].offset))
    return tuple(made)


def faulted(fault: BinaryError) -> Issue:
    return Issue(
        fault.code,
        fault.message,
        keys=fault.keys,
        expected=fault.expected,
        found=fault.found,
        offset=fault.offset,
    )


def is_document(data: bytes) -> bool:
    """Whether this begins like JSON, which no snapshot of any possible size does."""
    return _DOCUMENT.match(data) is not None


def newer_document() -> Issue:
    """A newer ochat keeps JSON documents instead of snapshots."""
    message = "this is no snapshot: it begins like the JSON documents of a newer ochat"
    expected = "a length of eight bytes"
    return Issue("frame-length", message, expected=expected, found="text", offset=0)


def bad_header(data: bytes, length: int) -> Issue:
    expected = "a length from 0 up"
    found = "a negative number" if length < 0 else "a number beyond 62 bits"
    if not INT_LOW <= length <= INT_HIGH:
        found = "a number beyond 63 bits"
    if is_document(data):
        return newer_document()
    if choose(_without_header(data)) is not None:
        message = (
            "the record is whole, but the eight bytes before it that say its length are missing"
        )
        return Issue("frame-missing", message, expected=expected, found="the record", offset=0)
    message = "the first eight bytes are no length of a record"
    return Issue("frame-length", message, expected=expected, found=found, offset=0)


def _without_header(data: bytes) -> list[Attempt]:
    return [
        attempt(data, layout, len(data), 0)
        for version in VERSIONS
        for layout in layouts_of(version)
    ]


def wrong_length(data: bytes, made: Attempt, end: int) -> Issue:
    if made.end < end:
        return Issue(
            "frame-length",
            "the record ends before its frame does",
            expected="the end of the frame",
            found=more_bytes(end - made.end),
            offset=made.end,
        )
    at = paths_at(type_of(made.layout), data, HEADER_BYTES, [end])
    return Issue(
        "frame-length",
        "the frame ends inside the record",
        keys=at[end],
        expected=more_bytes(made.end - end),
        found="the end of the frame",
        offset=end,
    )


def more_bytes(count: int) -> str:
    return "1 more byte" if count == 1 else f"{count:,} more bytes"
