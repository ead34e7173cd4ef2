"""`sesskit scrub`: where results go, what is told, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from fake_secrets import Fake
from sesskit.schemas.outcomes import Unreadable

fake = Fake(5)
TOKEN = fake.github()
LOGS = Path(__file__).parents[1] / "data" / "robota-log"
DATA = Path(__file__).parents[1] / "data" / "robota-record" / "vectors" / "reencoded"
PLAIN = '{"apiKey": "abc",\n "n": [1.0, {"password": {"x": 1}}], "t": "\\u0041"}\n'
SCRUBBED = '{"apiKey": "[REDACTED]",\n "n": [1.0, {"password": "[REDACTED]"}], "t": "\\u0041"}\n'


def test_one_file_goes_to_standard_output(run: Run, here: Path) -> None:
    (here / "a.json").write_text(PLAIN)
    result = run("scrub", "a.json")
    assert (result.code, result.out) == (0, SCRUBBED)
    assert result.err == "sesskit: 2 values replaced\n"
    assert run("scrub", "a.json", "--quiet").err == ""
    assert run("scrub", "-", stdin=PLAIN.encode()).out == SCRUBBED


def test_to_a_file(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    (here / "a.json").write_text(PLAIN)
    result = run("scrub", "a.json", "--out", "b.json")
    assert result.code == 0
    assert result.out == snapshot
    assert (here / "b.json").read_text() == SCRUBBED
    assert (here / "a.json").read_text() == PLAIN
    assert run("scrub", "a.json", "--out", "b.json").code == 2
    assert run("scrub", "a.json", "--out", "b.json", "--force").code == 0
    assert run("scrub", "a.json", "--out", "a.json").code == 2


def test_values(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    (here / "a.jsonl").write_text(f'{{"t": "{TOKEN} in /home/ikeda/x"}}\n{{"t": "{TOKEN}"}}\n')
    result = run("scrub", "--values", "a.jsonl", "--out", "b.jsonl")
    assert result.code == 0
    assert result.out == snapshot
    text = (here / "b.jsonl").read_text()
    assert text == '{"t": "[github-token-1] in /home/[user-1]/x"}\n{"t": "[github-token-1]"}\n'


def test_json_report(run: Run, here: Path) -> None:
    (here / "a.json").write_text(json.dumps({"a": [{"t": f"x {TOKEN}"}], "password": "p"}))
    args = ("scrub", "--values", "a.json", "--out", "b.json", "--output", "json")
    (file,) = json.loads(run(*args).out)["files"]
    done = file["redaction"]
    assert (done["path"], done["count"], done["refused"]) == ("b.json", 2, None)
    first, second = done["findings"]
    assert first == {
        "rule": "github-token",
        "class": "secret",
        "confidence": "high",
        "placeholder": "[github-token-1]",
        "count": 1,
        "places": [{"line": 1, "column": 17, "pointer": "/a/0/t"}],
    }
    assert second["places"][0]["pointer"] == "/password"


def test_no_report_holds_a_value(run: Run, here: Path) -> None:
    (here / "a.json").write_text(json.dumps({"t": TOKEN, "secret": "Zq7kkkk12lll"}))
    for output in ("text", "json"):
        args = ("--out", "b.json", "--force", "--output", output)
        result = run("scrub", "--values", "a.json", *args)
        assert TOKEN[4:12] not in result.out + result.err
        assert "Zq7kk" not in result.out + result.err


def test_a_folder(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    inner = here / "in" / "deep"
    inner.mkdir(parents=True)
    (here / "in" / "a.json").write_text(PLAIN)
    (inner / "b.jsonl").write_text('{"secret": 1}\n')
    (inner / "like").write_text('{"secret": 1}\n')
    (inner / "photo.png").write_bytes(b"\x89PNG")
    result = run("scrub", "in", "--out", "out")
    assert result.code == 0
    assert result.out == snapshot
    assert (here / "out" / "a.json").read_text() == SCRUBBED
    assert (here / "out" / "deep" / "b.jsonl").read_text() == '{"secret": "[REDACTED]"}\n'
    assert (here / "out" / "deep" / "like").exists()
    assert not (here / "out" / "deep" / "photo.png").exists()
    assert run("scrub", "in").code == 2
    assert run("scrub", "in", "--out", "out2", "--as", "text").code == 0
    assert (here / "out2" / "deep" / "photo.png").exists()


def test_in_place(run: Run, here: Path) -> None:
    (here / "a.json").write_text(PLAIN)
    assert run("scrub", "a.json", "--in-place").code == 0
    assert (here / "a.json").read_text() == SCRUBBED
    assert (here / "a.json.bak").read_text() == PLAIN
    assert run("scrub", "a.json", "--in-place", "--out", "b").code == 2
    assert run("scrub", "-", "--in-place").code == 2


def test_extended_and_fill(run: Run, here: Path) -> None:
    value = {"token": "t", "max_tokens": 5, "args": json.dumps({"clientSecret": "c", "n": 1})}
    result = run("scrub", "--extended", "--fill", "-", "-", stdin=json.dumps(value).encode())
    out = json.loads(result.out)
    assert (out["token"], out["max_tokens"]) == ("-", 5)
    assert json.loads(out["args"]) == {"clientSecret": "-", "n": 1}


def test_lists_of_values(run: Run, here: Path) -> None:
    (here / "deny").write_text("# names\n\nFalkor\n")
    (here / "allow").write_text(TOKEN)
    text = f"Falkor {TOKEN}".encode()
    args = ("scrub", "--values", "--as", "text", "--deny", "deny", "--allow", "allow", "-")
    assert run(*args, stdin=text).out == f"[denied-1] {TOKEN}"
    result = run("scrub", "--deny", "nowhere", "-", stdin=text)
    assert (result.code, result.err) == (2, "sesskit: --deny nowhere: there is no such file\n")


def test_what_this_machine_knows(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = here / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Noor Ikeda\n\temail = noor@ikeda.dev\n")
    (here / ".env").write_text("DB_PASSWORD='Zq7kkkk12lll'\nLANG=C\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", "noori")
    monkeypatch.setenv("MY_API_KEY", "k9" * 3 + "Zx81aQw")
    (here / "a.txt").write_text("Noor Ikeda noori Zq7kkkk12lll k9k9k9Zx81aQw")
    result = run("scrub", "--values", "--as", "text", "a.txt")
    assert result.out == "[person-1] [user-1] [password-1] [api-key-1]"


def test_a_session_keeps_its_schemas(run: Run, here: Path) -> None:
    value = json.loads((DATA / "tool-calling.json").read_bytes())
    node = {"type": "object", "properties": {"password": {"type": "string"}}}
    value["record"]["toolSchemas"] = [{"name": "t", "description": "d", "parameters": node}]
    value["record"]["messages"][0]["metadata"] = {"secret": "s"}
    (here / "s.json").write_text(json.dumps(value))
    result = run("scrub", "s.json")
    assert result.code == 0
    out = json.loads(result.out)["record"]
    assert out["toolSchemas"] == value["record"]["toolSchemas"]
    assert out["messages"][0]["metadata"] == {"secret": "[REDACTED]"}


def test_what_cannot_be_read(run: Run, here: Path, snapshot: SnapshotAssertion) -> None:
    (here / "wide.json").write_bytes('{"secret":1}'.encode("utf-16"))
    (here / "cut.jsonl").write_text('{"a":1}\n{"secret":"abc\n')
    (here / "zeros.json").write_bytes(bytes(3 << 20))
    result = run("scrub", "wide.json", "cut.jsonl", "gone.json", "zeros.json", "--out", "out/")
    assert result.code == 1
    assert result.out == snapshot
    assert (here / "out" / "cut.jsonl").read_text() == '{"a":1}\n{"secret":"[REDACTED]"\n'
    assert not (here / "out" / "wide.json").exists()
    assert run("scrub", "gone.json").code == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("a.json", "--as", "yaml"), "--as takes json, jsonl or text"),
        (("a.json", "--output", "json"), "the result goes to standard output"),
        ((), "name a file or a folder"),
    ],
)
def test_bad_usage(run: Run, here: Path, args: tuple[str, ...], words: str) -> None:
    (here / "a.json").write_text("{}")
    result = run("scrub", *args)
    assert result.code == 2
    assert words in result.err


def test_a_big_file_streams(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.cli.scrub_inputs.STREAMED_BYTES", 64)
    lines = [f'{{"n":{n},"password":"p{n}"}}' for n in range(100)]
    (here / "a.jsonl").write_text("\n".join(lines))
    expected = "\n".join(f'{{"n":{n},"password":"[REDACTED]"}}' for n in range(100))
    assert run("scrub", "a.jsonl").out == expected
    assert run("scrub", "-", "--as", "jsonl", stdin="\n".join(lines).encode()).out == expected
    result = run("scrub", "a.jsonl", "--out", "b.jsonl", "--output", "json")
    (file,) = json.loads(result.out)["files"]
    assert file["redaction"]["count"] == 100
    assert (here / "b.jsonl").read_text() == expected
    values = run("scrub", "--values", "a.jsonl", "-q")
    assert values.out.count("[password-") == 100
    assert run("scrub", "-", "--values", "-q", stdin="\n".join(lines).encode()).out == values.out


def test_files_of_one_session_share_what_they_give_away(run: Run, here: Path) -> None:
    value = fake.letters(20)
    (here / "in" / "s" / "subagents").mkdir(parents=True)
    (here / "in" / "s.jsonl").write_text(f'{{"t": "it was {value}"}}\n{{"t": "[api-key-1]"}}\n')
    (here / "in" / "s" / "subagents" / "1.jsonl").write_text(f'{{"t": "API_KEY={value}"}}\n')
    (here / "in" / "other.jsonl").write_text(f'{{"t": "it was {value}"}}\n')
    assert run("scrub", "--values", "in", "--out", "out").code == 0
    assert (here / "out" / "s.jsonl").read_text() == (
        '{"t": "it was [api-key-2]"}\n{"t": "[api-key-1]"}\n'
    )
    sub = (here / "out" / "s" / "subagents" / "1.jsonl").read_text()
    assert sub == '{"t": "API_KEY=[api-key-2]"}\n'
    assert value in (here / "out" / "other.jsonl").read_text()


@pytest.mark.parametrize("big", [False, True])
def test_big_files_of_one_session(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, big: bool
) -> None:
    if big:
        monkeypatch.setattr("sesskit.cli.scrub_inputs.STREAMED_BYTES", 64)
    value = fake.letters(20)
    lines = f'{{"t": "it was {value}"}}\n' * 10
    (here / "in" / "s").mkdir(parents=True)
    (here / "in" / "s.jsonl").write_text(lines)
    (here / "in" / "s" / "note.json").write_text(json.dumps({"password": value}))
    (here / "in" / "s" / "broken.json").write_bytes(b"\0\0\0")
    assert run("scrub", "--values", "in", "--in-place").code == 1
    assert (here / "in" / "s.jsonl").read_text() == '{"t": "it was [password-1]"}\n' * 10


def test_a_log_with_sidecars_stays_whole(run: Run, here: Path) -> None:
    shutil.copytree(LOGS / "vectors" / "valid" / "spill-default" / "log", here / "in")
    log = here / "in" / "spill-default.jsonl"
    sidecar = max((here / "in" / "spill-default.payloads").rglob("*.json"), key=size_of)
    secret = re.search(r"[A-Za-z]{5,9}", sidecar.read_text()[500:])
    assert secret
    (here / "deny.txt").write_text(secret[0])
    assert run("scrub", "--values", "in", "--out", "out", "--deny", "deny.txt").code == 0
    assert run("verify", "out/spill-default.jsonl").code == run("verify", str(log)).code
    files = [path for path in (here / "out").rglob("*") if path.is_file()]
    assert len(files) > 1
    assert not any(secret[0] in path.read_text() for path in files)
    result = run("scrub", "--values", "in", "--in-place", "--deny", "deny.txt")
    assert result.code == 0
    assert "named by their digests" in result.out


def size_of(path: Path) -> int:
    return path.stat().st_size


def test_a_big_session_stays_valid(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.cli.scrub_inputs.STREAMED_BYTES", 64)
    log = sorted((LOGS / "vectors" / "valid" / "stream-tools" / "log").glob("*.jsonl"))[0]
    (here / "log.jsonl").write_bytes(log.read_bytes())
    assert run("validate", "log.jsonl").code == 0
    assert run("scrub", "--values", "log.jsonl", "--out", "new.jsonl").code == 0
    assert run("validate", "new.jsonl").code == 0
    monkeypatch.setattr("sesskit.cli.scrubbing.broken", lambda *_: Unreadable("broken"))
    result = run("scrub", "--values", "log.jsonl", "--out", "other.jsonl")
    assert not (here / "other.jsonl").exists()
    assert "would not be valid" in result.out


def test_text_that_nothing_looks_into(run: Run, here: Path) -> None:
    (here / "x.txt").write_text("password=Qz93kfKd82mmXw\n")
    hint = "into which only --values looks"
    assert hint in run("scrub", "x.txt").err
    assert hint in " ".join(run("scrub", "x.txt", "--out", "y.txt").out.split())
    assert hint not in run("scrub", "x.txt", "--values").err
    (here / "x.json").write_text('{"a": 1}')
    assert hint not in run("scrub", "x.json").err


def test_links_in_a_folder_lead_nowhere(run: Run, here: Path) -> None:
    (here / "d").mkdir()
    outside = here / "outside.json"
    outside.write_text('{"password": "x"}')
    (here / "d" / "link.json").symlink_to("../outside.json")
    (here / "d" / "a.json").write_text('{"password": "x"}')
    assert run("scrub", "d", "--out", "e").code == 0
    assert run("scrub", "d", "--in-place").code == 0
    assert outside.read_text() == '{"password": "x"}'
    assert [path.name for path in (here / "e").iterdir()] == ["a.json"]
    assert [path.name for path in here.iterdir() if path.suffix == ".bak"] == []


def skipped(data: bytes) -> bytes:
    return b"\x50\x2a\x4d\x18\x01\0\0\0x" + data


def database(data: bytes) -> bytes:
    return b"SQLite format 3\0" + data


def long(data: bytes) -> bytes:
    return gzip.compress(data) + bytes(range(1, 256)) * 70_000


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, bz2.compress, lzma.compress, zlib.compress, skipped, database, long],
)
def test_what_is_packed_is_not_scrubbed_without_a_word(
    pack: Callable[[bytes], bytes], run: Run, here: Path
) -> None:
    (here / "a.jsonl").write_bytes(pack(b'{"password": "x"}\n'))
    for options in ((), ("--values",)):
        result = run("scrub", "a.jsonl", *options, "--out", "b.jsonl")
        assert result.code == 1
        assert "it is packed" in result.out
        assert not (here / "b.jsonl").exists()
