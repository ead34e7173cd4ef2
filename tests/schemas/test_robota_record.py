"""The record decoder against the answers of the system that owns the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robota_vectors import VALID, VECTORS, Row, edited, name_of, rows
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.instants import Instant
from sesskit.schemas.outcomes import Corrupt, Decoded, Unsupported, Valid
from sesskit.schemas.places import Places
from sesskit.schemas.robota_decode import decode_bare, decode_envelope
from sesskit.schemas.robota_record import Record


def errors(outcome: Decoded) -> set[str]:
    return {issue.path for issue in outcome.issues if issue.severity == "error"}


def is_true_place(data: bytes, outcome: Decoded) -> bool:
    """Every place is where the value that the path names stands, or where it is missing."""
    places = Places(data)
    for issue in outcome.issues:
        assert issue.offset is not None
        assert places.position(issue.offset) == (issue.line, issue.column)
        if issue.keys:
            assert issue.offset == places.locate(issue.keys, at_key=issue.at_key), issue
    return True


@pytest.mark.parametrize("row", rows("invalid") + rows("accepted"), ids=name_of)
@pytest.mark.parametrize("indent", [None, 2], ids=["line", "pretty"])
def test_bare_rows(row: Row, indent: int | None) -> None:
    data = json.dumps(edited(row), indent=indent).encode()
    outcome = decode_bare(data)
    assert outcome.status == row["expect"]["status"]
    assert set(row["expect"]["paths"]) <= errors(outcome)
    assert is_true_place(data, outcome)
    assert decode_bare(data, keep=False).issues == outcome.issues
    assert decode_bare(data, thorough=True).issues == outcome.issues


@pytest.mark.parametrize("row", rows("envelope"), ids=name_of)
def test_envelope_rows(row: Row) -> None:
    data = row["text"].encode()
    outcome = decode_envelope(data)
    expect = row["expect"]
    assert outcome.status == expect["status"]
    assert set(expect["paths"]) <= errors(outcome)
    if isinstance(outcome, Unsupported):
        assert outcome.version == expect["schemaVersion"]
        assert outcome.issues == ()
    else:
        assert is_true_place(data, outcome)


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.stem)
def test_reencoded_byte_for_byte(path: Path) -> None:
    outcome = decode_bare(path.read_bytes())
    assert isinstance(outcome, Valid)
    assert isinstance(outcome.value, Record)
    wanted = (VECTORS / "reencoded" / path.name).read_bytes()
    assert dumps({"schemaVersion": 1, "record": outcome.value}, indent=2) == wanted
    again = decode_envelope(wanted)
    assert isinstance(again, Valid)
    assert again.value == outcome.value


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.stem)
def test_only_two_members_are_revived(path: Path) -> None:
    outcome = decode_bare(path.read_bytes())
    assert isinstance(outcome, Valid)
    record = outcome.value
    parsed = json.loads(path.read_bytes())
    assert record.created_at == parsed["createdAt"]
    assert all(isinstance(m.timestamp, Instant) for m in record.messages)
    for entry, raw in zip(record.history or [], parsed.get("history", []), strict=True):
        assert isinstance(entry.timestamp, Instant)
        if "data" in raw:
            assert entry.data == raw["data"]


def test_the_collecting_path_builds_the_same_value() -> None:
    # A zone-less instant is refused by the fast path, and one that is not needed says nothing else.
    source = json.loads((VECTORS / "valid" / "maximal.json").read_bytes())
    fast = decode_bare(json.dumps(source).encode())
    for message in source["messages"]:
        message["timestamp"] = message["timestamp"].removesuffix("Z") + "+00:00"
        message.setdefault("metadata", {})["numbers"] = [1, 2.5]
    slow = decode_bare(json.dumps(source).encode())
    assert isinstance(fast, Valid)
    assert isinstance(slow, Valid)
    for ours, theirs in zip(slow.value.messages, fast.value.messages, strict=True):
        assert type(ours) is type(theirs)
        assert ours.timestamp == theirs.timestamp
        assert ours.metadata.pop("numbers") == [1, 2.5]


def test_zoneless_instants_are_a_warning() -> None:
    record = json.loads((VECTORS / "valid" / "small-chat.json").read_bytes())
    record["messages"][0]["timestamp"] = "2026-03-04T09:00:00"
    outcome = decode_bare(json.dumps(record).encode())
    assert isinstance(outcome, Valid)
    assert [(i.code, i.severity, i.path) for i in outcome.issues] == [
        ("instant-zoneless", "warning", "messages[0].timestamp")
    ]


TINY = (
    b'{"id":"t","cwd":"/srv/demo","createdAt":"2026-03-04T09:00:00Z",'
    b'"updatedAt":"2026-03-04T09:00:00Z","messages":[]'
)


@pytest.mark.parametrize(
    ("tail", "status", "found"),
    [
        pytest.param(b"}", "valid", [], id="sound"),
        pytest.param(
            b',"name":"a","name":"b"}', "valid", [("duplicate-member", "name")], id="doubled"
        ),
        pytest.param(
            b',"goal":{"id":"g","id":"h","objective":"o","status":"active","iterations":1,'
            b'"maxIterations":2,"startedAt":"2026-03-04T09:00:00Z","progress":[]}}',
            "valid",
            [("duplicate-member", "goal.id")],
            id="doubled inside",
        ),
        pytest.param(b',"name":"\\ud800"}', "valid", [("lone-surrogate", "name")], id="surrogate"),
        pytest.param(b',"name":"\xff"}', "valid", [("utf8-in-string", "name")], id="utf-8"),
        pytest.param(
            b',"memoryEvents":[{"type":"memory_retrieved","at":"2026","data":{"n":1e400}}]}',
            "valid",
            [("number-overflow", "memoryEvents[0].data.n")],
            id="overflow in an open map",
        ),
        pytest.param(
            b',"usedMemoryReferences":[{"topic":"t","path":"p","score":1e400,"truncated":true}]}',
            "corrupt",
            [("number-overflow", "usedMemoryReferences[0].score")],
            id="overflow where declared",
        ),
        pytest.param(b',"name":NaN}', "corrupt", [("json-constant", "")], id="NaN"),
        pytest.param(
            b',"name":NaN,"goal":7}',
            "corrupt",
            [("json-constant", ""), ("type", "goal")],
            id="a fault of the text does not hide the others",
        ),
        pytest.param(b',"name":"b', "corrupt", [("json-cut", "")], id="cut"),
    ],
)
def test_text(tail: bytes, status: str, found: list[tuple[str, str]]) -> None:
    outcome = decode_bare(TINY + tail, thorough=True)
    assert outcome.status == status
    assert [(i.code, i.path) for i in outcome.issues] == found


@pytest.mark.parametrize(
    ("data", "verdict"),
    [
        (b'{"schemaVersion":1,"record":' + TINY + b"}}", "accept"),
        (b'{"schemaVersion":1,"record":' + TINY + b',"x":1}}', "reject"),
        (b'{"schemaVersion":1,"record":' + TINY, "reject"),
        (b'{"schemaVersion":2,"record":7}', "unsupported"),
    ],
)
def test_what_the_owner_would_do(data: bytes, verdict: str) -> None:
    original = decode_envelope(data).original
    assert original is not None
    assert original.verdict == verdict


def test_a_bare_record_is_unsupported_by_its_owner() -> None:
    for data in (TINY + b"}", TINY + b',"x":1}'):
        original = decode_bare(data).original
        assert original is not None
        assert original.verdict == "unsupported"
    assert isinstance(decode_bare(TINY + b',"x":1}'), Corrupt)


@pytest.mark.parametrize(
    ("tail", "found"),
    [
        pytest.param(b',"goal":7,"plan":{"id":"p', [("type", "goal"), ("json-cut", "")], id="cut"),
        pytest.param(
            b',"zz":1,"name":"a" : 3}', [("member-unknown", "zz"), ("json-syntax", "")], id="syntax"
        ),
        pytest.param(
            b',"history":[7,{"id":1},{"id":\x00\x00\x00\x00',
            [
                ("type", "history[0]"),
                ("member-missing", "history[1].timestamp"),
                ("member-missing", "history[1].category"),
                ("member-missing", "history[1].type"),
                ("type", "history[1].id"),
                ("json-nul-run", ""),
            ],
            id="zeros",
        ),
        pytest.param(b',"plan":7', [("json-cut", "")], id="what may go on is not judged"),
        pytest.param(b',"history":7,"goal', [("type", "history"), ("json-cut", "")], id="kind"),
    ],
)
def test_what_was_whole_before_the_text_stops(tail: bytes, found: list[tuple[str, str]]) -> None:
    outcome = decode_bare(TINY + tail)
    assert [(i.code, i.path) for i in outcome.issues] == found
    assert is_true_place(TINY + tail, outcome)


@pytest.mark.parametrize("version", ["1_0", ".5", "0x1", "+1", "01", "NaN", '"1'])
def test_no_version_is_read_where_none_is_written(version: str) -> None:
    outcome = decode_envelope(f'{{"schemaVersion": {version}, "record": {{}}}}'.encode())
    assert isinstance(outcome, Corrupt)
    assert outcome.version is None


def test_the_version_of_damaged_text() -> None:
    outcome = decode_envelope(b'{"schemaVersion": 1, "record": {"id": "a')
    assert isinstance(outcome, Corrupt)
    assert outcome.version == 1
