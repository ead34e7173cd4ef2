"""A log that is replayed, as JSON: its record, those of its subagents, its events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from typing import Any

from sesskit.cli.replay_tree import Part, Tree, places_in
from sesskit.cli.replaying import Wishes
from sesskit.cli.spooled import Spools
from sesskit.logs.dsh.timeline import Happened
from sesskit.logs.robota_moments import Moment, Range
from sesskit.logs.robota_replay import Replay, replay_events
from sesskit.logs.robota_timeline import Entry, timeline
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.masking import mask_tree


def record_of(part: Part, how: Wishes) -> Any:
    """The replay record as plain JSON."""
    replay = replay_events(moment.event for moment in part.moments())
    return _plain(replay.record(), how)


def _plain(value: Any, how: Wishes) -> Any:
    """A typed value as plain JSON, masked."""
    plain = json.loads(dumps(value))
    return plain if how.unmasked else mask_tree(plain)


def spooled(part: Part, how: Wishes, spools: Spools) -> dict[str, Any]:
    """The replay record; what is in its lists is not held."""
    replay = Replay()
    lists = {name: spools.new() for name in replay.lists()}
    for moment in part.moments():
        replay.add(moment.event)
        for name, items in replay.lists().items():
            for item in items:
                lists[name].add(_plain(item, how))
            items.clear()
    record: dict[str, Any] = _plain(replay.record(), how)
    placed = {name: spools.place(spool) for name, spool in lists.items()}
    return record | placed | {"history": spools.place(lists["messages"], _history_entry)}


def _history_entry(message: dict[str, Any]) -> dict[str, Any]:
    """The entry of the history that a message is in, as plain JSON."""
    about = {"id": message["id"], "timestamp": message["timestamp"]}
    return {**about, "category": "chat", "type": message["role"], "data": message}


def subagents_of(
    tree: Tree, range: Range, how: Wishes, zone: tzinfo, spools: Spools
) -> Iterator[dict[str, Any]]:
    """The replay records of subagents in the range, those of subagents behind their own."""
    places = places_in(tree, zone)
    for child in tree.children:
        below = range.below(places.get(child.name))
        if below is None:
            continue
        part = Part(child.log, below, zone)
        record = spooled(part, how, spools)
        if part.held or below == Range():
            yield {"path": str(child.log.place), "replay": record}
        yield from subagents_of(child, below, how, zone, spools)


def events_of(found: Iterable[Moment], how: Wishes) -> Iterator[dict[str, Any]]:
    """The timeline."""
    return (event_member(entry, how) for entry in timeline(found))


def event_member(entry: Entry | Happened, how: Wishes) -> dict[str, Any]:
    """One entry of a timeline, of a log of either kind."""
    moment = entry.moment
    return {
        "line": moment.line,
        "turn": moment.turn,
        "time": None if moment.time is None else str(moment.time),
        "kind": entry.kind,
        "words": how.word(entry.words),
        **({"figures": dict(entry.figures)} if entry.figures else {}),
    }
