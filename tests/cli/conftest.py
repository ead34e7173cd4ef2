"""Runs the command line in this process: arguments in, exit code and both outputs out."""

from __future__ import annotations

import io
import sys

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
