"""The session logger: the bytes it writes, and what it does when it cannot."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from robota_log_cases import VALID, VECTORS
from sesskit.logs.robota_payloads import UNDEFINED, BigInt
from sesskit.logs.robota_ports import DirectorySink, DirectorySource, subagent_directory
from sesskit.logs.robota_writer import DELTA_UNITS, SessionLogger

AT = datetime(2026, 10, 4, 9, 15, tzinfo=UTC)


def live(value: Any) -> Any:
    """A value as a session would hand it over, from its spelling in the tables."""
    if isinstance(value, list):
        return [live(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$date": text}:
            return datetime.fromisoformat(text)
        case {"$undefined": True}:
            return UNDEFINED
        case {"$number": word}:
            return {"NaN": float("nan"), "Infinity": float("inf"), "-0": -0.0}[word]
        case {"$bigint": digits}:
            return BigInt(digits)
        case {"$lone": text, "$unit": unit}:
            return text + chr(int(unit, 16))
    return {name: live(child) for name, child in value.items()}


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


class Clock:
    def __init__(self) -> None:
        self.now = AT

    def __call__(self) -> datetime:
        return self.now


def write_case(name: str, folder: Path) -> None:
    meta = json.loads((VECTORS / "valid" / name / "meta.json").read_text())
    clock = Clock()
    options = {}
    if "externalPayloadThresholdBytes" in meta["options"]:
        options["spill_bytes"] = meta["options"]["externalPayloadThresholdBytes"]
    loggers: dict[str, SessionLogger] = {}
    text = (VECTORS / "valid" / name / "input.jsonl").read_bytes().decode()
    for call in map(json.loads, filter(None, text.split("\n"))):
        where = meta["directories"].get(call["sessionId"], "")
        if where not in loggers:
            loggers[where] = SessionLogger(DirectorySink(folder / where), clock=clock, **options)
        clock.now = datetime.fromisoformat(call["at"])
        loggers[where].log(call["sessionId"], call["event"], live(call["data"]))
    for logger in loggers.values():
        logger.close()


@pytest.mark.parametrize("name", VALID)
def test_bytes_are_those_of_the_original(name: str, tmp_path: Path) -> None:
    write_case(name, tmp_path / "log")
    assert tree(tmp_path / "log") == tree(VECTORS / "valid" / name / "log")


def test_everything_is_the_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write_case("spill-nested", tmp_path / "log")
    finally:
        os.umask(old)
    for path in [tmp_path / "log", *(tmp_path / "log").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_a_strict_umask_does_not_lock_the_owner_out(tmp_path: Path) -> None:
    old = os.umask(0o777)
    try:
        write_case("spill-nested", tmp_path / "log")
    finally:
        os.umask(old)
    assert tree(tmp_path / "log") == tree(VECTORS / "valid" / "spill-nested" / "log")


def test_what_exists_is_tightened(tmp_path: Path) -> None:
    folder, log = tmp_path / "log", tmp_path / "log" / "s.jsonl"
    folder.mkdir(mode=0o755)
    log.write_bytes(b"")
    log.chmod(0o644)
    with SessionLogger(DirectorySink(folder)) as logger:
        logger.log("s", "user", {"content": "x"})
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_bytes().split(b"\n") if line]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def logger(tmp_path: Path, said: list[str]) -> SessionLogger:
    sink = DirectorySink(tmp_path, report=said.append)
    return SessionLogger(sink, clock=lambda: AT, spill_bytes=64, report=said.append)


def test_the_envelope_cannot_be_overridden(logger: SessionLogger, tmp_path: Path) -> None:
    forged = {"event": "x", "a": 1, "sessionId": "y", "schemaVersion": 9, "timestamp": "z" * 99}
    logger.log("s", "user", forged)
    assert (tmp_path / "s.jsonl").read_bytes() == (
        b'{"event":"user","a":1,"sessionId":"s","schemaVersion":1,'
        b'"timestamp":"2026-10-04T09:15:00.000Z"}\n'
    )
    assert not (tmp_path / "s.payloads").exists()


def test_secrets_go_before_anything_is_written(logger: SessionLogger, tmp_path: Path) -> None:
    data = {"args": {"Password": "fake" * 50, "list": [{"api_key": 1}]}, "secret": {"a": 1}}
    logger.log("s", "user", data)
    assert b"fake" not in b"".join(tree(tmp_path).values())
    assert lines(tmp_path / "s.jsonl")[0]["args"] == {
        "Password": "[REDACTED]",
        "list": [{"api_key": "[REDACTED]"}],
    }
    assert lines(tmp_path / "s.jsonl")[0]["secret"] == "[REDACTED]"


@pytest.mark.parametrize(("length", "spilled"), [(62, False), (63, True)])
def test_the_size_rule_counts_the_text(
    logger: SessionLogger, tmp_path: Path, length: int, spilled: bool
) -> None:
    logger.log("s", "user", {"content": "x" * length, "on": True})
    content = lines(tmp_path / "s.jsonl")[0]["content"]
    assert (content != "x" * length) is spilled


def test_values_of_python(logger: SessionLogger, tmp_path: Path) -> None:
    data = {"when": datetime(2026, 1, 2, 3, 4, 5, 6789), "odd": object(), "pair": (1, UNDEFINED)}  # noqa: DTZ001
    logger.log("s", "user", {**data, "2": "b", "1": "a", "gone": UNDEFINED})
    assert (
        (tmp_path / "s.jsonl")
        .read_bytes()
        .startswith(
            b'{"1":"a","2":"b","when":"2026-01-02T03:04:05.006Z","odd":"[object]","pair":[1,null],'
        )
    )


def test_deltas_wait_for_the_next_other_event(logger: SessionLogger, tmp_path: Path) -> None:
    for session, delta in [("a", "1"), ("b", "2"), ("a", "3")]:
        logger.log(session, "text_delta", {"delta": delta})
    assert not list(tmp_path.iterdir())
    logger.log("c", "user", {"content": "x"})
    assert [line["delta"] for line in lines(tmp_path / "a.jsonl")] == ["1", "3"]
    assert [line["delta"] for line in lines(tmp_path / "b.jsonl")] == ["2"]
    logger.log("a", "text_delta", {"delta": "4"})
    logger.close()
    assert len(lines(tmp_path / "a.jsonl")) == 3


def test_deltas_do_not_wait_for_ever(tmp_path: Path) -> None:
    """Units of UTF-16 count: each of these is two of them and four bytes."""
    logger = SessionLogger(DirectorySink(tmp_path), spill_bytes=2**20)
    logger.log("s", "text_delta", {"delta": "\N{COMPASS}" * (DELTA_UNITS // 2 - 200)})
    assert not (tmp_path / "s.jsonl").exists()
    logger.log("s", "text_delta", {"delta": "x" * 400})
    assert len(lines(tmp_path / "s.jsonl")) == 2


@pytest.mark.parametrize("tail", [b'{"whole":1}', b'{"cut":"ab', b"\0\0"])
def test_a_torn_tail_gets_its_line_end_first(
    logger: SessionLogger, tmp_path: Path, tail: bytes
) -> None:
    (tmp_path / "s.jsonl").write_bytes(b'{"a":1}\n' + tail)
    logger.log("s", "user", {"content": "x"})
    first, second, third, end = (tmp_path / "s.jsonl").read_bytes().split(b"\n")
    assert (first, second, end) == (b'{"a":1}', tail, b"")
    assert json.loads(third)["content"] == "x"


@pytest.mark.parametrize("kind", ["changed", "cut", "directory", "link"])
def test_a_corrupt_sidecar_is_noticed(
    logger: SessionLogger, tmp_path: Path, said: list[str], kind: str
) -> None:
    logger.log("s", "user", {"content": "x" * 100})
    (sidecar,) = (tmp_path / "s.payloads").iterdir()
    whole = sidecar.read_bytes()
    sidecar.unlink()
    match kind:
        case "changed":
            sidecar.write_bytes(b"y" + whole[1:])
        case "cut":
            sidecar.write_bytes(whole[:-1])
        case "directory":
            sidecar.mkdir()
        case "link":
            (tmp_path / "elsewhere").write_bytes(whole)
            sidecar.symlink_to("../elsewhere")
    before = sidecar.lstat()
    logger.log("s", "user", {"content": "x" * 100})
    assert sidecar.lstat().st_mtime_ns == before.st_mtime_ns
    assert lines(tmp_path / "s.jsonl")[1]["content"] == "x" * 100, "the value stays in its line"
    assert len(said) == 1
    assert "other bytes" in said[0]


def test_a_sidecar_that_is_there_is_tightened_and_kept(
    logger: SessionLogger, tmp_path: Path, said: list[str]
) -> None:
    logger.log("s", "user", {"content": "x" * 100})
    (sidecar,) = (tmp_path / "s.payloads").iterdir()
    sidecar.chmod(0o644)
    node = sidecar.stat().st_ino
    logger.log("s", "user", {"content": "x" * 100})
    assert stat.S_IMODE(sidecar.stat().st_mode) == 0o600
    assert sidecar.stat().st_ino == node
    assert not said


def test_unsafe_session_ids(logger: SessionLogger, tmp_path: Path, said: list[str]) -> None:
    logger.log("../x", "user", {"content": "x"})
    assert said
    assert "../x" not in said[0]
    sink = DirectorySink(tmp_path)
    with pytest.raises(ValueError, match="safe"):
        sink.append("a/b", b"{}\n")
    with pytest.raises(ValueError, match="safe"):
        sink.put_payload("..", "0" * 64, b"1")
    with pytest.raises(ValueError, match="digest"):
        sink.put_payload("s", "0" * 64, b"1")
    with pytest.raises(ValueError, match="safe"):
        DirectorySource(tmp_path).open_log("..")
    with pytest.raises(ValueError, match="safe"):
        subagent_directory(tmp_path, "..")


def test_a_directory_that_cannot_be_made_disables_the_sink(tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "file").write_bytes(b"")
    sink = DirectorySink(tmp_path / "file" / "log", report=said.append)
    logger = SessionLogger(sink, spill_bytes=8, report=said.append)
    logger.log("s", "user", {"content": "x" * 100})
    assert len(said) == 1
    assert "disabled" in said[0]
    assert str(tmp_path) not in said[0]


class Broken:
    """A sink on a full disk."""

    def __init__(self, payloads: bool) -> None:
        self.payloads = payloads
        self.written: list[bytes] = []

    def append(self, session_id: str, lines: bytes) -> None:
        if not self.payloads:
            raise OSError(28, "full", "/a/path")
        self.written.append(lines)

    def put_payload(self, session_id: str, sha256: str, data: bytes) -> None:
        if self.payloads:
            raise OSError(28, "full", "/a/path")


@pytest.mark.parametrize("payloads", [True, False])
def test_a_failing_write_does_not_stop_the_session(payloads: bool, said: list[str]) -> None:
    sink = Broken(payloads)
    logger = SessionLogger(sink, spill_bytes=8, report=said.append)
    logger.log("s", "user", {"content": "longer than eight"})
    assert any("full" in sentence or "space" in sentence for sentence in said)
    assert "/a/path" not in "".join(said)
    if payloads:
        assert b"longer than eight" in sink.written[0], "the value stays in its line"


def test_what_nests_without_end_is_dropped(logger: SessionLogger, said: list[str]) -> None:
    data: dict[str, Any] = {}
    data["self"] = data
    logger.log("s", "user", data)
    assert said
    assert "deep" in said[0]


class Spiteful(dict[str, Any]):
    def items(self) -> Any:
        raise LookupError("hunter2-not-a-secret")


@pytest.mark.parametrize(
    ("session_id", "data"),
    [
        (7, {"content": "x"}),
        ("s", ["no", "mapping"]),
        ("s", {"at": datetime(9999, 12, 31, 23, tzinfo=timezone(-timedelta(hours=5)))}),
        ("s", {"at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))}),
        ("s", {"inner": Spiteful(a=1)}),
        ("s", {1: "a name that is none"}),
    ],
)
def test_nothing_a_caller_hands_over_raises(
    logger: SessionLogger, said: list[str], session_id: Any, data: Any
) -> None:
    logger.log(session_id, "user", data)
    assert all("hunter2" not in sentence for sentence in said)
    logger.log("s", "user", {"content": "the session goes on"})


def test_a_clock_that_fails_costs_the_line_only(tmp_path: Path, said: list[str]) -> None:
    def clock() -> datetime:
        raise ZeroDivisionError

    SessionLogger(DirectorySink(tmp_path), clock=clock, report=said.append).log("s", "user")
    assert said == ["session log: a line was dropped (ZeroDivisionError)"]


def test_a_directory_that_is_a_link_is_said_to_be_unreadable(
    tmp_path: Path, said: list[str]
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    DirectorySink(tmp_path / "link", report=said.append)
    assert len(said) == 1
    assert "link" in said[0]


def test_a_log_must_be_a_regular_file(
    logger: SessionLogger, tmp_path: Path, said: list[str]
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"")
    (tmp_path / "s.jsonl").symlink_to(outside)
    os.mkfifo(tmp_path / "f.jsonl")
    logger.log("s", "user", {"content": "x"})
    logger.log("f", "user", {"content": "x"})
    assert len(said) == 2
    assert outside.read_bytes() == b""


def test_the_source_port(logger: SessionLogger, tmp_path: Path) -> None:
    logger.log("s", "user", {"content": "x"})
    source = DirectorySource(tmp_path)
    assert source.open_log("other") is None
    stream = source.open_log("s")
    assert stream is not None
    with stream:
        assert b"content" in stream.read()
    assert subagent_directory(tmp_path, "s") == tmp_path / "s" / "subagents"
