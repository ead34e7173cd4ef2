"""Ordinary bad paths: each is answered for itself, and never is a bug of ours."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Run
from robota_vectors import VALID
from sesskit.cli import app as frame

SOURCE = Path(frame.__file__).parents[2]
LONG, NUL = "n" * 300, "a\0b"
AS_NOBODY = """
import contextlib, io, os, sys
from sesskit.cli.app import run

# Once before as we are, so that all is imported: nobody may be unable to read our modules.
with contextlib.redirect_stdout(io.StringIO()):
    run([*sys.argv[1:], "/proc/nowhere"])
os.seteuid(65534)
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture
def good(tmp_path: Path) -> Path:
    record = json.loads(VALID[0].read_bytes())
    path = tmp_path / "good.json"
    path.write_text(json.dumps({"schemaVersion": 1, "record": record}))
    return path


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (LONG, "its name is too long for this system"),
        (f"{LONG}/x.json", "its name is too long for this system"),
        (NUL, "its name cannot be the name of a file"),
    ],
)
@pytest.mark.parametrize("command", ["validate", "inspect", "verify"])
def test_a_name_that_cannot_be(
    run: Run, command: str, name: str, reason: str, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(good.parent)
    result = run(command, name, "good.json", "--output", "json")
    assert (result.code, result.err) == (1, "")
    first, second = json.loads(result.out)["files"]
    assert (first["status"], first["issues"][0]["message"]) == ("unreadable", reason)
    assert second["status"] == "valid"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can change")
@pytest.mark.parametrize("command", ["validate", "inspect", "verify"])
def test_a_file_in_a_folder_without_permission(command: str, good: Path) -> None:
    shut = good.parent / "shut"
    shut.mkdir(mode=0o700)
    hidden = Path(shutil.copy(good, shut))
    for parent in [good.parent, *good.parent.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    good.chmod(0o644)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, command, hidden, good, "--output", "json"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    first, second = json.loads(done.stdout)["files"]
    assert first["status"] == "unreadable"
    assert first["issues"][0]["message"] == "there is no permission to use it"
    assert second["status"] == "valid"


@pytest.mark.parametrize("bad", [LONG, f"{LONG}/x", NUL, f"{NUL}/x"])
@pytest.mark.parametrize(
    "line",
    [
        "validate good.json --out BAD",
        "validate --store BAD",
        "store list --store BAD",
        "store show s --store BAD",
        "export good.json --out BAD",
        "import good.json --store BAD",
        "migrate bare.json --out BAD",
        "history rebuild good.json --out BAD",
    ],
)
def test_places_that_cannot_be(
    run: Run, line: str, bad: str, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(good.parent)
    Path("bare.json").write_bytes(VALID[0].read_bytes())
    result = run(*(bad if word == "BAD" else word for word in line.split()))
    assert result.code == 2, result
    assert result.err.startswith("sesskit: ")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("word", [LONG, NUL])
def test_a_bad_name_without_a_command(run: Run, word: str) -> None:
    result = run(word)
    assert result.code == 2
    assert "there is no command" in result.err
