"""`sesskit share` of sessions that are several files."""

from __future__ import annotations

import json
import os
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from command_line import Run
from fake_secrets import Fake
from robota_share_logs import Log, session_init

fake = Fake(31)
TOKEN = fake.github()
PASSWORD = "Zq7" + fake.letters(11)


def session(folder: Path, name: str = "s-1", token: str = TOKEN) -> Log:
    log = session_init(Log(folder, name), systemPrompt=f"key {token}")
    log.add("user", content=log.spilled(f"by ikeda: password={PASSWORD}"))
    log.write()
    child = session_init(Log(folder / name / "subagents", "c-1"))
    child.add("user", content=child.spilled(f"use {PASSWORD}"))
    child.write()
    return log


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_folder_that_every_command_reads(
    run: Run, here: Path, snapshot: SnapshotAssertion
) -> None:
    session(here / "logs")
    before = everything(here / "logs")
    result = run("share", "logs/s-1.jsonl", "--out", "shared")
    assert result.code == 0
    assert result.out == snapshot
    assert everything(here / "logs") == before
    made = everything(here / "shared")
    assert sorted(map(os.path.dirname, made)) == [
        "",
        "s-1.payloads",
        "s-1/subagents",
        "s-1/subagents/c-1.payloads",
    ]
    for gone in (TOKEN, PASSWORD, "ikeda"):
        assert not any(gone.encode() in data for data in made.values())
    for command in ("validate", "verify", "replay", "inspect"):
        assert run(command, "shared/s-1.jsonl").code == 0, command
    assert run("verify", "shared").code == 0
    assert run("share", "--verify-only", "shared").code == 0
    assert not [path for path in here.iterdir() if path.name.startswith(".")]


def test_one_file_that_is_called_otherwise(run: Run, here: Path) -> None:
    session(here)
    assert run("share", "s-1.jsonl", "--out", "other.jsonl").code == 0
    assert run("verify", "other.jsonl", "--strict").code == 0
    assert len(list((here / "s-1.payloads").iterdir())) == 1
    assert len(list((here / "other.payloads").iterdir())) == 1


def test_a_folder_of_sessions_goes_session_by_session(run: Run, here: Path) -> None:
    session(here / "logs", "a")
    session(here / "logs", "b", fake.github())
    result = run("share", "logs", "--out", "out", "--output", "json")
    files = {each["path"]: each["share"] for each in json.loads(result.out)["files"]}
    assert result.code == 0
    assert {name: each["path"] for name, each in files.items()} == {
        "logs/a.jsonl": "out/a.jsonl",
        "logs/a/subagents/c-1.jsonl": "out/a.jsonl",
        "logs/b.jsonl": "out/b.jsonl",
        "logs/b/subagents/c-1.jsonl": "out/b.jsonl",
    }
    found = files["logs/a.jsonl"]["findings"]
    assert {each["placeholder"] for each in found} == {
        "[github-token-1]",
        "[password-1]",
        "[user-1]",
    }
    assert {place.get("file") for each in found for place in each["places"]} > {"a.jsonl"}
    assert run("verify", "out").code == 0
    assert run("share", "logs", "--out", "out").code == 2


def test_a_session_that_is_refused_writes_nothing(run: Run, here: Path) -> None:
    session(here / "logs", TOKEN)
    assert run("share", "logs", "--out", "out", "--output", "json").code == 3
    assert not (here / "out").exists()


def test_env_files_of_the_project(run: Run, here: Path) -> None:
    log = session_init(Log(here / ".robota" / "logs"))
    log.add("user", content="it is k9k9k9Zx81aQw there")
    log.write()
    (here / ".env").write_text("MY_TOKEN=k9k9k9Zx81aQw\n")
    path = ".robota/logs/session_demo-1.jsonl"
    assert run("share", "--verify-only", path).code == 3
    assert run("share", path, "--out", "o.jsonl").code == 0
    assert "k9k9" not in (here / "o.jsonl").read_text()


def test_standard_input(run: Run, here: Path) -> None:
    log = session_init(Log(here), systemPrompt=f"key {TOKEN}").write()
    assert run("share", "-", "--out", "new.jsonl", stdin=log.read_bytes()).code == 0
    assert run("validate", "new.jsonl").code == 0
    assert TOKEN not in (here / "new.jsonl").read_text()
    path = session(here / "logs").path  # whose sidecars are not there
    assert run("share", "-", "--out", "other.jsonl", stdin=path.read_bytes()).code == 1
    assert not (here / "other.jsonl").exists()


def test_verify_only_looks_into_sidecars(run: Run, here: Path) -> None:
    session(here / "logs")
    assert run("share", "logs/s-1.jsonl", "--out", "shared").code == 0
    for folder in (here / "shared" / "s-1.payloads", here / "shared" / "s-1" / "subagents"):
        side = next(folder.rglob("*.json"))
        calm = side.read_bytes()
        side.write_text(json.dumps(f"by {TOKEN}"))
        result = run("share", "--verify-only", "shared", "--output", "json")
        assert result.code == 3
        (entry,) = [e for e in json.loads(result.out)["files"] if e["share"]["left"]]
        (place,) = entry["share"]["left"][0]["places"]
        assert place["file"] == str(side.relative_to(here / "shared"))
        side.write_bytes(calm)
    side = next((here / "shared" / "s-1.payloads").iterdir())
    side.with_name("more.json").write_text(json.dumps(TOKEN))
    assert run("share", "--verify-only", "shared/s-1.jsonl").code == 3
    side.with_name("more.json").write_bytes(b"\x1f\x8b\x08cut")
    assert run("share", "--verify-only", "shared/s-1.jsonl").code == 1
    side.with_name("more.json").write_text(json.dumps(TOKEN))
    (here / "shared" / "s-1.jsonl").unlink()
    assert run("share", "--verify-only", "shared").code == 3
    side.with_name("more.json").unlink()
    side.with_name(f"{TOKEN}.json").write_text("1")
    assert run("share", "--verify-only", "shared").code == 3
    side.with_name(f"{TOKEN}.json").unlink()
    assert run("share", "--verify-only", "shared").code == 0
    (here / "shared" / TOKEN).mkdir()
    (here / "shared" / TOKEN / "x.txt").write_text("calm")
    assert run("share", "--verify-only", "shared").code == 3
