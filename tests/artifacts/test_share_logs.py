"""Sharing Robota logs: log, sidecars and subagents as one session."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_secrets import MAKERS, Fake
from robota_share_logs import ROUND, Log, message, mutation, session_init, text_of
from sesskit.artifacts.share import Share, Wishes, share_data, verify_data
from sesskit.artifacts.share_formats import share_format
from sesskit.logs.robota_verify import verify_log
from sesskit.schemas.outcomes import Corrupt, Valid

VALID = Path(__file__).parents[1] / "data" / "robota-log" / "vectors" / "valid"
LOGS = sorted(VALID.glob("*/log/*.jsonl"))
FORMAT = "robota-log"
fake = Fake(21)
TOKEN = fake.github()
PASSWORD = "Zq7" + fake.letters(11)


def shared(path: Path, wishes: Wishes | None = None, called: str = "") -> Share:
    adapter = share_format(FORMAT)
    assert adapter is not None
    data = path.read_bytes()
    others = list(adapter.family(path, data))
    return share_data(path.name, data, FORMAT, wishes or Wishes(), others, called)


def written(share: Share, folder: Path) -> Path:
    assert share.files, (share.why, share.left, share.outcome)
    for file in share.files:
        place = folder / file.name
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.write_bytes(file.data)
        place.chmod(0o600)
    folder.chmod(0o700)
    return folder / share.files[0].name


def lines_of(share: Share) -> list[Any]:
    return [json.loads(each) for each in share.files[0].data.splitlines()]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_log_without_secrets_stays_as_it_is(path: Path, tmp_path: Path) -> None:
    share = shared(path, Wishes(images=True))
    assert share.left == ()
    for file in share.files:
        assert file.data == (path.parent / file.name).read_bytes()
    main = written(share, tmp_path / "out")
    before, after = verify_log(path), verify_log(main)
    assert (after.outcome.status, len(after.incomplete)) == ("valid", len(before.incomplete))
    assert not after.listing.orphans


def full(folder: Path) -> Log:
    log = session_init(
        Log(folder),
        systemPrompt=f"the key is {TOKEN}",
        toolSchemas=[
            {
                "name": "login",
                "description": "d",
                "parameters": {
                    "type": "object",
                    "properties": {"password": {"type": "string", "default": PASSWORD}},
                },
            }
        ],
    )
    mutation(log, log.spilled(message("user", f"I am ikeda, password={PASSWORD}")))
    inner = log.spilled(f"nested {TOKEN}")
    mutation(log, log.spilled(message("user", "x") | {"content": inner}), 1)
    mutation(log, message("assistant", log.spilled("nothing to see here")), 2)
    log.add("user", content=f"again {PASSWORD}")
    log.add("tool_execution_request", **ROUND, toolName="t", toolCallId="c1",
            parameters={"password": PASSWORD, "path": "/home/ikeda/x"})  # fmt: skip
    log.write()
    child = Log(folder / log.session / "subagents", "child-1")
    session_init(child, cwd="/home/ikeda/sub")
    child.add("user", content=child.spilled(f"use {PASSWORD} there"))
    child.write()
    return log


def test_a_session_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    log = full(tmp_path / "in")
    share = shared(log.path)
    main = written(share, tmp_path / "out")
    everything = b"".join(file.data + file.name.encode() for file in share.files)
    for gone in (TOKEN, PASSWORD, "ikeda"):
        assert gone.encode() not in everything
    found = verify_log(main)
    assert (found.outcome.status, found.sidecars, found.listing.orphans) == ("valid", 4, ())
    child = tmp_path / "out" / log.session / "subagents" / "child-1.jsonl"
    assert verify_log(child).sidecars == 1
    first, *_, user, request = lines_of(share)
    assert first["cwd"] == "/home/[user-1]/work"
    node = first["toolSchemas"][0]["parameters"]["properties"]["password"]
    assert node == {"type": "string", "default": "[password-1]"}
    assert user["content"] == "again [password-1]"
    assert request["parameters"] == {"password": "[password-1]", "path": "/home/[user-1]/x"}
    # What was not changed keeps its name and its bytes.
    old = {p.name for p in (tmp_path / "in").rglob("*.json")}
    kept = [file for file in share.files if Path(file.name).name in old]
    assert [file.data for file in kept] == [b'"nothing to see here"']


def test_the_log_gets_another_name_and_its_folders_too(tmp_path: Path) -> None:
    log = full(tmp_path / "in")
    share = shared(log.path, called="for-you.jsonl")
    tops = {file.name.split("/")[0] for file in share.files}
    assert tops == {"for-you.jsonl", "for-you.payloads", "for-you"}
    assert verify_log(written(share, tmp_path / "out")).outcome.status == "valid"


def test_findings_name_the_new_file_and_no_digest_of_the_old_one(tmp_path: Path) -> None:
    log = full(tmp_path / "in")
    share = shared(log.path)
    names = {one.file for file in share.files for one in file.found}
    assert names <= {file.name for file in share.files}
    assert "follows" not in {one.rule for file in share.files for one in file.found}
    old = {p.stem for p in (tmp_path / "in").rglob("*.json")}
    changed = old - {Path(file.name).stem for file in share.files}
    everything = b"".join(file.data for file in share.files).decode()
    assert len(changed) == 4
    assert not [digest for digest in changed if digest in everything]


def test_an_old_digest_in_a_shadowed_member_goes_as_well(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path / "in"))
    reference = log.spilled(f"see {TOKEN}")
    log.add("user", content=reference)
    path = log.write()
    twice = f'{{"content":{text_of(reference)},"content":'
    text = path.read_text().replace('{"content":', twice)
    path.write_text(text)
    share = shared(path)
    assert reference["sha256"].encode() not in share.files[0].data


def test_images_go_with_their_sidecars(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path / "in"))
    picture = {"type": "image_inline", "mimeType": "image/png", "data": log.spilled("iVBORw0KGgo")}
    sealed = {"thoughtSignature": "c2VhbGVk", "n": 1}
    said = message("user", "look", parts=[picture, log.spilled(picture)], metadata=sealed)
    mutation(log, said)
    log.add("provider_native_raw_payload", **ROUND, provider="p", payloadKind="response",
            sequence=0, payload={"content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
                {"type": "redacted_thinking", "data": "c2VhbGVk"},
                {"type": "tool_use", "input": {"signature": "def f()"}},
            ], "encrypted_content": "c2VhbGVk"})  # fmt: skip
    share = shared(log.write())
    assert [json.loads(f.data)["text"] for f in share.files[1:]] == ["[image removed]"]
    (_, mutated, native) = lines_of(share)
    removed = {"type": "text", "text": "[image removed]"}
    assert mutated["message"]["parts"][0] == removed
    assert mutated["message"]["metadata"] == {"n": 1}
    assert native["payload"] == {
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "redacted_thinking", "data": ""},
            {"type": "tool_use", "input": {"signature": "def f()"}},
        ]
    }
    rules = [one.rule for one in share.files[0].found]
    assert (rules.count("image"), rules.count("sealed")) == (1, 4)
    assert len(shared(log.path, Wishes(images=True)).files) > 1


def test_a_token_over_deltas_that_interleave(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path / "in"))
    for number, at in enumerate((0, 9)):
        part = TOKEN[at : at + 9] if at == 0 else TOKEN[9:]
        log.add("provider_stream_raw_delta", **ROUND, sequence=number, delta=part)
        log.add("text_delta", delta=part)
        event = {"type": "background_task_text_delta", "taskId": "t", "delta": part}
        log.add("background_task_event", backgroundEvent=event)
    share = shared(log.write())
    deltas = [one.get("delta") or one.get("backgroundEvent", {}).get("delta")
              for one in lines_of(share)[1:]]  # fmt: skip
    assert (
        deltas == ["[github-token-1]"] * 3 + [None, None, ""]
        or deltas[:3] == ["[github-token-1]"] * 3
    )
    assert TOKEN[9:].encode() not in share.files[0].data


def test_arguments_over_deltas_are_read_as_the_json_they_make(tmp_path: Path) -> None:
    arguments = json.dumps({"a": 1, "password": PASSWORD, "b": "x"})
    log = session_init(Log(tmp_path / "in"))
    at = arguments.index(PASSWORD)
    pieces = [arguments[:at], arguments[at : at + 5], arguments[at + 5 :]]
    for number, piece in enumerate(pieces):
        log.add("provider_stream_raw_delta", **ROUND, sequence=number, delta=piece)
    share = shared(log.write())
    joined = "".join(one["delta"] for one in lines_of(share)[1:])
    assert json.loads(joined) == {"a": 1, "password": "[password-1]", "b": "x"}


def test_a_password_known_from_elsewhere_over_deltas(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path / "in"))
    for number, piece in enumerate(("it is ", PASSWORD[:6], PASSWORD[6:], " ok")):
        log.add("provider_stream_raw_delta", **ROUND, sequence=number, delta=piece)
    log.add("user", content=f"password: {PASSWORD}")
    share = shared(log.write())
    joined = "".join(one["delta"] for one in lines_of(share)[1:-1])
    assert joined == "it is [password-1] ok"
    found = [one for one in share.files[0].found if one.line in (3, 4)]
    assert {one.pointer for one in found} == {"/delta"}


def test_a_sidecar_under_a_secret_name(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path / "in"))
    whole = {"a": ["b"], "c": PASSWORD}
    log.add("tool_execution_request", **ROUND, toolName="t", toolCallId="c1",
            parameters={"password": log.spilled(whole), "dbPassword": log.spilled(whole | {"n": 1}),
                        "other": log.spilled("calm")})  # fmt: skip
    share = shared(log.write())
    assert PASSWORD.encode() not in b"".join(file.data for file in share.files)
    assert [file.data for file in share.files[1:]] == [b'"calm"']
    hidden = lines_of(share)[1]["parameters"]
    assert (hidden["password"], hidden["dbPassword"]) == ("[REDACTED]", "[REDACTED]")
    keys = shared(log.path, Wishes(keys_only=True))
    parameters = lines_of(keys)[1]["parameters"]
    assert parameters["password"] == "[REDACTED]"
    assert len(keys.files) == 3


def test_keys_only_takes_sidecars_along(tmp_path: Path) -> None:
    log = full(tmp_path / "in")
    log.add("tool_execution_result", **ROUND, success=True,
            result=log.spilled({"secret": PASSWORD, "note": TOKEN}))  # fmt: skip
    share = shared(log.write(), Wishes(keys_only=True))
    assert verify_log(written(share, tmp_path / "out")).outcome.status == "valid"
    sidecars = [file.data for file in share.files[1:]]
    assert text_of({"secret": "[REDACTED]", "note": TOKEN}).encode() in sidecars


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        pytest.param(lambda p: p.unlink(), "payload-missing", id="gone"),
        pytest.param(lambda p: p.write_bytes(b'"other"'), "payload-length", id="changed"),
        pytest.param(
            lambda p: (p.rename(p.with_suffix(".x")), p.symlink_to(p.with_suffix(".x"))),
            "payload-missing",
            id="a link",
        ),
    ],
)
def test_a_log_whose_sidecars_do_not_hold(tmp_path: Path, harm: Any, code: str) -> None:
    log = full(tmp_path / "in")
    harm(next((tmp_path / "in").glob("*.payloads/*")))
    share = shared(log.path)
    assert not share.files
    assert isinstance(share.outcome, Corrupt)
    assert code in {issue.code for issue in share.outcome.issues}


def test_a_subagent_that_is_not_valid(tmp_path: Path) -> None:
    log = full(tmp_path / "in")
    (tmp_path / "in" / log.session / "subagents" / "child-1.jsonl").write_text("{\n")
    share = shared(log.path)
    assert not share.files
    assert "child-1.jsonl is not valid" in share.why


def test_a_secret_in_the_name_of_a_session(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path / "in", TOKEN))
    assert shared(log.write()).refused


def test_a_member_that_may_be_called_anything(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path / "in"))
    log.add("server_tool", tool="web", executionId=f"x {TOKEN}", message={"id": TOKEN})
    share = shared(log.write())
    assert lines_of(share)[1]["executionId"] == "x [github-token-1]"
    assert lines_of(share)[1]["message"] == {"id": "[github-token-1]"}


PLACES: dict[str, Callable[[str], tuple[str, str]]] = {
    "a line": lambda s: ("log", f"see {s}"),
    "a line, escaped": lambda s: ("log", "".join(f"\\u{ord(c):04x}" for c in s)),
    "base64": lambda s: ("log", base64.b64encode(f"key: {s}\n".encode()).decode()),
    "JSON in a sidecar": lambda s: ("sidecar", json.dumps(json.dumps({"x": s}))[1:-1]),
    "a sidecar": lambda s: ("sidecar", s),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_planted_secrets_are_refused(kind: str, tmp_path: Path) -> None:
    """Five places for each of twenty kinds, put into finished output one by one."""
    done = shared(full(tmp_path).path)
    main = done.files[0].data
    side = next(f for f in done.files if f.name.endswith(".json"))
    for number, (place, plant) in enumerate(PLACES.items()):
        where, text = plant(MAKERS[kind](Fake(number)))
        name, data = ("s.jsonl", main) if where == "log" else ("x.json", side.data)
        at = data.index(b'"content":"') + len(b'"content":"') if b'"content":"' in data else 1
        planted = data[:at] + text.encode() + b" " + data[at:]
        assert verify_data(name, planted, Wishes()).refused, (kind, place)
    for file in done.files:
        assert not verify_data(file.name, file.data, Wishes()).refused


def test_what_is_known_is_looked_for_in_every_file(tmp_path: Path) -> None:
    log = full(tmp_path / "in")
    share = shared(log.path, Wishes(deny=("nothing to see",)))
    assert b'"[denied-1] here"' in [file.data for file in share.files]
    assert isinstance(share.outcome, Valid)


def test_many_references_in_a_line_that_is_not_ascii(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    parts = [f"äöü \U0001f600 {number} {TOKEN}" for number in range(40)]
    said = [message("user", log.spilled(part)) | {"id": f"ä{n}"} for n, part in enumerate(parts)]
    log.add("provider_request", **ROUND, provider="p", model="ü", messages=said)
    share = shared(log.write())
    assert len(share.files) == 41
    for file in share.files:
        assert TOKEN.encode() not in file.data
    assert verify_log(written(share, tmp_path / "out")).sidecars == 40


def test_lines_that_do_not_end_with_their_event(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    log.add("text_delta", delta=TOKEN[:9]).add("text_delta", delta=TOKEN[9:])
    path = log.write()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    turned = [dict(sorted(line.items())) for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in turned))
    assert TOKEN[9:].encode() not in shared(path).files[0].data


def test_references_through_odd_paths(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    good = log.spilled(f"see {TOKEN}")
    odd = {**good, "relativePath": good["relativePath"].replace("/", "\\"),
           "sha256": good["sha256"].upper()}  # fmt: skip
    log.add("user", content=good).add("user", content=odd)
    share = shared(log.write())
    assert len(share.files) == 2
    assert verify_log(written(share, tmp_path / "out")).sidecars == 1
    log.add("user", content={**good, "relativePath": "../x.json"})
    assert not shared(log.write()).files


def test_a_log_of_a_log_of_subagents(tmp_path: Path) -> None:
    log = full(tmp_path / "in")
    inner = tmp_path / "in" / log.session / "subagents" / "child-1" / "subagents"
    session_init(Log(inner, "grand-1")).add("user", content=f"use {PASSWORD}").write()
    share = shared(log.path)
    names = [file.name for file in share.files]
    assert f"{log.session}/subagents/child-1/subagents/grand-1.jsonl" in names
    assert PASSWORD.encode() not in b"".join(file.data for file in share.files)
