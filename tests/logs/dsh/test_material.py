"""A damaged file as it is read again and again: in flat memory, and only while it is itself."""

from __future__ import annotations

import base64
import hashlib
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from logs.dsh.long_logs import LongLog
from logs.dsh.vectors import cases
from sesskit.logs.dsh import lost_bytes, material, salvage, spelling
from sesskit.logs.dsh.frames import MAGIC, write_frame
from sesskit.logs.dsh.material import Frames, Ledger, Material
from sesskit.logs.dsh.renumbering import Changes, Renamed
from sesskit.logs.dsh.repair import RepairPlan, plan_repair
from sesskit.logs.dsh.salvage import Salvage
from sesskit.schemas.ecmascript import dumps

HEADER = {"type": "session", "version": 0, "id": "x", "createdAt": 1, "delegationDepth": 0}
HEAD = dumps(HEADER) + b"\n"


def event(kind: str, seq: int, data: Any, **more: Any) -> bytes:
    return dumps({"type": kind, "seq": seq, "time": seq, "data": data, **more}) + b"\n"


TODOS = [event("todo/write", n, {"todos": []}) for n in range(20)]
BODY = b"".join(TODOS)


def lost_of(plan: RepairPlan) -> list[bytes]:
    lines = b"".join(plan.lost_and_found()).splitlines()
    return [base64.b64decode(json.loads(line)["base64"]) for line in lines]


def runs(plan: RepairPlan) -> list[tuple[int, int, str]]:
    return [(run.offset, run.length, run.reason) for run in plan.dropped]


def test_a_file_is_read_as_long_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(HEAD + BODY + b"bad\n")
    read = Material(path)
    with path.open("ab") as log:
        log.write(event("plan/mode", 20, {"active": True}))
    plan = plan_repair(read)
    assert plan.logs[0].data == HEAD + BODY
    assert read.sha256() == hashlib.sha256(HEAD + BODY + b"bad\n").hexdigest()
    with read.open() as stream:
        stream.seek(-4, 2)
        assert (stream.read(), stream.tell()) == (b"bad\n", read.size)


@pytest.mark.parametrize("change", ["shorter", "another"])
def test_a_file_that_became_another_one_is_not_read(change: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(HEAD + BODY + b"bad\n")
    plan = plan_repair(path)
    if change == "shorter":
        path.write_bytes(HEAD)
    else:
        (tmp_path / "new").write_bytes(HEAD + BODY + BODY)
        (tmp_path / "new").replace(path)
    with pytest.raises(OSError, match="changed"):
        b"".join(plan.logs[0].blocks())


def test_neighbours_of_one_reason_are_one_run() -> None:
    bad = b'{"type":"x\n' * 500 + b"nothing\n" * 500 + b"\n\n" + b"[1]\n"
    plan = plan_repair(HEAD + BODY + bad + b"\0" * 99)
    start = len(HEAD + BODY)
    assert runs(plan) == [(start, len(bad), "no event"), (start + len(bad), 99, "zeros")]
    assert lost_of(plan) == [bad, b"\0" * 99]


def test_runs_of_decompressed_text_are_given_again() -> None:
    spoiled = b"bad line\n" * 90_000
    frames = (HEAD, TODOS[0], spoiled, TODOS[1], b"\n\nworse\n", TODOS[2])
    plan = plan_repair(b"".join(map(write_frame, frames)))
    assert plan.logs[0].events == 3
    assert lost_of(plan) == [spoiled, b"\n\n", b"worse\n"]
    assert {run.decompressed for run in plan.dropped} == {True}


def test_a_ledger_keeps_places_and_digests() -> None:
    ledger = Ledger(True)
    ledger.add(4, b"ab", "x")
    ledger.add(6, b"c", "x")
    ledger.add(7, b"\n", "")
    ledger.add(9, b"\n", "")
    ledger.add(10, b"d", "y")
    found = [(run.offset, run.length, run.reason) for run in ledger.close()]
    assert found == [(4, 4, "x"), (9, 1, "empty lines"), (10, 1, "y")]
    assert ledger.closed[0].sha256 == hashlib.sha256(b"abc\n").hexdigest()
    assert ledger.closed[0].decompressed


@pytest.mark.parametrize("size", [3, 7, 1000])
def test_lines_across_pieces(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "READ_BYTES", size)
    data = HEAD + BODY + b"x" * 50 + TODOS[0] + b"\0\0" + event("plan/mode", 20, {"active": True})
    plan = plan_repair(data)
    assert plan.logs[0].data == HEAD + BODY + event("plan/mode", 20, {"active": True})
    assert {run.reason for run in plan.dropped} == {"no event", "zeros", "written twice"}


def test_long_lines_that_are_no_event_are_stepped_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "READ_BYTES", 16)
    monkeypatch.setattr(salvage, "SURE_LINE_BYTES", 200)
    monkeypatch.setattr(salvage, "MAX_LOG_LINE_BYTES", 600)
    long = event("session/title", 20, {"title": "t" * 300})
    longer = event("session/title", 21, {"title": "t" * 700})
    hole = event("session/title", 21, {"title": "u"})[:-1] + b"\0" * 900 + b"\n"
    data = HEAD + BODY + long + longer + b"y" * 900 + b"\n" + hole
    plan = plan_repair(data)
    assert plan.logs[0].data == HEAD + BODY + long + event("session/title", 21, {"title": "u"})
    start = len(HEAD + BODY + long)
    assert runs(plan)[0] == (start, len(longer) + 901, "no event")
    assert sum(run.length for run in plan.dropped) == len(longer) + 901 + 901


def test_frames_behind_a_wrong_length_are_no_part_of_what_is_lost() -> None:
    frames = [write_frame(line) for line in TODOS[:6]]
    broken = bytearray(frames[2])
    broken[6:9] = (0xFFFF << 3 | 4).to_bytes(3, "little")
    data = write_frame(HEAD) + b"".join([*frames[:2], bytes(broken), *frames[3:]])
    plan = plan_repair(data)
    assert plan.logs[0].events == 5
    assert runs(plan) == [(data.index(bytes(broken)), len(broken), "torn frame")]


def test_the_walk_begins_anew_only_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "RESTART_ROOM", 0)
    monkeypatch.setattr(material, "RESTART_FACTOR", 2)
    torn = MAGIC + b"\x00\x58\xf8\xff\x7f"
    data = write_frame(HEAD) + torn * 50 + write_frame(TODOS[0])
    frames = Frames()
    text = b"".join(piece.data for piece in Material(data).text(frames))
    assert text == HEAD
    assert frames.lost[0][0] == len(write_frame(HEAD))
    assert frames.lost[-1][1] == len(data)


def test_very_many_damaged_frames_are_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_bytes, "MOST_RUNS", 3)
    stray = b"\x28\xb5\x2f\xfd\x08abc" * 4
    parts = (write_frame(HEAD), stray, write_frame(TODOS[0]), stray)
    plan = plan_repair(b"".join(parts))
    assert plan.logs[0].events == 1
    first, second = len(parts[0]), len(b"".join(parts[:3]))
    assert runs(plan) == [
        (first, len(stray), "damaged frames"),
        (second, len(stray), "damaged frames"),
    ]


@pytest.mark.parametrize("compressed", [False, True])
def test_memory_is_flat(compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("session.jsonl" + ".zstd" * compressed)
    LongLog().write(path, 4_000_000 if not compressed else 1_000_000)
    bad = b'{"type":"x\nno event\n' * 4_000
    with path.open("ab") as log:
        log.write(write_frame(bad) if compressed else bad)
    tracemalloc.start()
    try:
        plan = plan_repair(path)
        size = sum(len(block) for block in plan.logs[0].blocks())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size == plan.logs[0].length
    assert [run.length for run in plan.dropped] == [len(bad)]
    assert peak < 6_000_000


@pytest.mark.parametrize(
    ("kind", "meant"),
    [
        ("step/end", None),
        ("step/fnd", "step/end"),
        ("step/en", "step/end"),
        ("sstep/end", "step/end"),
        ("step/e�nd", "step/end"),
        ("stop/and", None),
        ("acme/x", None),
        ("", None),
    ],
)
def test_types_one_character_away(kind: str, meant: str | None) -> None:
    assert spelling.meant_by(kind, ["step/end", "step/start", "turn/end"]) == meant


def test_a_type_that_damage_spoiled_is_what_it_was() -> None:
    (case,) = cases("valid", "tools-multi-turn-raw")
    whole = case.file.read_bytes()
    spoiled = whole.replace(b'"step/end"', b'"step/e\xffd"', 1)
    (log,) = plan_repair(spoiled).logs
    assert log.data == whole
    assert any("has the type step/end again" in change for change in log.changes)
    unknown = whole.replace(b'"step/end"', b'"st\xff\xff/end"', 1)
    (log,) = plan_repair(unknown).logs
    assert any("is set aside: type-unknown" in change for change in log.changes)
    newer = HEAD + TODOS[0] + event("todo/writes", 1, {"other": []})
    assert plan_repair(newer).logs == (), "a type that only looks alike is of a newer program"


def test_zeros_with_a_sign_are_read_as_zeros() -> None:
    (case,) = cases("valid", "tools-multi-turn-raw")
    whole = (case.folder / "migrated.v3.jsonl").read_bytes()
    spoiled = whole.replace(b'"seq":0,', b'"seq":-0,', 1)
    (log,) = plan_repair(spoiled).logs
    assert log.data == whole
    assert log.changes == ("event 0 has 0 where it had -0",)


def test_numbers_run_by_run() -> None:
    names = Renamed()
    names.add(0, 3, 0)
    names.add(3, 2, 3)
    names.add(7, 2, 5)
    assert [names.find(seq) for seq in (-1, 0, 4, 5, 7, 8, 9)] == [None, 0, 4, None, 5, 6, None]
    assert (8 in names, 5 in names, "x" in names, names[7]) == (True, False, False, 5)
    with pytest.raises(KeyError):
        names[6]


def test_changes_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = Changes()
    assert not changes
    changes.moved(5, 1, 4)
    changes.moved(6, 3, 5)
    changes.say("something else")
    changes.moved(20, 1, 12)
    changes.placed(21)
    changes.placed(22)
    assert changes.all() == (
        "something else",
        "events 21 to 22 have another turn or step now",
        "events 5 to 8 are now 4 to 7",
        "event 20 is now event 12",
    )
    monkeypatch.setattr("sesskit.logs.dsh.renumbering.MOST_CHANGES", 2)
    few = Changes()
    for number in range(5):
        few.say(f"change {number}")
    assert few.all() == ("change 0", "change 1", "3 further changes are not listed")


def test_what_is_looked_through_is_in_file_order() -> None:
    look = Salvage(Material(HEAD + b"\n" + TODOS[0][:-1] + TODOS[1] + b"x" + TODOS[2]))
    found = [(item.seq, item.whole, item.ended) for item in look]
    assert found == [(0, False, False), (1, False, False), (2, False, False)]
    assert look.header == HEADER
    assert [run.reason for run in look.ledger.closed] == ["empty lines", "no event"]


def test_what_is_glued_to_the_header_is_kept() -> None:
    plan = plan_repair(HEAD[:-1] + BODY)
    assert plan.logs[0].data == HEAD + BODY
    assert plan.dropped == ()


def test_a_turn_that_no_event_could_close_is_not_opened() -> None:
    (log,) = plan_repair(HEAD + TODOS[0] + event("turn/start", 1, {"rn": 1}) + b"bad\n").logs
    assert log.data == HEAD + TODOS[0]
    assert log.changes == ("event 1 is set aside: legacy-malformed",)
