"""Logs of dsh in a later version: what `sesskit migrate` does with them.

The old log stays: every version is a file of its own, beside the older ones. So ``--in-place`` puts
the new one beside the old one, as dsh does.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from sesskit.cli.database import looked_up
from sesskit.cli.dsh_places import fault_at
from sesskit.cli.looking import data_of
from sesskit.cli.migrating import Target, Wishes
from sesskit.cli.naming import shown_name
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.targets import make_folder
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.edges import Refused
from sesskit.logs.dsh.frames import MAGIC
from sesskit.logs.dsh.generations import Generation, generation_of, whole_version
from sesskit.logs.dsh.migration_source import Unsound
from sesskit.logs.dsh.migrations import LATEST, MigratedLog, migrate_log
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.paths import generation_name, log_path, place_of
from sesskit.logs.dsh.tolerant import KEPT, TOLERABLE, Change
from sesskit.logs.formats import STDIN, Finding
from sesskit.records.files import write_atomic
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Valid

_SHOWN = 8
_ENCODINGS = (False, True)
_AS_DSH = "as dsh does; sesskit repair saves more of it"
_WHOLE_FRAMES = "as the released steps take whole frames"


def is_old(finding: Finding) -> bool:
    """Whether there may be a later version of a log; what is refused is told of the log itself."""
    return finding.version != LATEST or finding.status != "valid"


def superseded(path: str, among: Iterable[str], version: int | None) -> bool:
    """Whether a later generation of the same session is among the files: dsh goes on with that."""
    place = place_of(PurePath(path))
    if place.generation is None:
        return False
    later = range(place.generation + 1, (LATEST if version is None else version) + 1)
    names = {generation_name(n, compressed=c) for n in later for c in _ENCODINGS}
    folder = path[: -len(PurePath(path).name)]  # as it was typed, so that paths compare
    return any(f"{folder}{name}" in among for name in names)


def place(path: str, below: str, version: int | None) -> str:
    """Where below a folder of ``--out`` the new log of ``path`` goes, for which that is ``below``:
    under the name of its version, and from a root of dsh in the folders that its header names."""
    inside = looked_up(path) if "#" in path else None
    header = (_header(path) if inside is None else _header_in(inside.source or b"")) or {}
    found = place_of(Path(path).absolute())
    to = LATEST if version is None else version
    seed = found.layout == "seed" and _version(header) is None
    if inside is not None:
        found = place_of(PurePath(below, "session.jsonl"))
    if found.generation is None and not seed:
        return below
    name = generation_name(to, compressed=found.compressed)
    beside = below if seed else str(PurePath(below).with_name(name))
    folders = PurePath(below).parts[:-3]
    if (
        inside is None
        and not seed
        and (found.layout != "session" or len(PurePath(below).parts) == 2)
    ):
        return beside
    try:
        there = log_path(header["id"], header.get("cwd"), version=to, compressed=found.compressed)
    except (KeyError, TypeError, ValueError):
        return beside
    return str(there if seed else PurePath(*folders, there))


def migrated(entry: Entry, target: Target, wishes: Wishes, rules: Rules, screen: Screen) -> Entry:
    """Migrate one log; the entry says what became of it, or why nothing."""
    finding = entry.finding
    path = None if finding.source is not None else Path(finding.path).absolute()
    data = data_of(finding)
    to = LATEST if target.version is None else target.version
    if finding.status == "valid" and _version(_header_in(data)) == to:
        row = ("kept", f"nothing to do: it is of version {to} already")
        return told(entry, [row], {"migration": None}, screen)
    log = _made(data, path, to, wishes)
    if isinstance(log, Refusal):
        return told(entry, [("refused", log.words)], _refused(log), screen)
    place = _target(finding.path, target, to)
    blocks = b"".join(log.blocks(compressed=data.startswith(MAGIC)))
    if place is not None:
        issue = fault_at(blocks, place, log.outcome.issues)
        if issue is not None:
            why = Refusal(f"it would not load as {place}: {issue.message}", issue)
            return told(entry, [("refused", why.words)], _refused(why), screen)
        if not target.dry:
            with writing(place):
                make_folder(place)
                write_atomic(place, blocks, overwrite=target.force)
    rows = [_row(place, len(blocks), to, dry=target.dry), *_rows(log, len(data))]
    # The old log stays as it is; the verdict is that of what was made of it.
    version = whole_version(log.source.log.header)
    outcome = Valid(None, version=version, original=log.outcome.original)
    fresh = entry_of(finding._replace(outcome=outcome), rules)
    return told(fresh, rows, {"migration": _member(log, len(data), place, target)}, screen)


def _version(header: dict[str, Any] | None) -> object:
    """The version that a header says; None for logs of June 2026, which say 1 and are older."""
    generation = generation_of(header) if header else None
    return (
        generation.version if isinstance(generation, Generation) and not generation.seed else None
    )


class Refusal:
    """Why a log is not migrated: words, and where."""

    def __init__(self, words: str, issue: Issue | None = None) -> None:
        self.words = words
        self.issue = issue


def _made(data: bytes, path: Path | None, to: int, wishes: Wishes) -> MigratedLog | Refusal:
    named = None if path is None else place_of(path).generation
    if named is not None and named != to == LATEST == _version(_header_in(data)):
        return Refusal(f"it is of version {to} already, the latest; only its name is of another")
    try:
        return migrate_log(data, to, path=path, tolerant=wishes.tolerant, cut=True)
    except Unsound as error:
        if error.outcome.status == "unsupported":
            return Refusal("this version is not known here; nothing was written")
        return Refusal("it is damaged; repair it first: sesskit repair")
    except Refused as error:
        return Refusal(_where(error.issue, wishes), error.issue)
    except ValueError as error:
        return Refusal(f"{error}; nothing was written")


def _where(issue: Issue, wishes: Wishes) -> str:
    event = "" if issue.seq is None else f"event {issue.seq:,}"
    path = ".".join(str(shown_name(k)) if isinstance(k, str) else f"[{k}]" for k in issue.keys)
    place = ", ".join(filter(None, (event, path.replace(".[", "["))))
    may = not wishes.tolerant and issue.code in TOLERABLE
    more = "; --tolerant may take it" if may else ""
    return f"{place}: {issue.message} ({issue.code}){more}" if place else f"{issue.message}{more}"


def _refused(refusal: Refusal) -> dict[str, Any]:
    issue = refusal.issue
    said: dict[str, Any] = {"message": refusal.words}
    if issue is not None:
        said |= {"code": issue.code, "path": ".".join(map(str, map(_shown, issue.keys)))}
        said |= {} if issue.seq is None else {"seq": issue.seq}
    return {"migration": None, "refusal": said}


def _shown(key: str | int) -> str | int:
    return shown_name(key) if isinstance(key, str) else key


def _target(path: str, target: Target, to: int) -> str | None:
    if not target.in_place:
        return target.path
    found = place_of(Path(path).absolute())
    if found.generation is None:
        raise BadUsage(f"{path} has no name of a dsh log; say where its new version goes: --out")
    name = generation_name(to, compressed=found.compressed)
    return str(Path(path).with_name(name))


def _header(path: str) -> dict[str, Any] | None:
    """The header line of a log file; None where there is none to be read."""
    descriptor = opened(Path(path)) if path != STDIN else None
    if not isinstance(descriptor, int):
        return None
    with os.fdopen(descriptor, "rb") as source:
        return _first(source)


def _header_in(data: bytes) -> dict[str, Any] | None:
    return _first(io.BytesIO(data))


def _first(source: BinaryIO) -> dict[str, Any] | None:
    reader = open_log(source, keep=False)
    next(iter(reader), None)
    return reader.header


def _row(path: str | None, size: int, version: int, *, dry: bool) -> Row:
    if dry:
        place = f" to {path}" if path else ""
        return "would be", f"migrated{place} ({size:,} bytes, version {version})"
    return "migrated", f"to {path} ({size:,} bytes, version {version}); the old log stays"


def _rows(log: MigratedLog, size: int) -> Iterator[Row]:
    before, after = len(log.source.log.events), len(log.log.events)
    anew = f"{before:,} are {after:,} now; all are numbered anew, references follow"
    yield "events", anew if before != after else f"{before:,}, as before"
    cut = log.source.cut
    if cut is not None:
        how = _WHOLE_FRAMES if log.source.left else _AS_DSH
        yield "cut", f"{size - cut:,} bytes from byte {cut:,} on, {how}"
    if log.source.left:
        yield "left out", f"{log.source.left:,} events of the torn frame; --tolerant takes them"
    fault = next((issue for issue in log.outcome.issues if issue.severity == "error"), None)
    if fault is not None and fault.code != "type-unknown":
        yield "loads", f"no, no more than the old log: line {fault.line}: {fault.message}"
    for number, change in enumerate(log.changes[:_SHOWN]):
        yield "" if number else "changed", _change_words(change)
    if len(log.changes) > _SHOWN:
        yield "", f"and {len(log.changes) - _SHOWN:,} more"
    if log.log.events and log.log.events[-1]["type"] == KEPT:
        yield "kept", f"what was changed stands as it was in the last event, {KEPT}"


def _change_words(change: Change) -> str:
    path = f", {shown_name(change.path)}" if change.path else ""
    place = "header" if change.seq is None else f"event {change.seq:,}"
    return f"{place}{path}: {change.what}"


def _member(log: MigratedLog, size: int, path: str | None, target: Target) -> dict[str, Any]:
    source = log.source
    member: dict[str, Any] = {
        "version": log.log.version,
        "from": source.log.header.get("version", 0),
        "path": path,
        "backup": None,
        "written": path is not None and not target.dry,
        "events": {"before": len(source.log.events), "after": len(log.log.events)},
        "tolerant": [
            ({} if change.seq is None else {"seq": change.seq})
            | {"path": shown_name(change.path), "what": change.what}
            for change in log.changes
        ],
    }
    if source.cut is not None:
        member["cut"] = {"offset": source.cut, "length": size - source.cut}
    if source.left:
        member["leftOut"] = source.left
    return member
