"""`sesskit export` and `import` of dsh sessions: there and back, and what is refused."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from logs.dsh.bundled import ABSENT, DIGITS, PICTURE, header, make_home, picture, put
from logs.dsh.vectors import cases
from sesskit.cli.report_schema import SCHEMA
from sesskit.logs.dsh.opening import text_of

CHECK = Draft202012Validator(SCHEMA)
MEDIA = f"media/sha256:{DIGITS}.png"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with a session, its helper, the helper's helper, a fork, and one attachment."""
    monkeypatch.chdir(tmp_path)
    make_home(tmp_path)
    return tmp_path


def entry_of(result: Result) -> Any:
    report = json.loads(result.out)
    CHECK.validate(report)
    (entry,) = report["files"]
    return entry


def text(path: str | Path) -> bytes:
    with Path(path).open("rb") as source:
        return b"".join(text_of(source))


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


LOG = "sessions/_no-cwd/a/session.jsonl.zstd"


@pytest.mark.parametrize("path", [LOG, "sessions/_no-cwd/a"], ids=["log", "folder of a session"])
def test_there_and_back(path: str, run: Run, home: Path) -> None:
    done = run("export", path, "--out", "a.zip", "--output", "json")
    assert done.code == 0
    made = entry_of(done)["exported"]
    data = Path("a.zip").read_bytes()
    assert (made["bytes"], made["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert Path("a.zip").stat().st_mode & 0o777 == 0o600
    assert made["missing"] == [f"media/sha256:{ABSENT}.png"]
    with zipfile.ZipFile("a.zip") as archive:
        assert archive.namelist() == [
            "session.jsonl",
            "subagents/b/session.jsonl",
            "subagents/c/session.jsonl",
            MEDIA,
        ]
        assert archive.read("session.jsonl") == text(LOG)
    taken = run("import", "a.zip", "--store", "new/sessions", "--output", "json")
    assert taken.code == 0
    paths = [one["path"] for one in entry_of(taken)["imported"]["logs"]]
    for one in paths:
        assert text(one) == text(str(one).removeprefix("new/"))
    kept = home / "new" / "attachments" / "v1" / "objects" / DIGITS[:2] / DIGITS
    assert kept.read_bytes() == PICTURE
    for found in (home / "new").rglob("*"):
        assert found.stat().st_mode & 0o777 == (0o700 if found.is_dir() else 0o600), found
    assert run("validate", "new/sessions").code == 0
    again = run("export", paths[0], "--out", "again.zip")
    assert again.code == 0
    assert Path("again.zip").read_bytes() == data


def test_nothing_is_replaced(run: Run, home: Path) -> None:
    assert run("export", LOG, "--out", "a.zip").code == 0
    before = files(home)
    assert run("export", LOG, "--out", "a.zip").code == 2
    assert run("export", LOG, "--out", LOG, "--force").code == 2
    refused = run("import", "a.zip", "--store", "sessions", "--force")
    assert refused.code == 1
    assert "never replaced" in refused.out
    assert files(home) == before


def test_by_id_and_through_pipes(run: Run, home: Path) -> None:
    assert run("export", "a", "--store", "sessions", "--out", ".").code == 0
    data = Path("dsh-session-a.zip").read_bytes()
    assert run("import", "-", "--store", "piped", stdin=data).code == 0
    assert run("validate", "piped").code == 0


def test_a_root_keeps_its_encoding(run: Run, home: Path) -> None:
    plain = home / "plain" / "_no-cwd" / "x" / "session.jsonl"
    plain.parent.mkdir(parents=True)
    plain.write_bytes(header("x"))
    assert run("export", LOG, "--out", "a.zip").code == 0
    assert run("import", "a.zip", "--store", "plain").code == 0
    assert (home / "plain" / "_no-cwd" / "a" / "session.jsonl").read_bytes() == text(LOG)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["export", "bad.jsonl", "--out", "x.zip"], 1, "sesskit repair"),
        (["export", "headless.jsonl", "--format", "dsh-log", "--out", "x.zip"], 1, "no session"),
        (["export", "none.jsonl", "--format", "dsh-log", "--out", "x.zip"], 1, "missing"),
        (["export", LOG, "--out", "none/x.zip"], 2, "cannot be written"),
        (["export", LOG], 2, "say where to"),
        (["import", "no.zip", "--store", "new"], 1, "no ZIP"),
        (["import", "none.zip", "--store", "new", "--format", "dsh-log"], 1, "missing"),
        (["import", "no.zip", "--out", "new"], 2, "--store DIR"),
        (["import", "no.zip", "--store", "new", "--format", "robota-log"], 2, "dsh-log"),
    ],
)
def test_refused(words: list[str], code: int, said: str, run: Run, home: Path) -> None:
    (damaged,) = cases(name="two-writers-end-seed")
    Path("bad.jsonl").write_bytes(damaged.file.read_bytes())
    Path("headless.jsonl").write_bytes(b"{\n")
    Path("no.zip").write_bytes(b"PK\x03\x04 and no end")
    before = files(home)
    result = run(*words)
    assert result.code == code
    assert said in " ".join((result.out + result.err).split())
    assert files(home) == before


def archive(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in entries:
            target.writestr(name, data)
    return made.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


SESSION = ("session.jsonl", header("s"))


def flagged(data: bytes) -> bytes:
    """The archive with its first entry said to be encrypted."""
    at = data.rindex(b"PK\x01\x02") + 8
    return data[:at] + bytes([data[at] | 1]) + data[at + 1 :]


def spoilt(data: bytes) -> bytes:
    """The archive with another checksum of its first entry."""
    at = data.rindex(b"PK\x01\x02") + 16
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        pytest.param(lambda: archive(SESSION, ("../x", b"x")), "leads out", id="above"),
        pytest.param(
            lambda: archive(SESSION, ("subagents/../session.jsonl", header("b"))),
            "leads out",
            id="above in the middle",
        ),
        pytest.param(lambda: archive(SESSION, ("/etc/x", b"x")), "leads out", id="absolute"),
        pytest.param(lambda: archive(SESSION, ("C:\\x", b"x")), "leads out", id="drive"),
        pytest.param(lambda: archive(SESSION, ("..\\x", b"x")), "leads out", id="backslash"),
        pytest.param(
            lambda: archive(SESSION, (link("subagents/b/session.jsonl"), b"/etc/passwd")),
            "no regular file",
            id="link",
        ),
        pytest.param(
            lambda: archive(SESSION, ("media/" + DIGITS, bytes(80 << 20))), "expands", id="bomb"
        ),
        pytest.param(
            lambda: archive(SESSION, ("media/" + DIGITS, b"other")), "not what its name", id="media"
        ),
        pytest.param(
            lambda: archive(SESSION, ("subagents/s/session.jsonl", header("s"))),
            "same session",
            id="two of one id",
        ),
        pytest.param(lambda: archive(("session.jsonl", b"{\n")), "bundle|header|json", id="no log"),
        pytest.param(lambda: archive(("other", b"x")), "holds no session.jsonl", id="other things"),
        pytest.param(lambda: flagged(archive(SESSION)), "is encrypted", id="encrypted"),
        pytest.param(
            lambda: archive(("session.jsonl", bytes(80 << 20))), "expands far", id="log as a bomb"
        ),
        pytest.param(
            lambda: archive((link("session.jsonl"), b"/etc/passwd")),
            "no regular file",
            id="log as a link",
        ),
        pytest.param(
            lambda: spoilt(archive(SESSION)),
            "its checksum differs",
            id="log with a bad checksum",
        ),
        pytest.param(
            lambda: archive(("session.jsonl", header(""))), "names no session", id="empty id"
        ),
        pytest.param(
            lambda: archive(("session.jsonl", header("s", cwd=""))), "cwd|folder", id="empty cwd"
        ),
        pytest.param(bytes, "no ZIP archive", id="empty file"),
        pytest.param(archive, "holds no session.jsonl", id="empty"),
    ],
)
def test_hostile_archives(make: Callable[[], bytes], said: str, run: Run, home: Path) -> None:
    Path("in.zip").write_bytes(make())
    before = files(home)
    result = run("import", "in.zip", "--store", "new")
    assert result.code == 1
    assert any(word in " ".join(result.out.split()) for word in said.split("|"))
    assert "sesskit repair" not in result.out
    assert files(home) == before
    assert not Path("new").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_entries_of_one_name(run: Run, home: Path) -> None:
    Path("in.zip").write_bytes(archive(SESSION, ("session.jsonl", header("t"))))
    result = run("import", "in.zip", "--store", "new")
    assert (result.code, Path("new").exists()) == (1, False)
    assert "the name of another" in " ".join(result.out.split())


def test_any_cut_is_refused(run: Run, home: Path) -> None:
    assert run("export", LOG, "--out", "a.zip").code == 0
    data = Path("a.zip").read_bytes()
    for length in range(0, len(data), 37):
        Path("cut.zip").write_bytes(data[:length])
        assert run("import", "cut.zip", "--store", "new", "--format", "dsh-log").code == 1
        assert not Path("new").exists()


def test_what_people_see(run: Run, home: Path, snapshot: SnapshotAssertion) -> None:
    out = run("export", LOG, "--out", "a.zip")
    taken = run("import", "a.zip", "--store", "new")
    again = run("import", "a.zip", "--store", "new")
    assert (out.out, taken.out, again.out) == snapshot


def test_to_standard_output(home: Path) -> None:
    command = [sys.executable, "-m", "sesskit", "export", LOG, "--out", "-"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    with zipfile.ZipFile(io.BytesIO(done.stdout)) as made:
        assert made.read("session.jsonl") == text(LOG)
    assert b"not among the attachments" in done.stderr


def test_what_is_not_exported(run: Run, home: Path) -> None:
    piped = run("export", "-", "--out", "x.zip", stdin=text(LOG))
    assert (piped.code, "from its file" in piped.out) == (1, True)
    Path("empty").mkdir()
    assert run("export", "empty", "--out", "x.zip").code == 2
    assert run("export", "nobody", "--store", "sessions", "--out", "x.zip").code == 1
    assert not Path("x.zip").exists()


def test_many_attachments_that_are_not_there(run: Run, home: Path) -> None:
    lines = header("m") + b"".join(picture(f"{n:064x}", n) for n in range(12))
    put(home / "sessions", "m", lines)
    result = run("export", "m", "--store", "sessions", "--out", "m.zip")
    assert result.code == 0
    assert "and 4 more" in result.out


def test_a_store_of_another_kind(run: Run, home: Path) -> None:
    assert run("export", LOG, "--out", "a.zip").code == 0
    Path("records").mkdir()
    Path("records/x.json").write_text("{}")
    refused = run("import", "a.zip", "--store", "records")
    assert (refused.code, "holds robota-record" in refused.err) == (2, True)


def test_what_cannot_be_written(run: Run, home: Path) -> None:
    assert run("export", LOG, "--out", "a.zip").code == 0
    Path("file").write_text("in the way")
    refused = run("import", "a.zip", "--store", "file/sessions")
    assert (refused.code, "cannot be written" in refused.err) == (2, True)


def test_an_archive_of_a_later_version(run: Run, home: Path) -> None:
    later = header("s").replace(b'"version": 0', b'"version": 9')
    Path("in.zip").write_bytes(archive(("session.jsonl", later)))
    result = run("import", "in.zip", "--store", "new", "--output", "json")
    assert (result.code, entry_of(result)["status"]) == (1, "unsupported")


def later(**members: object) -> bytes:
    line = {"type": "session", "version": 4, "id": "four", "createdAt": 1, "isSeeded": False}
    event = {"type": "turn/start", "seq": 0, "time": 1, "data": {"turn": 1}}
    lines = ({**line, "delegationDepth": 0, **members}, event)
    return b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in lines)


@pytest.mark.parametrize("words", [["LOG"], ["LOG/.."], ["four", "--store", "sessions"]])
def test_version_4_is_exported_as_it_is(words: list[str], run: Run, home: Path) -> None:
    log = home / "sessions/_no-cwd/four/session.v4.jsonl"
    log.parent.mkdir()
    log.write_bytes(later())
    named = [os.path.normpath(word.replace("LOG", str(log))) for word in words]
    result = run("export", *named, "--out", "four.zip", "--output", "json")
    assert (result.code, entry_of(result)["status"]) == (0, "unsupported")
    with zipfile.ZipFile("four.zip") as made:
        assert made.read("session.jsonl") == later()


@pytest.mark.parametrize("data", [later(version=5), later(origin="fork")])
def test_other_versions_are_not_exported(data: bytes, run: Run, home: Path) -> None:
    Path("session.v4.jsonl").write_bytes(data)
    result = run("export", "session.v4.jsonl", "--out", "x.zip")
    assert (result.code, "sesskit repair" in result.out) == (1, False)
    assert not Path("x.zip").exists()
