"""Small tables of the original: instants, sensitive names, session ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from robota_log_cases import rows
from sesskit.records.session_ids import safe_segment
from sesskit.schemas.instants import parse_instant
from sesskit.schemas.sensitive import is_sensitive_key, scrub_sensitive_keys


@pytest.mark.parametrize(("text", "iso"), rows("timestamps.json"))
def test_instants(text: str, iso: str | None) -> None:
    instant = parse_instant(text)
    assert (None if instant is None else str(instant)) == iso


@pytest.mark.parametrize(("name", "sensitive"), rows("sensitive-keys.json"))
def test_sensitive_names(name: str, sensitive: bool) -> None:
    assert is_sensitive_key(name) is sensitive


def with_dates(value: Any) -> Any:
    """The same, ``{"$date": …}`` made an instant."""
    return json.loads(json.dumps(value), object_hook=_dated)


def _dated(members: dict[str, Any]) -> Any:
    return parse_instant(members["$date"]) if "$date" in members else members


def with_text(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


@pytest.mark.parametrize("row", rows("scrub.jsonl"))
def test_scrubbing(row: dict[str, Any]) -> None:
    value = with_dates(row["input"])
    assert with_text(scrub_sensitive_keys(value)) == row["output"]
    assert with_text(scrub_sensitive_keys(value, "***")) == row["output_custom"]


@pytest.mark.parametrize(("name", "usable"), rows("session-ids.json"))
def test_session_ids(name: str, usable: bool) -> None:
    assert safe_segment(name) is usable
