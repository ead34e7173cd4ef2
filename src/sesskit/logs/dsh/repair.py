"""Repair: logs that load again, with everything that could be saved, beside the damaged one.

A plan is made first, from the bytes alone, and every log in it was read back by the decoder. What
the original would do is part of it. Nothing is written here; nothing is ever changed in place.
The file is read several times and never held: a log of a plan is made again when it is asked for.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from sesskit.logs.dsh.branches import Branch
from sesskit.logs.dsh.decode import examine
from sesskit.logs.dsh.fates import Fate, read_fate
from sesskit.logs.dsh.generations import Generation, check_header, generation_of
from sesskit.logs.dsh.lost_bytes import lost_frames, lost_lines
from sesskit.logs.dsh.material import Dropped, Material
from sesskit.logs.dsh.mending import ended_by_seed
from sesskit.logs.dsh.paths import place_of
from sesskit.logs.dsh.rendering import BlockStream, Plan, Rendering
from sesskit.logs.dsh.rows import is_row
from sesskit.logs.dsh.salvage import Salvage
from sesskit.logs.dsh.writers import Writers
from sesskit.schemas.dsh_values import is_count
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid

Json = dict[str, Any]

MOST_ROUNDS = 12
"""How often a log is read back, each time without one more event."""


@dataclass(frozen=True, slots=True)
class RepairedLog:
    """One log of a plan. ``branch`` is 0 for the one that the original would have continued;
    another one has its first ``shared`` events in common with the log that it grew from.

    It has ``length`` bytes, which `blocks` makes. The value of ``outcome`` is not kept.
    """

    branch: int
    header: Json
    length: int
    sha256: str
    events: int
    closers: int
    changes: tuple[str, ...]
    outcome: Decoded
    plan: Plan = field(repr=False)
    shared: int = 0

    def blocks(self) -> Iterator[bytes]:
        """The log as a file. Raises `OSError` where the damaged one cannot be read any more."""
        return Rendering(self.plan).blocks()

    @property
    def data(self) -> bytes:
        """All of it in memory."""
        return b"".join(self.blocks())


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What a repair would do. ``logs`` is empty where nothing is wrong, or nothing can be done;
    ``refused`` then says why. ``dropped`` are the bytes that no log holds; ``fate`` is what the
    original would do."""

    fate: Fate
    material: Material = field(repr=False)
    logs: tuple[RepairedLog, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    refused: str | None = None

    @property
    def original(self) -> Original | None:
        """The verdict of the original."""
        return self.fate.original

    def lost_and_found(self) -> Iterator[bytes]:
        """The dropped bytes as lines of JSON: where each run stood, why it went, what it was."""
        return lost_lines(self.material, self.dropped)


def plan_repair(source: bytes | Path | Material, path: PurePath | None = None) -> RepairPlan:
    """The plan for one damaged log, in memory or on the disk. ``path`` as in `decode`.

    Total for bytes; raises `OSError` where a file cannot be read.
    """
    material = source if isinstance(source, Material) else Material(source)
    with material.open() as stream:
        read = read_fate(stream, path)
    answer, fate = read.outcome, read.fate
    if isinstance(answer, Valid) and (fate.original is None or fate.original.verdict == "accept"):
        return RepairPlan(fate, material)
    salvage = Salvage(material)
    writers = Writers(material, salvage)
    branches = writers.read()
    if salvage.header is None:
        unread = "no header line can be read, so nothing is certain"
        return RepairPlan(fate, material, refused=unread)
    generation = generation_of(salvage.header, place_of(path).generation if path else None)
    broken = read.broken or bool(salvage.spelled)
    why = _refused(salvage.header, generation, answer, broken=broken)
    if why or not isinstance(generation, Generation):
        return RepairPlan(fate, material, refused=why)
    dropped = [
        *salvage.ledger.closed,
        *writers.doubled.closed,
        *lost_frames(material, salvage.frames),
    ]
    logs: list[RepairedLog] = []
    for number, branch in enumerate(branches):
        plan = _plan_of(material, generation, salvage, branch, number)
        made, rendering = _made_sound(plan, number, path)
        dropped += rendering.dropped
        logs.append(made)
        path = None  # the others are sessions of their own
    dropped.sort(key=lambda run: run.offset)
    if not all(loads(log.outcome) for log in logs):
        why = "what could be saved would not load either"
        return RepairPlan(fate, material, (), tuple(dropped), why)
    return RepairPlan(fate, material, tuple(logs), tuple(dropped))


def _refused(header: Json, generation: object, answer: Decoded, *, broken: bool) -> str | None:
    """Why no repair is made of a log whose header could be read."""
    if not isinstance(generation, Generation) or generation.listed:
        return "the version is not one that is read here"
    original = answer.original
    if original is not None and original.verdict == "unsupported" and not broken:
        return "nothing is damaged; the program that the name selects is too old or too new"
    if any(issue.severity == "error" for issue in check_header(generation, header)):
        return "the header is whole, but not what a header must be"
    if any(issue.code == "header-path" for issue in answer.issues):
        return "the log lies in another folder than its header names; move it there"
    return None


def loads(found: Decoded) -> bool:
    """Whether a log is sound; one that only needs a newer program is."""
    if isinstance(found, Unsupported):
        codes = {issue.code for issue in found.issues if issue.severity == "error"}
        return codes <= {"type-unknown", "version-other"}
    return isinstance(found, Valid)


# The logs.


def _plan_of(
    material: Material, generation: Generation, salvage: Salvage, branch: Branch, number: int
) -> Plan:
    header, text = dict(salvage.header or {}), salvage.header_text
    if number:
        header = _branch_header(header, number, branch)
        text = dumps(header)
    refused = dict.fromkeys(_unreadable(material, generation, salvage, branch), "type-unknown")
    inherited = frozenset[int]()
    if generation.relational and branch.compacts:
        inherited = ended_by_seed(_compactions(material, salvage, branch))
    return Plan(material, generation, branch, header, text, refused, inherited, salvage.spelled)


def _compactions(material: Material, salvage: Salvage, branch: Branch) -> Iterator[Json]:
    """Compactions and ends of seeds of a branch."""
    for _, text, *_ in branch.read(material):
        if b"compaction/" in text or b"session/end-seed" in text:
            record = salvage.values.record(text)
            if record is not None:
                yield record


def _unreadable(
    material: Material, generation: Generation, salvage: Salvage, branch: Branch
) -> Iterator[int]:
    """Where events have types that damage made, and nobody can tell what they were."""
    spelled, doubtful = salvage.spelled, salvage.frames.doubtful
    if not doubtful and None not in spelled.values():
        return
    for offset, text, *_ in branch.read(material):
        record = salvage.values.record(text)
        if record is None or _is_known(generation, record) or spelled.get(record["type"]):
            continue
        if record["type"] in spelled or any(start <= offset < end for start, end in doubtful):
            yield offset


def _is_known(generation: Generation, record: Json) -> bool:
    return is_row(record) or record["type"] in generation.known


def _made_sound(plan: Plan, number: int, path: PurePath | None) -> tuple[RepairedLog, Rendering]:
    """The events of a branch as a log that loads, as far as it takes setting some aside.

    An event that was set aside may have been what another one needs, which shows only when the
    whole is read back; so it is tried again without that one, a few times.
    """
    shortened = ""
    for _ in range(MOST_ROUNDS):
        rendering = Rendering(plan)
        outcome = examine(io.BufferedReader(BlockStream(rendering.blocks())), path, keep=False)
        shorter = _shortened(plan.header, rendering.events)
        if shorter is not None:
            count = shorter["seedLength"]
            shortened = f"the header says that {count} events were inherited, not more"
            plan = replace(plan, header=shorter, header_text=dumps(shorter))
            continue
        culprit = _culprit(plan, rendering, outcome)
        if culprit is None:
            break
        plan = replace(plan, refused={**plan.refused, culprit[0]: culprit[1]})
    changes = rendering.fitting.changes.all() + ((shortened,) if shortened else ())
    if plan.branch.guessed:
        doubtful = f"{plan.branch.guessed:,} line{'' if plan.branch.guessed == 1 else 's'}"
        changes += (f"the split is a guess: {doubtful} could be of either writer",)
    made = RepairedLog(
        number,
        plan.header,
        rendering.length,
        rendering.sha256,
        rendering.events,
        rendering.closers,
        changes,
        outcome,
        plan,
        rendering.inherited_events if number else 0,
    )
    return made, rendering


def _shortened(header: Json, count: int) -> Json | None:
    """The header of v1, which may not say that more was inherited than there is."""
    said = header.get("seedLength", 0)
    later = header["version"] == 1 and "delegationDepth" in header
    if not later or not is_count(said) or said <= count:
        return None
    return {**header, "seedLength": count}


def _culprit(plan: Plan, rendering: Rendering, outcome: Decoded) -> tuple[int, str] | None:
    """Where the first event that keeps a log from loading stood, and why it does.

    For an event that only closes a turn that is the one which opened it.
    """
    if not isinstance(outcome, Corrupt):
        return None
    errors = (i for i in outcome.issues if i.severity == "error" and i.seq is not None)
    first = next(errors, None)
    if first is None or first.seq is None:
        return None
    closer = first.seq >= rendering.events
    place = rendering.opened if closer else Rendering(plan).place_of(first.seq)
    return None if place is None or place in plan.refused else (place, first.code)


def _branch_header(header: Json, number: int, branch: Branch) -> Json:
    """A session of its own: another log of the same id could not lie beside the first one."""
    named = {**header, "id": f"{header['id']}-branch-{number}", "parentSession": header["id"]}
    if header["version"] < 2:
        named["seedLength"] = branch.fork
    order = ("type", "version", "id", "createdAt", "cwd", "parentSession", "seedLength")
    first = {name: named[name] for name in order if name in named}
    return {**first, **{name: value for name, value in named.items() if name not in first}}
