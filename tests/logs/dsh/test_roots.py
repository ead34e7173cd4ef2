"""Listing a root: sessions, generations, forks, helpers, and where files lie wrongly."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.roots import survey

LISTED = [
    case for case in cases() if case.expected["files"][0].get("path") and case.expected.get("list")
]


def laid_out(case: Case, root: Path) -> Path:
    for entry in case.expected["files"]:
        path = root / entry["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(case.folder / entry["file"], path)
    return root


@pytest.mark.parametrize("case", LISTED, ids=lambda c: c.name)
def test_every_recorded_root(case: Case, tmp_path: Path) -> None:
    root = survey(laid_out(case, tmp_path), compressed=case.expected.get("compression") == "zstd")
    expected = case.expected["list"]
    fails = isinstance(expected, dict) and "error" in expected
    assert (root.original().verdict == "reject") == fails
    if not fails:
        ids = expected if isinstance(expected, list) else expected["ids"]
        found = [s.id for s in root.sessions if s.latest.place.generation == 0]
        assert set(ids) <= set(found)


def log(root: Path, place: str, header: str, **members: object) -> None:
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    line = {"type": "session", "version": 0, "id": header, "createdAt": 1, **members}
    path.write_text(json.dumps({**line, "delegationDepth": 0}) + "\n")


def test_generations_forks_and_helpers(tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a/session.jsonl", "a")
    log(tmp_path, "_no-cwd/a/session.v3.jsonl", "a", version=3, isSeeded=False)
    log(tmp_path, "_no-cwd/b/session.jsonl", "b", parentSession="a")
    log(tmp_path, "_no-cwd/c/session.jsonl", "c", parentSession="a", origin="subagent")
    log(tmp_path, "_no-cwd/d/session.v4.jsonl", "d", version=4)
    (tmp_path / "_no-cwd/a/session.jsonl.0123456789ab.tmp").write_text("x")
    (tmp_path / "_no-cwd/a/media").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.jsonl").write_text("{}\n")
    root = survey(tmp_path)
    first, *_, last = root.sessions
    assert [log.version for log in first.logs] == [3, 0]
    assert (first.forks, first.helpers) == (("b",), ("c",))
    assert [session.id for session in root.sessions] == ["a", "b", "c", "d"]
    assert [issue.code for issue in last.latest.issues] == ["version-unsupported"], (
        "listed, but not read"
    )
    assert len(root.leftovers) == 1
    assert not root.strays
    assert root.original().verdict == "accept"
    assert root.sessions[0].latest.size > 50
    assert root.sessions[0].latest.modified is not None


def test_where_files_lie_wrongly(tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a/session.jsonl", "a")
    log(tmp_path, "_no-cwd/b/session.jsonl", "b")
    log(tmp_path, "_no-cwd/flat.jsonl", "flat")
    log(tmp_path, "--p--/flat2.jsonl", "flat2")
    (tmp_path / "_no-cwd/b/session.jsonl.zstd").write_bytes(b"")
    codes = {log.path.name: [i.code for i in log.issues] for log in survey(tmp_path).logs}
    assert codes["session.jsonl.zstd"] == ["header-missing", "layout-other-encoding"]
    assert codes["session.jsonl"] == ["layout-other-encoding"]  # of the same session
    assert codes["flat.jsonl"] == ["layout-flat-file"]
    assert codes["flat2.jsonl"] == ["layout-flat-file"]
    assert survey(tmp_path, compressed=True).original().verdict == "reject"


def codes_of(root: Path) -> dict[str, list[str]]:
    logs = survey(root).logs
    return {str(log.path.relative_to(root)): [i.code for i in log.issues] for log in logs}


def test_one_log_of_the_other_encoding_keeps_all_of_a_version_from_being_loaded(
    tmp_path: Path,
) -> None:
    for name in ("a", "b", "c"):
        log(tmp_path, f"_no-cwd/{name}/session.jsonl", name)
    log(tmp_path, "_no-cwd/a/session.v3.jsonl", "a", version=3, isSeeded=False)
    frame = write_frame((tmp_path / "_no-cwd/c/session.jsonl").read_bytes())
    (tmp_path / "_no-cwd/c/session.jsonl").unlink()
    (tmp_path / "_no-cwd/c/session.jsonl.zstd").write_bytes(frame)
    assert codes_of(tmp_path) == {
        "_no-cwd/a/session.jsonl": ["layout-elsewhere"],
        "_no-cwd/a/session.v3.jsonl": [],
        "_no-cwd/b/session.jsonl": ["layout-elsewhere"],
        "_no-cwd/c/session.jsonl.zstd": ["layout-other-encoding"],
    }


def test_each_version_has_an_encoding_of_its_own(tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a/session.jsonl", "a")
    log(tmp_path, "_no-cwd/b/session.jsonl", "b")
    log(tmp_path, "_no-cwd/a/session.v3.jsonl", "a", version=3, isSeeded=False)
    path = tmp_path / "_no-cwd/a/session.v3.jsonl"
    path.with_suffix(".jsonl.zstd").write_bytes(write_frame(path.read_bytes()))
    path.unlink()
    assert set(map(tuple, codes_of(tmp_path).values())) == {()}


def test_a_flat_log_keeps_every_version_from_being_loaded(tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a/session.jsonl", "a")
    log(tmp_path, "_no-cwd/b/session.v3.jsonl", "b", version=3, isSeeded=False)
    log(tmp_path, "_no-cwd/flat.jsonl", "flat")
    assert codes_of(tmp_path) == {
        "_no-cwd/a/session.jsonl": ["layout-elsewhere"],
        "_no-cwd/b/session.v3.jsonl": ["layout-elsewhere"],
        "_no-cwd/flat.jsonl": ["layout-flat-file"],
    }


def test_folders_of_one_name_are_one_session_whatever_their_headers_say(tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a/session.jsonl", "a")
    log(tmp_path, "--p--/a/session.jsonl", "other", cwd="/p")
    log(tmp_path, "--p--/b/session.jsonl", "b", cwd="/p")
    assert codes_of(tmp_path) == {
        "--p--/a/session.jsonl": ["header-path", "layout-duplicate-id"],
        "--p--/b/session.jsonl": [],
        "_no-cwd/a/session.jsonl": ["layout-duplicate-id"],
    }


@pytest.mark.parametrize(
    "name", ["session.v0.jsonl", "session.v02.jsonl", "session.V2.jsonl", "Session.jsonl"]
)
def test_names_that_no_program_reads(name: str, tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a/session.jsonl", "a")
    log(tmp_path, f"_no-cwd/a/{name}", "a", version=2, isSeeded=False)
    root = survey(tmp_path)
    (session,) = root.sessions
    assert [log.path.name for log in session.logs] == ["session.jsonl"]
    (stray,) = root.strays
    assert (stray.path.name, [issue.code for issue in stray.issues]) == (name, ["layout-name"])
    assert root.original().verdict == "accept"


def test_versions_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a/session.v2.jsonl", "a", version=3, isSeeded=False)
    log(tmp_path, "_no-cwd/a/session.v10.jsonl", "a", version=2, isSeeded=False)
    log(tmp_path, "_no-cwd/a/session.jsonl", "a", version=7)
    (session,) = survey(tmp_path).sessions
    assert [log.place.generation for log in session.logs] == [10, 2, 0]


def test_an_old_root(tmp_path: Path) -> None:
    log(tmp_path, "_no-cwd/a.jsonl", "a", version=1)
    (session,) = survey(tmp_path).sessions
    assert session.latest.issues == ()


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        survey(tmp_path / "none")
    folder = tmp_path / "_no-cwd" / "a" / "session.jsonl"
    folder.mkdir(parents=True)
    (log,) = survey(tmp_path).strays
    assert log.trouble == "it is a folder"
