"""Robota logs from before lines had a version, carried to version 1 (robota-log section 2).

The member ``schemaVersion`` is put in front, everything else keeps its bytes. The result is strict:
a line that is no event of version 1 afterwards is not carried, and is listed with what is wrong.
"""

from __future__ import annotations

import codecs
import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sesskit.logs.line_blocks import line_blocks
from sesskit.logs.log_files import put_once
from sesskit.logs.log_sources import LogPlace, open_place, payloads_of
from sesskit.logs.robota_lines import LineReader
from sesskit.logs.robota_log import DEFAULT_SIDECARS, SidecarOptions
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import may_hold_reference, path_segments
from sesskit.logs.sidecars import MAX_TOTAL_BYTES, Resolver
from sesskit.records.files import write_atomic
from sesskit.schemas.issues import Issue
from sesskit.schemas.items import parse
from sesskit.schemas.json_position import Base

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_VERSION = b'{"schemaVersion":1,'


@dataclass(slots=True)
class LogMigration:
    """What became of a log: lines that got a version, that had it, that were not carried."""

    changed: int = 0
    kept: int = 0
    lost: list[int] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    sidecars: set[str] = field(default_factory=set)
    """Those of the lines that were carried."""
    marked: bool = False
    """Whether a byte order mark was left out."""

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
            if number == 1 and line.startswith(codecs.BOM_UTF8):
                line, report.marked = line[len(codecs.BOM_UTF8) :], True
            newer = None if block.hollow else with_version(line)
            answer = reader.read(line if newer is None else newer, Base(offset, number))
            bad = [issue for issue in answer.issues if issue.severity == "error"]
            if block.hollow or bad:
                report.lost.append(number)
                shift = len(raw.removesuffix(b"\n")) - len(newer or line)
                report.issues += [_in_file(issue, shift, offset) for issue in bad]
            elif not answer.blank:
                if reader.resolver is not None and may_hold_reference(line):
                    report.sidecars |= {path for _, path in reader.resolver.opened}
                report.changed += newer is not None
                report.kept += newer is None
                yield (line if newer is None else newer) + b"\n"
            number += 1
            offset += len(raw)


def _in_file(issue: Issue, shift: int, start: int) -> Issue:
    """An issue of the line that was tried at its place in the file's own line.

    ``shift`` is how much longer the file's line is, all of it before the first member.
    """
    if issue.offset is None or issue.column is None:
        return issue
    if issue.offset == start:  # the object itself
        return issue
    return replace(
        issue, column=max(1, issue.column + shift), offset=max(start, issue.offset + shift)
    )


def plan_migration(
    source: LogPlace, *, sidecars: SidecarOptions = DEFAULT_SIDECARS
) -> LogMigration:
    """What `migrate_log` would do with the log; nothing is written. Raises OSError.

    Of a log without a place for its sidecars no line with a reference can be carried.
    """
    report = LogMigration()
    with open_place(source) as stream, payloads_of(source) as payloads:
        resolver = Resolver(payloads, sidecars.max_depth, sidecars.max_total_bytes)
        reader = LineReader(resolver if sidecars.look else None)
        for _ in migrated_lines(stream, reader, report):
            pass
    return report


def migrate_log(
    source: LogPlace,
    target: Path,
    *,
    overwrite: bool = False,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> LogMigration:
    """Write the log at ``source`` as version 1 to ``target``, owner-only, with its sidecars.

    Sidecars are checked and, into another directory, copied byte for byte before the log is
    written. Raises OSError where something cannot be read or written, with the name of a sidecar
    that is in the way; then ``target`` is as it was.
    """
    if isinstance(source, Path) and target.parent.resolve() != source.parent.resolve():
        _copy_sidecars(source.parent, target.parent, plan_migration(source, sidecars=sidecars))
    report = LogMigration()
    with open_place(source) as stream, payloads_of(source) as payloads:
        resolver = Resolver(payloads, sidecars.max_depth, sidecars.max_total_bytes)
        reader = LineReader(resolver if sidecars.look else None)
        write_atomic(target, migrated_lines(stream, reader, report), overwrite=overwrite)
    return report


def _copy_sidecars(source: Path, target: Path, plan: LogMigration) -> None:
    if not plan.sidecars:
        return
    with PayloadDirectory(source) as payloads:
        folder = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for path in sorted(plan.sidecars):
                segments = path_segments(path)
                read = payloads.read(path, MAX_TOTAL_BYTES)
                if segments is None or not isinstance(read, PayloadBytes):
                    raise OSError(errno.ESTALE, "it changed meanwhile", path)
                try:
                    _put(folder, segments, read.data)
                except OSError as error:
                    raise OSError(error.errno, error.strerror, str(target / path)) from error
        finally:
            os.close(folder)


def _put(folder: int, segments: tuple[str, ...], data: bytes) -> None:
    """Put a file below a folder of somebody else's, whose rights stay; new folders are 0700."""
    if len(segments) == 1:
        put_once(folder, segments[0], data)
        return
    with suppress(FileExistsError):
        os.mkdir(segments[0], 0o700, dir_fd=folder)
    inner = os.open(segments[0], _FOLDER, dir_fd=folder)
    try:
        _put(inner, segments[1:], data)
    finally:
        os.close(inner)
