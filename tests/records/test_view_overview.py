"""A session in numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robota_vectors import VALID, VECTORS
from sesskit.records import robota_view
from sesskit.records.overview import Group, dotted_of, overview
from sesskit.records.talk import Asked, Talk
from sesskit.records.view import Mark, Message, Ref, Result, Session, Usage
from sesskit.schemas.instants import parse_instant

MAXIMAL = (VECTORS / "reencoded" / "maximal.json").read_bytes()


def test_everything_of_a_record_is_counted() -> None:
    seen = overview(robota_view.enveloped(MAXIMAL))
    assert seen.messages == {"user": 1, "assistant": 2, "system": 1, "tool": 1}
    assert seen.turns == {"complete": 1, "interrupted": 1}
    assert seen.calls == {"answered": 1, "unanswered": 1}
    assert [(call.id, call.state) for call in seen.troubled] == [("call-2", "unanswered")]
    assert seen.marks["backgroundTasks"] == Group(
        4, {"completed": 1, "failed": 1, "sleeping": 1, "cancelled": 1}
    )
    assert seen.marks["history"] == Group(4, {"chat": 1, "event": 3})
    assert seen.marks["usedMemoryReferences"] == Group(1)
    assert seen.marks["plan.steps"] == Group(3, {"done": 1, "in-progress": 1, "pending": 1})
    assert (str(seen.first), str(seen.last)) == (
        "2026-03-04T09:00:01.000Z",
        "2026-03-04T09:00:20.000Z",
    )
    assert seen.usage is not None
    assert (seen.usage.prompt, seen.usage.output) == (40, 9)
    assert seen.whole


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.stem)
def test_parts_and_rest_are_the_whole_file(path: Path) -> None:
    data = path.read_bytes()
    seen = overview(robota_view.bare(data))
    assert sum(part.size for part in seen.parts) + seen.rest == len(data)
    assert seen.rest >= 0
    value = json.loads(data)
    lists = {name for name, member in value.items() if isinstance(member, list) and member}
    assert lists <= {part.path for part in seen.parts}
    counts = {part.path: part.count for part in seen.parts}
    assert all(counts[name] == len(value[name]) for name in lists)


def test_the_largest_elements_come_first_and_only_once() -> None:
    seen = overview(robota_view.enveloped(MAXIMAL))
    sizes = [part.size for part in seen.largest]
    assert sizes == sorted(sizes, reverse=True)
    assert seen.largest[0].path == "record.toolSchemas[0]"
    assert [p.size for p in seen.parts] == sorted((p.size for p in seen.parts), reverse=True)


@pytest.mark.parametrize(
    ("written", "summed"),
    [
        ("-1", None),
        ("1e300", None),
        ("1e3", 1000),
        ("0", 0),
        ("9007199254740992", None),
        ("9" * 400, None),
    ],
)
def test_usage_that_cannot_be_is_not_summed(written: str, summed: int | None) -> None:
    usage = '{"promptTokens":' + written + ',"completionTokens":2,"totalTokens":2}'
    task = '{"id":"t","kind":"agent","result":{"usage":' + usage + "}}"
    data = '{"schemaVersion":1,"record":{"id":"a","backgroundTasks":[' + task + "]}}"
    used = overview(robota_view.enveloped(data.encode())).usage
    assert (None if used is None else used.prompt) == summed


def test_nothing_has_an_overview_too() -> None:
    seen = overview(robota_view.enveloped(b""))
    assert (seen.messages, seen.calls, seen.first, seen.usage) == ({}, {}, None, None)
    assert (seen.parts, seen.rest) == ((), 0)


def test_what_was_lost_makes_absence_uncertain() -> None:
    assert not overview(robota_view.enveloped(MAXIMAL[:-100])).whole


def test_a_view_without_pointers_is_measured_by_names() -> None:
    """As that of a log: parts are named by their types, orphans count as results alone."""
    talk = Talk()
    talk.say(Message("user", "person", (), (Ref(0, 10, 1),), time=parse_instant("2026-01-02")))
    talk.say(Message("assistant", "model", (), (Ref(10, 20, 2),)), [Asked("a", "t", Ref(12, 5))])
    talk.answer("b", Result(()), Ref(30, 40, 3))
    once = Usage("r1", 10, 2, Ref(10, 20))
    session = Session(
        "test",
        Ref(0, 100),
        turns=talk.turns(),
        marks=(Mark("hook", "hook", Ref(70, 15, 4)), Mark("hook", "hook", Ref(85, 5, 5))),
        usage=(once, once, Usage("r2", 5, 1, Ref(10, 20), cached=3)),
    )
    seen = overview(session)
    assert seen.messages == {"user": 1, "assistant": 1, "tool": 1}
    assert [(part.path, part.size, part.count) for part in seen.parts] == [
        ("tool", 40, 1),
        ("assistant", 20, 1),
        ("hook", 20, 2),
        ("user", 10, 1),
    ]
    assert seen.rest == 10
    assert [call.state for call in seen.troubled] == ["open", "orphan"]
    assert seen.usage is not None
    assert (seen.usage.prompt, seen.usage.output, seen.usage.cached) == (15, 3, 3)


@pytest.mark.parametrize(
    ("place", "path"),
    [("/a/0/b~1c", "a[0].b/c"), ("/a/01", "a.01"), ("plain", "plain"), ("", "")],
)
def test_dotted_of(place: str, path: str) -> None:
    assert dotted_of(place) == path
