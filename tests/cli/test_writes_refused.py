"""What the commands that write refuse, and what they say about it, so that nothing is damaged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from command_line import Run
from sesskit.cli.report_schema import SCHEMA
from sesskit.cli.stores import store_kind
from sesskit.records.robota_store import RobotaStore
from sesskit.schemas.robota_decode import decode_envelope

EXAMPLES = Path(__file__).parents[2] / "examples"
NIGHT = EXAMPLES / "healthy" / "night-watch.json"
BARE = EXAMPLES / "legacy" / "budget-review.json"
OVERFLOW = "a number that overflows cannot be written"
ESCAPE = "\x1b[31m"


def with_overflow(document: dict[str, Any]) -> bytes:
    """The document with a number in the metadata of its second message that no double holds."""
    document.get("record", document)["messages"][1]["metadata"] = {"x": 77.5}
    return json.dumps(document, indent=1).replace("77.5", "1e400").encode()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a good record, one that overflows, one with a doubled member."""
    night = NIGHT.read_bytes()
    (tmp_path / "night.json").write_bytes(night)
    (tmp_path / "inf.json").write_bytes(with_overflow(json.loads(night)))
    dup = night.replace(b'"content":', b'"content": "lost", "content":', 1)
    (tmp_path / "dup.json").write_bytes(dup)
    (tmp_path / "bare.json").write_bytes(with_overflow(json.loads(BARE.read_bytes())))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def flat(text: str) -> str:
    return " ".join(text.split())


def place_of(name: str) -> str:
    """Where the number that overflows stands, as it is said."""
    lines = Path(name).read_text().splitlines()
    line = next(n for n, text in enumerate(lines) if "1e400" in text)
    return f"(line {line + 1}, column {lines[line].index('1e400') + 1})"


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "inf.json", "--out", "x"),
        ("import", "inf.json", "--out", "x"),
        ("import", "inf.json", "--store", "x"),
        ("store", "put", "inf.json", "--store", "x"),
        ("store", "put", "inf.json", "--store", "x", "--force"),
    ],
)
def test_a_number_that_overflows_is_never_written(arguments: tuple[str, ...], run: Run) -> None:
    result = run(*arguments)
    assert result.code == 1
    assert not Path("x").exists()
    said = f"record.messages[1].metadata.x {place_of('inf.json')}: {OVERFLOW}"
    assert said in flat(result.out)
    assert "is corrupt" not in result.out


def test_a_store_names_the_file_only_where_the_file_is_the_reason(run: Run) -> None:
    assert run("store", "put", "night.json", "--store", "s").code == 0
    (stored,) = Path("s").glob("*.json")
    stored.write_bytes(b"{")
    for force in ((), ("--force",)):
        result = run("store", "put", "night.json", "--store", "s", *force)
        assert result.code == 1
        assert f"{stored} is corrupt and is left as it is" in flat(result.out)
        assert stored.read_bytes() == b"{"


@pytest.mark.parametrize(
    "arguments",
    [("export", "dup.json", "--out", "x"), ("store", "put", "dup.json", "--store", "x")],
)
def test_a_doubled_member_is_said(arguments: tuple[str, ...], run: Run) -> None:
    result = run(*arguments)
    assert result.code == 0
    assert "duplicate-member" in result.out
    assert Path("x").exists()


def test_put_without_force_looks_under_the_lock(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process stores the session between the start of the put and its lock."""
    value: Any = decode_envelope(NIGHT.read_bytes())
    record = value.value
    home = store_kind("s").open("s")
    taking = RobotaStore._lock

    def late(self: RobotaStore, path: Path) -> Any:
        path.write_bytes(NIGHT.read_bytes().replace(b'"content"', b'"content" ', 1))
        monkeypatch.setattr(RobotaStore, "_lock", taking)
        return taking(self, path)

    monkeypatch.setattr(RobotaStore, "_lock", late)
    put = home.put(record, force=False)
    assert (put.written, put.member) == (False, {"refused": "exists"})


def test_a_record_whose_new_form_cannot_be_written_stays_valid(run: Run) -> None:
    result = run("migrate", "--dry-run", "bare.json")
    assert result.code == 1
    assert "valid: 1 warning" in result.out
    assert f"messages[1].metadata.x {place_of('bare.json')}: {OVERFLOW}" in flat(result.out)
    assert "null" not in result.out
    assert "corrupt" not in result.out
    (file,) = json.loads(run("migrate", "--dry-run", "bare.json", "--output", "json").out)["files"]
    assert (file["status"], file["migration"]) == ("valid", None)


def test_migrate_leaves_its_own_copies_alone(run: Run) -> None:
    Path("d").mkdir()
    shutil.copy(BARE, "d/a.json")
    assert run("migrate", "d", "--in-place").code == 0
    shutil.copy(BARE, "d/a.json.bak.2")
    shutil.copy(BARE, "d/b.json.1.0123456789abcdef.tmp")
    before = {path.name: path.read_bytes() for path in Path("d").iterdir()}
    assert run("migrate", "d", "--in-place").code == 0
    assert {path.name: path.read_bytes() for path in Path("d").iterdir()} == before


@pytest.mark.parametrize(("mode", "left"), [(0o644, 0o600), (0o400, 0o400), (0o600, 0o600)])
def test_in_place_is_for_the_owner_only(mode: int, left: int, run: Run) -> None:
    shutil.copy(BARE, "a.json")
    Path("a.json").chmod(mode)
    assert run("migrate", "a.json", "--in-place").code == 0
    assert Path("a.json").stat().st_mode & 0o777 == left
    assert Path("a.json.bak").stat().st_mode & 0o777 == 0o600


def test_names_do_not_reach_the_terminal_as_they_are(run: Run) -> None:
    name = f"a{ESCAPE}.json"
    Path("d").mkdir()
    shutil.copy(BARE, Path("d", name))
    shutil.copy(NIGHT, name)
    runs = [
        run("migrate", "d", "--out", "e"),
        run("migrate", "d", "--in-place"),
        run("export", name, "--out", f"x{ESCAPE}"),
        run("import", name, "--out", f"y{ESCAPE}"),
        run("store", "put", name, "--store", f"s{ESCAPE}"),
        run("store", "put", name, "--store", f"s{ESCAPE}"),
    ]
    for result in runs:
        assert result.code == 0
        assert "\x1b" not in result.out + result.err


@pytest.fixture
def legacy(folder: Path) -> Path:
    """A store with a bare record."""
    (folder / "s").mkdir()
    shutil.copy(BARE, folder / "s" / "budget-review.json")
    return folder / "s"


def test_a_bare_record_of_a_store_is_named(legacy: Path, run: Run) -> None:
    listed = run("store", "list", "--store", "s")
    assert "1 legacy record without envelope; sesskit migrate lifts it." in listed.out
    assert "no envelope (legacy)" in listed.out
    report = json.loads(run("store", "list", "--store", "s", "--output", "json").out)
    Draft202012Validator(SCHEMA).validate(report)
    assert [issue["code"] for issue in report["files"][0]["issues"]] == ["bare-record"]
    shown = run("store", "show", "budget-review", "--store", "s")
    assert "robota-record-bare" in shown.out
    assert "bare-record" in shown.out
    assert "messages" in shown.out
    result = run("export", "budget-review", "--store", "s", "--out", "x")
    assert result.code == 1
    assert "sesskit migrate" in result.out


def test_only_bare_records_are_called_so(legacy: Path, run: Run) -> None:
    (legacy / "newer.json").write_text('{"schemaVersion": 7, "record": {}}')
    (legacy / "other.json").write_text('{"name": "demo"}')
    assert run("store", "list", "--store", "s").out.count("(legacy)") == 1


def test_a_link_that_leads_nowhere_is_something(run: Run, folder: Path) -> None:
    (folder / "s").mkdir()
    link = folder / "s" / "gone.json"
    link.symlink_to(folder / "nowhere")
    nowhere = "a symbolic link that leads nowhere"
    for command in (("store", "list"), ("store", "show", "gone")):
        result = run(*command, "--store", "s")
        assert result.code == 1
        assert "unreadable" in result.out
    assert nowhere in flat(result.out)
    store = RobotaStore(folder / "s")
    assert store.load("gone").status == "unreadable"
    put = store.put({**json.loads(NIGHT.read_bytes())["record"], "id": "gone"})
    assert (put.written, put.refused_by, link.is_symlink()) == (False, "file", True)
    assert run("store", "delete", "gone", "--store", "s", "--yes").code == 0
    assert not link.is_symlink()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "night.json", "--store", "s", "--out", "x"), "choose one of --out and --store"),
        (("migrate", "bare.json", "--in-place", "--out", "x"), "choose one of --out and --in-pl"),
        (("migrate", "bare.json", "night.json", "--out", "x.json"), "is called like one file"),
        (("import", "night.json", "--out", "-"), "--out - is not for this command"),
        (("migrate", "bare.json", "--out", "-"), "--out - is not for this command"),
    ],
)
def test_where_to_write(arguments: tuple[str, ...], said: str, run: Run, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert sorted(folder.rglob("*")) == before


def test_a_folder_that_exists_may_be_called_like_a_file(run: Run) -> None:
    Path("x.json").mkdir()
    Path("d").mkdir()
    shutil.copy(BARE, "d/a.json")
    assert run("migrate", "d", "--out", "x.json").code == 0
    assert run("migrate", "d", "--out", "y.json/").code == 0
    assert (Path("x.json/a.json").exists(), Path("y.json/a.json").exists()) == (True, True)


def test_export_to_standard_output(run: Run) -> None:
    result = run("export", "night.json", "--out", "-")
    assert (result.code, result.err) == (0, "")
    assert result.out.encode() == NIGHT.read_bytes()
    assert not Path("-").exists()
    assert "duplicate-member" in run("export", "dup.json", "--out", "-").err
    assert run("export", "inf.json", "--out", "-").code == 1
