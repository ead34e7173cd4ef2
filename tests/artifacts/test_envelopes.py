"""Artifacts: there and back without loss, and refused with every reason."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from sesskit.artifacts.envelopes import ImportRefused, export_artifact, import_artifact
from sesskit.artifacts.exchange import ExportRefused
from sesskit.records.robota_store import RobotaStore
from sesskit.schemas.sensitive import scrub_sensitive_keys

VECTORS = Path(__file__).parents[1] / "data" / "robota-record" / "vectors"
BASES = sorted((VECTORS / "valid").glob("*.json"))
ROWS = [json.loads(line) for line in (VECTORS / "artifact.jsonl").read_bytes().splitlines()]


def edited(row: dict[str, Any]) -> dict[str, Any]:
    record: Any = json.loads((VECTORS / "valid" / f"{row['base']}.json").read_bytes())
    for edit in row["edits"]:
        *way, last = edit["path"]
        holder = record
        for key in way:
            holder = holder[key]
        if edit["op"] == "set":
            holder[last] = copy.deepcopy(edit["value"])
        else:
            del holder[last]
    return dict(record)


def artifact(row: dict[str, Any]) -> bytes:
    if row["op"] == "import":
        text: str = row["text"]
        return text.encode()
    fill = {"fill": row["fill"]} if "fill" in row else {}
    scrub = (lambda record: scrub_sensitive_keys(record, **fill)) if row["scrub"] else None
    return export_artifact(edited(row), scrub)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_answers_of_the_original(row: dict[str, Any]) -> None:
    data, expect = artifact(row), row["expect"]
    if expect["ok"]:
        assert import_artifact(data).value.id == expect["recordId"]
        return
    with pytest.raises(ImportRefused) as caught:
        import_artifact(data)
    refusal = caught.value
    assert refusal.reason == expect["reason"]
    if refusal.reason == "unsupported":
        assert refusal.version == expect["schemaVersion"]
    if refusal.reason == "invalid":
        # The original shows five places and counts the rest; here every place is shown.
        found = [issue.path for issue in refusal.issues]
        assert set(expect["shownPaths"]) <= set(found)
        assert len(found) >= len(expect["shownPaths"]) + expect["more"]


@pytest.mark.parametrize("base", BASES, ids=lambda path: path.stem)
def test_there_and_back_loses_nothing(base: Path, tmp_path: Path) -> None:
    stored = (VECTORS / "reencoded" / base.name).read_bytes()
    record = import_artifact(stored).value
    assert export_artifact(record) == stored
    store = RobotaStore(tmp_path)
    store.save(record)
    assert store.path(record.id).read_bytes() == stored


def test_redact_gets_the_record_and_its_result_is_written() -> None:
    record = json.loads((VECTORS / "valid" / "small-chat.json").read_bytes())
    data = export_artifact(record, lambda given: {**given, "cwd": ""})
    assert import_artifact(data).value.cwd == ""
    assert record["cwd"]


def test_the_message_shows_every_place_and_no_value() -> None:
    record = {"id": 1, "cwd": "not-a-real-secret", "messages": [{"role": "not-a-real-role"}] * 9}
    with pytest.raises(ImportRefused) as caught:
        import_artifact(export_artifact(record))
    lines = str(caught.value).splitlines()
    assert lines[0] == "the artifact holds no valid session record"
    assert len(lines) - 1 == len(caught.value.issues) >= 12
    assert any(line.startswith("record.messages[8].role: ") for line in lines)
    assert all("line " in line and "column " in line for line in lines[1:])
    assert "not-a-real" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"nope", "the artifact is not JSON\n(root): "),
        (b"null", "the artifact holds no valid session record\n(root): "),
        (b"{}", "the artifact names no version; this build reads version 1"),
        (b'{"schemaVersion":2}', "the artifact is of version 2; this build reads version 1"),
        (b'{"schemaVersion":1.5}', "the artifact is of version 1.5; this build reads version 1"),
    ],
)
def test_messages(data: bytes, words: str) -> None:
    with pytest.raises(ImportRefused) as caught:
        import_artifact(data)
    assert str(caught.value).startswith(words)


def test_the_message_carries_no_escapes() -> None:
    with pytest.raises(ImportRefused) as caught:
        import_artifact(export_artifact({"\x1b[31m": 1}))
    assert "\x1b" not in str(caught.value)
    assert any(issue.path == "record.\x1b[31m" for issue in caught.value.issues)


def test_too_deep_is_json_all_the_same() -> None:
    deep = b"[" * 5000 + b"]" * 5000
    with pytest.raises(ImportRefused) as caught:
        import_artifact(b'{"schemaVersion":1,"record":' + deep + b"}")
    assert caught.value.reason == "invalid"


def test_warnings_come_with_the_record() -> None:
    stored = (VECTORS / "reencoded" / "empty.json").read_bytes()
    doubled = stored.replace(b'"cwd":', b'"cwd": "/srv/first",\n    "cwd":')
    answer = import_artifact(doubled)
    assert [issue.severity for issue in answer.issues] == ["warning"]


def test_a_number_that_overflows_is_refused_with_its_place() -> None:
    plain = json.loads((VECTORS / "valid" / "small-chat.json").read_bytes())
    plain["messages"][1]["metadata"] = {"not-a-real-secret": float("inf")}
    text = json.dumps({"schemaVersion": 1, "record": plain}).replace("Infinity", "1e400")
    for record in (plain, import_artifact(text.encode()).value):
        with pytest.raises(ExportRefused) as caught:
            export_artifact(record)
        (issue,) = caught.value.issues
        assert issue.keys == ("record", "messages", 1, "metadata", "not-a-real-secret")
        assert str(caught.value).endswith(": a number that overflows cannot be written")
