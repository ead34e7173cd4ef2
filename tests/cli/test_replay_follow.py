"""`--follow` of `replay` and `validate`: a log shown while another process writes it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command_line import Run
from followers import ENVIRONMENT, LONG, Follower, following
from robota_log_cases import VECTORS

TIDES = Path(__file__).parents[2] / "examples/logs/healthy/tide-table.jsonl"
(SMALL,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
WRITER = """
import json, sys, time
from pathlib import Path
from sesskit.logs.robota_ports import DirectorySink
from sesskit.logs.robota_writer import SessionLogger

source, folder = sys.argv[1:]
envelope = ("schemaVersion", "timestamp", "sessionId", "event")
with SessionLogger(DirectorySink(Path(folder))) as logger:
    for line in Path(source).read_text().splitlines():
        value = json.loads(line)
        data = {name: held for name, held in value.items() if name not in envelope}
        logger.log("live", value["event"], data)
        time.sleep(0.02)
"""


@pytest.fixture
def follow() -> Iterator[Callable[..., Follower]]:
    yield from following()


@pytest.mark.parametrize("form", [(), ("--events",), ("--as", "transcript")], ids="-".join)
def test_a_session_that_is_running(
    form: tuple[str, ...], follow: Callable[..., Follower], tmp_path: Path, run: Run
) -> None:
    log = tmp_path / "live.jsonl"
    log.touch()
    follower = follow(log, *form)
    arguments = [sys.executable, "-c", WRITER, str(SMALL), str(tmp_path)]
    writer = subprocess.Popen(arguments, env=ENVIRONMENT)
    first, last = ("prompt", "end") if form == ("--events",) else ("last ferry", "complete")
    follower.until(first)
    if form != ("--as", "transcript"):
        follower.until(last)
    assert writer.wait(timeout=LONG) == 0
    time.sleep(0.7)
    follower.process.send_signal(signal.SIGINT)
    code, shown, err = follower.ended()
    assert (code, err) == (130, "")
    assert run("replay", log, *form).out == shown


def test_waiting_takes_no_processor(follow: Callable[..., Follower], tmp_path: Path) -> None:
    log = tmp_path / SMALL.name
    shutil.copy(SMALL, log)
    follower = follow(log)
    follower.until("complete")
    stat = Path(f"/proc/{follower.process.pid}/stat")
    if not stat.exists():
        pytest.skip("this system does not tell how much a process has worked")

    def ticks() -> int:
        fields = stat.read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    time.sleep(0.3)
    before = ticks()
    time.sleep(1.5)
    assert ticks() - before <= 0.15 * os.sysconf("SC_CLK_TCK")


def test_the_reader_goes_away(follow: Callable[..., Follower], tmp_path: Path) -> None:
    log = tmp_path / SMALL.name
    shutil.copy(SMALL, log)
    follower = follow(log)
    follower.until("complete")
    assert follower.process.stdout is not None
    follower.process.stdout.close()
    assert follower.process.stderr is not None
    assert follower.process.stderr.read() == b""
    assert follower.process.wait(timeout=LONG) == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda log: log.unlink(), "it was removed"),
        (lambda log: os.truncate(log, 5), "it was cut"),
        (
            lambda log: shutil.copy(log, f"{log}.2") and Path(f"{log}.2").replace(log),
            "another file",
        ),
    ],
)
def test_the_log_goes_away(
    change: Callable[[Path], object],
    said: str,
    follow: Callable[..., Follower],
    tmp_path: Path,
) -> None:
    log = tmp_path / SMALL.name
    shutil.copy(SMALL, log)
    follower = follow(log)
    follower.until("complete")
    change(log)
    code, _, err = follower.ended()
    assert (code, err.count("\n")) == (1, 1)
    assert said in err


def test_a_line_that_is_not_sound_ends_it(
    follow: Callable[..., Follower], tmp_path: Path, run: Run
) -> None:
    log = tmp_path / SMALL.name
    shutil.copy(SMALL, log)
    follower = follow(log)
    follower.until("complete")
    with log.open("ab") as stream:
        stream.write(b'{"event":"user"}\n')
    code, _, err = follower.ended()
    number = log.read_bytes().count(b"\n")
    assert code == 1
    assert f"{log.name}:{number}:1" in err.replace("\n", "")
    assert f"line {number} is not sound and ends this" in err
    assert run("validate", log).code == 1


def test_what_is_there_is_checked_first(follow: Callable[..., Follower], tmp_path: Path) -> None:
    log = tmp_path / SMALL.name
    log.write_bytes(SMALL.read_bytes() + b"{}\n" + SMALL.read_bytes()[:100])
    code, shown, err = follow(log).ended()
    assert (code, shown) == (1, "")
    assert "nothing is replayed" in err


def test_a_sidecar_that_comes_later(follow: Callable[..., Follower], tmp_path: Path) -> None:
    log, lines = tmp_path / TIDES.name, TIDES.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:19]))
    follower = follow(log)
    follower.until("tides/june.txt")
    with log.open("ab") as stream:
        stream.write(b"".join(lines[19:]))
    time.sleep(0.5)
    shutil.copytree(TIDES.parent / "tide-table.payloads", tmp_path / "tide-table.payloads")
    follower.until("turn 2 complete")


def test_the_end_of_a_part_ends_it(
    follow: Callable[..., Follower], tmp_path: Path, run: Run
) -> None:
    shutil.copytree(TIDES.parent, tmp_path, dirs_exist_ok=True)
    log, lines = tmp_path / TIDES.name, TIDES.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:30]))
    follower = follow(log, "--from", "turn:1", "--to", "turn:1", "--events")
    follower.until("request")
    with log.open("ab") as stream:
        stream.write(b"".join(lines[30:]))
    code, shown, err = follower.ended()
    assert (code, err) == (0, "")
    assert shown == run("replay", log, "--from", "turn:1", "--to", "turn:1", "--events").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--output", "json"), "--follow has no end, and --output json needs one"),
        (("--as", "messages"), "--as messages needs one"),
        (("--out", "there"), "--out needs one"),
        (("--with-subagents",), "--follow shows one log as it grows"),
        (("--speed", "2"), "--follow shows one log as it grows"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("replay", TIDES, "--follow", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_what_is_no_log_is_not_followed(run: Run, tmp_path: Path) -> None:
    assert "standard input has an end" in run("replay", "-", "--follow").err
    folder = run("replay", TIDES.parents[2], "--follow")
    assert (folder.code, "are for one robota-log or dsh-log" in folder.err) == (2, True)
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name, status in (("gone.jsonl", "missing"), ("pipe.jsonl", "unreadable")):
        result = run("replay", tmp_path / name, "--follow")
        assert (result.code, f"1 {status}" in result.out) == (1, True)
        forced = run("replay", tmp_path / name, "--follow", "--format", "robota-log")
        assert (forced.code, status in forced.out + forced.err) == (1, True)


def test_faults_as_they_come(follow: Callable[..., Follower], tmp_path: Path) -> None:
    log = tmp_path / SMALL.name
    good = SMALL.read_bytes()
    log.write_bytes(b"{}\n" + good + good[:30])
    follower = follow(log, verb="validate")
    shown = follower.until("schemaVersion")
    assert "followed as it grows" in shown
    follower.until(f"{log.name}:1:1")
    with log.open("ab") as stream:
        stream.write(b"\n" + good.replace(b'Z","sessionId"', b'","sessionId"'))
    shown = follower.until("instant-zoneless")
    assert "json-cut" in shown
    log.unlink()
    code, _, err = follower.ended()
    assert (code, "it was removed" in err) == (1, True)


def test_faults_that_do_not_count(follow: Callable[..., Follower], tmp_path: Path) -> None:
    log = tmp_path / SMALL.name
    data = SMALL.read_bytes().replace(b'Z","sessionId"', b'","sessionId"')
    log.write_bytes(data)
    quiet = follow(log, "--quiet", "--ignore", "instant-zoneless", verb="validate")
    loud = follow(log, verb="validate")
    loud.until("instant-zoneless")
    time.sleep(1.0)
    for follower in (loud, quiet):
        follower.process.send_signal(signal.SIGINT)
    assert quiet.ended() == (130, "", "")
    assert loud.ended()[0] == 130


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((TIDES, "--output", "json"), 2, "has no end"),
        ((TIDES, "--out", "there"), 2, "has no end"),
        ((TIDES, "--no-sidecars"), 2, "looks at the sidecars"),
        (("-",), 2, "an end of its own"),
        ((TIDES.parents[2],), 2, "is for one robota-log"),
        (("gone.jsonl",), 1, "missing"),
    ],
)
def test_what_is_not_followed(
    arguments: tuple[object, ...], code: int, said: str, run: Run
) -> None:
    result = run("validate", *arguments, "--follow")
    assert (result.code, said in result.out + result.err) == (code, True)


def steps(*each: Callable[[], object]) -> Callable[[float], None]:
    """A wait that does the next thing each time, and is interrupted behind the last one."""
    left = list(each)

    def wait(seconds: float) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    return wait


def adding(log: Path, data: bytes) -> Callable[[], object]:
    def add() -> None:
        with log.open("ab") as stream:
            stream.write(data)

    return add


@pytest.mark.parametrize(
    "form", [(), ("--events",), ("--as", "transcript"), ("--from", "turn:1"), ("--from", "3")]
)
def test_step_by_step(
    form: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, lines = tmp_path / SMALL.name, SMALL.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0])
    added = [adding(log, piece) for line in lines[1:] for piece in (line[:9], line[9:])]
    monkeypatch.setattr("sesskit.cli.replay_follow.pause", steps(*added))
    result = run("replay", log, "--follow", *form)
    assert (result.code, result.err) == (130, "")
    assert result.out == run("replay", SMALL, *form).out


def test_step_by_step_to_an_end(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, lines = tmp_path / SMALL.name, SMALL.read_bytes().splitlines(keepends=True)
    for more, code, said in (
        ([adding(log, b"".join(lines[1:]))], 0, ""),
        ([adding(log, b"{}\n")], 1, "line 2 is not sound and ends this"),
        ([log.unlink], 1, "it was removed"),
    ):
        log.write_bytes(lines[0])
        monkeypatch.setattr("sesskit.cli.replay_follow.pause", steps(*more))
        result = run("replay", log, "--follow", "--to", "3")
        assert (result.code, said in result.err) == (code, True)


def test_a_log_that_goes_before_it_is_followed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / SMALL.name
    for error, status in (
        (FileNotFoundError(), "missing"),
        (OSError(5, "no"), "unreadable"),
        (OSError(None, "a kind"), "a kind"),
    ):
        shutil.copy(SMALL, log)

        def gone(*_: object, error: OSError = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr("sesskit.logs.robota_following.open_log", gone)
            result = run("replay", log, "--follow")
            assert (result.code, status in result.err) == (1, True)
            watched = run("validate", log, "--follow")
            assert (watched.code, "cannot be read any more" in watched.err) == (1, True)


def test_faults_step_by_step(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, data = tmp_path / SMALL.name, SMALL.read_bytes()
    zoneless = data.splitlines(keepends=True)[0].replace(b'Z","sessionId"', b'","sessionId"')
    for options, added, code, said in (
        ((), zoneless, 130, "instant-zoneless"),
        (("--ignore", "instant-zoneless"), zoneless, 130, "followed as it grows"),
        (("--quiet",), b"{}\n", 130, "schemaVersion"),
    ):
        log.write_bytes(data)
        monkeypatch.setattr("sesskit.cli.validate_follow.pause", steps(adding(log, added)))
        result = run("validate", log, "--follow", *options)
        assert (result.code, said in result.out) == (code, True)
        assert ("instant-zoneless" in result.out) == (said == "instant-zoneless")
    log.write_bytes(data)
    monkeypatch.setattr("sesskit.cli.validate_follow.pause", steps(log.unlink))
    result = run("validate", log, "--follow")
    assert (result.code, "it was removed" in result.err) == (1, True)
    log.write_bytes(data)
    monkeypatch.setattr("sesskit.cli.validate_follow.pause", steps(log.unlink))
    assert run("validate", log, "--follow", "--exit-zero").code == 0


def _gone(seconds: float) -> None:
    raise BrokenPipeError


def test_nobody_reads_any_more(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, verb in (("replay_follow", "replay"), ("validate_follow", "validate")):
        hushed: list[bool] = []
        monkeypatch.setattr(f"sesskit.cli.{module}.pause", _gone)
        monkeypatch.setattr("sesskit.cli.app.hush", lambda seen=hushed: seen.append(True))
        assert (run(verb, SMALL, "--follow").code, hushed) == (0, [True])
