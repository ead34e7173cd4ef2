"""`sesskit share --html`: pages beside an artifact or alone, or neither."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from fake_secrets import Fake
from page_checks import problems, text_of
from page_sessions import ROOT, record, said
from sesskit.artifacts.page import Page
from sesskit.artifacts.page_share import SharedPages

fake = Fake(32)
TOKEN = fake.github()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "USER", "LOGNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "s.json").write_bytes(record([said("user", f"my token is {TOKEN}", 0)]))
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_folder_and_an_artifact(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    result = run("share", "s.json", "--out", "a.json", "--html", "pages")
    assert result.code == 0
    size = (here / "pages/index.html").stat().st_size
    assert result.out.replace(f"{size:,} bytes", "N bytes") == snapshot
    assert names(here) == ["a.json", "pages", "pages/index.html", "s.json"]
    assert TOKEN not in (here / "pages/index.html").read_text()
    assert stat.S_IMODE((here / "pages").stat().st_mode) == 0o700
    assert run("share", "--verify-only", "pages/index.html").code == 0
    again = run("share", "s.json", "--html", "pages")
    assert again.code == 2
    assert again.err == snapshot
    assert run("share", "s.json", "--html", "pages", "--force").code == 0


LOGS = ROOT / "tests/data/robota-log/vectors/valid"
DSH = ROOT / "tests/data/dsh-log/vectors/valid"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (LOGS / "subagent/log/session_parent-1.jsonl", "Subagent "),
        (LOGS / "spill-default/log/spill-default.jsonl", "result of"),
        (ROOT / "examples/ochat/coast-trip.bin", "[image removed]"),
        (DSH / "compaction-surface-replace/session.jsonl.zstd", "assistant"),
        (DSH / "tool-result-prune/session.jsonl", "result of"),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_every_format(run: Run, here: Path, path: Path, shown: str) -> None:
    assert run("share", path, "--no-local", "--html", "pages").code == 0
    found = [Page(file.name, file.read_bytes()) for file in sorted((here / "pages").iterdir())]
    assert problems(found) == []
    assert shown in text_of(found)


def test_one_file(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    result = run("share", "s.json", "--html", "below/page.html", "--output", "json")
    assert result.code == 0
    (file,) = json.loads(result.out)["files"]
    assert file["page"]["path"] == "below/page.html"
    assert file["page"]["files"] == 1
    assert file["page"]["bytes"] == (here / "below/page.html").stat().st_size
    assert file["share"]["path"] is None
    assert stat.S_IMODE((here / "below/page.html").stat().st_mode) == 0o600
    assert run("share", "s.json", "--html", "below/page.html").code == 2
    assert run("share", "s.json", "--html", "below/page.html", "--force").code == 0
    (here / "s.json").write_bytes(record([said("user", "word " * 9_000, n) for n in range(15)]))
    result = run("share", "s.json", "--out", "a.json", "--html", "page.html")
    assert result.code == 2
    assert result.err == snapshot
    assert names(here) == ["below", "below/page.html", "s.json"]


def test_several_sessions(run: Run, here: Path) -> None:
    (here / "in/deep").mkdir(parents=True)
    for name in ("in/a.json", "in/deep/b.json"):
        (here / name).write_bytes((here / "s.json").read_bytes())
    assert run("share", "in", "--html", "pages.html").code == 2
    assert run("share", "in", "--html", "out").code == 0
    assert names(here / "out") == [
        "a.json",
        "a.json/index.html",
        "deep",
        "deep/b.json",
        "deep/b.json/index.html",
    ]
    assert run("share", "in/a.json", "in/deep/b.json", "--html", "flat").code == 0
    assert names(here / "flat") == ["a.json", "a.json/index.html", "b.json", "b.json/index.html"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--verify-only", "s.json", "--html", "p"], id="verify only"),
        pytest.param(["s.json", "--keys-only", "--html", "p"], id="keys only"),
        pytest.param(["s.json", "--html", "-"], id="standard output"),
        pytest.param(["s.json", "--html", ""], id="nothing"),
        pytest.param(["s.json", "--html", "."], id="the folder of the session"),
        pytest.param(["s.json", "--html", ".", "--force"], id="by force"),
        pytest.param(["s.json", "--html", "other", "--force"], id="a folder of other files"),
        pytest.param(["s.json", "--out", "p/a.json", "--html", "p"], id="one in the other"),
        pytest.param(["s.json", "--out", "p.html", "--html", "p.html"], id="one place"),
        pytest.param(["s.json", "other/s.json", "--html", "p"], id="two of one name"),
        pytest.param(["s.json"], id="nowhere"),
    ],
)
def test_refused_before_anything_is_written(
    run: Run, here: Path, words: list[str], snapshot: SnapshotAssertion
) -> None:
    (here / "other").mkdir()
    (here / "other/s.json").write_bytes((here / "s.json").read_bytes())
    result = run("share", *words)
    assert result.code == 2
    assert result.err == snapshot
    assert names(here) == ["other", "other/s.json", "s.json"]


def test_a_secret_in_the_pages(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    split = f"{TOKEN[:6]}*{TOKEN[6:12]}*{TOKEN[12:]}"
    (here / "s.json").write_bytes(record([said("user", f"it is {split} here", 0)]))
    assert run("share", "s.json", "--out", "a.json").code == 0
    (here / "a.json").unlink()
    result = run("share", "s.json", "--out", "a.json", "--html", "pages")
    assert result.code == 3
    assert result.out == snapshot
    assert names(here) == ["s.json"]
    assert TOKEN[5:] not in result.out


def test_what_cannot_be_shared_has_no_pages(run: Run, here: Path) -> None:
    (here / "s.json").write_bytes(b'{"schemaVersion": 1, "record": {"id": "x"}}')
    assert run("share", "s.json", "--html", "pages").code == 1
    (here / "s.json").write_bytes(record([], id=fake.github()))
    assert run("share", "s.json", "--html", "pages").code == 3
    assert names(here) == ["s.json"]


def test_without_the_extra(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr("sesskit.artifacts.page_markup._NEEDED", ("no_such_package",))
    result = run("share", "s.json", "--out", "a.json", "--html", "pages")
    assert result.code == 2
    assert result.err == snapshot
    assert names(here) == ["s.json"]


def test_both_or_neither(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sesskit.artifacts.page_folder._publish", full)
    result = run("share", "s.json", "--out", "a.json", "--html", "pages")
    assert result.code == 2
    assert names(here) == ["s.json"]
    monkeypatch.setattr("sesskit.cli.share_files.write_atomic", full)
    result = run("share", "s.json", "--out", "a.json", "--html", "pages")
    assert result.code == 2
    assert names(here) == ["s.json"]


def test_a_session_without_view(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = SharedPages()
    monkeypatch.setattr("sesskit.artifacts.page_share.shared_pages", lambda *_: nothing)
    assert run("share", "s.json", "--html", "pages").code == 2
    assert names(here) == ["s.json"]
