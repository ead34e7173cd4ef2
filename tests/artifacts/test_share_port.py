"""An application's own redaction, for every format: what it gives back is a session or nothing."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robota_share_logs import Log, message, mutation, session_init
from sesskit.artifacts.share import Share
from sesskit.artifacts.share_dsh import opened
from sesskit.artifacts.share_formats import share_format
from sesskit.artifacts.share_port import Text, share_values
from sesskit.logs.robota_verify import verify_log
from sesskit.records.ochat import decode, export_json
from sesskit.schemas.outcomes import Valid

DATA = Path(__file__).parents[1] / "data"
RECORD = DATA / "robota-record" / "vectors" / "reencoded" / "small-chat.json"
DSH = DATA / "dsh-log" / "vectors" / "valid" / "chat-small-zstd" / "session.jsonl.zstd"
OCHAT = DATA / "ochat-record" / "vectors" / "v5" / "everything.bin"
SINGLE = {"robota-record": RECORD, "dsh-log": DSH, "ochat-record": OCHAT}


def given(name: str, redact: Callable[[Any, Text], Any]) -> Share:
    path = SINGLE[name]
    return share_values(path.name, path.read_bytes(), name, redact, called=path.name)


@pytest.mark.parametrize("name", SINGLE)
def test_what_is_left_alone_stays_byte_for_byte(name: str) -> None:
    share = given(name, lambda value, text: value)
    assert opened_of(name, share.files[0].data) == opened_of(name, SINGLE[name].read_bytes())


def opened_of(name: str, data: bytes) -> str:
    adapter = share_format(name)
    assert adapter is not None
    return adapter.opened(data)


def test_a_record() -> None:
    def redact(value: Any, text: Text) -> Any:
        assert text == Text("small-chat.json")
        value["record"]["messages"] = []
        return value

    share = given("robota-record", redact)
    assert json.loads(share.files[0].data)["record"]["messages"] == []


def test_a_log_with_its_sidecars(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    mutation(log, log.spilled(message("user", "mine")))
    log.add("user", content="gone")
    path = log.write()
    seen: list[Text] = []

    def redact(value: Any, text: Text) -> Any:
        seen.append(text)
        if value.get("event") == "user":
            return None
        return {**value, "content": ""} if "content" in value else value

    adapter = share_format("robota-log")
    assert adapter is not None
    others = list(adapter.family(path, path.read_bytes()))
    share = share_values(path.name, path.read_bytes(), "robota-log", redact, others)
    assert [text.line for text in seen] == [1, 2, 3, None]
    out = tmp_path / "out"
    for file in share.files:
        (out / file.name).parent.mkdir(parents=True, exist_ok=True)
        (out / file.name).write_bytes(file.data)
    found = verify_log(out / share.files[0].name)
    assert (found.outcome.status, found.lines, found.sidecars) == ("valid", 2, 1)
    assert json.loads(share.files[1].data)["content"] == ""


def test_a_dsh_log() -> None:
    def redact(value: Any, text: Text) -> Any:
        return {**value, "cwd": "/elsewhere"} if text.line == 1 else value

    path = DSH
    share = share_values(path.name, path.read_bytes(), "dsh-log", redact)
    assert share.files[0].name.startswith("--elsewhere--/")
    assert json.loads(opened(share.files[0].data).splitlines()[0])["cwd"] == "/elsewhere"
    without = share_values(
        path.name, path.read_bytes(), "dsh-log", lambda v, t: None if t.line == 4 else v
    )
    assert not without.files
    assert 4 in {one.line for one in without.outcome.issues if one.severity == "error"}


def test_a_snapshot() -> None:
    share = given("ochat-record", lambda value, _: {**value, "kv_store": [["a", "\udcff"]]})
    outcome = decode(share.files[0].data)
    assert isinstance(outcome, Valid)
    value = json.loads(export_json(outcome.value))
    assert value["kv_store"] == [["a", {"$bytes_b64": "/w=="}]]


def endless() -> Any:
    held: list[Any] = []
    held.append(held)
    return held


REFUSED = [
    pytest.param("robota-record", "record.createdAt", lambda r: r["record"].update(createdAt=""),
                 id="an instant"),
    pytest.param("robota-record", "record.id", lambda r: r["record"].pop("id"), id="required"),
    pytest.param("robota-record", "record.name", lambda r: r["record"].update(name=None),
                 id="null"),
    pytest.param("ochat-record", "tasks[0].state", lambda r: r["tasks"][0].update(state="Lost"),
                 id="a word"),
    pytest.param("ochat-record", "kv_store[0]", lambda r: r.update(kv_store=[["x"]]), id="a pair"),
    pytest.param("robota-record", "record.name",
                 lambda r: r["record"].update(name=datetime.date.min), id="a date"),
    pytest.param("robota-record", "record.name", lambda r: r["record"].update(name=float("nan")),
                 id="NaN"),
    pytest.param("robota-record", "record.name", lambda r: r["record"].update(name={1: 2}),
                 id="a number as a name"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "path", "change"), REFUSED)
def test_what_is_refused_has_its_place(name: str, path: str, change: Any) -> None:
    def redact(value: Any, text: Text) -> Any:
        change(value)
        return value

    share = given(name, redact)
    assert not share.files
    assert share.why
    assert path in [issue.path for issue in share.outcome.issues]


def test_what_is_no_value_at_all() -> None:
    assert not given("robota-record", lambda value, _: None).files
    assert not given("robota-record", lambda value, _: endless()).files
    bare = share_values("x", b"{}", "robota-history", lambda value, _: value)
    assert "cannot be shared" in bare.why


def test_a_log_that_is_no_json() -> None:
    share = share_values("x.jsonl", b"nonsense\n", "robota-log", lambda value, text: value)
    assert not share.files
    assert share.why == "the session is not valid: this is no JSON"
    assert share.outcome.issues[0].line == 1
