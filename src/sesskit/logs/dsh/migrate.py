"""Migration: a log as the next versions of the format have it.

The way from v0 to v3 is one released step after the other, each checked before and after. "Loads"
and "migrates" are two answers; this is the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sesskit.logs.dsh import edge_v0_v1, edge_v1_v2, edge_v2_v3
from sesskit.logs.dsh.edges import Refused, Step
from sesskit.logs.dsh.envelopes import pack_sources
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Migrated:
    """A log in another version: the stored header line, its events, how many were inherited."""

    header: Json
    events: tuple[Json, ...]
    inherited: int

    @property
    def version(self) -> int:
        return int(self.header["version"])


@dataclass(frozen=True, slots=True)
class _Edge:
    header: Callable[[Json], Json]
    step: Callable[[Json, int], Step]


EDGES: dict[int, _Edge] = {
    0: _Edge(edge_v0_v1.next_header, edge_v0_v1.V0ToV1),
    1: _Edge(edge_v1_v2.next_header, edge_v1_v2.V1ToV2),
    2: _Edge(edge_v2_v3.next_header, edge_v2_v3.V2ToV3),
}


def migrate(header: Json, events: Iterable[Json], inherited: int, to: int) -> Migrated:
    """The log in version ``to``; raises `Refused`.

    ``header`` is the stored header line, ``events`` those of a sound log of its version, as they
    are stored (chunk rows unpacked), ``inherited`` how many came from a seed.
    """
    for version in range(int(header["version"]), to):
        edge = EDGES[version]
        target = edge.header(header)
        step = edge.step(header, inherited)
        events = tuple(_through(step, events))
        inherited, header = step.inherited, target
    return Migrated(header, tuple(events), inherited)


def _through(step: Step, events: Iterable[Json]) -> Iterator[Json]:
    for event in events:
        yield from step.feed(event)
    yield from step.finish()


def text_of(log: Migrated) -> bytes:
    """The log as a file: the header line, then one line an event."""
    return b"".join(dumps(line) + b"\n" for line in (log.header, *stored_events(log)))


def stored_events(log: Migrated) -> Iterator[Json]:
    """The events as the version stores them: from v2 on with long runs of sources as pairs."""
    for event in log.events:
        if log.version >= 2 and "sourceEventSeqs" in event:
            yield {**event, "sourceEventSeqs": pack_sources(event["sourceEventSeqs"])}
        else:
            yield event


__all__ = ["Migrated", "Refused", "migrate", "stored_events", "text_of"]
