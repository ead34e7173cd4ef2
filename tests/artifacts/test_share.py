"""Sharing: what comes out decodes and holds no secret, or nothing comes out."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fake_secrets import MAKERS, Fake
from sesskit.artifacts.documents import FOLLOWS, Document
from sesskit.artifacts.edits import Edit
from sesskit.artifacts.envelopes import ImportRefused, import_artifact
from sesskit.artifacts.share import Share, Wishes, share_data, share_record, verify_data
from sesskit.artifacts.share_formats import any_text, share_format
from sesskit.artifacts.span import Span
from sesskit.schemas.outcomes import Corrupt, Valid

VECTORS = Path(__file__).parents[1] / "data" / "robota-record" / "vectors"
BASES = sorted((VECTORS / "reencoded").glob("*.json"))
RECORD = "robota-record"
fake = Fake(11)
TOKEN = fake.github()
PASSWORD = "Zq7" + fake.letters(11)


def record(name: str = "small-chat") -> Any:
    return json.loads((VECTORS / "reencoded" / f"{name}.json").read_bytes())


def shared(value: Any, wishes: Wishes | None = None) -> Share:
    return share_data("s.json", json.dumps(value).encode(), RECORD, wishes or Wishes())


def result(value: Any, wishes: Wishes | None = None) -> Any:
    share = shared(value, wishes)
    assert share.files, share
    assert isinstance(share.outcome, Valid)
    return json.loads(share.files[0].data)


@pytest.mark.parametrize("base", BASES, ids=lambda path: path.stem)
def test_a_session_without_secrets_stays_as_it_is(base: Path) -> None:
    share = share_data(base.name, base.read_bytes(), RECORD, Wishes(images=True))
    assert share.files[0].data == base.read_bytes()
    assert share.left == ()


def test_what_goes_and_what_stays() -> None:
    value = record("tool-calling")
    inner = value["record"]
    inner["cwd"] = "/home/ikeda/work"
    inner["messages"][0]["content"] = f"my token is {TOKEN}, ask ikeda"
    inner["messages"][0]["metadata"] = {"counts": {"secret": 3}, "password": PASSWORD, "n": 1}
    inner["messages"][1]["toolCalls"][0]["function"]["arguments"] = json.dumps(
        {"token": TOKEN, "password": PASSWORD, "path": "/home/ikeda/x"}
    )
    schema = {"type": "object", "properties": {"password": {"type": "string", "default": PASSWORD}}}
    inner["toolSchemas"] = [{"name": "t", "description": "d", "parameters": schema}]
    out = result(value)["record"]
    assert out["cwd"] == "/home/[user-1]/work"
    assert out["messages"][0]["content"] == "my token is [github-token-1], ask [user-1]"
    assert out["messages"][0]["metadata"] == {
        "counts": {"secret": 0},
        "password": "[password-1]",
        "n": 1,
    }
    arguments = json.loads(out["messages"][1]["toolCalls"][0]["function"]["arguments"])
    assert arguments == {
        "token": "[github-token-1]",
        "password": "[password-1]",
        "path": "/home/[user-1]/x",
    }
    node = out["toolSchemas"][0]["parameters"]["properties"]["password"]
    assert node == {"type": "string", "default": "[password-1]"}
    for kept in ("id", "createdAt", "updatedAt"):
        assert out[kept] == inner[kept]
    assert [m["timestamp"] for m in out["messages"]] == [m["timestamp"] for m in inner["messages"]]


def test_images_go_by_default() -> None:
    value = record()
    part = {"type": "image_inline", "mimeType": "image/png", "data": "iVBORw0KGgo="}
    value["record"]["messages"][0]["parts"] = [part, {"type": "text", "text": "a"}]
    parts = result(value)["record"]["messages"][0]["parts"]
    assert parts == [{"type": "text", "text": "[image removed]"}, {"type": "text", "text": "a"}]
    found = shared(value).files[0].found
    assert [(f.rule, f.kind, f.pointer) for f in found] == [
        ("image", "removed", "/record/messages/0/parts/0")
    ]
    kept = result(value, Wishes(images=True))["record"]["messages"][0]["parts"]
    assert kept[0] == part


def test_a_token_over_the_pieces_of_a_task() -> None:
    value = record()
    value["record"]["backgroundTaskEvents"] = [
        {"type": "background_task_text_delta", "taskId": task, "delta": delta}
        for task, delta in (("a", TOKEN[:9]), ("b", "x"), ("a", TOKEN[9:]), ("a", " end"))
    ]
    events = result(value)["record"]["backgroundTaskEvents"]
    assert [e["delta"] for e in events] == ["[github-token-1]", "x", "", " end"]


def test_keys_only() -> None:
    value = record()
    value["record"]["messages"][0]["content"] = f"token {TOKEN}"
    value["record"]["messages"][0]["metadata"] = {"secret": "a", "token": TOKEN}
    message = result(value, Wishes(keys_only=True))["record"]["messages"][0]
    assert message["content"] == f"token {TOKEN}"
    assert message["metadata"] == {"secret": "[REDACTED]", "token": TOKEN}


def test_deny_allow_and_known() -> None:
    value = record()
    value["record"]["messages"][0]["content"] = f"Falkor met {TOKEN} at {PASSWORD}"
    known = (Span(0, 0, "environment", PASSWORD, "password"),)
    wishes = Wishes(deny=("Falkor",), allow=frozenset({TOKEN}), known=known)
    content = result(value, wishes)["record"]["messages"][0]["content"]
    assert content == f"[denied-1] met {TOKEN} at [password-1]"


def test_only_a_valid_session_is_shared() -> None:
    value = record()
    value["record"]["messages"][0]["content"] = None
    share = shared(value)
    assert not share.files
    assert isinstance(share.outcome, Corrupt)
    assert [i.path for i in share.outcome.issues] == ["record.messages[0].content"]
    bare = share_data("x", json.dumps(record()["record"]).encode(), "robota-record-bare", Wishes())
    assert not bare.files
    assert "cannot be shared" in bare.why


def test_a_secret_in_an_id_is_refused() -> None:
    value = record()
    value["record"]["id"] = TOKEN
    share = shared(value)
    assert share.refused
    assert not share.files
    assert {f.rule for _, f in share.left} == {"github-token"}


def test_a_secret_in_the_name_of_the_file_is_refused() -> None:
    share = share_data(f"{TOKEN}.json", json.dumps(record()).encode(), RECORD, Wishes())
    assert share.refused


def test_a_personal_name_in_an_id_goes() -> None:
    value = record()
    value["record"]["id"] = "session-ikeda-1"
    value["record"]["cwd"] = "/home/ikeda"
    share = shared(value)
    assert share.files
    assert not share.left
    assert json.loads(share.files[0].data)["record"]["id"] == "session-[user-1]-1"


PLACES: list[Callable[[Any, str], object]] = [
    lambda r, t: r["messages"][0].update(content=f"see {t}"),
    lambda r, t: r["messages"][1].update(content=json.dumps({"a": json.dumps({"b": t})})),
    lambda r, t: r.update(name=t),
    lambda r, t: r.update(id=f"s-{t}"),
    lambda r, t: r["messages"][0].update(metadata={t: 1}),
]


@pytest.mark.parametrize("kind", MAKERS)
def test_planted_secrets_are_refused(kind: str) -> None:
    """Five places for each of twenty kinds: a hundred secrets, one by one."""
    done = result(record())
    for number, plant in enumerate(PLACES):
        copied = copy.deepcopy(done)
        plant(copied["record"], MAKERS[kind](Fake(number)))
        data = json.dumps(copied, indent=2).encode()
        assert verify_data("s.json", data, Wishes()).refused, (kind, number)
    assert not verify_data("s.json", json.dumps(done).encode(), Wishes()).refused


def test_what_an_application_takes_out_is_decoded() -> None:
    value = record()["record"]
    data = share_record(value, lambda given: {**given, "cwd": ""})
    assert import_artifact(data).value.cwd == ""
    with pytest.raises(ImportRefused) as caught:
        share_record(value, lambda given: {**given, "createdAt": ""})
    assert [issue.path for issue in caught.value.issues] == ["record.createdAt"]


def test_the_table_of_formats() -> None:
    assert share_format(None) is None
    assert share_format("nonsense") is None
    adapter = share_format(RECORD)
    assert adapter is not None
    assert adapter.closed(adapter.opened(b"\xff{}"), b"") == b"\xff{}"
    assert list(adapter.family(Path("x"), b"")) == []
    assert adapter.belongs(Path("x")) is None


def test_pointers_hold_no_secret_either() -> None:
    value = record()
    value["record"]["history"][0]["data"] = {
        f"/home/ikeda/{TOKEN}": {"password": PASSWORD, "note": TOKEN}
    }
    found = shared(value).files[0].found
    assert len(found) == 4
    for one in found:
        assert TOKEN not in one.pointer
        assert "ikeda" not in one.pointer
    where = "/record/history/0/data/~1home~1[user-1]~1[github-token-1]/password"
    assert where in [one.pointer for one in found]


def test_a_session_of_several_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A side file is redacted with its session, renamed, and the reference follows."""

    def settled(documents: Sequence[Document], name: str) -> Sequence[Document]:
        main, side = documents
        old, side.name = side.name, "x/new.txt"
        start = main.text.index(old)
        main.add([Edit(start, start + len(old), side.name, Span(0, 0, FOLLOWS, ""), "", (9,))])
        return documents

    adapter = share_format(RECORD)
    assert adapter is not None
    monkeypatch.setattr(
        "sesskit.artifacts.share.share_format", lambda _: adapter._replace(settled=settled)
    )
    value = record()
    value["record"]["messages"][0]["content"] = f"token {TOKEN}, more in x/old.txt"
    data = json.dumps(value).encode()
    share = share_data("s.json", data, RECORD, Wishes(), [("x/old.txt", f"a {TOKEN}".encode())])
    main, side = share.files
    assert (side.name, side.data) == ("x/new.txt", b"a [github-token-1]")
    assert b"token [github-token-1], more in x/new.txt" in main.data
    assert [found.rule for found in main.found] == ["github-token"]
    assert [any_text(n)[0] for n in ("a.json", "a.jsonl", "a.txt")] == ["json", "jsonl", "text"]
