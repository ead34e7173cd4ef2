"""Sharing dsh logs: the same session for dsh, without its secrets."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

import pytest

from fake_secrets import MAKERS, Fake
from sesskit.artifacts.share import Share, Wishes, share_data, verify_data
from sesskit.artifacts.share_dsh import belongs, closed, family, opened
from sesskit.artifacts.share_formats import share_format
from sesskit.artifacts.share_unread import alike
from sesskit.logs.dsh import examine_log, migrate_log
from sesskit.logs.dsh.frames import MAGIC
from sesskit.schemas.outcomes import Valid

VECTORS = Path(__file__).parents[1] / "data" / "dsh-log" / "vectors"
FORMAT = "dsh-log"
fake = Fake(41)
TOKEN = fake.github()
PASSWORD = "Zq7" + fake.letters(11)
SECRETS = VECTORS / "valid" / "secrets-fake" / "session.jsonl.zstd"


def _valid() -> list[Path]:
    found = []
    for case in sorted(VECTORS.glob("valid/*")):
        for path in sorted([*case.glob("*session.*jsonl*"), *case.glob("migrated.*jsonl*")]):
            outcome = examine_log(io.BytesIO(path.read_bytes()), keep=False)
            if isinstance(outcome, Valid) and "seed-era" not in case.name:
                found.append(path)
    return found


VALID = _valid()


def shared(data: bytes, wishes: Wishes | None = None, called: str = "") -> Share:
    return share_data("log", data, FORMAT, wishes or Wishes(), (), called)


def result(share: Share) -> str:
    assert share.files, (share.why, share.left, share.outcome)
    return opened(share.files[0].data)


def values(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def without_seals(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_seals(v) for k, v in value.items() if k != "replayState"}
    return [without_seals(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", VALID, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_a_log_without_secrets_stays_as_it_is(path: Path) -> None:
    if path == SECRETS:
        return
    data = path.read_bytes()
    share = shared(data, Wishes(images=True))
    before = examine_log(io.BytesIO(data), keep=False)
    assert getattr(share.outcome, "original", None) == getattr(before, "original", None)
    text = result(share)
    assert values(text) == [without_seals(one) for one in values(opened(data))]
    assert {one.rule for one in share.files[0].found} <= {"sealed"}
    name = PurePath("/root", share.files[0].name)
    placed = examine_log(io.BytesIO(share.files[0].data), name, keep=False)
    assert (placed.status, placed.original) == ("valid", before.original)
    assert share.files[0].data.startswith(MAGIC) == data.startswith(MAGIC)


def real(text: str) -> str:
    """The log of made up secrets, with ones that look real, one of them over two pieces."""
    sealed = "sk-FAKE-0000000000000000000000000000"
    text = text.replace(f"ghp_FAKE{'0' * 30}", TOKEN)
    pieces = f'" with"," {sealed}"'
    assert pieces in text
    text = text.replace(pieces, f'" with {TOKEN[:11]}","{TOKEN[11:]}"')
    text = text.replace(sealed, TOKEN).replace("FAKE-pw-0000", PASSWORD)
    text = text.replace("/workspace/acme-shop", "/home/ikeda/shop")
    call = '":\\"env"'
    assert call in text
    text = text.replace("jane.doe@example.invalid", "noor@ikeda.dev")
    both = json.dumps(f'{{"name":"env","password":"{PASSWORD}"}}')
    text = text.replace(r'"{\"name\":\"env\"}"', both)
    return text.replace(r'"argumentsDelta":"\"}"', f'"argumentsDelta":{json.dumps(_REST)}')


_REST = f'","password":"{PASSWORD}"}}'


def test_secrets_that_say_they_are_none_go_as_well() -> None:
    out = result(shared(SECRETS.read_bytes()))
    for gone in ("ghp_FAKE", "FAKE-pw-0000", "sk-FAKE", "FAKE.header.signature", "RkFLRSBL"):
        assert gone not in out
    kept = result(shared(SECRETS.read_bytes(), Wishes(keys_only=True)))
    assert "ghp_FAKE" in kept


@pytest.mark.parametrize("zstd", [True, False])
def test_what_goes_and_what_stays(zstd: bool) -> None:
    text = real(opened(SECRETS.read_bytes()))
    share = shared(closed(text, MAGIC if zstd else b""))
    name = share.files[0].name
    tail = "secrets-1/session.jsonl"
    assert name == f"--home-~005Buser-1~005D-shop--/{tail}{'.zstd' if zstd else ''}"
    out = result(share)
    for gone in (TOKEN, TOKEN[11:], PASSWORD, "ikeda", "Bearer"):
        assert gone not in out
    before, after = values(text), values(out)
    assert [(e["type"], e.get("seq"), e.get("seq0"), e.get("surfaceOp")) for e in after] == [
        (e["type"], e.get("seq"), e.get("seq0"), e.get("surfaceOp")) for e in before
    ]
    rows = [e["data"] for e in after if e["type"] == "text-chunks"]
    assert [len(row["texts"]) for row in rows] == [len(row["dt"]) + 1 for row in rows]
    said = next(e for e in after if e["type"] == "assistant/message" and e["seq"] == 39)
    assert "".join(rows[1]["texts"]) == said["data"]["message"]["content"][0]["text"]
    deltas = [e["data"]["chunk"] for e in after if e["type"] == "assistant/chunk"]
    arguments = "".join(c["argumentsDelta"] for c in deltas if "argumentsDelta" in c)
    call = next(e["data"] for e in after if e["type"] == "tool/call")
    assert json.loads(arguments) == {"name": "env", "password": "[password-1]"}
    assert call["arguments"] == arguments
    placed = examine_log(io.BytesIO(share.files[0].data), PurePath("/root", name), keep=False)
    assert placed.original is not None
    assert (placed.status, placed.original.verdict) == ("valid", "accept")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_result_migrates_as_its_source_does(version: int) -> None:
    text = real(opened(SECRETS.read_bytes()))
    lines = migrate_log(text.encode(), version)
    migrated = b"".join(lines.lines) if hasattr(lines, "lines") else lines
    assert migrated
    share = shared(text.encode())
    assert migrate_log(share.files[0].data, version)


def test_keys_only() -> None:
    text = real(opened(SECRETS.read_bytes()))
    text = text.replace('"meta":{', f'"meta":{{"password":"{PASSWORD}",')
    out = result(shared(text.encode(), Wishes(keys_only=True)))
    assert TOKEN in out
    assert "/home/ikeda/shop" in out
    assert values(out)[-4:] == values(text)[-4:]
    assert '"meta":{"password":"[REDACTED]",' in out


def test_a_name_that_is_asked_for_says_how_it_is_written() -> None:
    data = SECRETS.read_bytes()
    plain = shared(data, called="mine.jsonl")
    assert (plain.files[0].name, plain.files[0].data[:1]) == ("mine.jsonl", b"{")
    again = shared(plain.files[0].data, called="session.jsonl.zstd")
    assert again.files[0].data.startswith(MAGIC)
    assert shared(data, called="mine").files[0].data.startswith(MAGIC)


def picture(name: str = "plan of ikeda.png") -> dict[str, Any]:
    return {
        "type": "image",
        "attachment": {
            "attachmentId": "sha256:" + "a" * 64,
            "mediaType": "image/png",
            "bytes": 5,
            "width": 1,
            "height": 1,
            "name": name,
        },
    }


def test_images_go_by_default() -> None:
    lines = values(opened(SECRETS.read_bytes()))
    for line in lines:
        if line["type"] == "user/message":
            line["data"]["content"].append(picture())
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    out = result(shared(data))
    assert '{"type": "text", "text": "[image removed]"}' in out
    assert '"attachmentId"' not in out
    kept = result(shared(data, Wishes(images=True, deny=("ikeda",))))
    assert '"name": "plan of [denied-1].png"' in kept


def test_a_tool_parameter_called_password() -> None:
    lines = values(real(opened(SECRETS.read_bytes())))
    node = {"type": "string", "default": PASSWORD, "description": "the password"}
    parameters = {"type": "object", "properties": {"password": node}, "required": ["password"]}
    schema = {**parameters, "$defs": {"x": {"oneOf": [{"properties": {"secret": node}}]}}}
    for line in lines:
        if line["type"] == "request/header":
            line["data"]["header"]["tools"][0]["parameters"] = schema
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    out = values(result(shared(data)))
    (header,) = [line for line in out if line["type"] == "request/header"]
    shown = header["data"]["header"]["tools"][0]["parameters"]
    expected = {**node, "default": "[password-1]"}
    assert shown["properties"] == {"password": expected}
    assert shown["$defs"]["x"]["oneOf"] == [{"properties": {"secret": expected}}]


def test_streams_of_later_versions() -> None:
    path = VECTORS / "valid" / "stream-packed" / "migrated.v3.jsonl"
    lines = values(path.read_text())
    message = next(line for line in lines if line.get("data", {}).get("stream"))
    runs = [r for r in message["data"]["stream"] if r["type"] == "text-chunks"]
    texts = runs[0]["texts"]
    texts[0], texts[1] = f"a {TOKEN[:8]}", f"{TOKEN[8:]} b"
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    out = values(result(shared(data)))
    again = next(line for line in out if line.get("data", {}).get("stream"))
    run = next(r for r in again["data"]["stream"] if r["type"] == "text-chunks")
    assert run["texts"][:2] == ["a [github-token-1]", " b"]


def test_helpers_belong_to_their_session(tmp_path: Path) -> None:
    cases = sorted(VECTORS.glob("valid/subagent-no-cwd/*session*"))
    assert cases
    lines = values(opened(cases[0].read_bytes()))
    root = tmp_path / "sessions"
    parent = [{**lines[0], "id": "p1"}, *lines[1:]]
    child = [
        {**lines[0], "id": "c1", "parentSession": "p1", "origin": "subagent",
         "delegationDepth": 1},
        *lines[1:],
    ]  # fmt: skip
    parent[0].pop("parentSession", None)
    parent[0].pop("origin", None)
    paths = []
    for header, *rest in (parent, child):
        place = root / "_no-cwd" / header["id"] / "session.jsonl"
        place.parent.mkdir(parents=True)
        place.write_text("".join(json.dumps(one) + "\n" for one in (header, *rest)))
        paths.append(place)
    assert [name for name, _ in family(paths[0], paths[0].read_bytes())] == [
        "_no-cwd/c1/session.jsonl"
    ]
    assert belongs(paths[1]) == paths[0]
    assert belongs(paths[0]) is None
    assert belongs(tmp_path / "x.jsonl") is None
    assert list(family(tmp_path / "x.jsonl", b"")) == []


def _row(lines: list[Any], secret: str) -> None:
    row = next(line for line in lines if line["type"] == "text-chunks")
    row["data"]["texts"][1:3] = [f" {secret[:12]}", secret[12:]]


PLACES: tuple[Callable[[Any, str], Any], ...] = (
    lambda lines, s: lines[1]["data"]["inserted"][0]["content"][0].update(text=f"see {s}"),
    lambda lines, s: lines[0].update(cwd=f"/x/{s}"),
    lambda lines, s: lines[-1]["data"].update(note={s: 1}),
    _row,
    lambda lines, s: lines[22].update(id=json.dumps(json.dumps({"a": s}))),
)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("zstd", [True, False])
def test_planted_secrets_are_refused(kind: str, zstd: bool) -> None:
    """Five places for each of twenty kinds, put into finished output one by one."""
    text = result(shared(SECRETS.read_bytes()))
    for number, plant in enumerate(PLACES):
        lines = values(text)
        plant(lines, MAKERS[kind](Fake(number)))
        planted = "".join(json.dumps(line) + "\n" for line in lines)
        data = closed(planted, MAGIC if zstd else b"")
        assert verify_data("session.jsonl", data, Wishes()).refused, (kind, number)
    head = MAGIC if zstd else b""
    assert not verify_data("session.jsonl", closed(text, head), Wishes()).refused


def test_the_adapter() -> None:
    adapter = share_format(FORMAT)
    assert adapter is not None
    assert adapter.opened(b"") == ""
    assert not shared(b"{}\n").files


def version_4() -> str:
    """A log as later programs write it: a tool result has the role of a tool."""
    path = VECTORS / "valid" / "tools-multi-turn-raw" / "migrated.v3.jsonl"
    lines = values(path.read_text())
    lines[0]["version"] = 4
    for line in lines[1:]:
        message = line["data"].get("message", {})
        if line["type"] == "tool/result":
            (block,) = message["content"]
            said = [{"type": "text", "text": f"API_TOKEN={TOKEN}"}, picture()]
            message |= {"role": "tool", "toolCallId": block["toolCallId"], "content": said}
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_version_4_is_redacted_and_proven_by_its_structure() -> None:
    text = version_4()
    assert TOKEN in text
    share = shared(text.encode())
    out = result(share)
    assert share.outcome.status == "unsupported"
    assert share.files[0].name.endswith("/session.v4.jsonl")
    assert TOKEN not in out
    assert "[image removed]" in out
    assert [line.get("seq") for line in values(out)] == [line.get("seq") for line in values(text)]


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda t: t.replace('"seq": 3,', '"seq": 4,', 1), id="numbers"),
        pytest.param(lambda t: t.replace('{"type"', '{"origin": "headless", "type"', 1), id="fork"),
        pytest.param(lambda t: t[:-1], id="cut"),
        pytest.param(lambda t: t + "x\n", id="no JSON"),
        pytest.param(lambda t: t + "[]\n", id="no object"),
        pytest.param(lambda t: t.replace('"version": 4', '"version": 5', 1), id="version 5"),
    ],
)
def test_what_is_no_sound_log_of_version_4(harm: Callable[[str], str]) -> None:
    assert not shared(harm(version_4()).encode()).files


def test_structures() -> None:
    head = '{"type":"session"}\n'
    old = head + '{"seq":0,"type":"a","n":1,"l":["x"],"d":{"text":"y"},"password":{"a":1}}\n'
    for same in (
        old.replace('"x"', '"[a-1]"'),
        old.replace('{"a":1}', '"[REDACTED]"'),
        old.replace('"text"', '"[a-1]"'),
    ):
        assert alike(old, same)
    for other in (
        old.replace('"n":1', '"n":2'),
        old.replace('"n":1', '"n":"1"'),
        old.replace('["x"]', "[]"),
        old.replace('"type":"a"', '"type":"b"'),
        old.replace(',"d":{"text":"y"}', ""),
        old.replace('{"text":"y"}', '"y"'),
        old + "{}\n",
        head,
        "",
    ):
        assert not alike(old, other)
