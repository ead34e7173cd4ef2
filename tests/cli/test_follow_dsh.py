"""dsh logs as a timeline, and followed while they grow, plain and compressed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from followers import Follower, following
from logs.dsh.vectors import cases
from sesskit.cli.report_schema import SCHEMA
from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.following import GrowingBytes, followed
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.timeline import happenings
from sesskit.logs.robota_stream import LogChanged

CHECK = Draft202012Validator(SCHEMA)
(LOG,) = [c.file for c in cases("valid", "tools-multi-turn-raw")]
LINES = LOG.read_bytes().splitlines(keepends=True)
ENDS = [n for n, line in enumerate(LINES) if b'"turn/end"' in line]


@pytest.fixture
def follow() -> Iterator[Callable[..., Follower]]:
    yield from following()


@pytest.mark.parametrize("name", ["tools-multi-turn-raw", "every-known-type", "seed-era-full"])
def test_a_timeline(name: str, run: Run, snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    (case,) = cases("valid", name)
    log = tmp_path / "log.jsonl"
    shutil.copy(case.file, log)
    result = run("replay", "--events", log)
    assert (result.code, result.out, result.err) == snapshot


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_every_log_has_one(case: Any, run: Run) -> None:
    if case.file.suffix not in (".jsonl", ".zstd"):
        return
    report = json.loads(run("replay", "--events", case.file, "--output", "json").out)
    CHECK.validate(report)
    (entry,) = report["files"]
    if entry["status"] == "valid":
        with case.file.open("rb") as source:
            lines = [s for s in open_log(source) if s.line.number > 1]
        kinds = [one["kind"] for one in entry["events"]]
        pieces = sum(b"chunk" in s.line.data[:40] for s in lines)
        assert (len(kinds), "damaged" in kinds) == (len(lines) - pieces, False)


def test_a_part_of_a_timeline(run: Run) -> None:
    words = ("replay", "--events", LOG, "--output", "json", "--from", "turn:2", "--to", "turn:2")
    (entry,) = json.loads(run(*words).out)["files"]
    assert {one["turn"] for one in entry["events"]} == {2}
    assert run("replay", "--events", LOG, "--to", "1").out == ""
    packed = write_frame(LINES[0]) + write_frame(b"".join(LINES[1:]))
    piped = run("replay", "--events", "-", stdin=packed)
    assert piped.out == run("replay", "--events", LOG).out


def test_damage_is_on_the_timeline(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"".join([*LINES[:5], b"{\n", *LINES[5:]]))
    result = run("replay", "--events", log)
    assert (result.code, "damaged" in result.out) == (1, True)
    assert "1 issue; sesskit validate" in result.err
    (tmp_path / "bad.jsonl").write_bytes(b"")
    assert run("replay", "--events", tmp_path / "bad.jsonl", "--format", "dsh-log").code == 1


@pytest.mark.parametrize("compressed", [False, True])
def test_a_log_that_grows(
    follow: Callable[..., Follower], tmp_path: Path, compressed: bool
) -> None:
    log = tmp_path / f"session.jsonl{'.zstd' if compressed else ''}"
    first, second = ENDS[0] + 1, ENDS[1] + 1
    batches = [LINES[:1], LINES[1:first], LINES[first:second], LINES[second:]]
    pieces = [write_frame(b"".join(b)) if compressed else b"".join(b) for b in batches]
    log.write_bytes(pieces[0] + pieces[1] + pieces[2][:30])
    follower = follow(log)
    shown = follower.until("turn 1 complete")
    assert "unicorn" not in shown
    with log.open("ab") as stream:
        stream.write(pieces[2][30:])
        stream.flush()
        follower.until("turn 2 complete")
        stream.write(pieces[3])
    shown = follower.until("turn 3 complete")
    assert "call lookup_price call_a1" in shown
    assert "We open at nine." in shown
    log.unlink()
    code, _, err = follower.ended()
    assert (code, "it was removed" in err) == (1, True)


def test_the_end_of_a_part_ends_it(
    follow: Callable[..., Follower], tmp_path: Path, run: Run
) -> None:
    log = tmp_path / "session.jsonl"
    log.write_bytes(b"".join(LINES[:20]))
    follower = follow(log, "--to", "turn:1", "--events")
    follower.until("request")
    with log.open("ab") as stream:
        stream.write(b"".join(LINES[20:]))
    code, shown, err = follower.ended()
    assert (code, err) == (0, "")
    assert shown == run("replay", log, "--to", "turn:1", "--events").out


@pytest.mark.parametrize("compressed", [False, True])
def test_faults_as_they_come(
    follow: Callable[..., Follower], tmp_path: Path, compressed: bool
) -> None:
    def packed(text: bytes) -> bytes:
        return write_frame(text) if compressed else text

    log = tmp_path / f"session.jsonl{'.zstd' if compressed else ''}"
    log.write_bytes(packed(LINES[0]) + packed(b"".join(LINES[1:9]) + b"{\n"))
    follower = follow(log, verb="validate")
    assert "followed as it grows" in follower.until("json-cut")
    with log.open("ab") as stream:
        stream.write((b"stray bytes" if compressed else b"[]\n") + packed(LINES[9]))
    follower.until("zstd-stray" if compressed else "line-no-event")
    log.write_bytes(b"")
    code, _, err = follower.ended()
    assert (code, "it was cut" in err) == (1, True)


class Waited(Exception):
    """Nothing more comes."""


def give_up(_seconds: float) -> None:
    raise Waited


def test_what_is_no_append_any_more(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    log.write_bytes(LINES[0] + LINES[1])
    with followed(log, give_up) as reader:
        lines = iter(reader)
        assert [next(lines).line.number for _ in range(2)] == [1, 2]
        with pytest.raises(Waited):
            next(lines)
    with log.open("rb") as file:
        source = GrowingBytes(file.fileno(), log, give_up)
        assert source.first(4) == LINES[0][:4]
        data = source.read() + source.read()
        assert data == LINES[0] + LINES[1]
        log.write_bytes(b"x" * len(data) + b"y")
        with pytest.raises(LogChanged, match="rewritten"):
            source.read()
    other = tmp_path / "other"
    other.write_bytes(LINES[0])
    with other.open("rb") as file:
        source = GrowingBytes(file.fileno(), other, give_up)
        source.read()
        log.replace(other)
        with pytest.raises(LogChanged, match="another file"):
            source.read()


def test_what_cannot_be_followed(run: Run, tmp_path: Path) -> None:
    for verb in ("replay", "validate"):
        gone = run(verb, tmp_path / "gone.jsonl", "--follow")
        assert gone.code == 1
        assert run(verb, "-", "--follow", stdin=LOG.read_bytes()).code == 2


def test_old_and_odd_events_have_words() -> None:
    (case,) = cases("valid", "every-known-type")
    with case.file.open("rb") as source:
        found = [*happenings(open_log(source))]
    assert {one.kind for one in found} >= {"retry", "compaction", "approval", "command", "title"}
    assert any(one.figures for one in found if one.kind == "answer")
