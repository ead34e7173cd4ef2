"""From bare records to version 1: what is filled, what is refused, and what is said about it."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesskit.records.robota_migrate import Migration, migrate_bare, migrate_file
from sesskit.records.robota_store import RobotaStore
from sesskit.schemas.outcomes import Corrupt, Missing, Unreadable, Unsupported, Valid

VECTORS = Path(__file__).parents[1] / "data" / "robota-record" / "vectors"
BASES = sorted((VECTORS / "valid").glob("*.json"))
ROWS = {
    row["name"]: row
    for row in map(json.loads, (VECTORS / "migrate.jsonl").read_bytes().splitlines())
}
UPDATED = "2026-01-02T03:04:05.000Z"


def bare(*messages: Any, **more: Any) -> bytes:
    return json.dumps(
        {
            "id": "old-1",
            "cwd": "/srv/demo",
            "createdAt": "2026-01-01T00:00:00Z",
            "updatedAt": "2026-01-02T03:04:05Z",
            "messages": list(messages),
            **more,
        }
    ).encode()


def message(role: str = "user", content: Any = "hi", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def whole(role: str = "user", content: Any = "hi", **more: Any) -> dict[str, Any]:
    head = {"id": "m", "timestamp": "2026-01-01T10:00:00.000Z", "state": "complete"}
    return {**head, "role": role, "content": content, **more}


def migrated(data: bytes, **options: Any) -> dict[str, Any]:
    """The record of a migration that must succeed."""
    migration = migrate_bare(data, **options)
    assert isinstance(migration.outcome, Valid), migration.outcome.issues
    assert migration.data is not None
    envelope = json.loads(migration.data)
    assert list(envelope) == ["schemaVersion", "record"]
    assert envelope["schemaVersion"] == 1
    record: dict[str, Any] = envelope["record"]
    return record


def refused(data: bytes, **options: Any) -> list[str]:
    """The places that a migration which must fail complains about."""
    migration = migrate_bare(data, **options)
    assert migration.data is None
    assert migration.notes == ()
    assert isinstance(migration.outcome, Corrupt)
    return [issue.path for issue in migration.outcome.issues if issue.severity == "error"]


def notes(migration: Migration) -> list[tuple[str, str, str, str, int]]:
    return [(n.kind, n.code, n.path, n.first, n.count) for n in migration.notes]


# -- the back-fill script of the original, and what is done instead

# Its result is a bare record with history. Ours is the same history in an enveloped record, so the
# store can read it; an entry's data is the whole message, its id the message's own.
AS_THE_ORIGINAL = (
    "plain",
    "null-history-is-filled",
    "offset-updatedAt",
    "unsafe-name-still-migrated",
    "three-files",
    "subdirectory-named-json-skipped",
)
# It passes by, for good reason or none; ours says what is the matter with the file.
REFUSED = {
    "has-history": ["history[0].id"],  # the entry is no history entry
    "null-file-throws": [""],
    "array-file-skipped": [""],
    "string-file-skipped": [""],
    # It breaks off, with the files before already changed; ours refuses this one file.
    "bad-updatedAt-throws": ["updatedAt"],
    "null-message-throws": ["messages[0].role"],
    # It drops three of five messages from the history; one of them is no message at all.
    "empty-content-dropped": ["messages[3].role"],
}


def only_file(row: dict[str, Any]) -> bytes:
    text: str = row["files"][0]["text"]
    return text.encode()


@pytest.mark.parametrize("name", AS_THE_ORIGINAL)
def test_history_of_the_original(name: str) -> None:
    texts = {file["name"]: file["text"] for file in ROWS[name]["files"] if "text" in file}
    for after in ROWS[name]["after"]:
        migration = migrate_bare(texts[after["name"]].encode(), backfill_history=True)
        if after.get("unchanged"):
            assert migration.data is None
            continue
        assert migration.data is not None
        record = json.loads(migration.data)["record"]
        expected = json.loads(after["text"])["history"]
        for ours, theirs in zip(record["history"], expected, strict=True):
            for member in ("timestamp", "category", "type"):
                assert ours[member] == theirs[member]
            assert ours["data"].items() >= theirs["data"].items()


@pytest.mark.parametrize("name", REFUSED)
def test_located_refusals(name: str) -> None:
    found = refused(only_file(ROWS[name]), backfill_history=True)
    assert found[0] in REFUSED[name]
    assert set(REFUSED[name]) <= set(found)


def test_no_messages() -> None:
    data = only_file(ROWS["no-messages"])
    assert "history" not in migrated(data, backfill_history=True)
    migration = migrate_bare(data, backfill_history=True)
    assert notes(migration) == [("kept", "history-empty", "history", "history", 1)]


def test_messages_without_content_are_not_dropped() -> None:
    record = migrated(only_file(ROWS["all-messages-dropped"]), backfill_history=True)
    assert [entry["data"]["content"] for entry in record["history"]] == [None]


def test_content_that_is_a_list_of_parts() -> None:
    record = migrated(only_file(ROWS["content-array-kept"]), backfill_history=True)
    (carried,) = record["messages"]
    assert carried["content"] == "q"
    assert carried["parts"] == [{"type": "text", "text": "q"}]
    assert record["history"][0]["data"] == carried


def test_every_row_is_looked_at() -> None:
    special = {"no-messages", "all-messages-dropped", "content-array-kept"}
    by_name = {"other-extensions-ignored"}  # which files are taken is not asked here
    assert {*AS_THE_ORIGINAL, *REFUSED, *special, *by_name} == set(ROWS)


# -- filling


@pytest.mark.parametrize("base", BASES, ids=lambda path: path.stem)
def test_a_sound_record_only_gets_its_envelope(base: Path) -> None:
    migration = migrate_bare(base.read_bytes())
    assert migration.data == (VECTORS / "reencoded" / base.name).read_bytes()
    assert migration.notes == ()
    assert migrate_bare(base.read_bytes(), strict=True) == migration


def test_what_old_messages_lack() -> None:
    data = bare(message(), message("assistant", "hello"), whole())
    record = migrated(data)
    assert record["messages"] == [
        {
            "id": "legacy-0",
            "timestamp": UPDATED,
            "state": "complete",
            "role": "user",
            "content": "hi",
        },
        {
            "id": "legacy-1",
            "timestamp": UPDATED,
            "state": "complete",
            "role": "assistant",
            "content": "hello",
        },
        whole(),
    ]
    assert notes(migrate_bare(data)) == [
        ("filled", "message-id", "messages[].id", "messages[0].id", 2),
        ("filled", "message-timestamp", "messages[].timestamp", "messages[0].timestamp", 2),
        ("filled", "message-state", "messages[].state", "messages[0].state", 2),
    ]


def test_what_is_there_is_kept() -> None:
    given = {"id": "m-7", "timestamp": "2026-01-01T10:00:00.000Z", "state": "interrupted"}
    (carried,) = migrated(bare(message(**given)))["messages"]
    assert carried.items() >= given.items()


def test_made_up_ids_are_never_those_of_others() -> None:
    data = bare(message(id="legacy-1"), message(), message(id="legacy-1-2"), message())
    ids = [carried["id"] for carried in migrated(data)["messages"]]
    assert ids == ["legacy-1", "legacy-1-3", "legacy-1-2", "legacy-3"]


def test_strict_fills_nothing() -> None:
    assert refused(bare(message()), strict=True) == [
        "messages[0].id",
        "messages[0].timestamp",
        "messages[0].state",
    ]
    assert refused(bare(history=None), strict=True) == ["history"]


def test_an_assistant_message_may_lack_content_no_other_may() -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    data = bare({"role": "assistant", "toolCalls": calls})
    assert migrated(data)["messages"][0]["content"] is None
    assert ("filled", "message-content") in [n[:2] for n in notes(migrate_bare(data))]
    assert refused(bare({"role": "user"})) == ["messages[0].content"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "image_uri", "uri": "file:///srv/demo/a.png"}], ""),
    ],
)
def test_parts_become_parts(content: list[Any], text: str) -> None:
    data = bare(message(content=content))
    (carried,) = migrated(data)["messages"]
    assert (carried["content"], carried["parts"]) == (text, content)
    path = "messages[].content", "messages[0].content"
    assert ("moved", "content-parts", *path, 1) in notes(migrate_bare(data))


@pytest.mark.parametrize(
    "content", [["a"], [{"type": "text"}], [{"type": "audio", "text": "a"}], {"text": "a"}, 7, None]
)
def test_content_that_is_nothing_known(content: Any) -> None:
    assert refused(bare(message(content=content))) == ["messages[0].content"]


def test_parts_are_not_moved_over_parts() -> None:
    part = {"type": "text", "text": "a"}
    assert refused(bare(message(content=[part], parts=[]))) == ["messages[0].content"]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"id": None}, "messages[0].id"),
        ({"timestamp": 1772600000000}, "messages[0].timestamp"),
        ({"timestamp": ""}, "messages[0].timestamp"),
        ({"state": "done"}, "messages[0].state"),
        ({"role": "robot"}, "messages[0].role"),
        ({"role": ["user"]}, "messages[0].role"),
        ({"color": "red"}, "messages[0].color"),
    ],
)
def test_what_is_wrong_is_refused_not_replaced(given: dict[str, Any], path: str) -> None:
    assert refused(bare(message(**given))) == [path]


def test_reasons_have_their_place_in_the_old_file() -> None:
    data = json.dumps(json.loads(bare(message(), message(content=7))), indent=2).encode()
    (issue,) = migrate_bare(data).outcome.issues
    assert issue.line is not None
    assert issue.column is not None
    line = data.splitlines()[issue.line - 1].decode()
    assert line[issue.column - 1 :] == "7"


def test_without_updated_at_no_time_is_made_up() -> None:
    found = refused(bare(message(), updatedAt=None))
    assert "updatedAt" in found
    assert "messages[0].timestamp" in found


def test_a_null_history_is_no_history() -> None:
    data = bare(history=None)
    assert "history" not in migrated(data)
    assert notes(migrate_bare(data)) == [("filled", "history-null", "history", "history", 1)]


# -- history


def test_everything_of_a_message_is_in_its_entry() -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    messages = [
        whole("user", "q", id="u", name="reader", metadata={"n": 1}),
        whole("assistant", None, id="a", toolCalls=calls),
        whole("assistant", "", id="e", state="interrupted"),
        whole("tool", "r", id="t", toolCallId="c", timestamp="2026-01-01T11:00:00.000Z"),
    ]
    data = bare(*messages)
    record = migrated(data, backfill_history=True)
    assert record["messages"] == messages
    assert [entry["data"] for entry in record["history"]] == messages
    assert [entry["id"] for entry in record["history"]] == ["u", "a", "e", "t"]
    assert [entry["timestamp"] for entry in record["history"]] == [
        one["timestamp"] for one in messages
    ]
    assert {entry["category"] for entry in record["history"]} == {"chat"}
    assert [entry["type"] for entry in record["history"]] == [
        "user",
        "assistant",
        "assistant",
        "tool",
    ]
    assert notes(migrate_bare(data, backfill_history=True)) == [
        ("filled", "history", "history[]", "history[0]", 4)
    ]


def test_a_history_is_kept() -> None:
    entry = {"id": "h", "timestamp": UPDATED, "category": "event", "type": "x"}
    data = bare(whole(), history=[entry])
    assert migrated(data, backfill_history=True)["history"] == [entry]
    migration = migrate_bare(data, backfill_history=True)
    assert notes(migration) == [("kept", "history-kept", "history", "history", 1)]


def test_history_is_made_only_on_request() -> None:
    assert "history" not in migrated(bare(whole()))


# -- what cannot be carried as it was


def test_what_cannot_be_carried_is_said() -> None:
    data = (
        bare(whole()).replace(b'"hi"', b'"h\xff"').replace(b'"cwd"', b'"cwd": "/srv/first", "cwd"')
    )
    record = migrated(data)
    assert record["cwd"] == "/srv/demo"
    assert record["messages"][0]["content"] == "h\ufffd"
    changed = {note.first for note in migrate_bare(data).notes if note.kind == "changed"}
    assert "cwd" in changed
    assert "messages[0].content" in changed


def test_a_number_beyond_all_doubles() -> None:
    history = [{"id": "h", "timestamp": UPDATED, "category": "c", "type": "t", "data": [7777]}]
    data = bare(history=history).replace(b"7777", b"1e400")
    assert migrated(data)["history"][0]["data"] == [None]
    changed = [note.first for note in migrate_bare(data).notes if note.kind == "changed"]
    assert changed == ["history[0].data[0]"]


def test_a_number_beyond_all_doubles_where_null_is_refused() -> None:
    data = bare(whole(metadata={"n": 7777})).replace(b"7777", b"1e400")
    assert refused(data) == ["messages[0].metadata.n"]
    (issue,) = migrate_bare(data).outcome.issues
    assert issue.offset == data.index(b"1e400")


def test_instants_without_zone() -> None:
    data = bare(whole(timestamp="2026-01-01T10:00:00"), createdAt="2026-01-01T00:00:00")
    record = migrated(data, zone=timezone(timedelta(hours=2)))
    assert record["messages"][0]["timestamp"] == "2026-01-01T08:00:00.000Z"
    assert record["createdAt"] == "2026-01-01T00:00:00"
    changed = [note.first for note in migrate_bare(data).notes]
    assert changed == ["messages[0].timestamp"]


# -- other files


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"schemaVersion": 1, "record": {}}', Corrupt),
        (b'{"schemaVersion": 2, "record": {}}', Unsupported),
        (b'{"schemaVersion": null}', Unsupported),
    ],
)
def test_enveloped_files_are_left_alone(data: bytes, kind: type) -> None:
    migration = migrate_bare(data)
    assert migration.already_enveloped
    assert migration.data is None
    assert isinstance(migration.outcome, kind)


def test_migrated_files_are_current() -> None:
    first = migrate_bare(bare(message()), backfill_history=True)
    assert first.data is not None
    again = migrate_bare(first.data, backfill_history=True)
    assert again.already_enveloped
    assert isinstance(again.outcome, Valid)
    assert again.data is None


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", bytes(100), b"[" * 100_000, b"1"])
def test_what_is_no_record_at_all(data: bytes) -> None:
    assert refused(data) == [""]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            name: JSON | st.sampled_from(["user", "assistant", "tool", UPDATED, "complete"])
            for name in ("role", "content", "id", "timestamp", "state", "parts", "toolCallId")
        },
    )
    | JSON,
    max_size=4,
)


@given(MESSAGES, st.booleans(), st.booleans())
@settings(max_examples=100)
def test_total_and_what_comes_out_is_sound(
    messages: list[Any], backfill_history: bool, strict: bool
) -> None:
    data = bare(*messages)
    migration = migrate_bare(data, backfill_history=backfill_history, strict=strict)
    assert (migration.data is None) is isinstance(migration.outcome, Corrupt)
    if migration.data is None:
        assert any(issue.severity == "error" for issue in migration.outcome.issues)
    else:
        record = json.loads(migration.data)["record"]
        assert len(record["messages"]) == len(messages)


# -- files


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "old.json"
    source.write_bytes(bare(message()))
    migration = migrate_file(source)
    assert migration.data is not None
    assert (migration.written, migration.backup) == (None, None)
    assert list(tmp_path.iterdir()) == [source]


def test_to_another_file(tmp_path: Path) -> None:
    source, target = tmp_path / "old.json", tmp_path / "old-1.json"
    source.write_bytes(bare(message()))
    before = source.read_bytes()
    migration = migrate_file(source, target, backfill_history=True)
    assert migration.written == target
    assert target.read_bytes() == migration.data
    assert source.read_bytes() == before
    assert isinstance(RobotaStore(tmp_path).load("old-1"), Valid)
    with pytest.raises(FileExistsError):
        migrate_file(source, target)
    assert migrate_file(source, target, overwrite=True).written == target


def test_in_place_keeps_a_backup(tmp_path: Path) -> None:
    source = tmp_path / "old-1.json"
    source.write_bytes(bare(message()))
    before = source.read_bytes()
    migration = migrate_file(source, in_place=True)
    assert (migration.written, migration.backup) == (source, tmp_path / "old-1.json.bak")
    assert source.read_bytes() == migration.data
    assert (tmp_path / "old-1.json.bak").read_bytes() == before


def test_files_that_give_nothing(tmp_path: Path) -> None:
    target = tmp_path / "new.json"
    assert migrate_file(tmp_path / "none", target).outcome == Missing()
    assert migrate_file(tmp_path, target).outcome == Unreadable("it is a folder")
    (tmp_path / "bad.json").write_bytes(b"{")
    assert isinstance(migrate_file(tmp_path / "bad.json", in_place=True).outcome, Corrupt)
    with (tmp_path / "zeros.json").open("wb") as out:
        out.truncate(1 << 22)
    assert isinstance(migrate_file(tmp_path / "zeros.json", target).outcome, Corrupt)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.json", "zeros.json"]
