"""Logs that grow while they are read: whole lines only, and what is no append is noticed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from robota_log_cases import VECTORS
from sesskit.logs.growing_lines import CHUNK_BYTES, GrowingLines
from sesskit.logs.log_sources import open_log
from sesskit.logs.robota_following import (
    FollowedLog,
    LineBroken,
    LogChanged,
    PatientPayloads,
)
from sesskit.logs.robota_log import LogLine, read_log
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import PayloadFault
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Valid

(SMALL,) = (VECTORS / "valid/chat-small/log").glob("*.jsonl")
SPILLED = VECTORS / "valid/spill-default/log/spill-default.jsonl"
Step = Callable[[], None]


class Enough(Exception):
    """Ends a test that would wait for ever."""


def steps(*each: Step) -> Callable[[float], None]:
    """A wait that does the next thing each time; behind the last one it is enough."""
    left = list(each)

    def wait(seconds: float) -> None:
        assert 0 < seconds <= 0.5
        if not left:
            raise Enough
        left.pop(0)()

    return wait


def followed(path: Path, *each: Step, patience: float = 0.0) -> Iterator[LogLine]:
    log = FollowedLog(path, Options(keep=False), steps(*each), patience=patience)
    assert isinstance(log.check(), Valid)
    return log.lines()


def until_enough(lines: Iterator[LogLine]) -> list[LogLine]:
    found: list[LogLine] = []
    with pytest.raises(Enough):
        list(_collected(lines, found))
    return found


def _collected(lines: Iterator[LogLine], into: list[LogLine]) -> Iterator[LogLine]:
    for line in lines:
        into.append(line)
    yield from ()


def appending(path: Path, data: bytes) -> Step:
    def append() -> None:
        with path.open("ab") as stream:
            stream.write(data)

    return append


def test_what_comes_is_handed_out_once_it_is_whole(tmp_path: Path) -> None:
    path, data = tmp_path / SMALL.name, SMALL.read_bytes()
    lines = data.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    found = until_enough(
        followed(
            path,
            appending(path, lines[3][40:-1]),
            appending(path, b"\n" + lines[4]),
            appending(path, b"".join(lines[5:])),
        )
    )
    whole = read_log(SMALL)
    assert isinstance(whole, Valid)
    assert [line.event for line in found] == whole.value
    assert [line.number for line in found] == [*range(1, len(lines) + 1)]
    assert [line.offset for line in found] == [
        sum(map(len, lines[:count])) for count in range(len(lines))
    ]


def test_one_byte_at_a_time(tmp_path: Path) -> None:
    path, data = tmp_path / SMALL.name, SMALL.read_bytes()[:1500]
    path.write_bytes(b"")
    each = (appending(path, bytes([byte])) for byte in data)
    assert len(until_enough(followed(path, *each))) == data.count(b"\n")


def test_long_lines_and_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    first = SMALL.read_bytes().splitlines(keepends=True)[0]
    value = json.loads(first)
    value["systemPrompt"] = "x" * (3 * CHUNK_BYTES)
    long = json.dumps(value).encode() + b"\n"
    path.write_bytes(first + b"\n  \n")
    found = until_enough(
        followed(path, appending(path, long[:CHUNK_BYTES]), appending(path, long[CHUNK_BYTES:]))
    )
    assert [line.number for line in found] == [1, 4]


@pytest.mark.parametrize("line", [b"{}\n", b'{"a\n', b"\0" * 90 + b"\n", b"\xff\n"])
def test_a_line_that_is_not_sound(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / SMALL.name
    path.write_bytes(SMALL.read_bytes())
    lines = followed(path, appending(path, line))
    with pytest.raises(LineBroken) as broken:
        list(lines)
    assert broken.value.number == SMALL.read_bytes().count(b"\n") + 1
    assert broken.value.outcome.issues


def test_a_line_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / SMALL.name
    data = SMALL.read_bytes()
    path.write_bytes(data)
    line = data.splitlines(keepends=True)[0].replace(b'"schemaVersion":1', b'"schemaVersion":2')
    with pytest.raises(LineBroken) as broken:
        list(followed(path, appending(path, line)))
    assert broken.value.outcome.status == "unsupported"


def _cut(path: Path) -> None:
    os.truncate(path, 10)


def _rewritten(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"event"', b'"evens"') + b"{}\n")


def _replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_cut, "cut"),
        (_rewritten, "rewritten"),
        (_replaced, "another file"),
        (Path.unlink, "removed"),
    ],
)
def test_what_is_no_append(change: Callable[[Path], None], said: str, tmp_path: Path) -> None:
    path = tmp_path / SMALL.name
    path.write_bytes(SMALL.read_bytes())
    found: list[LogLine] = []
    with pytest.raises(LogChanged, match=said):
        list(_collected(followed(path, lambda: change(path)), found))
    assert len(found) == SMALL.read_bytes().count(b"\n")


def test_what_came_before_the_file_was_moved_is_read(tmp_path: Path) -> None:
    path, lines = tmp_path / SMALL.name, SMALL.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))

    def last() -> None:
        appending(path, b"".join(lines[-2:]))()
        path.rename(tmp_path / "moved")

    found: list[LogLine] = []
    with pytest.raises(LogChanged, match="removed"):
        list(_collected(followed(path, last), found))
    assert len(found) == len(lines)


def test_growing_to_nothing_new(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntw")
    with open_log(path) as file:
        lines = GrowingLines(file, path)
        assert lines.readline(100) == b""
        assert lines.grow()
        assert (lines.readline(2), lines.readline(100), lines.readline(100)) == (b"on", b"e\n", b"")
        assert not lines.grow()
        appending(path, b"o")()
        assert not lines.grow()
        appending(path, b"\nthree")()
        assert lines.grow()
        assert (lines.readline(100), lines.readline(100)) == (b"two\n", b"")


def test_sidecars_that_come_after_their_line(tmp_path: Path) -> None:
    path, data = tmp_path / SPILLED.name, SPILLED.read_bytes()
    folder = f"{SPILLED.stem}.payloads"
    path.write_bytes(b"")
    (tmp_path / folder).mkdir()
    files = sorted((SPILLED.parent / folder).iterdir())

    def copied(number: int, part: slice) -> Step:
        def copy() -> None:
            file = files[number]
            (tmp_path / folder / file.name).write_bytes(file.read_bytes()[part])

        return copy

    everything = [copied(number, slice(None)) for number in range(len(files))]
    each = [appending(path, data), copied(0, slice(100)), *everything]
    found = until_enough(followed(path, *each, patience=9.0))
    assert len(found) == data.count(b"\n")


def test_patience_ends(tmp_path: Path) -> None:
    path = tmp_path / SPILLED.name
    path.write_bytes(b"")
    lines = followed(path, appending(path, SPILLED.read_bytes()), *[lambda: None] * 9, patience=0.4)
    with pytest.raises(LineBroken) as broken:
        list(lines)
    assert broken.value.outcome.issues[-1].code == "payload-missing"


def test_what_is_waited_for(tmp_path: Path) -> None:
    good = b'"x"'
    digest = hashlib.sha256(good).hexdigest()
    (tmp_path / f"{digest}.json").write_bytes(good)
    (tmp_path / f"{'0' * 64}.json").write_bytes(good)
    (tmp_path / "by-name.json").write_bytes(good)
    waits: list[float] = []
    payloads = PatientPayloads(PayloadDirectory(tmp_path), waits.append, 0.2)
    for name, waited in ((f"{digest}.json", 0), ("by-name.json", 0), ("../x.json", 0)):
        payloads.read(name, 100)
        assert len(waits) == waited
    changed = payloads.read(f"{'0' * 64}.json", 100)
    assert isinstance(changed, PayloadBytes)
    assert 0.2 <= sum(waits) < 0.3
    waits.clear()
    assert payloads.read("gone.json", 100) == PayloadFault("PAYLOAD_NOT_FOUND")
    assert waits == []
    payloads.renew()
    payloads.read("gone.json", 100)
    assert waits
    payloads.close()
