"""`migrate` and `reset` of ochat snapshots: the bytes of the vectors, and what is refused."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from ochat_vectors import INDEX, VECTORS, Row, name_of, raw, told
from sesskit.cli.report_schema import SCHEMA
from sesskit.records.ochat import decode, encode
from sesskit.records.ochat_locks import SnapshotLock
from sesskit.records.ochat_snapshot import Snapshot
from sesskit.records.ochat_store import OchatStore, Saved
from sesskit.schemas.ochat_sessions import SessionV5
from sesskit.schemas.ochat_shell import NO_SHELL
from sesskit.schemas.outcomes import Valid

EXAMPLES = Path(__file__).parents[2] / "examples" / "ochat"
CHECKED = Draft202012Validator(SCHEMA)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLES, tmp_path / "ochat")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    CHECKED.validate(report)
    return list(report["files"])


def everything(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def session_of(path: str | Path) -> SessionV5:
    outcome = decode(Path(path).read_bytes())
    assert isinstance(outcome, Valid)
    assert isinstance(outcome.value, Snapshot)
    assert isinstance(outcome.value.session, SessionV5)
    return outcome.value.session


def migrates(name: str) -> bool:
    return (VECTORS / f"{name}.migrated.bin").exists() or name.startswith("v5/")


def refused(name: str) -> bool:
    return not migrates(name)


@pytest.mark.parametrize("to", ["5", "v5"])
@pytest.mark.parametrize("row", [r for r in INDEX if migrates(r["name"])], ids=name_of)
def test_to_the_bytes_of_the_vectors(row: Row, to: str, run: Run) -> None:
    old = raw(f"{row['name']}.bin")
    Path("old.bin").write_bytes(old)
    result = run("migrate", "old.bin", "--to", to, "--out", "new.bin")
    assert (result.code, result.err) == (0, "")
    wanted = old if row["name"].startswith("v5/") else raw(f"{row['name']}.migrated.bin")
    assert Path("new.bin").read_bytes() == wanted
    assert Path("old.bin").read_bytes() == old
    assert Path("new.bin").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("row", [r for r in INDEX if refused(r["name"])], ids=name_of)
def test_what_is_refused_by_design(row: Row, run: Run) -> None:
    Path("old.bin").write_bytes(raw(f"{row['name']}.bin"))
    result = run("migrate", "old.bin", "--to", "5", "--out", "new.bin", "--output", "json")
    (file,) = files_of(result.out)
    assert (result.code, file["status"], file["migration"]) == (1, "valid", None)
    assert "upgrade-refused" in [issue["code"] for issue in file["issues"]]
    assert not Path("new.bin").exists()
    assert run("migrate", "old.bin", "--dry-run", "--exit-zero").code == 0


@pytest.mark.parametrize("name", ["reading-list-v2", "garden-v3", "coast-trip"])
def test_a_dry_run_shows_what_differs(
    name: str, run: Run, folder: Path, snapshot: SnapshotAssertion
) -> None:
    before = everything(folder)
    result = run("migrate", f"ochat/{name}.bin", "--dry-run")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert (result.code, everything(folder)) == (int(name == "garden-v3"), before)
    assert result.out == snapshot


def test_the_changes_as_json(run: Run) -> None:
    result = run("migrate", "ochat/reading-list-v2.bin", "--dry-run", "--output", "json")
    (file,) = files_of(result.out)
    migration = file["migration"]
    assert (migration["from"], migration["version"], migration["written"]) == (2, 5, False)
    assert migration["changes"][0] == {
        "change": "changed",
        "path": "version",
        "first": "version",
        "count": 1,
        "old": 2,
        "new": 5,
    }
    ids = next(change for change in migration["changes"] if change["path"] == "history[].id")
    assert (ids["change"], ids["count"], ids["new"]) == ("added", 4, "12:reading-list:0")
    assert "old" not in ids


def test_a_folder_to_a_folder(run: Run, folder: Path) -> None:
    shutil.copy(EXAMPLES.parent / "legacy" / "budget-review.json", "ochat/old.json")
    result = run("migrate", "ochat", "--out", "new")
    assert result.code == 1
    made = sorted(path for path in everything(folder) if path.startswith("new/"))
    assert made == [
        "new/coast-trip.bin",
        "new/damaged/left-over.bin",
        "new/old.json",
        "new/reading-list-v2.bin",
        "new/store/choir/snapshot.bin",
        "new/store/coast-trip/snapshot.bin",
        "new/store/reading-list/snapshot.bin",
    ]
    only = run("migrate", "ochat", "--to", "5", "--dry-run", "--output", "json")
    kept = next(f for f in files_of(only.out) if f["path"].endswith("old.json"))
    assert kept["migration"] is None
    text = run("migrate", "ochat", "--to", "5", "--dry-run").out
    assert "its format does not reach version 5" in text


def test_in_place_leaves_the_old_file(run: Run, folder: Path) -> None:
    old = Path("ochat/reading-list-v2.bin").read_bytes()
    result = run("migrate", "ochat/reading-list-v2.bin", "--in-place", "--output", "json")
    assert result.code == 0
    (file,) = files_of(result.out)
    assert file["migration"]["backup"] == "ochat/reading-list-v2.bin.bak"
    assert Path("ochat/reading-list-v2.bin.bak").read_bytes() == old
    assert session_of("ochat/reading-list-v2.bin").version == 5
    before = everything(folder)
    again = run("migrate", "ochat/reading-list-v2.bin", "--in-place")
    assert (again.code, everything(folder)) == (0, before)
    assert "it is of version 5 already" in again.out


def test_standard_input(run: Run) -> None:
    data = Path("ochat/reading-list-v2.bin").read_bytes()
    assert run("migrate", "-", "--out", "new.bin", stdin=data).code == 0
    assert session_of("new.bin").id == "reading-list"


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("1", "--to 1 does not fit: ochat-record is migrated to 5"),
        ("4", "--to takes 1 (robota-record-bare, robota-log), 5 (ochat-record) or"),
        ("v9", "--to takes"),
        ("five", "--to takes"),
        ("", "--to takes"),
    ],
)
def test_a_wrong_version(to: str, said: str, run: Run) -> None:
    result = run("migrate", "ochat/reading-list-v2.bin", "--to", to, "--out", "new.bin")
    assert (result.code, result.out, Path("new.bin").exists()) == (2, "", False)
    assert said in result.err
    assert len(result.err.splitlines()) == 1


def test_shell_trust_is_gone_after_a_migration(run: Run) -> None:
    Path("v4.bin").write_bytes(raw("v4/tools_custom.bin"))
    assert run("migrate", "v4.bin", "--out", "new.bin").code == 0
    shell = session_of("new.bin").shell_state
    assert shell == NO_SHELL
    (file,) = files_of(run("inspect", "new.bin", "--output", "json").out)
    assert file["snapshot"]["shell"]["grants"] == []


RESETS = [row for row in INDEX if (VECTORS / f"{row['name']}.reset.json").exists()]


@pytest.mark.parametrize("row", RESETS, ids=name_of)
def test_resets_are_those_of_the_vectors(row: Row, run: Run) -> None:
    Path("old.bin").write_bytes(raw(f"{row['name']}.bin"))
    for name, one in told(f"{row['name']}.reset.json")["results"].items():
        options = ["--keep-history"] if "keep_history" in name else []
        prompt = one["prompt_file_argument"]
        options += [] if prompt is None else ["--prompt-file", prompt]
        assert run("reset", "old.bin", "--out", "new.bin", "--force", *options).code == 0
        assert sha256(Path("new.bin").read_bytes()).hexdigest() == one["sha256"]


@pytest.mark.parametrize(
    "options", [(), ("--keep-history",), ("--prompt-file", "agents/new.chatmd")]
)
def test_reset_tells_what_it_did(
    options: tuple[str, ...], run: Run, snapshot: SnapshotAssertion
) -> None:
    result = run("reset", "ochat/coast-trip.bin", "--out", "new.bin", *options)
    assert (result.code, result.err) == (0, "")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert result.out == snapshot
    made, old = session_of("new.bin"), session_of("ochat/coast-trip.bin")
    assert (made.id, made.tasks, made.kv_store) == (old.id, old.tasks, old.kv_store)
    assert made.next_history_sequence == old.next_history_sequence
    assert made.history == (old.history if "--keep-history" in options else [])
    assert not made.shell_state.approval_grants


def test_reset_in_place_leaves_the_old_file(run: Run) -> None:
    old = Path("ochat/coast-trip.bin").read_bytes()
    (file,) = files_of(run("reset", "ochat/coast-trip.bin", "--in-place", "--output", "json").out)
    assert file["reset"]["copy"].endswith("coast-trip.bin.bak")
    assert Path("ochat/coast-trip.bin.bak").read_bytes() == old
    assert session_of("ochat/coast-trip.bin").history == []


def test_reset_in_a_store_archives(run: Run) -> None:
    store = Path("ochat/store")
    old = (store / "reading-list" / "snapshot.bin").read_bytes()
    Path("new.chatmd").write_text("Hello")
    arguments = ("reset", "reading-list", "--store", store, "--prompt-file")
    result = run(*arguments, "new.chatmd", "--output", "json")
    (file,) = files_of(result.out)
    assert result.code == 0
    assert Path(file["reset"]["copy"]).read_bytes() == old
    made = session_of(store / "reading-list" / "snapshot.bin")
    assert (made.version, made.prompt_file, made.history) == (5, "new.chatmd", [])
    assert (store / "reading-list" / "prompt.chatmd").read_text() == "Hello"
    missing = run(*arguments, "none.chatmd")
    assert "only its path was recorded" in missing.out


@pytest.mark.parametrize("where", [("--store", "ochat/store"), ()])
def test_a_dry_run_of_reset_writes_nothing(where: tuple[str, ...], run: Run, folder: Path) -> None:
    target = "coast-trip" if where else "ochat/coast-trip.bin"
    before = everything(folder)
    result = run("reset", target, *where, "--dry-run")
    assert (result.code, everything(folder)) == (0, before)
    assert "would be" in result.out


def test_a_session_of_a_store_reset_to_another_file(run: Run, folder: Path) -> None:
    before = everything(folder)
    assert run("reset", "coast-trip", "--store", "ochat/store", "--out", "new.bin").code == 0
    after = everything(folder)
    assert session_of("new.bin").history == []
    assert {k: v for k, v in after.items() if k != "new.bin"} == before


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("ochat/damaged/cut-short.bin", "only a valid session is reset"),
        ("ochat/garden-v3.bin", "that cannot be upgraded"),
        ("coast-trip", "the id of a session needs --store DIR"),
        ("robota.json", "only ochat-record has a reset"),
    ],
)
def test_what_cannot_be_reset(target: str, said: str, run: Run, folder: Path) -> None:
    shutil.copy(EXAMPLES.parent / "healthy" / "night-watch.json", "robota.json")
    before = everything(folder)
    for where in (("--out", "new.bin"), ("--in-place",), ("--dry-run",)):
        result = run("reset", target, *where)
        assert (result.code, everything(folder)) == (1, before)
        assert said in re.sub(r"\s+", " ", result.out)


def test_an_old_session_of_a_store_that_cannot_be_upgraded(run: Run, folder: Path) -> None:
    home = folder / "ochat" / "store" / "garden"
    home.mkdir()
    shutil.copy(EXAMPLES / "garden-v3.bin", home / "snapshot.bin")
    before = everything(folder)
    result = run("reset", "garden", "--store", "ochat/store")
    assert (result.code, everything(folder)) == (1, before)
    assert "that cannot be upgraded" in re.sub(r"\s+", " ", result.out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ochat/coast-trip.bin",), "say where to"),
        (("ochat/coast-trip.bin", "--out", "x", "--in-place"), "give one of"),
        (("coast-trip", "--store", "ochat/store", "--in-place"), "give one of"),
        (("-", "--in-place"), "standard input cannot be replaced"),
        (("ochat", "--out", "x.bin"), "name a file, not a folder"),
        (("../x", "--store", "ochat/store"), "not a session id"),
        (("night-watch", "--store", str(EXAMPLES.parent / "store")), "is no store of ochat-record"),
        (("ochat/coast-trip.bin", "--out", "ochat/garden-v3.bin"), "there is ochat/garden-v3.bin"),
        (("ochat/coast-trip.bin", "--out", "none/x.bin"), "cannot be written"),
    ],
)
def test_bad_usage_of_reset(arguments: tuple[str, ...], said: str, run: Run, folder: Path) -> None:
    before = everything(folder)
    result = run("reset", *arguments)
    assert (result.code, result.out, everything(folder)) == (2, "", before)
    assert said in result.err


def test_a_lock_that_is_held(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hurried = partial(OchatStore, lock_seconds=0.05)
    monkeypatch.setattr("sesskit.cli.reset.OchatStore", hurried)
    with SnapshotLock("ochat/store/coast-trip/snapshot.bin"):
        result = run("reset", "coast-trip", "--store", "ochat/store")
    assert result.code == 2
    assert "is using it" in result.err


def test_a_snapshot_that_changed_meanwhile(
    run: Run, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    changed = Saved(False, Valid(None), "changed")
    monkeypatch.setattr(OchatStore, "reset", lambda *_, **__: changed)
    result = run("reset", "coast-trip", "--store", "ochat/store")
    assert result.code == 1
    assert "it was changed while it was read" in result.out
    assert encode(session_of("ochat/store/coast-trip/snapshot.bin"))
