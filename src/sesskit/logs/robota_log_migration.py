"""Robota logs from before lines had a version, carried to version 1 (robota-log section 2).

The member ``schemaVersion`` is put in front, everything else keeps its bytes. The result is strict:
a line that is no event of version 1 afterwards is not carried, and is listed with what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sesskit.logs.line_blocks import line_blocks
from sesskit.logs.log_files import owner_directory, put_once
from sesskit.logs.log_sources import open_log
from sesskit.logs.robota_lines import LineReader
from sesskit.logs.robota_log import DEFAULT_SIDECARS, SidecarOptions
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import path_segments
from sesskit.logs.sidecars import Resolver
from sesskit.records.files import write_atomic
from sesskit.schemas.issues import Issue
from sesskit.schemas.items import parse
from sesskit.schemas.json_position import Base

_VERSION = b'{"schemaVersion":1,'


@dataclass(slots=True)
class LogMigration:
    """What became of a log: lines that got a version, that had it, that were not carried."""

    changed: int = 0
    kept: int = 0
    lost: list[int] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    sidecars: set[str] = field(default_factory=set)

    @property
    def whole(self) -> bool:
        """Whether every line was carried."""
        return not self.lost


def with_version(line: bytes) -> bytes | None:
    """A line of version 1 made of one without a version, None where there is nothing to do."""
    value, _ = parse(line)
    if not isinstance(value, dict) or "schemaVersion" in value or not value:
        return None
    return line.lstrip(b" \t\r").replace(b"{", _VERSION, 1)


def migrated_lines(stream: Any, reader: LineReader, report: LogMigration) -> Iterator[bytes]:
    """The lines of the result, each with its line end; ``report`` is filled on the way."""
    for block in line_blocks(stream):
        number, offset = block.number, block.offset
        for raw in block.lines:
            line = raw.removesuffix(b"\n")
            newer = None if block.hollow else with_version(line)
            answer = reader.read(line if newer is None else newer, Base(offset, number))
            bad = [issue for issue in answer.issues if issue.severity == "error"]
            if block.hollow or bad:
                report.lost.append(number)
                report.issues += [_of_line(issue, number) for issue in bad]
            elif not answer.blank:
                report.changed += newer is not None
                report.kept += newer is None
                yield (line if newer is None else newer) + b"\n"
            number += 1
            offset += len(raw)


def _of_line(issue: Issue, number: int) -> Issue:
    """The issue at its line alone: columns of the line that was tried are not those of the file."""
    return Issue(
        issue.code,
        issue.message,
        issue.severity,
        issue.keys,
        issue.expected,
        issue.found,
        line=number,
        sidecar=issue.sidecar,
    )


def plan_migration(source: Path, *, sidecars: SidecarOptions = DEFAULT_SIDECARS) -> LogMigration:
    """What `migrate_log` would do with the log; nothing is written. Raises OSError."""
    report = LogMigration()
    with open_log(source) as stream, PayloadDirectory(source.parent) as payloads:
        resolver = Resolver(payloads, sidecars.max_depth, sidecars.max_total_bytes)
        reader = LineReader(resolver if sidecars.look else None)
        for _ in migrated_lines(stream, reader, report):
            pass
        report.sidecars = resolver.used
    return report


def migrate_log(
    source: Path,
    target: Path,
    *,
    overwrite: bool = False,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> LogMigration:
    """Write the log at ``source`` as version 1 to ``target``, owner-only, with its sidecars.

    Sidecars are checked and, into another directory, copied byte for byte. Raises OSError where
    something cannot be read or written; then ``target`` is as it was.
    """
    report = LogMigration()
    with open_log(source) as stream, PayloadDirectory(source.parent) as payloads:
        resolver = Resolver(payloads, sidecars.max_depth, sidecars.max_total_bytes)
        reader = LineReader(resolver if sidecars.look else None)
        write_atomic(target, migrated_lines(stream, reader, report), overwrite=overwrite)
        report.sidecars = resolver.used
        if target.parent.resolve() != source.parent.resolve():
            _copy_sidecars(payloads, target.parent, resolver)
    return report


def _copy_sidecars(payloads: PayloadDirectory, target: Path, resolver: Resolver) -> None:
    for path in sorted(resolver.used):
        segments = path_segments(path)
        read = payloads.read(path, int(resolver.max_total_bytes))
        if segments is None or not isinstance(read, PayloadBytes):
            continue  # its line was not carried
        with owner_directory(target) as folder:
            _put(folder, segments, read.data)


def _put(folder: int, segments: tuple[str, ...], data: bytes) -> None:
    if len(segments) == 1:
        put_once(folder, segments[0], data)
        return
    with owner_directory(segments[0], folder) as inner:
        _put(inner, segments[1:], data)
