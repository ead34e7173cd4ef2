"""dsh: what `inspect` tells of a log, read as a stream, and of the session that it belongs to."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from sesskit.cli import dsh_migrates
from sesskit.cli.details import Details
from sesskit.cli.looking import Reading, data_of
from sesskit.cli.looking import look as checked
from sesskit.cli.rows import Row, safe
from sesskit.logs.dsh.fates import fate_of
from sesskit.logs.dsh.inspection import Inspection, inspect_log
from sesskit.logs.dsh.layout import StoredLog
from sesskit.logs.dsh.opening import opened
from sesskit.logs.dsh.paths import place_of
from sesskit.logs.dsh.roots import Root, StoredSession, survey
from sesskit.logs.formats import Finding, identify
from sesskit.logs.walking import Source
from sesskit.records.overview import Overview
from sesskit.schemas.masking import mask_text

_NAME, _SHOWN = 40, 6


_LOOKED: dict[str, Inspection] = {}
"""Logs that were checked and counted in one go, until that is told."""


def look(source: Source, reading: Reading) -> Finding:
    """What is in one file of a log, checked and counted in the same pass."""
    path = Path(source.path)
    known = identify(source.path, reading.format)
    descriptor = None if isinstance(known, Finding) else opened(path)
    if not isinstance(descriptor, int) or isinstance(known, Finding):
        return checked(source, reading)
    with os.fdopen(descriptor, "rb") as stream:
        found = inspect_log(stream, path.absolute(), thorough=reading.options.thorough)
    _LOOKED[source.path] = found
    return Finding(source.path, found.outcome, known.entry.name, known.recognition, known.others)


def inspected(finding: Finding) -> tuple[Overview | None, Details]:
    """A log in numbers, whatever its length: memory holds one turn at a time."""
    found = _LOOKED.pop(finding.path, None) or _inspection(finding)
    if found is None or found.overview is None:
        return None, Details()
    session = _stored(finding.path, found.overview.session.id)
    answers = dsh_migrates.answers(finding, dsh_migrates.MOST_INSPECTED)
    migrates = {} if answers is None else dsh_migrates.member(answers)
    rows = (*_rows(found), *([dsh_migrates.row(answers)] if answers else []))
    kept = _kept(finding, found)
    if kept is not None and kept < found.events:
        cut = found.events - kept
        rows = (("kept", f"{kept:,} events by a load, which cuts the other {cut:,}"), *rows)
    member = _member(found, session) | ({} if kept is None else {"kept": kept})
    members = {"dsh": member, **migrates}
    return found.overview, Details(rows, tuple(_family(found, session)), members)


def _kept(finding: Finding, found: Inspection) -> int | None:
    """How many events a load keeps; None where it is refused or the log too long to ask twice."""
    verdict = found.outcome.original.verdict if found.outcome.original else "unsupported"
    if verdict == "accept":
        return found.events
    if verdict != "accept-with-repair":
        return None
    if finding.status == "valid":  # only a turn is open
        return found.events
    path = None if finding.source is not None else Path(finding.path)
    if path is not None and path.stat().st_size > dsh_migrates.MOST_INSPECTED:
        return None
    return fate_of(data_of(finding), None if path is None else path.absolute()).kept


def _inspection(finding: Finding) -> Inspection | None:
    if finding.source is not None:
        return inspect_log(io.BytesIO(finding.source))
    descriptor = opened(Path(finding.path))
    if not isinstance(descriptor, int):
        return None
    with os.fdopen(descriptor, "rb") as source:
        return inspect_log(source, Path(finding.path).absolute())


def _stored(path: str, session: str | None) -> StoredSession | None:
    """What lies below the root of a log that belongs to its session."""
    place = Path(path).absolute()
    if session is None or place_of(place).layout != "session":
        return None
    try:
        found = _surveyed(place.parents[2])
    except OSError:
        return None
    return next((one for one in found.sessions if one.id == session), None)


@lru_cache(maxsize=4)
def _surveyed(root: Path) -> Root:
    """A root, looked through once for all of its logs."""
    return survey(root)


def _rows(found: Inspection) -> Iterator[Row]:
    events = f"{found.events:,}"
    inherited = f", {found.inherited:,} inherited" if found.inherited else ""
    yield "events", events + inherited
    yield "steps", f"{found.steps:,}"
    for number, (name, states) in enumerate(_often(found.tools)):
        words = ", ".join(f"{count:,} {state}" for state, count in states.items())
        yield "" if number else "tools", f"{safe(name, _NAME)}: {words}"
    if len(found.tools) > _SHOWN:
        yield "", f"and {len(found.tools) - _SHOWN:,} other tools"
    routes = [f"{safe(name, _NAME)} {count:,}" for name, count in found.routes.items()]
    if routes:
        more = f", and {len(routes) - _SHOWN:,} others" if len(routes) > _SHOWN else ""
        yield "routes", ", ".join(routes[:_SHOWN]) + more
    if found.compactions:
        yield "compactions", f"{found.compactions:,}"
    if found.replaced:
        yield "replaced", f"{found.replaced:,} events stand for others in the next request"
    if found.retries:
        yield "retries", f"{found.retries:,}"
    if found.closers:
        yield "closing", f"a load would add {', '.join(found.closers)}"


def _often(tools: Mapping[str, dict[str, int]]) -> list[tuple[str, dict[str, int]]]:
    """The tools that were called most."""
    return sorted(tools.items(), key=lambda pair: -sum(pair[1].values()))[:_SHOWN]


def _named_version(log: StoredLog) -> str:
    """The version that the name says, and that of the header where it is another one."""
    named = log.place.generation
    if named is None or named == log.version:
        return str(log.version)
    return f"{named} (its header says {log.version})"


def _family(found: Inspection, session: StoredSession | None) -> Iterator[Row]:
    """Where the session comes from, and what came from it."""
    origin = found.overview.session.origin if found.overview is not None else None
    if origin is not None and origin.of is not None:
        how = "started as a helper by" if origin.kind == "helper" else "forked from"
        yield "parent", f"{how} {safe(origin.of, _NAME)}"
    if session is None:
        return
    if len(session.logs) > 1:
        versions = ", ".join(map(_named_version, session.logs))
        yield "versions", f"{versions}; dsh goes on with the first"
    for label, ids in (("forks", session.forks), ("helpers", session.helpers)):
        if ids:
            more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
            yield label, ", ".join(safe(one, _NAME) for one in ids[:_SHOWN]) + more


def _member(found: Inspection, session: StoredSession | None) -> dict[str, Any]:
    origin = found.overview.session.origin if found.overview is not None else None
    parent = origin.of if origin is not None else None
    told: dict[str, Any] = {
        "events": found.events,
        "steps": found.steps,
        "compactions": found.compactions,
        "replaced": found.replaced,
        "retries": found.retries,
        "inherited": found.inherited,
        "tools": {mask_text(name): states for name, states in found.tools.items()},
        "routes": {mask_text(name): count for name, count in found.routes.items()},
        "closers": list(found.closers),
        "parent": None if parent is None else mask_text(parent),
    }
    if session is not None:
        told["generations"] = [
            {"path": str(log.path), "version": log.version} for log in session.logs
        ]
        told["forks"] = [mask_text(one) for one in session.forks]
        told["helpers"] = [mask_text(one) for one in session.helpers]
    return told
