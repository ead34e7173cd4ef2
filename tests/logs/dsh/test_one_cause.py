"""One damage is one fault: what follows from it is not said, whatever line it is on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from logs.dsh.vectors import cases
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.migrations import migrate_log
from sesskit.logs.dsh.one_cause import follows, one_cause
from sesskit.schemas.issues import Issue

NAMES = ("tool-result-prune", "compaction-surface-replace", "todo-and-log-only")
VERSIONS = [(name, version) for name in NAMES for version in range(4)]


def lines_of(name: str, version: int) -> list[bytes]:
    (case,) = cases("valid", name)
    log = migrate_log(case.file.read_bytes(), version)
    return b"".join(log.blocks(compressed=False)).splitlines()


def told(lines: list[bytes]) -> list[Issue]:
    return [i for i in decode(b"\n".join(lines) + b"\n").issues if i.severity != "info"]


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_a_line_that_is_lost_doubled_or_unreadable(name: str, version: int) -> None:
    lines = lines_of(name, version)
    sound = len(told(lines))
    for at in range(1, len(lines)):
        for damaged in (
            lines[:at] + lines[at + 1 :],
            lines[: at + 1] + lines[at:],
            [*lines[:at], lines[at][: len(lines[at]) // 2], *lines[at + 1 :]],
        ):
            assert len(told(damaged)) - sound <= 1, (at, told(damaged))


def retyped(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The event with one of its members, or of those of its data, of another kind."""
    for holder in (event, event["data"]):
        for name, value in holder.items():
            if name in ("header", "compactionId", "content"):
                continue  # what cites those is wrong, and the program minds only that
            if event["type"] == "tool/result" and name in ("turn", "step", "meta"):
                continue  # as is a rewrite that keeps what this one had
            other = {**holder, name: "x" if isinstance(value, int) else 7}
            yield other if holder is event else {**event, "data": other}


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_a_member_of_another_kind(name: str, version: int) -> None:
    lines = lines_of(name, version)
    sound = len(told(lines))
    for at in range(1, len(lines)):
        for event in retyped(json.loads(lines[at])):
            damaged = [*lines[:at], json.dumps(event).encode(), *lines[at + 1 :]]
            found = told(damaged)
            assert len(found) - sound <= 1, (at, event, found)
            assert not found or any(issue.line == at + 1 for issue in found), (at, event)


def issue(code: str, *keys: str | int, error: bool = False) -> Issue:
    return Issue(code, f"of {code}", "error" if error else "warning", keys)


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ([issue("turn-number", "data", "turn"), issue("type", "data", "turn")], ["type"]),
        ([issue("not-the-open-step", "data"), issue("type", "data", "step")], ["type"]),
        ([issue("turn-nested"), issue("type", "data", "turn")], ["turn-nested", "type"]),
        ([issue("turn-number", "data", "turn"), issue("member-unknown", "data", "x")], None),
        ([issue("type-unknown", "type"), issue("envelope", "type")], ["envelope"]),
        ([issue("title-messages", "data", "messageSeqs"), issue("tag", "data", "source", "kind")],
         ["tag"]),
        ([issue("message-no-source", "data", "source"), issue("tag", "data", "source", "kind")],
         ["message-no-source"]),
        ([issue("message-no-source", "data", "source"), issue("type", "data", "content")], None),
        ([issue("type", "data"), issue("type", "data")], ["type"]),
    ],
)  # fmt: skip
def test_what_follows_from_what(found: list[Issue], kept: list[str] | None) -> None:
    expected = [one.code for one in found] if kept is None else kept
    assert sorted(one.code for one in one_cause(found)) == sorted(expected)


def test_what_the_program_minds_stays_an_error() -> None:
    rule = issue("turn-not-next", "data", "turn", error=True)
    (said,) = one_cause([rule, issue("type", "data", "turn")])
    assert (said.code, said.severity) == ("type", "error")
    assert follows(rule, [said])
    assert not follows(rule, [issue("type", "data", "reason")])
