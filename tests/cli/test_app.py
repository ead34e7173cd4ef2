"""The frame: help, kind errors, exit codes, commands imported only when they run."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import typer
from typer._click.core import Context

from command_line import Run
from sesskit.cli import app as frame
from sesskit.cli import screen
from sesskit.cli.app import COMMANDS, Command
from sesskit.cli.usage import BadUsage, one_of, suggestion

SOURCE = Path(frame.__file__).parents[2]


def sesskit(*args: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The real program, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **more}
    command = [sys.executable, "-m", "sesskit", *args]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_command(run: Run, option: str) -> None:
    result = run(option)
    assert (result.code, result.err) == (0, "")
    assert all(f"  {name} " in result.out for name in COMMANDS)


def test_without_arguments_help_is_shown_and_it_is_bad_usage(run: Run) -> None:
    result = run()
    assert result.code == 2
    assert result.out.startswith("Usage: sesskit")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run: Run, name: str) -> None:
    result = run(name, "-h")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: sesskit {name} ")
    assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    from sesskit._version import __version__

    assert sesskit(option).stdout == f"sesskit {__version__}\n"


BAD_USAGE = [
    ("validte x", "there is no command validte; did you mean validate?"),
    ("zzz", "there is no command zzz"),
    ("--nope", "no such option: --nope; -h shows what is possible"),
    ("validate", "name a file or a folder, or - for standard input"),
    ("validate - -", "- is standard input and can be read once only"),
    ("validate --exit-zer x", "no such option: --exit-zer; did you mean --exit-zero?"),
    ("validate --format robota x", "--format robota: there is no such format; did you mean"),
    ("validate --format zzz x", "there are robota-record, robota-record-bare"),
    (
        "validate x --output report.json",
        "--output takes text or json; to write the report to a file use --out report.json",
    ),
    ("validate x --output jsn", "--output takes text or json; did you mean json?"),
    ("validate x --fail-on never", "--fail-on takes error, warning or info"),
    ("validate x --strict --fail-on info", "--strict means --fail-on warning; give one of them"),
    ("validate x --ignore typ", "there is no issue code typ; did you mean type?"),
    ("validate x --ignore zzzzz", "; sesskit explain lists all"),
    ("validate x --zone Mars", "--zone takes UTC or an offset such as +09:00"),
    ("validate x --zone +25:00", "--zone takes UTC or an offset such as +09:00"),
    ("validate --store d ../x", "not a session id: it does not start with an ASCII letter"),
    ("validate x --jobs many", "invalid value for '--jobs'"),
    ("validate x --out nowhere/at/all.txt", "--out nowhere/at/all.txt cannot be written: "),
    ("explain typ", "there is no issue code typ; did you mean type?"),
    ("schema", "missing command; -h shows what is possible"),
    ("schema show robota", "there is no schema robota; did you mean robota-log?"),
    ("schema show", "missing argument 'NAME'"),
]


@pytest.mark.parametrize(("line", "kind"), BAD_USAGE, ids=[line for line, _ in BAD_USAGE])
def test_bad_usage_gets_one_kind_line(
    run: Run, line: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*line.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("sesskit: ")
    assert kind in result.err
    assert result.err.count("\n") == 1


def test_a_file_without_a_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").touch()
    result = run(tmp_path / "a.json")
    assert result.code == 2
    assert "say what to do with it first, for example: sesskit validate /" in result.err


def test_what_was_typed_cannot_take_over_the_terminal(run: Run) -> None:
    assert "\x1b" not in run("\x1b[31mvalidate").err
    assert "\x1b" not in run("validate", "x", "--output", "\x1b[31m").err


def raising(fault: BaseException) -> Callable[[], None]:
    def boom() -> None:
        raise fault

    return boom


@pytest.mark.parametrize(
    ("fault", "code", "line"),
    [
        (
            ZeroDivisionError("secret"),
            70,
            "sesskit: a bug of ours (ZeroDivisionError); please report",
        ),
        (RecursionError(), 70, "sesskit: a bug of ours (RecursionError)"),
        (MemoryError(), 1, "sesskit: there is not enough memory for this"),
        (OSError(errno.EFBIG, "big"), 2, "sesskit: what there is to write cannot be written: it "),
        (OSError(errno.ENOSPC, "full"), 2, "sesskit: what there is to write cannot be written"),
        (OSError(errno.EIO, "bad"), 70, "sesskit: a bug of ours (OSError)"),
        (BadUsage("say it so"), 2, "sesskit: say it so\n"),
        (typer.BadParameter("too big"), 2, "sesskit: invalid value: too big"),
        (typer.Exit(1), 1, ""),
        (typer.Abort(), 130, ""),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_leaves_a_command(
    run: Run, monkeypatch: pytest.MonkeyPatch, fault: BaseException, code: int, line: str
) -> None:
    module = ModuleType("sesskit.cli.boom")
    module.__dict__["boom"] = raising(fault)
    monkeypatch.setitem(sys.modules, "sesskit.cli.boom", module)
    monkeypatch.setitem(COMMANDS, "boom", Command("boom", "Fails."))
    monkeypatch.setattr(frame, "hush", lambda: None)
    monkeypatch.delenv("SESSKIT_DEBUG", raising=False)
    result = run("boom")
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith(line)
    assert "secret" not in result.err
    assert "Traceback" not in result.err
    if code == 70:
        monkeypatch.setenv("SESSKIT_DEBUG", "1")
        assert "Traceback" in run("boom").err


HEAVY = ("rich", "jsonschema", "msgspec", "orjson", "sesskit.cli.validate", "multiprocessing")


@pytest.mark.parametrize(
    ("args", "absent"),
    [
        (["--version"], ("typer", "typing", "sesskit.cli", *HEAVY)),
        (["--help"], HEAVY),
        (["validate", "-h"], ("rich", "jsonschema", "orjson", "multiprocessing")),
        (["explain", "type"], ("rich", "jsonschema", "orjson", "multiprocessing")),
        (["validate", "nowhere"], ("rich", "jsonschema", "multiprocessing")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_no_command_pays_for_what_it_does_not_use(args: list[str], absent: tuple[str, ...]) -> None:
    script = (
        "import sys; from sesskit.__main__ import main; sys.argv[1:] = sys.argv[2:]\n"
        "try: main()\n"
        "finally: print('LOADED', *sys.modules)"
    )
    command = [sys.executable, "-S", "-c", script, "-", *args]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), *site_packages()])}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    loaded = done.stdout.rpartition("LOADED")[2].split()
    assert loaded, done.stderr
    assert not {name for name in absent if name in loaded}


def site_packages() -> list[str]:
    return [str(Path(typer.__file__).parents[1])]


def test_a_broken_pipe_ends_quietly() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = (
        f"{sys.executable} -m sesskit schema show robota-record | true; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_words() -> None:
    assert one_of(["a"]) == "a"
    assert one_of("abc") == "a, b or c"
    assert suggestion("", ["a"]) == ""


class Pipe(io.StringIO):
    """A stream whose reader fails it in some way."""

    def __init__(self, fault: OSError) -> None:
        super().__init__()
        self.fault = fault

    def write(self, text: str) -> int:
        raise self.fault


@pytest.mark.parametrize(
    ("fault", "code", "line"),
    [
        (BrokenPipeError(errno.EPIPE, "gone"), 0, ""),
        (
            OSError(errno.ENOSPC, "full"),
            2,
            "sesskit: standard output cannot be written: the disk is full\n",
        ),
    ],
)
def test_output_that_cannot_be_written(
    run: Run, fault: OSError, code: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hushed = []
    monkeypatch.setattr(screen, "hush", lambda: hushed.append(True))
    monkeypatch.setattr(sys, "stdout", Pipe(fault))
    result = run("explain", "type")
    assert (result.code, result.err, hushed) == (code, line, [True])


def test_a_pipe_that_breaks_in_the_end(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hushed = []
    monkeypatch.setattr(frame, "hush", lambda: hushed.append(True))
    guard = frame.Guard()
    with guard:
        raise BrokenPipeError
    assert (guard.code, hushed) == (0, [True])


def shell(command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A line of bash in which $S is the program."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **more}
    environment["S"] = f"{sys.executable} -m sesskit"
    return subprocess.run(
        ["bash", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


FULL = "sesskit: standard output cannot be written: the disk is full\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["--version", "explain type"])
def test_a_full_disk(command: str, unbuffered: str) -> None:
    done = shell(f"$S {command} > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr) == (2, FULL)


def test_the_version_with_nowhere_to_go() -> None:
    assert shell("$S --version >&-").returncode == 0
    done = shell("$S --version | true; echo ${PIPESTATUS[0]}", PYTHONUNBUFFERED="1")
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_was_cut_is_said(unbuffered: str, tmp_path: Path) -> None:
    line = f"ulimit -f 4; $S schema show report > {tmp_path}/out.json"
    done = shell(line, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2
    assert done.stderr.startswith("sesskit: standard output cannot be written: it would be larger")
    assert done.stderr.count("\n") == 1


def test_unbuffered_output_is_whole() -> None:
    assert shell("$S schema show report", PYTHONUNBUFFERED="1").stdout == (
        shell("$S schema show report").stdout
    )


@pytest.mark.parametrize("module", ["sesskit.cli.app", "typer", "sesskit.cli.validate", "orjson"])
def test_interrupted_within_an_import(module: str) -> None:
    """It waits until the import is through, and ends without a word."""
    script = f"""
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            print("reached", flush=True)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from sesskit.__main__ import main
sys.argv[1:] = ["validate", "-"]
sys.exit(main())
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        assert started.stderr is not None
        if module == "orjson":
            started.stdin.write(b'{"schemaVersion": 1, "record": ')
            started.stdin.close()
        code = started.wait(timeout=60)
        assert started.stdout.read().startswith(b"reached\n")
        assert started.stderr.read() == b""
    assert code == 130


def test_closed_streams() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = f"{sys.executable} -m sesskit validate - nowhere <&- >&- 2>&-; echo $?"
    done = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_group_knows_only_its_commands(run: Run) -> None:
    root = typer.main.get_command(frame.app)
    context = Context(root)
    assert isinstance(root, frame.LazyGroup)
    assert root.get_command(context, "nope") is None


def test_an_interruption_is_quiet_from_the_first_line_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from sesskit import __main__ as entry

    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_version", interrupted)
    monkeypatch.setattr(sys, "argv", ["sesskit", "--version"])
    assert entry.main() == entry.INTERRUPTED
    script = "import sys, sesskit; print('sesskit._version' in sys.modules, sesskit.__version__)"
    command = [sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.startswith("False 0.")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("validate nowhere", 1),
        ("history list --history nowhere", 1),
        ("schema list", 0),
        ("nonsense", 2),
    ],
)
def test_broken_pipes_of_both_streams_end_quietly(arguments: str, code: int) -> None:
    command = f"(sleep 0.2; {sys.executable} -m sesskit {arguments}; echo $? >&3) 2>&1 | true"
    done = subprocess.run(
        ["bash", "-c", f"{{ {command}; }} 3>&1"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        cwd=SOURCE.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.split() == [str(code)]
    assert done.stderr == ""
