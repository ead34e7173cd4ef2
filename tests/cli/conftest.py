"""Runs the command line in this process: arguments in, exit code and both outputs out."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from command_line import Result, Run
from sesskit.cli.app import run as run_app


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def runs(*args: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run_app([str(arg) for arg in args])
        return Result(code, *capsys.readouterr())

    return runs


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, where nobody in particular is logged in."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "USER", "LOGNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
