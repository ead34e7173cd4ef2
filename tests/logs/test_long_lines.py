"""One line of hundreds of megabytes: read or refused with a place, in bounded memory and time."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
ENVELOPE = (
    b'"schemaVersion":1,"timestamp":"2026-10-04T09:15:00.137Z","sessionId":"s","event":"user"}\n'
)
LINE = b'{"content":"a",' + ENVELOPE
PIECE = 1_000_000
MOST = 3.6
"""Times the line that a process may take: the line, its text, and what was found in it."""

Kind = tuple[bytes, bytes, bytes]
KINDS: dict[str, tuple[Kind, bool]] = {
    "one text": ((b'{"content":"', b"x", b'",' + ENVELOPE), True),
    "escapes": ((b'{"content":"', b'\\"', b'",' + ENVELOPE), True),
    "brackets": ((b"", b"[", b"\n"), False),
    "NULs": ((b"", b"\0", b"\n"), False),
    "quotes": ((b"", b'"', b"\n"), False),
}
COMMANDS: dict[str, Callable[[Path], list[str]]] = {
    "validate": lambda log: ["validate", str(log)],
    "verify": lambda log: ["verify", str(log)],
    "inspect": lambda log: ["inspect", str(log)],
    "replay": lambda log: ["replay", str(log)],
    "migrate": lambda log: ["migrate", str(log), "--out", str(log.with_name("out.jsonl"))],
}


def write(path: Path, kind: Kind, size: int) -> None:
    before, unit, after = kind
    with path.open("wb") as stream:
        stream.write(LINE + before)
        for _ in range(size // PIECE):
            stream.write(unit * (PIECE // len(unit)))
        stream.write(after + LINE)


def run(arguments: list[str], tmp_path: Path, most: int) -> tuple[int, str]:
    """A process of its own that gets no more memory than that; its exit code and what it said."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    done = subprocess.run(
        [sys.executable, "-m", "sesskit", *arguments],
        preexec_fn=limited,
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        timeout=900,
        check=False,
    )
    return done.returncode, (done.stdout[:100_000] + done.stderr[:100_000]).decode()


def check(command: str, kind: str, megabytes: int, tmp_path: Path) -> None:
    bytes_of, sound = KINDS[kind]
    log = tmp_path / "s.jsonl"
    size = megabytes * PIECE
    write(log, bytes_of, size)
    most = int(MOST * size) + 250_000_000
    code, said = run(COMMANDS[command](log), tmp_path, most)
    assert "Traceback" not in said
    assert "memory" not in said
    if command == "migrate":
        assert code in (0, 1)
    else:
        assert code == (0 if sound else 1), said[:2000]
    if not sound and command != "migrate":
        assert "s.jsonl:2:" in said
    for file in tmp_path.iterdir():
        file.unlink()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_line_of_six_megabytes(command: str, kind: str, tmp_path: Path) -> None:
    check(command, kind, 6, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_line_of_five_hundred_megabytes(command: str, kind: str, tmp_path: Path) -> None:
    check(command, kind, 500, tmp_path)
