"""Completion for bash, zsh and fish: with commands that are imported only when they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Run
from sesskit.cli import app as frame
from sesskit.cli.app import COMMANDS

SOURCE = Path(frame.__file__).parents[2]
SHELLS = ("bash", "zsh", "fish")


def complete(run: Run, shell: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a line completed, as a shell does it."""
    monkeypatch.setenv("_SESSKIT_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 0


@pytest.mark.parametrize(
    ("line", "expected", "absent"),
    [
        ("sesskit ", list(COMMANDS), []),
        ("sesskit val", ["validate"], ["explain"]),
        ("sesskit --ver", ["--version"], []),
        ("sesskit validate --out", ["--output", "--out"], ["--jobs"]),
        ("sesskit validate --output ", ["text", "json"], []),
        ("sesskit validate --format robota-record-", ["robota-record-bare"], []),
        ("sesskit explain memb", ["member-missing", "member-unknown"], ["type"]),
        ("sesskit schema ", ["list", "show", "check"], []),
        ("sesskit schema show rep", ["report"], ["robota-record"]),
        ("sesskit validate --fail-on ", ["error", "warning", "info"], []),
        ("sesskit migrate --to ", ["1", "5"], []),
    ],
)
@pytest.mark.parametrize("shell", SHELLS)
def test_words(
    run: Run,
    shell: str,
    line: str,
    expected: list[str],
    absent: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    complete(run, shell, line, monkeypatch)
    words = capsys.readouterr().out
    assert all(word in words for word in expected)
    assert not any(word in words for word in absent)


@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize("shell", SHELLS)
def test_scripts(run: Run, shell: str, words: int) -> None:
    asked = ["--show-completion", shell] if words == 2 else [f"--show-completion={shell}"]
    result = run(*asked)
    assert (result.code, result.err) == (0, "")
    assert "_SESSKIT_COMPLETE=complete_" + shell in result.out


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["zhs"], " takes bash, zsh, fish, powershell or pwsh; did you mean zsh?\n"),
        (["zsh", "fish"], " takes one shell and nothing behind it\n"),
    ],
)
def test_what_is_no_shell(run: Run, option: str, words: list[str], line: str) -> None:
    result = run(option, *words)
    assert (result.code, result.out, result.err) == (2, "", f"sesskit: {option}{line}")


def test_without_a_shell_it_is_the_one_around(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: "fish")
    with pytest.raises(SystemExit) as ended:
        run("--show-completion")
    assert ended.value.code == 0


def test_no_place_to_install_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".config").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    result = run("--install-completion", "fish")
    assert result.code == 2
    assert result.err.startswith("sesskit: completion cannot be installed: ")


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".bash_completions/sesskit.sh"),
        ("zsh", ".zfunc/_sesskit"),
        ("fish", ".config/fish/completions/sesskit.fish"),
    ],
)
def test_installing(
    run: Run, shell: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("--install-completion", shell).code == 0
    assert "_SESSKIT_COMPLETE" in (tmp_path / place).read_text()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_in_a_real_bash(tmp_path: Path) -> None:
    """The script of --show-completion, loaded by bash, completes by running the program."""
    (tmp_path / "sesskit").write_text(f'#!/bin/sh\nexec {sys.executable} -m sesskit "$@"\n')
    (tmp_path / "sesskit").chmod(0o755)
    script = """
        eval "$(sesskit --show-completion bash)"
        complete -p sesskit
        COMP_WORDS=(sesskit val); COMP_CWORD=1
        _sesskit_completion sesskit; echo "${COMPREPLY[@]}"
    """
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "complete -o default -F _sesskit_completion sesskit",
        "validate",
    ]
