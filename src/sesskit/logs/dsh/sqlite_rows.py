"""The stored rows of a database as headers and events, and what in them cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backports.zstd import ZstdDecompressor, ZstdError
from msgspec.structs import replace

from sesskit.logs.dsh.rows import is_row, row_fault
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.dsh_limits import FREE_EXPANSION_BYTES
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_text import read_json

Json = dict[str, Any]

HEADER = {
    "version": "version",
    "id": "id",
    "created_at": "createdAt",
    "cwd": "cwd",
    "parent_session": "parentSession",
    "seed_length": "seedLength",
    "origin": "origin",
    "delegation_depth": "delegationDepth",
    "agent_preset": "agentPreset",
}
"""The columns of a session, and the members of its header that they are."""


def stored_header(row: tuple[Any, ...]) -> tuple[Json, list[Issue]]:
    """One row of sessions as a header; an empty column is a member that is not there."""
    named = dict(zip(HEADER.values(), row, strict=True))
    header: Json = {}
    issues: list[Issue] = []
    for name, value in named.items():
        if value is not None:
            header[name], found = _plain(value, name)
            issues += found
    return header, issues


def stored_event(row: tuple[Any, ...]) -> tuple[Json, list[Issue]]:
    """One row of events as the event or packed row that it is, and what could not be read.

    The columns are seq, type, time, data, source_event_seqs, surface_op and ignorable. Where an
    issue is an error, the event is not to be judged any further.
    """
    seq, stored_kind, time, data, sources, operation, ignorable = row
    kind, issues = _plain(stored_kind, "type")
    value, found = _json(data, "data")
    issues += found
    if ignorable == 0:
        packed: Json = {"type": kind, "seq0": seq, "time0": time, "data": value}
        if value is not DAMAGED:
            issues += _row_faults(packed, surfaced=(sources, operation) != (None, None))
        return packed, issues
    event: Json = {"type": kind, "seq": seq, "time": time, "data": value}
    if sources is not None:
        event["sourceEventSeqs"], found = _sources(sources)
        issues += found
    if operation is not None:
        event["surfaceOp"], found = _json(operation, "surfaceOp")
        issues += found
    if ignorable is not None:
        event["ignorable"] = True if ignorable == 1 else ignorable
    return event, issues


def _row_faults(packed: Json, *, surfaced: bool) -> Iterator[Issue]:
    if not is_row(packed):
        message = "said to be a row of packed chunks, but of no type that such rows have"
        yield Issue("row-malformed", message, keys=("type",))
    elif surfaced or (fault := row_fault(packed)) is not None:
        keys = ("surfaceOp",) if surfaced else _column(fault)
        yield Issue("row-malformed", "not what a row of packed chunks holds", keys=keys)


def _column(fault: tuple[str | int, ...] | None) -> tuple[str | int, ...]:
    """A row has no first number and time of its own here: they are columns of the event."""
    first, *rest = fault or ("data",)
    return ({"seq0": "seq", "time0": "time"}.get(str(first), first), *rest)


def _plain(stored: Any, name: str) -> tuple[Any, list[Issue]]:
    """A text as the program reads it: bytes that are not UTF-8 become U+FFFD."""
    if not isinstance(stored, str) or stored.isascii():
        return stored, []
    data = stored.encode("utf-8", "surrogateescape")
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        message = "bytes that cannot be UTF-8; read as U+FFFD"
        issue = Issue("utf8-in-string", message, "warning", (name,), "UTF-8", "other bytes")
        return data.decode("utf-8", "replace"), [issue]


def _json(stored: Any, name: str) -> tuple[Any, list[Issue]]:
    text = stored.encode("utf-8", "surrogateescape") if isinstance(stored, str) else stored
    if isinstance(stored, bytes):
        try:
            inflater = ZstdDecompressor()
            text = inflater.decompress(stored, FREE_EXPANSION_BYTES)
            whole = inflater.eof
        except (ZstdError, MemoryError):
            whole = False
        if not whole:
            return DAMAGED, [Issue("zstd-damaged", "does not decompress", keys=(name,))]
    if not isinstance(text, bytes):
        return DAMAGED, [Issue("type", "expected JSON text", keys=(name,))]
    read_text = read_json(text, thorough=False)
    moved = [_moved(issue, name) for issue in read_text.issues]
    return (read_text.value if read_text.sound else DAMAGED), moved


def _moved(issue: Issue, name: str) -> Issue:
    return replace(issue.inside(name), line=None, column=None, offset=None)


def _sources(stored: Any) -> tuple[Any, list[Issue]]:
    """Schema 14 stores a JSON list, schema 17 the first number and differences, as varints."""
    keys = ("sourceEventSeqs",)
    if isinstance(stored, str):
        return _json(stored, *keys)
    numbers = list(_varints(stored)) if isinstance(stored, bytes) else [None]
    seqs: list[int] = []
    for number in numbers:
        if number is None:
            message = "expected a list of event numbers"
            return DAMAGED, [Issue("sources-kind", message, keys=keys)]
        signed = (number >> 1) ^ -(number & 1)
        seqs.append(seqs[-1] + signed if seqs else number)
    return seqs, []


def _varints(data: bytes) -> Iterator[int | None]:
    """The numbers in a blob; None at its end where the last one is cut."""
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift = min(shift + 7, 70)
        if byte < 0x80:
            yield number
            number = shift = 0
    if shift:
        yield None
