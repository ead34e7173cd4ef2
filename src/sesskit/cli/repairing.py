"""One damaged log of dsh, repaired: the plan, what is said of it, and the files that it makes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from sesskit.cli.dsh_places import fault_at
from sesskit.cli.looking import data_of
from sesskit.cli.repair_places import (
    Where,
    branch_of,
    lost_of,
    name_of,
    refuse_taken,
    target_of,
)
from sesskit.cli.targets import make_folder
from sesskit.cli.writes import writing
from sesskit.logs.dsh.fates import Fate, fate_of
from sesskit.logs.dsh.frames import MAGIC
from sesskit.logs.dsh.repair import RepairedLog, RepairPlan, lost_and_found, plan_repair
from sesskit.logs.formats import STDIN, Finding
from sesskit.records.files import write_atomic
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.masking import mask_text


class Part(NamedTuple):
    """One log that a repair makes, and where it goes."""

    log: RepairedLog
    path: str | None


class Repair(NamedTuple):
    """What is, or would be, done with one log of ``size`` bytes.

    ``refused`` says why nothing can be; without it and without ``parts`` there is nothing to
    repair. ``lost`` is the path of what is in no log.
    """

    fate: Fate
    size: int
    parts: tuple[Part, ...] = ()
    plan: RepairPlan | None = None
    lost: str | None = None
    refused: str = ""


def planned(finding: Finding, chosen: Where | None) -> Repair:
    """What a repair of a log would do; ``chosen`` is None where nothing has a place."""
    data = data_of(finding)
    path = None if finding.path == STDIN else Path(finding.path).absolute()
    fate = fate_of(data, path)
    name = "" if path is None else name_of(path, fate.header, compressed=data.startswith(MAGIC))
    plan = plan_repair(data, None if path is None else path.with_name(name))
    if not plan.logs:
        misnamed = path is not None and name != path.name and plan.refused is None
        why = f"nothing in it is damaged, but its name is wrong: call it {name}" if misnamed else ""
        return Repair(fate, len(data), plan=plan, refused=plan.refused or why)
    target = None if chosen is None else target_of(finding.path, name, chosen)
    parts = tuple(_parts(plan, target))
    lost = None
    if target is not None and (plan.dropped or any(part.log.changes for part in parts)):
        lost = lost_of(target)
    return Repair(fate, len(data), parts, plan, lost)


def _parts(plan: RepairPlan, target: str | None) -> Iterator[Part]:
    for log in plan.logs:
        path = target
        if log.branch and target is not None:
            path = branch_of(target, log.branch, str(log.header["id"]))
        yield Part(log, path)


def verified(repair: Repair) -> str:
    """Why the logs would not load in the places that they get; empty where they do."""
    for part in repair.parts:
        if part.path is None:
            continue
        issue = fault_at(part.log.data, part.path)
        if issue is not None:
            return f"it would not load as {part.path}: {issue.message} ({issue.code})"
    return ""


def publish(repair: Repair, finding: Finding, *, force: bool) -> None:
    """Write what a repair makes, the log itself last: where it is, all is.

    Raises `BadUsage`; then nothing new is left.
    """
    files = [(part.path, part.log.data) for part in reversed(repair.parts) if part.path is not None]
    if repair.lost is not None:
        files.insert(0, (repair.lost, _lost(repair, finding)))
    refuse_taken([path for path, _ in files], [finding.path], force=force)
    made: list[str] = []
    try:
        for path, data in files:
            fresh = not os.path.lexists(path)
            with writing(path):
                make_folder(path)
                write_atomic(path, data, overwrite=force)
            made += [path] if fresh else []
    except BaseException:
        for path in made:
            with suppress(OSError):
                Path(path).unlink()
        raise


def _lost(repair: Repair, finding: Finding) -> bytes:
    """The report of a repair as a line of JSON, then a line for each run of dropped bytes."""
    data = data_of(finding)
    report = {
        "repaired": Path(finding.path).name,
        "length": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "logs": [log_member(part) for part in repair.parts],
    }
    dropped = repair.plan.dropped if repair.plan is not None else ()
    return dumps(report) + b"\n" + lost_and_found(dropped)


def log_member(part: Part) -> dict[str, Any]:
    """One log of a repair, for the report."""
    log = part.log
    return {
        "branch": log.branch,
        "id": mask_text(str(log.header["id"])),
        "path": part.path,
        "status": log.outcome.status,
        "bytes": len(log.data),
        "sha256": hashlib.sha256(log.data).hexdigest(),
        "events": log.events,
        "closers": log.closers,
        "changes": list(log.changes),
    }
