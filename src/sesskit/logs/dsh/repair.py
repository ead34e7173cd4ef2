"""Repair: logs that load again, with everything that could be saved, beside the damaged one.

A plan is made first, from the bytes alone, and every log in it was read back by the decoder. What
the original would do is part of it. Nothing is written here; nothing is ever changed in place.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import Any

from sesskit.logs.dsh.branches import Branch, Dense, apart, dense
from sesskit.logs.dsh.closers import OpenTurn
from sesskit.logs.dsh.decode import decode, open_log
from sesskit.logs.dsh.generations import Generation, check_header, generation_of
from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.line_faults import row_faults
from sesskit.logs.dsh.mending import mender_of
from sesskit.logs.dsh.native import canonical_faults
from sesskit.logs.dsh.paths import place_of
from sesskit.logs.dsh.released import Released
from sesskit.logs.dsh.ruling import Ruling
from sesskit.logs.dsh.salvage import Dropped, Found, Salvage, salvage
from sesskit.logs.dsh.writing import stored_lines, stored_records
from sesskit.schemas.dsh_values import is_count
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid

Json = dict[str, Any]

MOST_ROUNDS = 12
"""How often a log is read back, each time without one more event."""


@dataclass(frozen=True, slots=True)
class RepairedLog:
    """One log of a plan. ``branch`` is 0 for the one that the original would have continued;
    another one has its first ``shared`` events in common with the log that it grew from."""

    branch: int
    header: Json
    data: bytes
    events: int
    closers: int
    changes: tuple[str, ...]
    outcome: Decoded
    shared: int = 0


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What a repair would do. ``logs`` is empty where nothing is wrong, or nothing can be done;
    ``refused`` then says why. ``dropped`` are the bytes that no log holds."""

    original: Original | None
    logs: tuple[RepairedLog, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    refused: str | None = None


@dataclass(slots=True)
class _Work:
    """A repair under way."""

    source: Salvage
    generation: Generation
    dropped: list[Dropped] = field(default_factory=list)


def plan_repair(data: bytes, path: PurePath | None = None) -> RepairPlan:
    """The plan for one damaged log; total. ``path`` as in `decode`."""
    answer = decode(data, path)
    original = answer.original
    if isinstance(answer, Valid) and (original is None or original.verdict == "accept"):
        return RepairPlan(original)
    source = salvage(data)
    if source.header is None:
        return RepairPlan(original, refused="no header line can be read, so nothing is certain")
    generation = generation_of(source.header, place_of(path).generation if path else None)
    if not isinstance(generation, Generation) or generation.listed:
        return RepairPlan(original, refused="the version is not one that is read here")
    if original is not None and original.verdict == "unsupported" and not _broken(data, path):
        message = "nothing is damaged; the program that the name selects is too old or too new"
        return RepairPlan(original, refused=message)
    if any(issue.severity == "error" for issue in check_header(generation, source.header)):
        return RepairPlan(original, refused="the header is whole, but not what a header must be")
    if any(issue.code == "header-path" for issue in answer.issues):
        message = "the log lies in another folder than its header names; move it there"
        return RepairPlan(original, refused=message)
    work = _Work(source, generation, list(source.dropped))
    branches, doubled = apart(source.found)
    work.dropped += [_unused(item, "written twice", work) for item in doubled]
    logs = tuple(_logs(work, branches, path))
    if not all(loads(log.outcome) for log in logs):
        refused = "what could be saved would not load either"
        return RepairPlan(original, (), tuple(work.dropped), refused)
    return RepairPlan(original, logs, tuple(sorted(work.dropped, key=lambda d: d.offset)))


def loads(found: Decoded) -> bool:
    """Whether a log is sound; one that only needs a newer program is."""
    if isinstance(found, Unsupported):
        codes = {issue.code for issue in found.issues if issue.severity == "error"}
        return codes <= {"type-unknown", "version-other"}
    return isinstance(found, Valid)


def lost_and_found(dropped: tuple[Dropped, ...]) -> bytes:
    """The dropped bytes as lines of JSON: where each run stood, why it went, and what it was."""
    lines = (
        {
            "offset": run.offset,
            "length": len(run.data),
            "of": "decompressed text" if run.decompressed else "file",
            "sha256": run.sha256,
            "reason": run.reason,
            "base64": base64.b64encode(run.data).decode("ascii"),
        }
        for run in dropped
    )
    return b"".join(dumps(line) + b"\n" for line in lines)


def _broken(data: bytes, path: PurePath | None) -> bool:
    reader = open_log(io.BytesIO(data), path, keep=False)
    for _ in reader:
        pass
    return reader.broken_at is not None or reader.text.refused


def _logs(work: _Work, branches: list[Branch], path: PurePath | None) -> Iterator[RepairedLog]:
    for number, branch in enumerate(branches):
        header = dict(work.source.header or {})
        text = work.source.header_text
        if number:
            header = _branch_header(header, number, branch)
            text = dumps(header)
        sound, header, data, closers, outcome = _made_sound(work, branch, header, text, path)
        own = {id(item) for item in branch.own}
        work.dropped += [_unused(f, why, work) for f, why in sound.aside if id(f) in own]
        count = sum(len(item.events) for item in sound.kept)
        common = [f for f in branch.events() if id(f) not in own]
        lost = [f for f, _ in sound.aside if id(f) not in own]
        shared = sum(len(f.events) for f in common) - sum(len(f.events) for f in lost)
        yield RepairedLog(
            number, header, data, count, closers, tuple(sound.changes), outcome, shared
        )
        path = None  # the others are sessions of their own


def _made_sound(
    work: _Work, branch: Branch, header: Json, text: bytes, path: PurePath | None
) -> tuple[Dense, Json, bytes, int, Decoded]:
    """The events of a branch as a log that loads, as far as it takes setting some aside.

    An event that was set aside may have been what another one needs, which shows only when the
    whole is read back; so it is tried again without that one, a few times.
    """
    refused = dict.fromkeys(_misspelled(work.source, work.generation), "type-unknown")
    for _ in range(MOST_ROUNDS):
        judge = Judge(work.generation, header, Ruling(), keep=False)
        items = [item for item in branch.events() if item.offset not in refused]
        mender = mender_of(judge, (event for item in items for event in item.events))
        sound = dense(items, partial(_fault, judge), mender.fit if mender else None)
        marked = _marks(header, sound.kept)
        header, text = _shortened(header, text, sound)
        data, closers = _rendered(work, text, sound.kept, marked)
        outcome = decode(data, path)
        culprit = _culprit(outcome, sound.kept)
        if culprit is None:
            break
        refused[culprit[0]] = culprit[1]
    if marked:
        sound.changes.append("a lost session/end-seed is made up at the end")
    for item in branch.events():
        if item.offset in refused:
            sound.aside.append((item, refused[item.offset]))
            sound.changes.append(f"event {item.seq} is set aside: {refused[item.offset]}")
    return sound, header, data, closers, outcome


def _shortened(header: Json, text: bytes, sound: Dense) -> tuple[Json, bytes]:
    """A header of v1 may not say that more was inherited than there is."""
    count = sum(len(item.events) for item in sound.kept)
    said = header.get("seedLength", 0)
    later = header["version"] == 1 and "delegationDepth" in header
    if not later or not is_count(said) or said <= count:
        return header, text
    sound.changes.append(f"the header says that {count} events were inherited, not more")
    shorter = {**header, "seedLength": count}
    return shorter, dumps(shorter)


def _misspelled(source: Salvage, generation: Generation) -> Iterator[int]:
    """Where events of damaged frames have types that no program knows: the damage made them."""
    for item in source.found:
        known = all(event["type"] in generation.known for event in item.events)
        if not known and any(start <= item.offset < end for start, end in source.doubtful):
            yield item.offset


def _culprit(outcome: Decoded, kept: list[Found]) -> tuple[int, str] | None:
    """Where the first event that keeps a log from loading stood, and why it does."""
    if not isinstance(outcome, Corrupt):
        return None
    errors = (i for i in outcome.issues if i.severity == "error" and i.seq is not None)
    first = next(errors, None)
    if first is None or first.seq is None:
        return None
    number = 0
    for item in kept:
        number += len(item.events)
        if first.seq < number:
            return item.offset, first.code
    return None


def _branch_header(header: Json, number: int, branch: Branch) -> Json:
    """A session of its own: another log of the same id could not lie beside the first one."""
    named = {**header, "id": f"{header['id']}-branch-{number}", "parentSession": header["id"]}
    if header["version"] < 2:
        named["seedLength"] = branch.fork
    order = ("type", "version", "id", "createdAt", "cwd", "parentSession", "seedLength")
    first = {name: named[name] for name in order if name in named}
    return {**first, **{name: value for name, value in named.items() if name not in first}}


def _fault(judge: Judge, event: Json) -> str | None:
    """Why the original refuses an event; that it does not know the type is no damage."""
    faults = list(_line_faults(judge, event))
    errors = (i.code for i in faults or judge.see(event) if i.severity == "error")
    why = next((code for code in errors if code != "type-unknown"), None)
    if why is not None and not faults and isinstance(judge.relations, Released):
        judge.relations.abandon(event["type"])
    return why


def _line_faults(judge: Judge, event: Json) -> Iterator[Issue]:
    """What is wrong with an event before it is looked at among the others."""
    generation = judge.generation
    if generation.strict:
        yield from row_faults(generation, event)
    if generation.version >= 3:
        yield from canonical_faults(event)
        yield from (i for i in judge.admit(event) if i.code != "type-unknown")


def _unused(item: Found, reason: str, work: _Work) -> Dropped:
    return Dropped(item.offset, item.text, reason, work.source.compressed)


def _marks(header: Json, found: list[Found]) -> bool:
    """Whether the mark of what was inherited is lost: then all that is left was inherited."""
    if header["version"] < 2 or header.get("isSeeded") is not True:
        return False
    ends = (e["data"] for item in found for e in item.events if e["type"] == "session/end-seed")
    return not any(isinstance(data, dict) and data.get("inherited") is True for data in ends)


def _rendered(work: _Work, header: bytes, found: list[Found], marked: bool) -> tuple[bytes, int]:
    """The log as a file, untouched lines as they were, and how many closers it has.

    ``marked`` asks for the mark of what was inherited behind them.
    """
    version = work.generation.version
    open_turn = OpenTurn(seed=work.generation.seed)
    lines = [header]
    for item in found:
        for event in item.events:
            open_turn.see(event)
        records = stored_records(item.events, version)
        lines += [item.text] if item.text else [dumps(record) for record in records]
    closers = open_turn.closers()
    if marked:
        seq, time = open_turn.next_seq + len(closers), open_turn.time
        mark = {"type": "session/end-seed", "seq": seq, "time": time, "data": {"inherited": True}}
        closers.append(mark)
    lines += [dumps(record) for record in stored_records(closers, version)]
    data = b"".join(stored_lines(lines, compressed=work.source.compressed))
    return data, len(closers)
