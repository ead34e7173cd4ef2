"""`sesskit replay`: what people read, what programs get, and what neither may see."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from command_line import Run
from ochat_builders import called, file_of, said
from ochat_vectors import INDEX, Row, name_of, raw
from robota_vectors import BASES
from sesskit.cli import replaying
from sesskit.cli.replay_json import replay_member
from sesskit.cli.replay_text import conversation
from sesskit.cli.replaying import Form, Made, Seen, Wishes, loss_words
from sesskit.cli.report_schema import SCHEMA
from sesskit.cli.screen import Screen
from sesskit.logs.formats import Finding
from sesskit.records.refs import reader
from sesskit.records.view import (
    Blob,
    Call,
    CallRefs,
    Compaction,
    Input,
    Loss,
    Message,
    Notice,
    Opaque,
    Reasoning,
    Ref,
    Result,
    Session,
    StoredFile,
    Text,
    ToolCall,
    Turn,
    Uri,
)
from sesskit.schemas.instants import Instant
from sesskit.schemas.outcomes import Valid

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKED = Draft202012Validator(SCHEMA)
TRIP = "examples/ochat/coast-trip.bin"
NOTES = "examples/healthy/release-notes.json"


@pytest.fixture(autouse=True)
def _beside_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


def files_of(out: str) -> list[Any]:
    report = json.loads(out)
    CHECKED.validate(report)
    return list(report["files"])


@pytest.mark.parametrize(
    "name",
    [
        "healthy/release-notes.json",
        "healthy/night-watch.json",
        "legacy/budget-review.json",
        "damaged/cut-short.json",
        "damaged/zero-filled.json",
        "ochat/coast-trip.bin",
        "ochat/reading-list-v2.bin",
        "ochat/damaged/cut-short.bin",
        "ochat/store/choir/snapshot.bin",
    ],
)
def test_a_conversation(name: str, run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("replay", f"examples/{name}")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert (result.code, result.err) == (int("damaged" in name), "")
    assert result.out == snapshot


def test_as_json(run: Run, snapshot: SnapshotAssertion) -> None:
    (file,) = files_of(run("replay", TRIP, "--output", "json").out)
    assert file["replay"] == snapshot


def test_several_files_and_a_store(run: Run) -> None:
    result = run("replay", "examples", "--output", "json")
    files = files_of(result.out)
    assert result.code == 1
    others = [f for f in files if f["format"] not in ("robota-log", "robota-history")]
    records = {"robota-record", "robota-record-bare", "ochat-record"}
    assert {f["format"] for f in others} == {*records, "dsh-log"}
    assert all("replay" in f for f in others)
    assert "Hillford" in run("replay", "coast-trip", "--store", "examples/ochat/store").out
    assert "night" in run("replay", "night-watch", "--store", "examples/store").out


def test_what_has_no_session(run: Run) -> None:
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    Path("zeros.json").write_bytes(b"\0" * 64)
    result = run("replay", "picture.png", "zeros.json", "gone.json", "--output", "json")
    assert result.code == 1
    assert all("replay" not in f for f in files_of(result.out))


def test_full_shortens_nothing(run: Run) -> None:
    long = "".join(f"line {n}\n" for n in range(400))
    Path("s.bin").write_bytes(file_of(said(long), called()))
    short, whole = run("replay", "s.bin").out, run("replay", "s.bin", "--full").out
    assert "--full shows all" in short
    assert "line 399" not in short
    assert "--full shows all" not in whole
    assert "line 399" in whole


def test_messages(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("replay", TRIP, "--as", "messages")
    assert (result.code, json.loads(result.out)) == (0, snapshot(name="messages"))
    assert result.err == snapshot(name="losses")
    assert run("replay", TRIP, "--as", "messages", "--strict").code == 1
    assert run("replay", TRIP, "--as", "messages", "--strict", "--exit-zero").code == 0
    assert run("replay", TRIP, "--as", "messages", "--quiet").err == ""


def test_messages_to_a_file(run: Run) -> None:
    result = run("replay", NOTES, "--as", "messages", "--out", "m.json", "--fill-results")
    assert (result.code, result.out, result.err) == (0, "", "")
    made = json.loads(Path("m.json").read_bytes())
    assert made[0]["role"] == "system"
    assert made[-1]["content"].startswith("The tag v2.4.0")
    assert "[there is no result: interrupted]" in [one["content"] for one in made]
    assert run("replay", NOTES, "--as", "messages", "--out", "m.json").code == 2


def test_secrets_of_messages_are_masked_unless_asked_for(run: Run) -> None:
    secret = "not-a-real-key-0000"
    assert secret not in run("replay", TRIP, "--as", "messages").out
    assert secret in run("replay", TRIP, "--as", "messages", "--unmasked").out
    assert secret not in run("replay", TRIP, "--full").out
    assert secret not in run("replay", TRIP, "--output", "json").out
    for form in (("--full",), ("--output", "json")):
        result = run("replay", TRIP, *form, "--unmasked")
        assert (result.code, secret in result.out) == (0, True)


@pytest.mark.parametrize("name", ["damaged/cut-short.json", "ochat/damaged/cut-short.bin", "gone"])
def test_only_a_valid_session_becomes_messages(name: str, run: Run) -> None:
    result = run("replay", f"examples/{name}", "--as", "messages")
    assert (result.code, result.out) == (1, "")
    assert "nothing was written; sesskit validate" in result.err
    assert run("replay", f"examples/{name}", "--as", "messages", "--exit-zero").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a file"),
        ((TRIP, "--as", "message"), "did you mean messages?"),
        ((TRIP, "--as", "messages", "--output", "json"), "leave out --output"),
        ((TRIP, "--fill-results"), "goes with --as"),
        (("examples", "--as", "messages"), "takes one session"),
        ((TRIP, "--out", TRIP), "is one of the files to read"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    result = run("replay", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_a_format_can_bring_a_form_of_its_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Form(f"{__name__}:_lines", ("ochat-record",))
    monkeypatch.setitem(replaying.FORMS, "lines", lines)
    monkeypatch.setattr("sesskit.cli.replaying.import_module", lambda _: _Module)
    assert run("replay", TRIP, "--as", "lines").out == "13 messages\n"
    result = run("replay", NOTES, "--as", "lines")
    assert (result.code, result.out) == (2, "")
    assert "--as lines is of ochat-record, not of robota-record" in result.err


class _Module:
    @staticmethod
    def _lines(seen: Seen, wishes: Wishes) -> Made:
        results = sum(len(call.refs.results) for call in seen.session.calls())
        return Made(f"{sum(1 for _ in seen.session.messages()) + results} messages\n")


def test_a_format_without_a_view(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sesskit.cli.replay.seen_in", lambda *_: None)
    result = run("replay", TRIP, "--as", "messages")
    assert (result.code, "has no session view" in result.err) == (2, True)


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_every_snapshot_can_be_replayed(row: Row, run: Run) -> None:
    Path("s.bin").write_bytes(raw(f"{row['name']}.bin"))
    text = run("replay", "s.bin")
    assert text.code == 0
    assert all(len(line) <= 80 for line in text.out.splitlines() if line.isascii())
    (file,) = files_of(run("replay", "s.bin", "--output", "json").out)
    assert file["replay"]["whole"]
    assert isinstance(json.loads(run("replay", "s.bin", "--as", "messages").out), list)


@pytest.mark.parametrize("name", BASES)
def test_every_record_can_be_replayed(name: str, run: Run) -> None:
    Path("s.json").write_text(json.dumps({"schemaVersion": 1, "record": BASES[name]}))
    assert run("replay", "s.json").code == 0
    (file,) = files_of(run("replay", "s.json", "--output", "json").out)
    said = sum(len(turn["messages"]) for turn in file["replay"]["turns"])
    tools = sum(m["role"] == "tool" for m in BASES[name]["messages"])
    assert said == len(BASES[name]["messages"]) - tools
    assert isinstance(json.loads(run("replay", "s.json", "--as", "messages").out), list)


DATA = b'{"password": "not-a-real-one", "n": 1e999}the rest of it'
VALUE, REST = Ref(0, 42), Ref(42, 14, 3, form="raw")
TIME, LATER = Instant(1_780_000_000_000), Instant(1_780_100_000_000)


def odd() -> Session:
    """A session with one of everything that no format here has yet."""
    call = Call(
        "c1",
        "run",
        "failed",
        CallRefs(VALUE, (REST,)),
        kind="shell",
        input=Input(VALUE),
        result=Result((Text(REST), Blob(REST, None)), exit=2, duration=1.5),
    )
    blocks = (
        Reasoning(REST, sealed=True),
        Reasoning(None),
        Blob(REST, "image/png"),
        Uri(REST, None),
        StoredFile("file-1", REST),
        Compaction(REST, 7),
        Compaction(REST),
        Notice("word", REST),
        Opaque("odd", REST),
        ToolCall(call),
        ToolCall(Call(None, "", "open", CallRefs(REST))),
    )
    first = Message("user", "machine", (Text(REST),), (REST,), time=TIME)
    other = Message(
        "assistant", "model", blocks, (REST,), time=Instant(TIME.ms + 10**8), model="m-1"
    )
    turns = (
        Turn(1, (first, other), "error", "t1", TIME, LATER, reason="no\tnet"),
        Turn(2, (first,), "complete", None, TIME, TIME),
    )
    return Session("x", VALUE, title="Odd", system=(REST,), turns=turns)


def seen() -> Seen:
    return Seen(Finding("x", Valid(None), "x"), odd(), reader(DATA))


def test_one_of_everything(snapshot: SnapshotAssertion) -> None:
    lines = list(conversation(seen(), Screen()))
    assert "\n".join(lines) == snapshot(name="text")
    member = replay_member(seen())
    assert member == snapshot(name="json")
    file: dict[str, Any] = {"path": "x", "version": None, "status": "valid", "issues": []}
    whole = {"$defs": SCHEMA["$defs"], **SCHEMA["$defs"]["file"]}
    Draft202012Validator(whole).validate({**file, "replay": member})


def test_in_colour() -> None:
    text = "\n".join(conversation(seen(), Screen(80, colour=True)))
    assert "\x1b[31mfailed\x1b[0m" in text


def test_losses_in_words() -> None:
    first = Ref(5, 1, 14, "/record/messages/3")
    assert loss_words((Loss("picture", 1, first),)) == (
        "1 loss in 1 kind: picture 1 (first at line 14, record.messages[3])"
    )
    assert loss_words((Loss("a", 2, Ref(5, 1)), Loss("b", 1))) == (
        "3 losses in 2 kinds: a 2 (first at byte 5), b 1"
    )
