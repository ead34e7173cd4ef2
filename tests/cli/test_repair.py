"""`sesskit repair`: what it says first, what it writes, and that the damaged log stays as it is."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Result, Run
from logs.dsh.vectors import Case, cases, rows
from sesskit.cli.report_schema import SCHEMA
from sesskit.logs.dsh.frames import write_frame

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECK = Draft202012Validator(SCHEMA)
LOGS = [c for c in cases() if c.file.suffix in (".jsonl", ".zstd")]


def placed(case: Case, root: Path) -> Path:
    """The log of a case where it lies in a root of dsh; every file of the case with it."""
    for item in case.expected["files"]:
        path = root / item["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((case.folder / item["file"]).read_bytes())
    return root / str(case.expected["files"][0]["path"])


def case(name: str) -> Case:
    (found,) = cases(name=name)
    return found


def flat(text: str) -> str:
    return " ".join(text.split())


def entry_of(result: Result) -> Any:
    report = json.loads(result.out)
    CHECK.validate(report)
    (entry,) = report["files"]
    return entry


def everything(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", LOGS, ids=lambda c: c.name)
def test_recorded_logs(case: Case, run: Run, folder: Path) -> None:
    """Says what dsh would do as dsh did it; plans without writing; what it writes loads."""
    log = placed(case, folder / "root")
    before = everything(folder)
    planned = run("repair", "--dry-run", "--output", "json", log)
    assert everything(folder) == before
    plan = entry_of(planned)["repair"]
    done = run("repair", "--output", "json", log, "--out", folder / "new")
    member = entry_of(done)["repair"]
    assert done.code == planned.code == int(member["refused"] is not None)
    assert {**before, **everything(folder)} == everything(folder), "the damaged log stays"
    assert (member["needed"], member["recovered"]) == (plan["needed"], plan["recovered"])
    if not member["written"]:
        assert member["logs"] == []
        assert everything(folder) == before
        return
    expected = case.expected
    if expected["outcome"] == "accept-with-repair" and "storedEventCount" in expected:
        assert member["original"]["kept"] == expected["storedEventCount"]
        closers = [{"type": e["type"], "seq": e["seq"]} for e in expected["closers"]]
        assert member["original"]["closers"] == closers
    for made in member["logs"]:
        data = Path(made["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == made["sha256"]
        assert Path(made["path"]).stat().st_mode & 0o777 == 0o600
    logs = [made["path"] for made in member["logs"]]
    valid = run("validate", "--output", "json", *logs)
    for entry in json.loads(valid.out)["files"]:
        assert entry["status"] == "valid"
        assert entry["original"]["verdict"] == "accept"
    data = log.read_bytes()
    for run_ in member["dropped"]:
        if run_["of"] == "file":
            lost = data[run_["offset"] : run_["offset"] + run_["length"]]
            assert hashlib.sha256(lost).hexdigest() == run_["sha256"]


def test_in_a_root_each_branch_is_a_session(run: Run, folder: Path) -> None:
    placed(case("two-writers-end-seed"), folder / "root")
    result = run("repair", "root", "--out", "new", "--output", "json")
    assert result.code == 0
    first, second = entry_of(result)["repair"]["logs"]
    assert Path(second["path"]).parent.name == f"{first['id']}-branch-1"
    listed = run("validate", "--output", "json", "new")
    assert listed.code == 0
    assert json.loads(listed.out)["summary"]["valid"] == 2


@pytest.mark.parametrize("name", ["session.jsonl", "x.jsonl", "x.log", "--P--/i/session.jsonl"])
def test_names_beside(name: str, run: Run, folder: Path) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(case("two-writers-end-seed").file.read_bytes())
    if "--P--" in name:
        path.write_bytes(path.read_bytes().replace(b'"x1"', b'"i"').replace(b'"/w"', b'"/P"'))
    result = run("repair", "--output", "json", path)
    logs = [made["path"] for made in entry_of(result)["repair"]["logs"]]
    if logs:
        assert logs == [f"{path}.repaired", f"{path}.branch-1"]
        assert run("validate", *logs).code == 0


def test_names_beside_a_file_that_is_named(run: Run, folder: Path) -> None:
    log = placed(case("two-writers-end-seed"), folder)
    result = run("repair", log, "--out", "fixed.jsonl", "--output", "json")
    logs = [made["path"] for made in entry_of(result)["repair"]["logs"]]
    assert logs == ["fixed.jsonl", "fixed.branch-1.jsonl"]


def test_what_is_lost_is_kept(run: Run, folder: Path) -> None:
    log = placed(case("committed-line-unparsable"), folder)
    result = run("repair", log, "--out", "fixed.jsonl", "--output", "json")
    member = entry_of(result)["repair"]
    assert member["lostAndFound"] == "fixed.jsonl.lost+found"
    lost = folder / "fixed.jsonl.lost+found"
    assert lost.stat().st_mode & 0o777 == 0o600
    head, *runs = map(json.loads, lost.read_bytes().splitlines())
    assert head["sha256"] == hashlib.sha256(log.read_bytes()).hexdigest()
    assert head["logs"] == member["logs"]
    for told, kept in zip(member["dropped"], runs, strict=True):
        data = base64.b64decode(kept.pop("base64"))
        assert kept == told
        assert log.read_bytes()[told["offset"] :].startswith(data)


def test_a_healthy_log(run: Run, folder: Path) -> None:
    log = placed(case("chat-small-raw"), folder)
    before = everything(folder)
    result = run("repair", log)
    assert (result.code, everything(folder)) == (0, before)
    assert "nothing to repair" in result.out


def test_an_open_turn_is_closed_as_dsh_closes_it(run: Run, folder: Path) -> None:
    crashed = case("crash-two-started")
    result = run("repair", placed(crashed, folder), "--out", "fixed.jsonl")
    assert result.code == 0
    after = crashed.folder / crashed.expected["load"]["afterFile"]["file"]
    assert (folder / "fixed.jsonl").read_bytes() == after.read_bytes()


def test_a_wrong_name_is_told(run: Run, folder: Path) -> None:
    log = folder / "session.v2.jsonl"
    log.write_bytes(case("chat-small-raw").file.read_bytes())
    result = run("repair", log)
    assert result.code == 1
    assert "call it session.jsonl" in flat(result.out)
    log.write_bytes(log.read_bytes()[:-5])
    assert run("repair", log, "--out", "new/").code == 0
    assert (folder / "new" / "session.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["log.jsonl", "--out", "log.jsonl"], "is to be read", id="itself"),
        pytest.param(["log.jsonl", "--out", "log.jsonl", "--force"], "is to be read", id="forced"),
        pytest.param(["log.jsonl", "--out", "link.jsonl"], "is to be read", id="link to itself"),
        pytest.param(["log.jsonl", "--out", "hard.jsonl"], "is to be read", id="hard link"),
        pytest.param(["log.jsonl", "--out", "there.jsonl"], "--force replaces it", id="there"),
        pytest.param(["log.jsonl", "--out", "nowhere.jsonl"], "--force", id="dangling link"),
        pytest.param(["log.jsonl", "--out", "-"], "name a file", id="standard output"),
        pytest.param(["-"], "give --out FILE", id="no name"),
        pytest.param(["-", "--out", "there/"], "give --out FILE", id="no name in a folder"),
        pytest.param(["log.jsonl", "b.jsonl", "--out", "one.jsonl"], "one file", id="one for two"),
        pytest.param(["log.jsonl", "x/log.jsonl", "--out", "n"], "both become", id="one name"),
        pytest.param(["night.json"], "not for robota-record", id="another format"),
        pytest.param([], "name a file", id="nothing"),
    ],
)
def test_refused(words: list[str], said: str, run: Run, folder: Path) -> None:
    data = case("torn-last-line-half").file.read_bytes()
    for name in ("log.jsonl", "b.jsonl", "x/log.jsonl"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "there.jsonl").write_text("mine")
    (folder / "link.jsonl").symlink_to("log.jsonl")
    (folder / "nowhere.jsonl").symlink_to("none.jsonl")
    (folder / "hard.jsonl").hardlink_to(folder / "log.jsonl")
    shutil.copy(EXAMPLES / "damaged" / "wrong-shape.json", folder / "night.json")
    before = everything(folder)
    result = run("repair", *words, stdin=data)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert everything(folder) == before


def test_a_link_in_the_way_is_replaced_not_written_through(run: Run, folder: Path) -> None:
    log = placed(case("torn-last-line-half"), folder)
    (folder / "mine").write_text("mine")
    (folder / "out.jsonl").symlink_to("mine")
    assert run("repair", log, "--out", "out.jsonl", "--force").code == 0
    assert (folder / "mine").read_text() == "mine"
    assert not (folder / "out.jsonl").is_symlink()


def test_standard_input(run: Run, folder: Path) -> None:
    data = case("torn-last-line-half").file.read_bytes()
    assert run("repair", "-", "--out", "fixed.jsonl", stdin=data).code == 0
    assert run("validate", "fixed.jsonl").code == 0
    assert run("repair", "-", "--dry-run", stdin=data).code == 0


def test_beyond_repair(run: Run, folder: Path) -> None:
    log = placed(case("header-not-json"), folder)
    before = everything(folder)
    result = run("repair", log)
    assert (result.code, everything(folder)) == (1, before)
    assert run("repair", log, "--exit-zero").code == 0
    assert run("repair", "none.jsonl").code == 1
    assert run("repair", log, "--quiet").code == 1


def test_other_files_beside(run: Run, folder: Path) -> None:
    placed(case("torn-last-line-half"), folder / "all")
    shutil.copy(EXAMPLES / "healthy" / "night-watch.json", folder / "all")
    assert run("repair", "all").code == 0
    shutil.copy(EXAMPLES / "damaged" / "wrong-shape.json", folder / "all")
    result = run("repair", "all", "--force")
    assert result.code == 1
    assert "store rebuild" in flat(result.out)
    assert len(list(folder.rglob("*.repaired"))) == 1


def test_a_target_under_which_it_would_not_load(run: Run, folder: Path) -> None:
    log = placed(case("zstd-torn-last-frame-in-block"), folder)
    result = run("repair", log, "--out", "session.jsonl")
    assert result.code == 1
    assert "(encoding-mismatch)" in flat(result.out)
    assert not (folder / "session.jsonl").exists()


@pytest.mark.parametrize(
    "name",
    [
        "two-writers-end-seed",
        "torn-last-line-half",
        "crash-two-started",
        "tail-seq-gap",
        "header-not-json",
        "zstd-payload-flip-middle",
    ],
)
@pytest.mark.parametrize("dry", [True, False], ids=["planned", "done"])
def test_what_people_see(
    name: str, dry: bool, run: Run, folder: Path, snapshot: SnapshotAssertion
) -> None:
    chosen = case(name)
    shutil.copy(chosen.file, folder / chosen.file.name)
    result = run("repair", chosen.file.name, *(["--dry-run"] if dry else []))
    assert (result.code, result.out, result.err) == snapshot


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_repaired_is_valid(
    data: st.DataObject, run: Run, folder_of_examples: Path
) -> None:
    source = data.draw(st.sampled_from(SOUND))
    bytes_ = bytearray(source.file.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(bytes_) - 1))
        how = data.draw(st.sampled_from(["flip", "cut", "zeros", "drop", "twice"]))
        end = min(len(bytes_), at + data.draw(st.integers(1, 400)))
        DAMAGE[how](bytes_, at, end)
        if not bytes_:
            return
    log = folder_of_examples / f"log{source.file.suffix}"
    out = folder_of_examples / f"out{source.file.suffix}"
    log.write_bytes(bytes_)
    done = run("repair", log, "--out", out, "--force", "--output", "json")
    assert done.code in (0, 1), done.err
    assert log.read_bytes() == bytes_
    report = json.loads(done.out)
    CHECK.validate(report)
    member = report["files"][0].get("repair")
    for made in member["logs"] if member and member["written"] else []:
        valid = json.loads(run("validate", "--output", "json", made["path"]).out)["files"][0]
        assert valid["status"] == made["status"]
        if made["status"] != "valid":
            codes = {i["code"] for i in valid["issues"] if i["severity"] == "error"}
            assert codes == {"type-unknown"}
        else:
            assert valid["original"]["verdict"] == "accept"


def _flip(data: bytearray, at: int, end: int) -> None:
    data[at] ^= 1 << (at % 8)


def _cut(data: bytearray, at: int, end: int) -> None:
    del data[at:]


def _zeros(data: bytearray, at: int, end: int) -> None:
    data[at:end] = bytes(end - at)


def _drop(data: bytearray, at: int, end: int) -> None:
    del data[at:end]


def _twice(data: bytearray, at: int, end: int) -> None:
    data[end:end] = data[at:end]


DAMAGE = {"flip": _flip, "cut": _cut, "zeros": _zeros, "drop": _drop, "twice": _twice}
SOUND = [c for c in cases("valid") if c.file.suffix in (".jsonl", ".zstd")]


@pytest.fixture
def folder_of_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage")


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
@pytest.mark.parametrize("zstd", [False, True], ids=["plain", "zstd"])
def test_later_versions(row: dict[str, Any], zstd: bool, run: Run, folder: Path) -> None:
    """Logs of v1 to v3: loaded as the real programs load them, and repaired where they are not."""
    text = row["text"].encode("utf-8", "surrogatepass")
    name = f"session.v{row['version']}.jsonl" + ".zstd" * zstd
    first, _, rest = text.partition(b"\n")
    frames = write_frame(first + b"\n") + (write_frame(rest) if rest else b"")
    (folder / name).write_bytes(frames if zstd else text)
    valid = entry_of(run("validate", "--output", "json", name))
    if not zstd:
        loads = valid["original"]["verdict"].startswith("accept")
        assert loads == row["recoverable"]["ok"]
    done = entry_of(run("repair", name, "--out", "new/", "--output", "json"))
    member = done["repair"]
    assert member["needed"] == (valid["original"]["verdict"] != "accept")
    for made in member["logs"] if member["written"] else []:
        again = entry_of(run("validate", "--output", "json", made["path"]))
        assert again["status"] == made["status"]


def test_what_was_written_goes_again_where_the_log_cannot_be(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = placed(case("two-writers-end-seed"), folder / "root")
    before = everything(folder)

    def full(path: str, data: Iterable[bytes], *, overwrite: bool) -> None:
        if str(path).endswith("fixed.jsonl"):
            raise OSError(28, "no space")
        Path(path).write_bytes(b"".join(data))

    monkeypatch.setattr("sesskit.cli.repairing.write_atomic", full)
    result = run("repair", log, "--out", "fixed.jsonl")
    assert (result.code, "cannot be written" in result.err) == (2, True)
    assert everything(folder) == before


def test_old_layout(run: Run, folder: Path) -> None:
    """Below a folder of ``--out`` a log of June 2026 keeps its project folder."""
    log = placed(case("seed-era-torn-line"), folder / "root")
    done = entry_of(run("repair", log, "--out", "new/", "--output", "json"))
    (made,) = done["repair"]["logs"]
    assert Path(made["path"]) == Path("new") / log.relative_to(folder / "root")
    assert run("validate", "new").code == 0


def test_many_runs_are_counted(run: Run, folder: Path) -> None:
    lines = case("chat-small-raw").file.read_bytes().splitlines(keepends=True)
    broken = b"".join(line + b"%d garbage\n" % n for n, line in enumerate(lines))
    (folder / "log.jsonl").write_bytes(broken)
    result = run("repair", "log.jsonl", "--dry-run")
    assert result.code == 0
    assert "more runs" in result.out


def test_a_log_of_a_newer_program(run: Run, folder: Path) -> None:
    (folder / "log.jsonl").write_bytes(
        case("later-type-model-selection").file.read_bytes() + b'{"type":"turn/st'
    )
    result = run("repair", "log.jsonl", "--output", "json")
    (made,) = entry_of(result)["repair"]["logs"]
    assert made["status"] == "unsupported"
    assert "needs that one" in flat(run("repair", "log.jsonl", "--dry-run").out)
