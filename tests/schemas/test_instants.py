from __future__ import annotations

import copy
import json
import pickle
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from robota_vectors import rows
from sesskit.schemas.civil import civil_ms, civil_text
from sesskit.schemas.engine_dates import ENGINE_DIFFERENCES
from sesskit.schemas.instants import (
    MAX_MS,
    STANDARD_UTC_PATTERN,
    Instant,
    is_instant,
    is_zoneless,
    parse_instant,
    revive,
)

ENGINE = Path(__file__).parents[1] / "data" / "instants" / "engine.jsonl"
ENGINE_ROWS = [json.loads(line) for line in ENGINE.read_bytes().splitlines()]
MILLISECONDS = st.integers(-MAX_MS, MAX_MS)


def shown(text: str) -> str | None:
    instant = parse_instant(text)
    return None if instant is None else str(instant)


@pytest.mark.parametrize("row", rows("instants"), ids=lambda row: row["name"])
def test_instants_of_the_record_format(row: dict[str, Any]) -> None:
    assert is_instant(row["text"]) is row["accepted"]
    assert shown(row["text"]) == row.get("iso")


@pytest.mark.parametrize("row", ENGINE_ROWS, ids=lambda row: ascii(row["text"]))
def test_dates_as_engines_read_them(row: dict[str, Any]) -> None:
    assert shown(row["text"]) == row["iso"]


@pytest.mark.parametrize("difference", ENGINE_DIFFERENCES, ids=lambda d: d.text)
def test_documented_differences_are_true(difference: Any) -> None:
    assert (shown(difference.text) or "refused") == difference.ours


@pytest.mark.parametrize(
    ("text", "zone", "iso"),
    [
        ("2026-03-04T09:00", 120, "2026-03-04T07:00:00.000Z"),
        ("2026-03-04T09:00", -90, "2026-03-04T10:30:00.000Z"),
        ("2026-03-04T09:00", timezone(timedelta(hours=2)), "2026-03-04T07:00:00.000Z"),
        ("2026-03-04T09:00Z", 120, "2026-03-04T09:00:00.000Z"),
        ("2026-03-04T09:00+01:00", 120, "2026-03-04T08:00:00.000Z"),
        ("2026-03-04", 120, "2026-03-04T00:00:00.000Z"),
        ("2026-03", 120, "2026-03-01T00:00:00.000Z"),
        ("Mar 4, 2026", 120, "2026-03-03T22:00:00.000Z"),
        ("2026-03-04 09:00", 120, "2026-03-04T07:00:00.000Z"),
        ("-000100-01-01T00:00", timezone(timedelta(hours=2)), "-000101-12-31T22:00:00.000Z"),
        ("+012026-01-01T00:00", timezone(timedelta(hours=2)), "+012025-12-31T22:00:00.000Z"),
    ],
)
def test_zone_is_for_date_times_without_offset(text: str, zone: int | tzinfo, iso: str) -> None:
    assert str(parse_instant(text, zone)) == iso


class _NoOffset(tzinfo):
    def utcoffset(self, when: datetime | None) -> None:
        return None

    def dst(self, when: datetime | None) -> None:
        return None

    def tzname(self, when: datetime | None) -> None:
        return None


def test_a_zone_without_offset_is_utc() -> None:
    assert parse_instant("2026-03-04T09:00", _NoOffset()) == parse_instant("2026-03-04T09:00Z")


@pytest.mark.parametrize(
    ("text", "zoneless"),
    [
        ("2026-03-04T09:00:00.000Z", False),
        ("2026-03-04T09:00:00+00:00", False),
        ("2026-03-04", False),
        ("2026", False),
        ("2026-03-04T09:00", True),
        ("2026-03-04 09:00", True),
        ("Mar 4, 2026", True),
        ("Wed, 04 Mar 2026 09:00:00 GMT", False),
        ("yesterday", False),
        ("1772614800000", False),
    ],
)
def test_is_zoneless(text: str, zoneless: bool) -> None:
    assert is_zoneless(text) is zoneless


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-03-04T09:00:00.123Z", "2026-03-04T09:00:00.123Z"),
        ("2026-03-04T09:00:00Z", "2026-03-04T09:00:00.000Z"),
        ("2026-03-04T09:00:00.5Z", "2026-03-04T09:00:00.500Z"),
        ("2026-03-04T09:00:00.123987654321Z", "2026-03-04T09:00:00.123Z"),
        ("1969-12-31T23:59:59.1239Z", "1969-12-31T23:59:59.123Z"),
        ("2026-02-30T09:00:00.000Z", "2026-03-02T09:00:00.000Z"),
        ("2026-02-30T09:00:00Z", "2026-03-02T09:00:00.000Z"),
        ("2026-03-31T09:00:00.000Z", "2026-03-31T09:00:00.000Z"),
        ("0000-01-01T00:00:00.250Z", "0000-01-01T00:00:00.250Z"),
    ],
)
def test_revive_reads_the_usual_form(text: str, iso: str) -> None:
    instant = revive(text)
    assert instant is not None
    assert str(instant) == iso
    assert instant == parse_instant(text)
    assert instant.ms == instant.ms
    assert str(instant) == iso
    assert re.search(STANDARD_UTC_PATTERN, text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-04T09:00:00.000Z\n",
        "\n2026-03-04T09:00:00.000Z",
        "2026-03-04T09:00:00.000Zx",
        "2026-03-04T09:00Z",
        "2026-03-04T24:00:00Z",
        "2026-03-04T09:00:60Z",
        "2026-03-32T09:00:00Z",
        "2026-13-04T09:00:00Z",
        "2026-03-04T09:00:00.Z",
        "2026-03-04T09:00:00z",
        "٢٠٢٦-03-04T09:00:00Z",
        "",
    ],
)
def test_the_pattern_leaves_the_rest_to_the_rule(text: str) -> None:
    assert revive(text) is None
    assert re.search(STANDARD_UTC_PATTERN, text) is None


@pytest.mark.parametrize("value", [None, 5, 5.0, True, b"2026-03-04T09:00:00Z", [], {}])
def test_revive_is_total(value: Any) -> None:
    assert revive(value) is None


@given(st.from_regex(STANDARD_UTC_PATTERN))
@example("9999-12-31T23:59:59.999Z")
def test_what_the_pattern_accepts_the_rule_accepts(text: str) -> None:
    instant = revive(text)
    assert instant is not None
    assert instant == parse_instant(text)
    assert str(instant) == str(parse_instant(text))


@given(MILLISECONDS)
@example(MAX_MS)
@example(-MAX_MS)
@example(-1)
@example(-62167219200001)
def test_text_and_milliseconds_are_inverse(ms: int) -> None:
    assert parse_instant(str(Instant(ms))) == Instant(ms)


@given(st.datetimes(timezones=st.just(UTC)))
def test_civil_dates_agree_with_the_standard_library(when: datetime) -> None:
    ms = when.microsecond // 1000
    date, time = (when.year, when.month, when.day), (when.hour, when.minute, when.second, ms)
    written = when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert civil_text(civil_ms(date, time)) == written
    assert Instant(civil_ms(date, time)).to_datetime() == when.replace(microsecond=ms * 1000)


@pytest.mark.parametrize("ms", [MAX_MS, -MAX_MS, civil_ms((10_000, 1, 1), (0, 0, 0, 0))])
def test_datetime_lacks_some_years(ms: int) -> None:
    with pytest.raises(ValueError, match="1 to 9999"):
        Instant(ms).to_datetime()


@pytest.mark.parametrize("ms", [MAX_MS + 1, -MAX_MS - 1])
def test_instants_have_a_range(ms: int) -> None:
    with pytest.raises(ValueError, match=r"8\.64e15"):
        Instant(ms)


def test_instants_are_values() -> None:
    early, late = Instant(1), Instant(2)
    assert early < late <= Instant(2)
    assert late > early
    assert late >= early
    assert early != late
    assert (early == 1) is False
    assert {early, Instant(1), revive("1970-01-01T00:00:00.001Z")} == {early}
    assert repr(early) == "Instant(1)"
    assert pickle.loads(pickle.dumps(late)) == copy.deepcopy(late) == copy.copy(late) == late


@pytest.mark.parametrize("operator", ["__lt__", "__le__", "__gt__", "__ge__"])
def test_instants_are_not_ordered_among_numbers(operator: str) -> None:
    assert getattr(Instant(1), operator)(2) is NotImplemented


def test_instants_cannot_be_changed() -> None:
    instant = Instant(1)
    for name in ("_ms", "ms", "more"):
        with pytest.raises(AttributeError):
            setattr(instant, name, 2)
        with pytest.raises(AttributeError):
            delattr(instant, name)
    assert instant.ms == 1


@given(st.text(max_size=40) | st.text(alphabet="0123456789:-+. TZ/(),amMarGUC", max_size=24))
def test_parsing_is_total_and_consistent(text: str) -> None:
    instant = parse_instant(text)
    assert is_instant(text) is (instant is not None)
    east = parse_instant(text, 60)
    if instant is not None and east is not None:
        assert (instant.ms - east.ms == 3_600_000) is is_zoneless(text)
        assert is_zoneless(text) or instant == east


@pytest.mark.parametrize("unit", ["a.", "(", "()", "1", "- ", "x", ":", "1 ", "\ud800", "\0"])
def test_long_nonsense_is_refused(unit: str) -> None:
    assert parse_instant(unit * 50_000) is None
