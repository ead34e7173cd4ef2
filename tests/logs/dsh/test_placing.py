"""Where a new log may not lie: it would keep programs from listing the root, or leave it."""

import os
from pathlib import Path
from typing import Any

import pytest

from sesskit.logs.dsh.backend import Persistence
from sesskit.logs.dsh.errors import SessionPersistenceError
from sesskit.logs.dsh.placing import obstacle
from sesskit.logs.dsh.roots import survey

START = {"type": "turn/start", "seq": 0, "time": 1, "data": {"turn": 1}}


def header(name: str = "s", cwd: str | None = "/w", **more: Any) -> dict[str, Any]:
    members = {"version": 0, "id": name, "createdAt": 1, "delegationDepth": 0, **more}
    return members if cwd is None else {**members, "cwd": cwd}


def wrote(root: Path, members: dict[str, Any], *, compressed: bool = False) -> Path:
    with Persistence(root, compressed=compressed) as backend:
        backend.create(members)
        backend.append(members["id"], [START])
        return backend.path(members)


def refused(root: Path, members: dict[str, Any], *, compressed: bool = False) -> str:
    before = sorted(root.rglob("*"))
    with pytest.raises(SessionPersistenceError) as caught:
        wrote(root, members, compressed=compressed)
    assert sorted(root.rglob("*")) == before
    return caught.value.code


def test_a_root_keeps_one_encoding_and_one_log_of_an_id(tmp_path: Path) -> None:
    wrote(tmp_path, header("a"))
    assert refused(tmp_path, header("b"), compressed=True) == "layout-other-encoding"
    assert refused(tmp_path, header("a")) == "session-exists"
    assert refused(tmp_path, header("a", "/other")) == "session-exists"
    assert refused(tmp_path, header("a", None), compressed=True) == "session-exists"
    wrote(tmp_path, header("b", None))
    assert survey(tmp_path).fatal() is None


def test_another_version_of_a_session_lies_beside_it(tmp_path: Path) -> None:
    path = wrote(tmp_path, header("a"))
    assert obstacle(tmp_path, path.with_name("session.v3.jsonl")) is None
    assert obstacle(tmp_path, path.with_name("session.v3.jsonl.zstd")) is None


@pytest.mark.parametrize("depth", [1, 2])
def test_no_log_is_written_through_a_link(tmp_path: Path, depth: int) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    folder = Persistence(root, compressed=False).path(header()).parents[2 - depth]
    folder.parent.mkdir(parents=True)
    folder.symlink_to(outside)
    assert refused(root, header()) == "layout-link"
    assert list(outside.iterdir()) == []


def test_what_appears_while_a_session_waits_for_its_first_events(tmp_path: Path) -> None:
    with Persistence(tmp_path) as backend:
        backend.create(header("a"))
        wrote(tmp_path, header("b"))
        with pytest.raises(SessionPersistenceError, match="one encoding"):
            backend.append("a", [START])


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"createdAt": -1}, "header-field"),
    ({"createdAt": 1.5}, "header-field"),
    ({"createdAt": float("nan")}, "header-not-json-value"),
    ({"cwd": "relative"}, "header-field"),
    ({"origin": "elsewhere"}, "header-field"),
    ({"delegationDepth": -3}, "header-field"),
    ({"parentSession": 5}, "header-field"),
    ({"agentPreset": 5}, "header-field"),
    ({"id": 5}, "header-field"),
]


@pytest.mark.parametrize(("members", "code"), WRONG)
@pytest.mark.parametrize("version", [0, 3])
def test_a_header_that_no_program_reads(
    tmp_path: Path, members: dict[str, Any], code: str, version: int
) -> None:
    backend = Persistence(tmp_path, version=version)
    with pytest.raises(SessionPersistenceError) as caught:
        backend.create({**header(isSeeded=False), **members})
    assert caught.value.code == code


def test_a_header_lacks_what_every_log_needs(tmp_path: Path) -> None:
    with pytest.raises(SessionPersistenceError, match="createdAt: missing"):
        Persistence(tmp_path).create({"id": "x"})
    with pytest.raises(SessionPersistenceError, match="id: missing"):
        Persistence(tmp_path).create({"createdAt": 1})


def test_pipes_and_links_are_no_logs(tmp_path: Path) -> None:
    path = wrote(tmp_path, header("a"))
    pipe = path.parent.with_name("pipe") / path.name
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    link = path.parent.with_name("link") / path.name
    link.parent.mkdir()
    link.symlink_to("/etc/hostname")
    with Persistence(tmp_path, compressed=False) as backend:
        assert [one["id"] for one in backend.list()] == ["a"]
        assert len(backend.load("a").events) == 1
        with pytest.raises(SessionPersistenceError, match="no log of that session"):
            backend.inspect("pipe")
    strays = {log.path: log.trouble for log in survey(tmp_path).strays}
    assert strays[pipe] == "it is a named pipe, not a regular file"
