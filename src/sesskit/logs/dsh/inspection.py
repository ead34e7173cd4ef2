"""A log in numbers, in one pass, whatever its length: memory holds one turn at a time.

The numbers are those that `overview` counts in the session view of the log; a test holds the two
together. What only logs of dsh have (steps, routes, compactions) comes on top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import BinaryIO

from sesskit.logs.dsh.decode import open_log, outcome
from sesskit.logs.dsh.inspecting import Work
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.dsh.view import Viewing
from sesskit.records.overview import Overview
from sesskit.schemas.dsh_values import is_count
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Decoded


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is in a log. ``overview`` is None where there is no header; its session has no turns,
    and calls that had trouble are without their inputs and results.

    ``tools`` counts calls by the tool's name and their state, ``routes`` answers by
    ``provider/model``. ``replaced`` are events that stand for others in the next request,
    ``inherited`` those that came from a seed, ``closers`` the types of those that a load adds.
    """

    outcome: Decoded
    overview: Overview | None
    events: int = 0
    steps: int = 0
    tools: dict[str, dict[str, int]] = field(default_factory=dict)
    routes: dict[str, int] = field(default_factory=dict)
    compactions: int = 0
    replaced: int = 0
    retries: int = 0
    inherited: int = 0
    closers: tuple[str, ...] = ()


def inspect_log(
    source: BinaryIO, path: PurePath | None = None, *, thorough: bool = False
) -> Inspection:
    """Read a log to its end, checked and counted in the same pass; total."""
    reader = open_log(source, path, keep=False, thorough=thorough)
    work = Work(Viewing(reader, rough=True))
    issues: list[Issue] = []
    for stored in reader.remarkable(work.watch):
        issues += stored.issues
        work.take(stored)
    answer = outcome(reader, issues)
    if reader.header is None:
        return Inspection(answer, None)
    counted = work.overview()
    return Inspection(
        answer,
        counted,
        work.events,
        work.kinds["step/start"],
        {name: dict(states) for name, states in sorted(work.tools.items())},
        dict(work.routes.most_common()),
        work.kinds["compaction/summary"],
        work.replaced,
        work.kinds["llm/retry"],
        _inherited(reader),
        tuple(str(event["type"]) for event in reader.judge.closers())
        if reader.judge is not None
        else (),
    )


def _inherited(reader: LogReader) -> int:
    judge = reader.judge
    if judge is None:
        return 0
    said = judge.header.get("seedLength", 0) if judge.inherited is None else judge.inherited
    return int(said) if is_count(said) else 0
