"""One damaged log of dsh, repaired: the plan, what is said of it, and the files that it makes."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

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
from sesskit.logs.dsh.decode import decode, open_log
from sesskit.logs.dsh.fates import Fate, read_fate
from sesskit.logs.dsh.material import Material
from sesskit.logs.dsh.repair import RepairedLog, RepairPlan, plan_repair
from sesskit.logs.formats import Finding
from sesskit.records.files import write_atomic
from sesskit.records.reading import reason_for
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.masking import mask_text

_OF_PLACES = frozenset(["encoding-mismatch", "header-path", "version-other"])
"""What keeps a log from loading only because of where it lies and how it is called."""


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
    try:
        return _planned(finding, chosen)
    except OSError as error:
        return Repair(Fate(None), 0, refused=reason_for(error))


def _planned(finding: Finding, chosen: Where | None) -> Repair:
    material = Material(Path(finding.path) if finding.source is None else finding.source)
    path = Path(finding.path).absolute() if finding.source is None else None
    name = "" if path is None else name_of(path, _header(material), compressed=material.compressed)
    plan = plan_repair(material, None if path is None else path.with_name(name))
    fate = plan.fate
    if path is not None and name != path.name:
        with material.open() as source:
            fate = read_fate(source, path).fate
    if not plan.logs:
        misnamed = path is not None and name != path.name and plan.refused is None
        why = f"nothing in it is damaged, but its name is wrong: call it {name}" if misnamed else ""
        return Repair(fate, material.size, plan=plan, refused=plan.refused or why)
    target = None if chosen is None else target_of(finding.path, name, chosen)
    parts = tuple(_parts(plan, target))
    lost = None
    if target is not None and (plan.dropped or any(part.log.changes for part in parts)):
        lost = lost_of(target)
    return Repair(fate, material.size, parts, plan, lost)


def _header(material: Material) -> dict[str, Any] | None:
    with material.open() as source:
        reader = open_log(source, keep=False)
        next(iter(reader), None)
    return reader.header


def _parts(plan: RepairPlan, target: str | None) -> Iterator[Part]:
    for log in plan.logs:
        path = target
        if log.branch and target is not None:
            path = branch_of(target, log.branch, str(log.header["id"]))
        yield Part(log, path)


def verified(repair: Repair) -> str:
    """Why the logs would not load in the places that they get; empty where they do.

    Each was read back whole before; what hangs on its place shows in its header line.
    """
    for part in repair.parts:
        if part.path is None:
            continue
        found = decode(next(part.log.blocks()), Path(part.path).absolute())
        placed = (i for i in found.issues if i.severity == "error" and i.code in _OF_PLACES)
        issue = next(placed, None)
        if issue is not None:
            return f"it would not load as {part.path}: {issue.message} ({issue.code})"
    return ""


def publish(repair: Repair, finding: Finding, *, force: bool) -> None:
    """Write what a repair makes, the log itself last: where it is, all is.

    Raises `BadUsage`; then nothing new is left.
    """
    named = [(part.path, part.log) for part in reversed(repair.parts) if part.path is not None]
    files = [(path, _checked(log)) for path, log in named]
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


def _checked(log: RepairedLog) -> Iterator[bytes]:
    """The log again; raises `OSError` where it is not the one that was looked at."""
    digest = hashlib.sha256()
    for block in log.blocks():
        digest.update(block)
        yield block
    if digest.hexdigest() != log.sha256:
        raise OSError(errno.ESTALE, "the damaged log was changed while it was read")


def _lost(repair: Repair, finding: Finding) -> Iterator[bytes]:
    """The report of a repair as a line of JSON, then a line for each run of dropped bytes."""
    if repair.plan is None:
        return
    material = repair.plan.material
    report = {
        "repaired": Path(finding.path).name,
        "length": material.size,
        "sha256": material.sha256(),
        "logs": [log_member(part) for part in repair.parts],
    }
    yield dumps(report) + b"\n"
    yield from repair.plan.lost_and_found()


def log_member(part: Part) -> dict[str, Any]:
    """One log of a repair, for the report."""
    log = part.log
    return {
        "branch": log.branch,
        "id": mask_text(str(log.header["id"])),
        "path": part.path,
        "status": log.outcome.status,
        "bytes": log.length,
        "sha256": log.sha256,
        "events": log.events,
        "closers": log.closers,
        "changes": list(log.changes),
    }
