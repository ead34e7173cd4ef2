"""The one rendering of a conversation as text."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from robota_log_cases import rows
from sesskit.logs.transcript import transcript_entries
from sesskit.schemas.instants import Instant, parse_instant
from sesskit.schemas.robota_messages import Message


def instant(kind: type, value: Any) -> Instant:
    found = parse_instant(value)
    assert found is not None
    return found


@pytest.mark.parametrize("row", rows("transcript.jsonl"), ids=lambda row: row["title"])
def test_entries_of_the_original(row: dict[str, Any]) -> None:
    assert list(transcript_entries(row["messages"])) == row["entries"]


@pytest.mark.parametrize("row", rows("transcript.jsonl"), ids=lambda row: row["title"])
def test_typed_messages_give_the_same(row: dict[str, Any]) -> None:
    try:
        typed = msgspec.convert(row["messages"], list[Message], dec_hook=instant)
    except msgspec.ValidationError:
        pytest.skip("not a checked message")
    assert list(transcript_entries(typed)) == row["entries"]
