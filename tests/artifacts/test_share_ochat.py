"""Sharing ochat snapshots: bytes in, bytes out, and every place a secret can stand in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_secrets import MAKERS, Fake
from sesskit.artifacts.redaction import Policy
from sesskit.artifacts.scrub_files import scrub_data
from sesskit.artifacts.share import Share, Wishes, share_data, verify_data
from sesskit.artifacts.share_formats import NotClosed
from sesskit.artifacts.share_ochat import closed, opened
from sesskit.records.ochat import decode, export_json, import_json, snapshot_bytes
from sesskit.schemas.outcomes import Valid

VECTORS = Path(__file__).parents[1] / "data" / "ochat-record" / "vectors"
BIG = ("list_65536", "strlens_big")
SNAPSHOTS = [
    path
    for path in sorted(VECTORS.glob("v*/*.bin"))
    if path.stem not in BIG and isinstance(decode(path.read_bytes()), Valid)
]
FORMAT = "ochat-record"
fake = Fake(61)
TOKEN = fake.github()
PASSWORD = "Zq7" + fake.letters(11)


def shared(data: bytes, wishes: Wishes | None = None) -> Share:
    return share_data("snapshot.bin", data, FORMAT, wishes or Wishes())


def neutral(data: bytes) -> Any:
    outcome = decode(data)
    assert isinstance(outcome, Valid)
    return json.loads(export_json(outcome.value))


def snapshot(value: Any) -> bytes:
    outcome = import_json(json.dumps(value).encode())
    assert isinstance(outcome, Valid), outcome
    return snapshot_bytes(outcome.value)


def everything() -> Any:
    return neutral((VECTORS / "v5" / "everything.bin").read_bytes())


def result(value: Any, wishes: Wishes | None = None) -> Any:
    share = shared(snapshot(value), wishes)
    assert share.files, (share.why, share.left, share.outcome)
    return neutral(share.files[0].data)


@pytest.mark.parametrize("path", SNAPSHOTS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_snapshot_without_secrets_stays_as_it_is(path: Path) -> None:
    data = path.read_bytes()
    outcome = decode(data)
    assert isinstance(outcome, Valid)
    assert closed(opened(data), b"") == snapshot_bytes(outcome.value)
    share = shared(data, Wishes(images=True))
    assert share.left == ()
    assert {found.rule for found in share.files[0].found} <= {"blanked"}
    after = decode(share.files[0].data)
    assert isinstance(after, Valid)
    assert after.original == outcome.original
    if not share.files[0].found:
        assert share.files[0].data == snapshot_bytes(outcome.value)


def pair(name: str, value: Any) -> list[Any]:
    return [name, value]


def script(value: dict[str, Any]) -> dict[str, Any]:
    """A record with a state that a script keeps."""
    made: dict[str, Any] = everything()
    made["shell_state"]["extension_snapshots"] = [
        {
            "extension_id": "e",
            "extension_kind": "k",
            "runtime_id": "r",
            "manifest_sha256": "a" * 64,
            "source_sha256": "b" * 64,
            "state": value,
            "captured_at_ns": 1,
        }
    ]
    return made


def state_of(value: Any) -> Any:
    return value["shell_state"]["extension_snapshots"][0]["state"]


def test_names_of_key_value_data_decide() -> None:
    value = everything()
    value["kv_store"] = [
        ["password", "hunter"],
        ["API_TOKEN", PASSWORD],
        ["note", f"{PASSWORD} and {TOKEN}"],
        ["max_tokens", "4096"],
        [TOKEN, "x"],
    ]
    assert result(value)["kv_store"] == [
        ["password", "[password-1]"],
        ["API_TOKEN", "[api-token-1]"],
        ["note", "[api-token-1] and [github-token-1]"],
        ["max_tokens", "4096"],
        ["[github-token-1]", "x"],
    ]
    scrubbed = result(value, Wishes(keys_only=True))["kv_store"]
    assert scrubbed == [["password", "[REDACTED]"], *value["kv_store"][1:]]


def test_values_of_scripts() -> None:
    record = {
        "Record": [
            pair("password", {"String": "hunter"}),
            pair("secret", {"Array": [{"String": "a"}, {"Int": 5}, {"Bool": True}, "Unit"]}),
            pair("apiKey", {"Variant": ["Some", [{"String": PASSWORD}]]}),
            pair("note", {"String": f"see {TOKEN}"}),
            pair("n", {"Int": 7}),
        ]
    }
    assert state_of(result(script(record)))["Record"] == [
        pair("password", {"String": "[password-1]"}),
        pair("secret", {"Array": [{"String": "[secret-1]"}, {"Int": 0}, {"Bool": True}, "Unit"]}),
        pair("apiKey", {"Variant": ["Some", [{"String": "[api-key-1]"}]]}),
        pair("note", {"String": "see [github-token-1]"}),
        pair("n", {"Int": 7}),
    ]


def as_json(**members: str) -> dict[str, Any]:
    """How a script holds a JSON object."""
    records = [
        {"Record": [pair("key", {"String": name}), pair("value", {"Variant": ["String", [text]]})]}
        for name, text in ((n, {"String": v}) for n, v in members.items())
    ]
    return {"Variant": ["Object", [{"Array": records}]]}


def test_json_in_values_of_scripts() -> None:
    found = state_of(result(script(as_json(password="hunter", note=TOKEN, x="y"))))
    assert found == as_json(password="[password-1]", note="[github-token-1]", x="y")


def test_strings_that_are_no_text() -> None:
    import base64

    def odd(data: bytes) -> dict[str, str]:
        return {"$bytes_b64": base64.b64encode(data).decode()}

    value = everything()
    value["kv_store"] = [
        ["a", odd(b"\xff\xfe is " + TOKEN.encode() + b" \xed\xa0\x80")],
        ["password", odd(b"\xff")],
        ["b", odd(b"\xc3\x28 calm \xc3\xa9")],
    ]
    assert result(value)["kv_store"] == [
        ["a", odd(b"\xff\xfe is [github-token-1] \xed\xa0\x80")],
        ["password", "[password-1]"],
        ["b", value["kv_store"][2][1]],
    ]


def message(*content: Any) -> dict[str, Any]:
    return {"Input_message": {"role": "User", "content": list(content), "_type": "message"}}


IMAGE = {
    "Image": {"image_url": "data:image/png;base64,xx", "detail": "low", "_type": "input_image"}
}


def test_images_go_by_default() -> None:
    value = everything()
    output = {"Content": [{"Input_image": {"image_url": "https://a.b/c.png", "detail": "High"}}]}
    items = [
        message(IMAGE),
        {
            "Function_call_output": {
                "output": output,
                "call_id": "c1",
                "_type": "function_call_output",
                "id": None,
                "status": None,
            }
        },
    ]
    entries = value["history"][:2]
    assert len(entries) == 2
    for entry, item in zip(entries, items, strict=True):
        entry["item"] = item
    found = [entry["item"] for entry in result(value)["history"][:2]]
    text = {"text": "[image removed]"}
    assert found[0] == message({"Text": {**text, "_type": "input_text"}})
    assert found[1]["Function_call_output"]["output"] == {"Content": [{"Input_text": text}]}
    kept = [entry["item"] for entry in result(value, Wishes(images=True))["history"][:2]]
    assert kept == items
    old = neutral((VECTORS / "v2" / "r2_chat.bin").read_bytes())
    old["history"][0] = message(IMAGE)
    assert result(old)["history"][0] == found[0]


def test_who_trusted_a_command_goes() -> None:
    value = everything()
    out = result(value)["shell_state"]
    for kind in ("manifest_grants", "approval_grants"):
        for before, after in zip(value["shell_state"][kind], out[kind], strict=True):
            assert after["user_id"] is None
            assert after["grant_id"] == before["grant_id"]
            assert after["manifest_sha256"] == before["manifest_sha256"]
    keys = result(value, Wishes(keys_only=True))
    assert keys == value


def test_everything_else_is_looked_at_and_ids_stay() -> None:
    value = everything()
    grant = value["shell_state"]["approval_grants"][0]
    grant["argv"] = ["curl", "--api-key", PASSWORD, "-u", f"bo:{PASSWORD}"]
    value["prompt_file"] = "/home/ikeda/p.chatmd"
    value["vfs_root"] = f"/x/{TOKEN}"
    out = result(value)
    assert out["shell_state"]["approval_grants"][0]["argv"][2] == "[api-key-1]"
    assert out["prompt_file"] == "/home/[user-1]/p.chatmd"
    assert out["vfs_root"] == "/x/[github-token-1]"
    assert out["id"] == value["id"]
    assert [e["id"] for e in out["history"]] == [e["id"] for e in value["history"]]
    assert PASSWORD not in json.dumps(out)


def test_an_id_that_is_a_secret_is_refused() -> None:
    value = neutral((VECTORS / "v5" / "empty.bin").read_bytes())
    value["id"] = TOKEN
    assert shared(snapshot(value)).refused


def test_what_follows_the_frame_is_not_shared() -> None:
    data = (VECTORS / "v5" / "empty.bin").read_bytes()
    assert shared(data + TOKEN.encode()).files[0].data == data


PLACES: list[Callable[[Any, str], object]] = [
    lambda v, s: v["kv_store"].append(["x", f"see {s}"]),
    lambda v, s: v.update(prompt_file=f"/{s}"),
    lambda v, s: v["tasks"].append({"id": s, "title": "t", "state": "Done"}),
    lambda v, s: v["kv_store"].append([json.dumps({"a": json.dumps(s)}), "y"]),
    lambda v, s: v["shell_state"]["manifest_grants"][0].update(source_sha256=s),
]


@pytest.mark.parametrize("kind", MAKERS)
def test_planted_secrets_are_refused(kind: str) -> None:
    """Five places for each of twenty kinds, put into finished output one by one."""
    done = shared(snapshot(everything())).files[0].data
    for number, plant in enumerate(PLACES):
        value = neutral(done)
        plant(value, MAKERS[kind](Fake(number)))
        planted = snapshot(value)
        assert verify_data("snapshot.bin", planted, Wishes()).refused, (kind, number)
    assert not verify_data("snapshot.bin", done, Wishes()).refused


def test_scrub_and_what_is_no_snapshot() -> None:
    value = everything()
    value["kv_store"] = [["password", "hunter"], ["note", TOKEN]]
    data = snapshot(value)
    done = scrub_data("a.bin", data, Policy(), session=FORMAT)
    assert done.data is not None
    assert neutral(done.data)["kv_store"] == [["password", "[REDACTED]"], ["note", TOKEN]]
    broken = scrub_data("a.bin", data[:-3], Policy(), session=FORMAT)
    assert (broken.data, broken.outcome.status) == (None, "corrupt")
    with pytest.raises(NotClosed):
        closed("{}", b"")
    assert not shared(data[:-3]).files
