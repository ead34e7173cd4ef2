"""`sesskit share` of dsh logs: into the layout that dsh reads."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from command_line import Run
from fake_secrets import Fake
from sesskit.artifacts.share_dsh import opened
from sesskit.logs.dsh.frames import write_frame
from sesskit.logs.dsh.paths import seed_project_folder

VALID = Path(__file__).parents[1] / "data" / "dsh-log" / "vectors" / "valid"
fake = Fake(51)
TOKEN = fake.github()


def log(case: str = "secrets-fake") -> str:
    text = opened((VALID / case / "session.jsonl.zstd").read_bytes())
    return text.replace("ghp_FAKE000000000000000000000000000000", TOKEN).replace(
        "/workspace/acme-shop", "/home/ikeda/shop"
    )


def put(root: Path, text: str, folder: str = "--home-ikeda-shop--") -> Path:
    header: dict[str, str] = json.loads(text.partition("\n")[0])
    path = root / folder / header["id"] / "session.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_a_log_that_dsh_finds(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    path = put(here / "sessions", log())
    before = path.read_bytes()
    result = run("share", path.relative_to(here), "--out", "shared")
    assert result.code == 0
    assert result.out == snapshot
    made = here / "shared" / "--home-~005Buser-1~005D-shop--" / "secrets-1" / "session.jsonl"
    assert path.read_bytes() == before
    assert TOKEN not in made.read_text()
    report = json.loads(run("validate", "shared", "--output", "json").out)
    (file,) = report["files"]
    assert (file["status"], file["original"]["verdict"]) == ("valid", "accept")
    for command in ("inspect", "replay"):
        assert run(command, made).code == 0
    assert run("share", "--verify-only", "shared").code == 0
    again = json.loads(run("share", path, "--out", "other/", "--output", "json").out)
    assert again["files"][0]["share"]["path"].startswith("other/--home-~005Buser-1~005D-shop--")


def test_two_of_the_same_session(run: Run, here: Path) -> None:
    (here / "logs").mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (here / "logs" / name).write_text(log())
    result = run("share", "logs", "--out", "out")
    assert result.code == 1
    assert "it would become the same file as logs/a.jsonl" in " ".join(result.out.split())
    assert len(list((here / "out").rglob("*.jsonl"))) == 1


def test_one_file(run: Run, here: Path) -> None:
    (here / "a.jsonl").write_text(log())
    assert run("share", "a.jsonl", "--out", "b.jsonl").code == 0
    assert run("validate", "b.jsonl").code == 0
    assert run("share", "a.jsonl", "--out", "b.jsonl.zstd").code == 0
    assert run("validate", "b.jsonl.zstd").code == 0
    assert TOKEN not in opened((here / "b.jsonl.zstd").read_bytes())


def test_a_root_goes_session_by_session_with_helpers(run: Run, here: Path) -> None:
    text = log()
    put(here / "sessions", text)
    child = text.replace(
        '"id":"secrets-1"', '"id":"helper-1","parentSession":"secrets-1","origin":"subagent"'
    )
    child = child.replace('"delegationDepth":0', '"delegationDepth":1')
    child = child.replace('"createdAt":1787000000007,', "", 1).replace(
        '"cwd"', '"createdAt":1787000000007,"cwd"', 1
    )
    head, _, rest = child.partition("\n")
    names = ("type", "version", "id", "createdAt", "cwd", "parentSession", "origin",
             "delegationDepth")  # fmt: skip
    header = json.loads(head)
    put(here / "sessions", json.dumps({n: header[n] for n in names}) + "\n" + rest)
    result = run("share", "sessions", "--out", "out", "--output", "json")
    assert result.code == 0, result
    files = {each["path"]: each["share"]["path"] for each in json.loads(result.out)["files"]}
    assert len(set(files.values())) == 1
    shared = sorted(path.parent.name for path in (here / "out").rglob("session.jsonl"))
    assert shared == ["helper-1", "secrets-1"]
    assert run("validate", "out").code == 0


def test_scrub_keeps_the_nodes_of_schemas(run: Run, here: Path) -> None:
    node = '{"type":"object","properties":{"password":{"type":"string"}},"required":[]}'
    text = log().replace('"parameters":{', f'"parameters":{node},"x":{{', 1)
    (here / "a.jsonl").write_text(text)
    (here / "b.jsonl.zstd").write_bytes(
        write_frame(text.partition("\n")[0].encode() + b"\n")
        + write_frame(text.partition("\n")[2].encode())
    )
    for name in ("a.jsonl", "b.jsonl.zstd"):
        assert run("scrub", name, "--out", f"new-{name}").code == run("validate", name).code
        assert '"password":{"type":"string"}' in opened((here / f"new-{name}").read_bytes())


def test_verify_only_looks_into_archives(run: Run, here: Path) -> None:
    def archive(name: str, *files: tuple[str, bytes], comment: bytes = b"") -> None:
        with zipfile.ZipFile(here / name, "w", zipfile.ZIP_DEFLATED) as made:
            made.comment = comment
            for inner, data in files:
                made.writestr(inner, data)

    clean = log("chat-small-zstd").encode()
    archive("clean.zip", ("session.jsonl", clean))
    archive("text.zip", ("session.jsonl", clean), ("subagents/a/session.jsonl", log().encode()))
    archive("name.zip", (f"{TOKEN}.txt", b"x"))
    archive("comment.zip", ("a.txt", b"x"), comment=TOKEN.encode())
    inside = io.BytesIO((here / "text.zip").read_bytes()).getvalue()
    archive("nested.zip", ("inner.zip", inside))
    (here / "cut.zip").write_bytes((here / "text.zip").read_bytes()[:200])
    (here / "page.html").write_text(f"<p title='{TOKEN[:6]}&#x{ord(TOKEN[6]):x};{TOKEN[7:]}'>")
    expected = {
        "clean.zip": 0,
        "text.zip": 3,
        "name.zip": 3,
        "comment.zip": 3,
        "nested.zip": 3,
        "cut.zip": 1,
        "page.html": 3,
    }
    found = {name: run("share", "--verify-only", name).code for name in expected}
    assert found == expected


def test_the_layout_of_june_2026(run: Run, here: Path) -> None:
    text = (VALID / "seed-era-full" / "session.jsonl").read_text()
    text = text.replace("/workspace/acme-shop", "/home/ikeda/shop")
    path = here / "in" / seed_project_folder("/home/ikeda/shop") / "seed-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert run("validate", path).code == 0
    assert run("share", "in", "--out", "out").code == 0
    (made,) = (here / "out").rglob("*.jsonl")
    assert made.parent.name == seed_project_folder("/home/[user-1]/shop")
    report = json.loads(run("validate", "out", "--output", "json").out)
    before = json.loads(run("validate", "in", "--output", "json").out)
    assert report["files"][0]["original"] == before["files"][0]["original"]


def test_a_database(run: Run, here: Path) -> None:
    source = here / "sessions.db"
    source.write_bytes((VALID / "sqlite-v17" / "sessions.db").read_bytes())
    with closing(sqlite3.connect(source)) as database:
        count = database.execute(
            "UPDATE events SET data = replace(data, 'briefly', ?) WHERE typeof(data) = 'text'",
            (f"with {TOKEN}",),
        ).rowcount
        database.execute("UPDATE sessions SET cwd = '/home/ikeda/x'")
        sessions = database.execute("SELECT count(*) FROM sessions").fetchone()[0]
        database.commit()
    assert count
    assert run("validate", source).code == 0
    assert run("share", source, "--out", "out").code == 0
    made = list((here / "out").rglob("*.jsonl"))
    assert len(made) == sessions
    assert run("validate", "out").code == 0
    for path in made:
        assert path.parent.parent.name == "--home-~005Buser-1~005D-x--"
        assert TOKEN not in path.read_text()
    assert run("share", "--verify-only", source).code == 3
    assert run("share", source, "--out", "one.jsonl").code == (0 if sessions == 1 else 1)
    source.write_bytes((VALID / "sqlite-v14" / "sessions.db").read_bytes())
    assert run("share", source, "--out", "two").code == 1  # a session in it cannot be read
    assert not (here / "two").exists()


def test_sessions_that_say_they_started_each_other(run: Run, here: Path) -> None:
    head, _, rest = log().partition("\n")
    for mine, other in (("a", "b"), ("b", "a")):
        header = json.loads(head) | {"id": mine}
        depth = header.pop("delegationDepth")
        header |= {"parentSession": other, "origin": "subagent", "delegationDepth": depth + 1}
        put(here / "sessions", json.dumps(header) + "\n" + rest)
    result = run("share", "sessions", "--out", "out", "--output", "json")
    paths = [(each["share"] or {}).get("path") for each in json.loads(result.out)["files"]]
    assert len(paths) == 2
    for path in here.joinpath("out").rglob("*.jsonl") if (here / "out").exists() else ():
        assert TOKEN not in path.read_text()
    assert run("scrub", "sessions", "--out", "scrubbed").code in (0, 1)
