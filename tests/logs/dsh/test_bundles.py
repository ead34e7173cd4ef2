"""Export as ZIP, and import of it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from backports.zstd import compress

from logs.dsh.bundled import ABSENT, DIGITS, PICTURE, header, make_home, picture
from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.bundles import NoSession, plan_bundle, write_bundle
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.roots import survey
from sesskit.logs.dsh.unbundling import AlreadyThere, NoBundle, unbundle
from sesskit.schemas.outcomes import Corrupt, Missing, Unrecognized, Valid


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path)


def exported(log: Path, **options: Path) -> bytes:
    made = io.BytesIO()
    write_bundle(plan_bundle(log, **options), made)
    return made.getvalue()


def test_the_layout(home: Path) -> None:
    log = home / "_no-cwd" / "a" / "session.jsonl.zstd"
    bundle = plan_bundle(log)
    assert bundle.name == "dsh-session-a.zip"
    assert [media.attachment for media in bundle.missing] == [f"sha256:{ABSENT}"]
    data = exported(log)
    assert data == exported(log), "the same bytes each time"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == [
            "session.jsonl",
            "subagents/b/session.jsonl",
            "subagents/c/session.jsonl",
            f"media/sha256:{DIGITS}.png",
        ]
        text = archive.read("session.jsonl")
        assert text == header("a") + picture(DIGITS, 0) + picture(ABSENT, 1)
        assert archive.read(f"media/sha256:{DIGITS}.png") == PICTURE


@pytest.mark.parametrize("compressed", [True, False])
def test_there_and_back(home: Path, tmp_path: Path, compressed: bool) -> None:
    data = exported(home / "_no-cwd" / "a" / "session.jsonl.zstd")
    root = tmp_path / "other" / "sessions"
    with unbundle(io.BytesIO(data)) as found:
        assert found.sound
        assert not found.issues
        placed = found.place(root, compressed=compressed)
        with pytest.raises(AlreadyThere):
            found.place(root, compressed=compressed)
    assert [path.parent.name for path in placed] == ["a", "b", "c"]
    assert survey(root).sessions[0].helpers == ("b",)
    assert (root.parent / "attachments/v1/objects" / DIGITS[:2] / DIGITS).read_bytes() == PICTURE
    assert exported(placed[0]) == data
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in placed)
    assert isinstance(decode(placed[0].read_bytes(), placed[0]), Valid)


@pytest.mark.parametrize("case", cases("valid"), ids=lambda c: c.name)
def test_every_valid_case(case: Case, tmp_path: Path) -> None:
    if case.file.suffix == ".db":
        return
    data = exported(case.file)
    with unbundle(io.BytesIO(data)) as found:
        assert found.sound
        (placed,) = found.place(tmp_path / "sessions", compressed=False)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert placed.read_bytes() == archive.read("session.jsonl")


def test_what_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(NoSession) as refused:
        plan_bundle(tmp_path / "none")
    assert isinstance(refused.value.outcome, Missing)
    (tmp_path / "x.jsonl").write_bytes(b"{}\n")
    with pytest.raises(NoSession) as refused:
        plan_bundle(tmp_path / "x.jsonl")
    assert isinstance(refused.value.outcome, Corrupt)
    assert not isinstance(refused.value.outcome, Unrecognized)


def archive(**entries: bytes) -> io.BytesIO:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for name, data in entries.items():
            target.writestr(name, data)
    return made


@pytest.mark.parametrize(
    ("entries", "codes"),
    [
        pytest.param({"../../etc/passwd": b"x"}, ["bundle-damaged"], id="a way out"),
        pytest.param(
            {"subagents/../session.jsonl": b"x"}, ["bundle-damaged"], id="a folder called up"
        ),
        pytest.param({"media/readme.txt": b"x"}, ["bundle-entry"], id="no attachment"),
        pytest.param({f"media/{DIGITS}.png": b"x"}, ["bundle-media"], id="another picture"),
        pytest.param({f"media/sha256-{DIGITS}.png": PICTURE}, [], id="a careful name"),
        pytest.param({"subagents/x/session.jsonl": header("y")}, ["bundle-entry"], id="misplaced"),
        pytest.param({"subagents/a/session.jsonl": header("a")}, ["bundle-damaged"], id="twice"),
        pytest.param(
            {"subagents/b/session.jsonl": compress(header("b"))}, ["bundle-damaged"], id="packed"
        ),
        pytest.param({"media/": b""}, [], id="a folder"),
    ],
)
def test_entries(entries: dict[str, bytes], codes: list[str], tmp_path: Path) -> None:
    made = archive(**{"session.jsonl": header("a"), **entries})
    with unbundle(made) as found:
        assert [issue.code for issue in found.issues] == codes
        if not found.sound:
            with pytest.raises(ValueError, match="sound"):
                found.place(tmp_path / "root")
        else:
            found.place(tmp_path / "root" / "sessions")
    inside = tmp_path / "root"
    assert all(inside in path.parents or path == inside for path in tmp_path.rglob("*"))


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"x" * 99, archive(a=b"").getvalue()],
    ids=["empty", "a beginning", "text", "no session"],
)
def test_no_bundles(data: bytes) -> None:
    with pytest.raises(NoBundle):
        unbundle(io.BytesIO(data))


def test_damage_anywhere_is_told(home: Path) -> None:
    data = exported(home / "_no-cwd" / "a" / "session.jsonl.zstd")
    for at in range(0, len(data), 3):
        changed = bytearray(data)
        changed[at] ^= 0x55
        try:
            with unbundle(io.BytesIO(bytes(changed))) as found:
                assert found.logs or not found.sound
        except NoBundle:
            continue


def test_every_cut_is_refused(home: Path) -> None:
    data = exported(home / "_no-cwd" / "a" / "session.jsonl.zstd")
    for end in range(0, len(data), 11):
        with pytest.raises(NoBundle):
            unbundle(io.BytesIO(data[:end]))


def test_encrypted_and_doubled_entries() -> None:
    made = archive(**{"session.jsonl": header("a"), f"media/{DIGITS}": PICTURE})
    with zipfile.ZipFile(made, "a") as target, pytest.warns(UserWarning, match="Duplicate"):
        target.writestr("session.jsonl", header("a"))
    data = made.getvalue()
    with unbundle(io.BytesIO(data)) as found:
        assert [issue.code for issue in found.issues] == ["bundle-damaged"]
    marked = bytearray(archive(**{"session.jsonl": header("a")}).getvalue())
    marked[marked.index(b"PK\x01\x02") + 8] |= 1
    with unbundle(io.BytesIO(bytes(marked))) as found:
        assert not found.sound
        assert "encrypted" in found.issues[0].message


def test_a_log_that_no_folder_could_hold_is_refused() -> None:
    with unbundle(archive(**{"session.jsonl": header("")})) as found:
        assert not found.sound
        assert [issue.code for issue in found.issues] == ["bundle-damaged"]


def test_why_the_log_cannot_be_read_is_said() -> None:
    data = archive(**{"session.jsonl": header("a") + picture(DIGITS, 0)}).getvalue()
    at = data.index(b"session.jsonl") + len("session.jsonl") + 4
    with unbundle(io.BytesIO(data[:at] + b"\xff\xff" + data[at + 2 :])) as found:
        assert not found.sound
        (issue,) = found.issues
    assert "unpacked" in issue.message or "checksum" in issue.message


def test_what_is_only_listed_is_exported_as_it_is(tmp_path: Path) -> None:
    line = {"type": "session", "version": 4, "id": "a", "createdAt": 1}
    text = json.dumps({**line, "isSeeded": False, "delegationDepth": 0}).encode() + b"\n"
    log = tmp_path / "session.v4.jsonl"
    log.write_bytes(text)
    (planned,) = plan_bundle(log).logs
    assert planned.whole
    with zipfile.ZipFile(io.BytesIO(exported(log))) as made:
        assert made.read("session.jsonl") == text
    log.write_bytes(text + b"{\n")
    (planned,) = plan_bundle(log).logs
    assert not planned.whole
