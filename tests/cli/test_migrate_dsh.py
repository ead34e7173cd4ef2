"""`sesskit migrate` of dsh logs: the bytes of the released steps, names, refusals, tolerance."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from logs.dsh.vectors import Case, cases
from sesskit.cli.report_schema import SCHEMA
from sesskit.logs.dsh.opening import text_of

CHECK = Draft202012Validator(SCHEMA)
MOVED = [c for c in cases() if c.expected.get("migrate") and c.file.suffix in (".jsonl", ".zstd")]
SEED = cases("valid", "seed-era-*")


def case(name: str) -> Case:
    (found,) = cases(name=name)
    return found


def entry_of(result: Result) -> Any:
    report = json.loads(result.out)
    CHECK.validate(report)
    (entry,) = report["files"]
    return entry


def placed(case: Case, root: Path) -> Path:
    path = root / str(case.expected["files"][0]["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(case.file, path)
    return path


def digest(path: str) -> str:
    with Path(path).open("rb") as source:
        return hashlib.sha256(b"".join(text_of(source))).hexdigest()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("to", [1, 2, 3])
@pytest.mark.parametrize("case", MOVED, ids=lambda c: c.name)
def test_recorded_migrations(case: Case, to: int, run: Run, folder: Path) -> None:
    log = placed(case, folder / "root")
    before = log.read_bytes()
    recorded = case.expected["migrate"][f"to{to}"]
    result = run("migrate", f"--to=v{to}", log, "--out", "new/", "--output", "json")
    assert log.read_bytes() == before
    assert result.code == int(not recorded["ok"])
    entry = entry_of(result)
    made = entry["migration"]
    if not recorded["ok"]:
        assert (made, Path("new").exists()) == (None, False)
        assert entry["refusal"]["message"]
        return
    assert digest(made["path"]) == recorded["sha256"]
    assert made["events"]["after"] == recorded["eventCount"]
    loads = entry["original"]["verdict"].startswith("accept")
    if not loads or not case.expected["outcome"].startswith("accept"):
        assert loads or to == 2
        return
    name = f"session.v{to}.jsonl" + (".zstd" if log.suffix == ".zstd" else "")
    assert Path(made["path"]) == Path("new") / log.parent.relative_to(folder / "root") / name
    assert run("validate", "new").code == 0
    again = run("migrate", f"--to=v{to}", log, "--out", "new/")
    assert (again.code, again.out) == (2, "")


@pytest.mark.parametrize("case", SEED, ids=lambda c: c.name)
def test_logs_of_june_2026(case: Case, run: Run, folder: Path) -> None:
    log = placed(case, folder / "root")
    refused = run("migrate", "root", "--out", "new", "--output", "json")
    assert refused.code == 1
    assert "June 2026" in entry_of(refused)["refusal"]["message"]
    done = run("migrate", "--tolerant", "root", "--out", "new", "--output", "json")
    assert done.code == 0
    made = entry_of(done)["migration"]
    assert bool(made["tolerant"]) == (case.name != "seed-era-no-cwd")
    assert Path(made["path"]).name == "session.v3.jsonl"
    assert run("validate", "new").code == 0
    assert log.exists()


def test_one_refused_member_is_taken_out_and_told(run: Run, folder: Path) -> None:
    log = placed(case("field-permission-preset-origin"), folder / "root")
    refused = entry_of(run("migrate", log, "--out", "n.jsonl", "--output", "json"))["refusal"]
    assert (refused["code"], refused["path"], refused["seq"]) == (
        "member-unknown",
        "data.origin",
        0,
    )
    done = run("migrate", "--tolerant", log, "--out", "n.jsonl", "--output", "json")
    (change,) = entry_of(done)["migration"]["tolerant"]
    assert (change["seq"], change["path"]) == (0, "data.origin")
    kept = json.loads((folder / "n.jsonl").read_bytes().splitlines()[-1])
    assert kept["data"]["changes"][0]["was"] == "default"


def test_in_place_puts_the_new_version_beside(run: Run, folder: Path) -> None:
    log = placed(case("tools-multi-turn-raw"), folder / "root")
    before = log.read_bytes()
    assert run("migrate", "--to", "2", "--in-place", "root").code == 0
    assert log.read_bytes() == before
    assert sorted(p.name for p in log.parent.iterdir()) == ["session.jsonl", "session.v2.jsonl"]
    assert run("migrate", "--to", "2", "--in-place", log).code == 2, "it is there already"
    result = run("migrate", "--in-place", "root")
    assert result.code == 0
    assert "a later version of it lies beside it" in result.out
    assert (log.parent / "session.v3.jsonl").exists()
    assert run("validate", "root").code == 0
    shutil.copy(log, folder / "x.jsonl")
    assert "no name of a dsh log" in run("migrate", "--in-place", "x.jsonl").err


def test_nothing_to_do(run: Run, folder: Path) -> None:
    log = placed(case("tools-multi-turn-raw"), folder / "root")
    assert run("migrate", log, "--out", "session.v3.jsonl").code == 0
    for words in (["session.v3.jsonl"], ["--to", "0", log]):
        result = run("migrate", *words, "--out", "none.jsonl")
        assert (result.code, Path("none.jsonl").exists()) == (0, False)
        assert "nothing to do" in result.out
    assert run("migrate", log, "--to", "2", "--out", "session.v2.jsonl").code == 0
    back = run("migrate", "--to", "1", "session.v2.jsonl", "--out", "none.jsonl")
    assert back.code == 1
    assert "there is no way" in back.out


def test_what_dsh_cuts_is_told(run: Run, folder: Path) -> None:
    log = placed(case("torn-last-line-half"), folder)
    made = entry_of(run("migrate", log, "--out", "n.jsonl", "--output", "json"))["migration"]
    assert made["cut"] == {"offset": 7699, "length": 40}


@pytest.mark.parametrize(
    ("name", "out", "said"),
    [
        pytest.param("two-writers-end-seed", "n.jsonl", "sesskit repair", id="damaged"),
        pytest.param("tools-multi-turn-raw", "session.jsonl", "would not load as", id="name"),
    ],
)
def test_refused(name: str, out: str, said: str, run: Run, folder: Path) -> None:
    shutil.copy(case(name).file, folder / "in.jsonl")
    result = run("migrate", "in.jsonl", "--out", out)
    assert result.code == 1
    assert said in " ".join(result.out.split())
    assert not Path(out).exists()


def test_a_version_that_is_not_read(run: Run, folder: Path) -> None:
    data = case("tools-multi-turn-raw").file.read_bytes().replace(b'"version":0', b'"version":4')
    (folder / "in.jsonl").write_bytes(data)
    result = run("migrate", "in.jsonl", "--out", "n.jsonl")
    assert result.code == 1
    assert "not known here" in result.out


def test_standard_input(run: Run, folder: Path) -> None:
    data = case("tools-multi-turn-raw").file.read_bytes()
    assert run("migrate", "-", "--out", "n.jsonl", stdin=data).code == 0
    assert run("validate", "n.jsonl").code == 0
    assert run("migrate", "-", "--in-place", stdin=data).code == 2
    assert run("migrate", "-", "--dry-run", stdin=data).code == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tools-multi-turn-raw", ["--out", "session.v3.jsonl"]),
        ("field-permission-preset-origin", ["--dry-run"]),
        ("field-permission-preset-origin", ["--dry-run", "--tolerant"]),
        ("torn-last-line-half", ["--dry-run", "--to", "v1"]),
    ],
)
def test_what_people_see(
    name: str, words: list[str], run: Run, folder: Path, snapshot: SnapshotAssertion
) -> None:
    shutil.copy(case(name).file, folder / "session.jsonl")
    result = run("migrate", "session.jsonl", *words)
    assert (result.code, result.out, result.err) == snapshot


def test_the_old_layout_becomes_the_new_one(run: Run, folder: Path) -> None:
    log = placed(SEED[0], folder / "root")
    done = run("migrate", "--tolerant", log, "--to", "v0", "--out", "new/", "--output", "json")
    path = Path(entry_of(done)["migration"]["path"])
    assert path.name == "session.jsonl"
    assert path.parent.parent.name.startswith(("--", "_no-cwd"))
    assert run("validate", "new").code == 0


def test_many_changes_are_counted(run: Run, folder: Path) -> None:
    lines = case("tools-multi-turn-raw").file.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith(b'{"type":"step/'):
            lines[number] = line.replace(b'"data":{', b'"data":{"colour":1,')
    (folder / "log.jsonl").write_bytes(b"".join(lines))
    result = run("migrate", "--tolerant", "--dry-run", "log.jsonl")
    assert (result.code, " more" in result.out) == (0, True)
    odd = run("migrate", "--tolerant", "log.jsonl", "--out", "new/")
    assert (odd.code, Path("new/log.jsonl").exists()) == (0, True), "no name of a version"


def test_what_would_not_load_under_its_name(run: Run, folder: Path) -> None:
    shutil.copy(case("tools-multi-turn-raw").file, folder / "in.jsonl")
    result = run("migrate", "in.jsonl", "--out", "session.jsonl")
    assert (result.code, Path("session.jsonl").exists()) == (1, False)
    assert "would not load as session.jsonl" in " ".join(result.out.split())


def test_tolerant_migration_of_a_header_with_more_members(run: Run, here: Path) -> None:
    header, *rest = case("tools-multi-turn-raw").file.read_bytes().splitlines(keepends=True)
    (here / "log.jsonl").write_bytes(b"".join([header.replace(b"}", b',"zz":1}'), *rest]))
    assert run("migrate", "--dry-run", "log.jsonl").code == 1
    shown = run("migrate", "--tolerant", "log.jsonl", "--out", "new.jsonl")
    assert (shown.code, "header, zz: taken out" in shown.out) == (0, True)
    assert run("validate", "new.jsonl").code == 0
    told = run("migrate", "--tolerant", "--dry-run", "log.jsonl", "--output", "json").out
    (entry,) = json.loads(told)["files"]
    (change,) = entry["migration"]["tolerant"]
    assert (change["path"], "seq" in change, entry["version"]) == ("zz", False, 0)
