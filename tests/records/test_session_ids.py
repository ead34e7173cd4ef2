"""Session ids as parts of a path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesskit.records.session_ids import InvalidSessionId, checked_session_id, safe_segment

VECTORS = Path(__file__).parents[1] / "data" / "robota-record" / "vectors"
ROWS = [json.loads(line) for line in (VECTORS / "session-ids.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_rule(row: dict[str, Any]) -> None:
    assert safe_segment(row["id"]) is row["safe"]
    if row["safe"]:
        assert checked_session_id(row["id"]) == row["id"]
    else:
        with pytest.raises(InvalidSessionId):
            checked_session_id(row["id"])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "empty"),
        ("a" * 129, "longer than 128"),
        (".a", "start"),
        ("a/b", "other than ASCII"),
        ("a\n", "other than ASCII"),
        (None, "not text"),
        (7, "not text"),
        (["a"], "not text"),
    ],
)
def test_the_message_says_why(value: Any, words: str) -> None:
    with pytest.raises(InvalidSessionId, match=words):
        checked_session_id(value)


def test_the_message_does_not_repeat_the_id() -> None:
    with pytest.raises(InvalidSessionId) as caught:
        checked_session_id("/etc/not-a-real-secret")
    assert "secret" not in str(caught.value)


@given(st.text())
@settings(max_examples=100)
def test_a_safe_id_is_one_segment_of_a_path(text: str) -> None:
    if safe_segment(text):
        assert text.isascii()
        assert Path("store", f"{text}.json").parent == Path("store")
        assert text not in {"", ".", ".."}
