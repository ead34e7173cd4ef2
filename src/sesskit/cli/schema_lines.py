"""Checking a file of JSON lines against the published schema of one line, line by line.

Memory holds a batch of lines. Of a Robota log the sidecars are put in first: that is what its
schema describes; a reference that leads nowhere is told, and what it hides is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sesskit.cli.usage import BadUsage
from sesskit.logs.formats import STDIN, Finding, recognize
from sesskit.logs.line_blocks import Block, line_blocks
from sesskit.logs.log_sources import LogBytes, LogPlace, open_place, payloads_of
from sesskit.logs.robota_line_faults import is_blank
from sesskit.logs.sidecar_references import may_hold_reference
from sesskit.logs.sidecars import Resolver
from sesskit.records.reading import reason_for
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.json_position import Base
from sesskit.schemas.json_text import read_json
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Corrupt, Missing, Unreadable, Valid
from sesskit.schemas.places import Places

LOG = "robota-log"
ZSTD = b"\x28\xb5\x2f\xfd"
Faults = Callable[[Any], list[Issue]]
"""What is wrong with a value, as a schema has it."""


def line_schema(place: LogPlace, against: str | None) -> str | None:
    """The schema that the lines of a file are to be checked against, ``against`` if that is one.

    None for what is no file of lines, also for one event by itself over several lines.
    """
    try:
        with open_place(place) as stream:
            head = stream.read(RECOGNITION_BYTES)
            name = against or _seems(place, head)
            if name is None or not _is_of_lines(name):
                return None
            if head.startswith(ZSTD):
                raise BadUsage("it is compressed; give the lines themselves, - for standard input")
            first = next((line for line in head.split(b"\n") if not is_blank(line)), b"")
            if len(head) < RECOGNITION_BYTES and not read_json(first).sound:
                return None if read_json(head, thorough=False).sound else name
    except OSError:
        return None
    return name


def _seems(place: LogPlace, head: bytes) -> str | None:
    """The schema for lines of what the file seems to be."""
    found = recognize(head, str(place.absolute()) if isinstance(place, Path) else "")
    if found is None or not found.entry.name.startswith("dsh-"):
        return None if found is None else found.entry.name
    header = read_json(head.partition(b"\n")[0]).partial
    if not isinstance(header, dict):
        return None
    version = header.get("version")
    seed = version == 1 and not {"delegationDepth", "isSeeded"} & header.keys()
    return "dsh-log-seed-v1" if seed else f"dsh-log-v{version}"


def _is_of_lines(name: str) -> bool:
    return name in (LOG, "robota-history") or name.startswith("dsh-log-")


def checked_lines(place: LogPlace, name: str, faults: Faults) -> Finding:
    """The outcome of the check, as a finding whose format is the name of the schema."""
    path, source = (STDIN, place.data) if isinstance(place, LogBytes) else (str(place), None)
    try:
        with open_place(place) as stream, payloads_of(place) as payloads:
            resolver = Resolver(payloads) if name == LOG else None
            found = [
                issue
                for block in line_blocks(stream)
                for line, base in _lines(block)
                for issue in _of_line(line, base, block, resolver, faults)
            ]
    except FileNotFoundError:
        return Finding(path, Missing())
    except OSError as error:
        reason = reason_for(error) if error.errno is not None else str(error.strerror)
        return Finding(path, Unreadable(reason))
    issues = tuple(found)
    if any(issue.severity == "error" for issue in issues):
        return Finding(path, Corrupt(issues), name, source=source)
    return Finding(path, Valid(None, issues), name, source=source)


def _lines(block: Block) -> Iterator[tuple[bytes, Base]]:
    offset = block.offset
    for number, line in enumerate(block.lines, block.number):
        yield line.removesuffix(b"\n"), Base(offset, number)
        offset += len(line)


def _of_line(
    line: bytes, base: Base, block: Block, resolver: Resolver | None, faults: Faults
) -> tuple[Issue, ...]:
    if block.hollow is not None:
        code, what = (
            ("json-nul-run", "NUL bytes") if block.hollow.zeros else ("size-limit", "bytes")
        )
        message = f"the line is {block.hollow.size:,} {what}; it is stepped over"
        return (Issue(code, message).placed(base.offset, base.line, 1),)
    if is_blank(line):
        return ()
    text = read_json(line, base=base)
    if not text.sound:
        return text.issues
    value, found = text.value, list[Issue]()
    if resolver is not None and may_hold_reference(line):
        value, failed = resolver.resolve(value)
        found = [fault.issue() for fault in failed]
    hidden = [issue.keys for issue in found]
    found += [issue for issue in faults(value) if not _is_below(issue.keys, hidden)]
    return (*text.issues, *Places(line, base=base).place(found))


def _is_below(keys: Keys, hidden: list[Keys]) -> bool:
    """Whether a place lies where a sidecar could not be had."""
    return any(keys[: len(above)] == above for above in hidden)
