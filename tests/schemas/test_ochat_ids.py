"""History ids: the one form, and nothing else."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ochat_vectors import Row, told
from sesskit.schemas.binprot import INT_HIGH
from sesskit.schemas.ochat_ids import HistoryId, is_history_id, parse_history_id


def _text(told_text: str | dict[str, str]) -> str | bytes:
    if isinstance(told_text, str):
        return told_text
    return base64.b64decode(told_text["$bytes_b64"]).decode()  # as texts are read


@pytest.mark.parametrize("row", told("facts/history_ids.json"), ids=lambda row: repr(row["text"]))
def test_facts(row: Row) -> None:
    text = _text(row["text"])
    assert is_history_id(text) is row["ok"]
    parsed = parse_history_id(text)
    if not row["ok"]:
        assert parsed is None
        return
    said = row.get("namespace_b64")
    namespace = row["namespace"] if said is None else base64.b64decode(said).decode()
    assert parsed == HistoryId(namespace, row["sequence"])
    assert parsed.text() == text


@pytest.mark.parametrize("sequence", [0, 9, 10, 10**18, INT_HIGH])
@pytest.mark.parametrize("namespace", ["a", "a:b", "ü", b"\xff"])
def test_back_and_forth(namespace: str | bytes, sequence: int) -> None:
    identity = HistoryId(namespace, sequence)
    assert parse_history_id(identity.text()) == identity


@given(st.one_of(st.text("0123456789:a ü-", max_size=24), st.binary(max_size=12)))
def test_the_quick_check_says_what_the_parser_says(text: str | bytes) -> None:
    assert is_history_id(text) == (parse_history_id(text) is not None)
