"""`sesskit share`: an artifact, or a refusal with its exit code; and nothing half written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from fake_secrets import Fake
from sesskit.artifacts.envelopes import import_artifact
from sesskit.artifacts.share_formats import share_format

fake = Fake(9)
TOKEN = fake.github()
DATA = Path(__file__).parents[1] / "data" / "robota-record" / "vectors" / "reencoded"


def session(path: Path, **members: Any) -> bytes:
    value = json.loads((DATA / "small-chat.json").read_bytes())
    value["record"] |= members
    value["record"]["messages"][0]["content"] = f"the token {TOKEN}, by ikeda"
    path.write_text(json.dumps(value))
    return path.read_bytes()


def test_an_artifact(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    before = session(here / "s.json", cwd="/home/ikeda/x")
    result = run("share", "s.json", "--out", "a.json")
    assert result.code == 0
    assert result.out == snapshot
    record = import_artifact((here / "a.json").read_bytes()).value
    assert record.cwd == "/home/[user-1]/x"
    assert record.messages[0].content == "the token [github-token-1], by [user-1]"
    assert (here / "s.json").read_bytes() == before
    assert run("share", "--verify-only", "a.json").code == 0


def test_refused(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    session(here / "s.json", id=fake.github())
    result = run("share", "s.json", "--out", "a.json")
    assert result.code == 3
    assert result.out == snapshot
    assert not (here / "a.json").exists()


def test_verify_only(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    (here / "page.html").write_text(f"<p>{TOKEN} of noor@ikeda.dev</p>")
    result = run("share", "--verify-only", "page.html")
    assert result.code == 3
    assert result.out == snapshot
    assert TOKEN[4:12] not in result.out
    result = run("share", "--verify-only", "page.html", "--output", "json")
    (file,) = json.loads(result.out)["files"]
    assert file["share"]["refused"] is True
    assert [f["rule"] for f in file["share"]["left"]] == ["github-token", "mail-address"]
    (here / "clean.txt").write_text("nothing here")
    assert run("share", "--verify-only", "clean.txt").code == 0
    assert run("share", "--verify-only", "-", stdin=TOKEN.encode()).code == 3
    assert run("share", "--verify-only", "gone").code == 1


def test_secrets_of_the_environment_refuse(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "k9k9k9Zx81aQw")
    (here / "p.txt").write_text("it is k9k9k9Zx81aQw there")
    assert run("share", "--verify-only", "p.txt").code == 3
    assert run("share", "--verify-only", "--no-local", "p.txt").code == 0
    monkeypatch.delenv("MY_API_KEY")
    (here / ".env").write_text("export MY_TOKEN=k9k9k9Zx81aQw\n")
    assert run("share", "--verify-only", "p.txt").code == 3


def test_a_session_that_is_not_valid(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    (here / "cut.json").write_bytes((DATA / "small-chat.json").read_bytes()[:300])
    result = run("share", "cut.json", "--out", "a.json")
    assert result.code == 1
    assert result.out == snapshot
    assert not (here / "a.json").exists()


def test_what_cannot_be_shared_fails(run: Run, here: Path) -> None:
    value = json.loads((DATA / "small-chat.json").read_bytes())["record"]
    (here / "bare.json").write_text(json.dumps(value))
    result = run("share", "bare.json", "--out", "a.json")
    assert result.code == 1
    assert "cannot be shared as it is" in result.out
    assert not (here / "a.json").exists()


def test_keys_only_and_images(run: Run, here: Path) -> None:
    session(here / "s.json")
    assert run("share", "s.json", "--keys-only", "--out", "k.json").code == 0
    assert TOKEN in (here / "k.json").read_text()
    assert run("share", "s.json", "--images", "--out", "i.json").code == 0


def test_several(run: Run, here: Path) -> None:
    (here / "in").mkdir()
    session(here / "in" / "a.json")
    session(here / "in" / "b.json", id=fake.github())
    result = run("share", "in", "--out", "out", "--output", "json")
    assert result.code == 3
    first, second = json.loads(result.out)["files"]
    assert (first["share"]["path"], second["share"]["path"]) == ("out/a.json", None)
    assert [path.name for path in (here / "out").iterdir()] == ["a.json"]


def test_bad_usage(run: Run, here: Path) -> None:
    session(here / "s.json")
    assert run("share", "s.json").code == 2
    assert run("share", "s.json", "--verify-only", "--out", "x").code == 2
    assert run("share", "s.json", "--out", "s.json").code == 2
    (here / "a.json").write_text("mine")
    assert run("share", "s.json", "--out", "a.json").code == 2
    assert (here / "a.json").read_text() == "mine"
    assert run("share", "s.json", "--out", "a.json", "--force").code == 0


def test_a_full_disk_leaves_nothing(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = session(here / "s.json")

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = run("share", "s.json", "--out", "a.json")
    assert result.code in (2, 74)
    assert [path.name for path in here.iterdir()] == ["s.json"]
    assert (here / "s.json").read_bytes() == before


def test_side_files_are_written_too(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = share_format("robota-record")
    assert adapter is not None
    side = "side/a.txt"
    with_side = adapter._replace(
        family=lambda path, data: [(side, (path.parent / side).read_bytes())]
    )
    for module in ("sesskit.artifacts.share", "sesskit.cli.sharing"):
        monkeypatch.setattr(f"{module}.share_format", lambda _: with_side)
    (here / "in" / "side").mkdir(parents=True)
    session(here / "in" / "s.json")
    (here / "in" / "side" / "a.txt").write_text(f"it is {TOKEN}")
    assert run("share", "in/s.json", "--out", "out/s.json").code == 0
    assert (here / "out" / "side" / "a.txt").read_text() == "it is [github-token-1]"
    assert (here / "out" / "s.json").exists()
    (here / "half").mkdir()
    (here / "half" / "s.json").mkdir()
    assert run("share", "in/s.json", "--out", "half/s.json/", "--force").code == 0
    (here / "fifo").mkdir()
    os.mkfifo(here / "fifo" / "s.json")
    assert run("share", "in/s.json", "--out", "fifo/s.json", "--force").code == 2
    assert not (here / "fifo" / "side" / "a.txt").exists()


def test_a_secret_in_the_name_of_the_pages(run: Run, here: Path) -> None:
    session(here / "s.json", cwd="/home/ikeda/x")
    for name in (f"of-{TOKEN}", "of-ikeda", f"{TOKEN}.html"):
        result = run("share", "s.json", "--html", name)
        assert result.code == 3, name
        assert not (here / name).exists()
    assert run("share", "s.json", "--html", "pages").code == 0


def test_a_denied_word_of_the_format(run: Run, here: Path) -> None:
    session(here / "s.json")
    (here / "deny").write_text("# words\n\ninvoice\nrecord\n")
    result = run("share", "s.json", "--out", "a.json", "--deny", "deny")
    assert result.code == 3
    assert "line 4 of the deny list is a word of the format, which stands at 1:" in " ".join(
        result.out.split()
    )
    assert "/record" not in result.out
    assert not (here / "a.json").exists()


@pytest.mark.parametrize("command", ["share", "scrub"])
def test_a_denied_value_that_is_too_short(run: Run, here: Path, command: str) -> None:
    session(here / "s.json")
    (here / "deny").write_text("# words\ninvoice\nq\n")
    result = run(command, "s.json", "--out", "a.json", "--deny", "deny")
    assert result.code == 2
    assert "line 3: too short" in result.err
    assert not (here / "a.json").exists()


def test_a_name_decides_in_files_made_elsewhere(run: Run, here: Path) -> None:
    open_, masked = here / "open.json", here / "masked.json"
    held = json.dumps({"password": "Summer 2024!"})
    for text in (held, json.dumps({"arguments": held})):
        open_.write_text(text)
        assert run("share", "--verify-only", "open.json").code == 3
    about = {"password": "[REDACTED]", "arguments": json.dumps({"password": "string"})}
    masked.write_text(json.dumps(about))
    result = run("share", "--verify-only", "masked.json")
    assert (result.code, result.out) == (0, "masked.json   valid\n\n1 file: 1 valid.\n")


def test_names_of_folders_are_verified(run: Run, here: Path) -> None:
    (here / "d" / "empty").mkdir(parents=True)
    (here / "d" / "a.txt").write_text("hello")
    assert run("share", "--verify-only", "d").code == 0
    (here / "d" / TOKEN).mkdir()
    assert run("share", "--verify-only", "d").code == 3
    (here / "d").rename(here / "e")
    (here / "e" / TOKEN).rmdir()
    (here / "e").rename(here / TOKEN)
    assert run("share", "--verify-only", TOKEN).code == 3
