"""Migration of whole files: verified results, answers for every version, logs of June 2026."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.decode import Log, decode
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.migrate import Refused
from sesskit.logs.dsh.migration_source import Unsound, loaded_source, released_source
from sesskit.logs.dsh.migrations import migrate_log, migrates, save
from sesskit.logs.dsh.tolerant import KEPT
from sesskit.schemas.outcomes import Valid

MOVED = [c for c in cases() if c.expected.get("migrate") and "header" in c.expected]
SEED = cases("valid", "seed-era-*")


def of(data: bytes) -> Log:
    answer = decode(data)
    assert isinstance(answer, Valid), answer.issues
    log: Log = answer.value
    return log


def unlike_their_program(case: Case) -> bool:
    """Cases of a name that selects another program; the recorded steps began at that."""
    return case.name.startswith("header-version")


@pytest.mark.parametrize(
    "case",
    [c for c in cases() if c.expected.get("migrate") and not unlike_their_program(c)],
    ids=lambda c: c.name,
)
def test_what_cannot_be_loaded_may_migrate(case: Case) -> None:
    data = case.file.read_bytes()
    answers = migrates(data, cut=True)
    recorded = case.expected["migrate"]
    assert answers or not any(answer["ok"] for answer in recorded.values())
    for to, why in answers.items():
        assert (why is None) == recorded[f"to{to}"]["ok"], (to, why)
        if why is None:
            text = b"".join(migrate_log(data, to, cut=True).blocks(compressed=False))
            assert hashlib.sha256(text).hexdigest() == recorded[f"to{to}"]["sha256"]


@pytest.mark.parametrize("case", cases("damaged", "zstd-t[or]*"), ids=lambda c: c.name)
def test_tolerant_migration_takes_what_a_load_keeps(case: Case) -> None:
    data = case.file.read_bytes()
    strict = migrate_log(data, 1, cut=True)
    tolerant = migrate_log(data, 1, cut=True, tolerant=True)
    if case.expected["outcome"].startswith("accept"):
        assert len(tolerant.source.log.events) == case.expected["storedEventCount"]
        assert len(strict.source.log.events) + strict.source.left == len(tolerant.source.log.events)
    with pytest.raises(Unsound):
        migrate_log(data, 1)
    assert strict.source.cut == case.expected["files"][0]["frames"][-1]["start"]


@pytest.mark.parametrize("case", MOVED, ids=lambda c: c.name)
def test_answers_for_every_version(case: Case) -> None:
    data = case.file.read_bytes()
    recorded = case.expected["migrate"]
    answers = migrates(data)
    for to, why in answers.items():
        assert (why is None) == recorded[f"to{to}"]["ok"], (to, why)
        if why is None:
            migrated = migrate_log(data, to)
            text = b"".join(migrated.blocks(compressed=False))
            assert hashlib.sha256(text).hexdigest() == recorded[f"to{to}"]["sha256"]
            packed = b"".join(migrated.blocks(compressed=True))
            assert of(packed).messages() == of(text).messages()
        else:
            with pytest.raises(Refused):
                migrate_log(data, to)


@pytest.mark.parametrize("case", SEED, ids=lambda c: c.name)
@pytest.mark.parametrize("to", [0, 1, 2, 3])
def test_logs_of_june_2026(case: Case, to: int) -> None:
    data = case.file.read_bytes()
    with pytest.raises(Refused, match="June"):
        migrate_log(data, to)
    migrated = migrate_log(data, to, tolerant=True)
    log = of(b"".join(migrated.blocks(compressed=False)))
    assert log.generation.version == to
    said = [(m["role"], m["content"]) for m in log.messages() if m["role"] != "system"]
    assert said == [(m["role"], m["content"]) for m in of(data).messages()]
    assert any(event["type"] == KEPT for event in log.events) == bool(migrated.changes and to >= 2)
    assert not migrates(data)


def test_saving(tmp_path: Path) -> None:
    (case,) = cases("valid", "tools-multi-turn-raw")
    migrated = migrate_log(case.file.read_bytes(), 3)
    path = save(migrated, tmp_path)
    assert path.name == "session.v3.jsonl.zstd"
    assert isinstance(decode(path.read_bytes(), path), Valid)
    with pytest.raises(FileExistsError):
        save(migrated, tmp_path)


def test_what_cannot_be_migrated() -> None:
    with pytest.raises(Unsound) as refused:
        migrate_log(b"")
    assert refused.value.outcome.status == "corrupt"
    assert migrates(b"") == {}
    (case,) = cases("valid", "tools-multi-turn-raw")
    data = case.file.read_bytes()
    for to in (-1, 4):
        with pytest.raises(ValueError, match="no way"):
            migrate_log(data, to)
    third = b"".join(migrate_log(data, 3).blocks())
    with pytest.raises(ValueError, match="no way"):
        migrate_log(third, 2)
    assert migrates(third) == {}
    assert b"".join(migrate_log(third, 3).blocks()) == third


HEAD = b'{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}\n'


def event(seq: int, kind: str, data: str, more: str = "") -> bytes:
    return f'{{"type":"{kind}","seq":{seq},"time":1,"data":{data}{more}}}\n'.encode()


TURN, END = event(0, "turn/start", '{"turn":1}'), '{"turn":1,"reason":{"kind":"completed"}}'
TODO = event(1, "todo/write", '{"todos":[]}')
UNREAD = event(1, "todo/write", '{"todos":[]}', ',"sourceEventSeqs":5')


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        pytest.param([TURN, TODO], 2, id="whole"),
        pytest.param([TURN, TODO, b"null\n"], 2, id="null, of which the loading program dies"),
        pytest.param([TURN, b"null\n", event(1, "turn/end", END)], None, id="null and a turn end"),
        pytest.param([TURN, UNREAD], 1, id="sources that no step reads"),
        pytest.param([TURN, UNREAD, event(2, "turn/end", END)], None, id="those, committed"),
        pytest.param([TURN, event(1, "turn/end", END, ',"sourceEventSeqs":5')], 1, id="unread end"),
        pytest.param([TURN, TODO, b"{\n"], None, id="no JSON"),
        pytest.param([TURN, TODO, TODO[:-9]], 2, id="torn"),
        pytest.param(
            [TURN, event(1, "todo/write", '{"todos":[]}', ',"sourceEventSeqs":[0]'), TODO[:-9]],
            2,
            id="sources where none may be, and torn",
        ),
    ],
)
def test_what_the_steps_read(lines: list[bytes], kept: int | None) -> None:
    data = HEAD + b"".join(lines)
    if kept is None:
        with pytest.raises(Unsound):
            migrate_log(data, 1, cut=True)
        return
    source = migrate_log(data, 1, cut=True).source
    assert len(source.log.events) == kept
    assert source.cut == (len(HEAD) + len(b"".join(lines[:kept])) if kept < len(lines) else None)


def test_what_the_steps_read_of_frames() -> None:
    frames = [write_frame(text) for text in (HEAD, TURN + TODO, event(2, "todo/write", "{}"))]
    data = b"".join(frames)
    assert len(released_source(data[:-1]).log.events) == 2
    assert released_source(data[:-1]).cut == len(frames[0] + frames[1])
    assert loaded_source(data[:-1]).left == 0
    assert released_source(write_frame(HEAD + TURN)).log.events
    split = write_frame(HEAD) + write_frame(TURN + b"[]\n" + TODO)
    assert released_source(split).cut == len(write_frame(HEAD))
    flipped = bytearray(data)
    flipped[-2] ^= 1
    with pytest.raises(Unsound) as refused:
        released_source(bytes(flipped))
    assert [issue.code for issue in refused.value.outcome.issues] == ["zstd-damaged"]
