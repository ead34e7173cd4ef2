"""Instants: points in time as JSON texts write them.

The rule is the ECMAScript date-time string format (ECMA-262, section "Date Time String Format"),
then what JavaScript engines read besides (`engine_dates`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NoReturn

from sesskit.schemas.civil import MS_OF_DAY, Reading, civil_ms, civil_text

__all__ = [
    "MAX_MS",
    "STANDARD_UTC_PATTERN",
    "Instant",
    "Zone",
    "is_instant",
    "is_zoneless",
    "parse_instant",
    "revive",
]

MAX_MS = 8_640_000_000_000_000
"""The furthest instant from 1970 on either side, in milliseconds: 100 million days."""

Zone = int | tzinfo
"""Where date-times without an offset are read: minutes east of UTC, or a time zone."""

STANDARD_UTC_PATTERN = (
    r"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z(?![\s\S])"
)
"""The usual UTC form. All it matches is an instant; not every instant matches.

It means the same to Python and to ECMAScript: ``$`` would let a final line feed pass in Python.
"""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 12, 31, tzinfo=UTC)
_is_usual = re.compile(STANDARD_UTC_PATTERN).match
_CANONICAL_LENGTH = len("2026-03-04T09:00:00.000Z")

_STANDARD = re.compile(
    r"(?P<year>[0-9]{4}|[+-][0-9]{6})"
    r"(?:-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12][0-9]|3[01]))?)?"
    r"(?P<time>[Tt](?P<hour>[01][0-9]|2[0-4]):(?P<minute>[0-5][0-9])"
    r"(?::(?P<second>[0-5][0-9])(?:\.(?P<fraction>[0-9]+))?)?"
    r"(?P<offset>[Zz]|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?"
)


class Instant:
    """One instant, in whole milliseconds since 1970-01-01T00:00:00Z. Immutable.

    ``Instant(ms)`` takes an int of at most 8.64e15 either way, else raises ValueError. Instants are
    equal, ordered and hashed by their milliseconds; ``str()`` writes ``YYYY-MM-DDTHH:mm:ss.sssZ``,
    and years outside 0..9999 as ``+YYYYYY`` or ``-YYYYYY``.
    """

    # One of the two is always there and the other is worked out when it is asked for.
    __slots__ = ("_ms", "_text")
    _ms: int
    _text: str

    def __init__(self, ms: int) -> None:
        if not -MAX_MS <= ms <= MAX_MS:
            raise ValueError("an instant is at most 8.64e15 milliseconds away from 1970")
        _hold_ms(self, int(ms))

    @property
    def ms(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z."""
        try:
            return self._ms
        except AttributeError:
            ms = _usual_ms(self._text)
            _hold_ms(self, ms)
            return ms

    def to_datetime(self) -> datetime:
        """The same instant in UTC. ValueError for years Python lacks (before 1, after 9999)."""
        try:
            return _EPOCH + timedelta(milliseconds=self.ms)
        except OverflowError:
            raise ValueError("datetime knows the years 1 to 9999 only") from None

    def __str__(self) -> str:
        try:
            text = self._text
        except AttributeError:
            text = ""
        # A day past the 28th may roll over into the next month, so it is written anew.
        if len(text) != _CANONICAL_LENGTH or text[8:10] > "28":
            return civil_text(self.ms)
        return text

    def __repr__(self) -> str:
        return f"Instant({self.ms})"

    def __hash__(self) -> int:
        return hash(self.ms)

    def __eq__(self, other: object) -> bool:
        return self.ms == other.ms if isinstance(other, Instant) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self.ms < other.ms if isinstance(other, Instant) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.ms <= other.ms if isinstance(other, Instant) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.ms > other.ms if isinstance(other, Instant) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.ms >= other.ms if isinstance(other, Instant) else NotImplemented

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an Instant cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("an Instant cannot be changed")

    def __reduce__(self) -> tuple[type[Instant], tuple[int]]:
        return Instant, (self.ms,)


# The slots themselves write past __setattr__, and faster than object.__setattr__.
_hold_ms: Callable[[Instant, int], None] = Instant.__dict__["_ms"].__set__
_hold_text: Callable[[Instant, str], None] = Instant.__dict__["_text"].__set__
_blank: Callable[[type[Instant]], Instant] = object.__new__


def revive(text: Any) -> Instant | None:
    """The instant of a text in the usual UTC form (`STANDARD_UTC_PATTERN`), else None.

    Made for decoders: the milliseconds are worked out when somebody asks. None does not mean that
    the text is no instant: `parse_instant` decides. Total: what is no text is None.
    """
    try:
        if _is_usual(text) is None:
            return None
    except TypeError:
        return None
    instant = _blank(Instant)
    _hold_text(instant, text)
    return instant


def parse_instant(text: str, zone: Zone = UTC) -> Instant | None:
    """The instant a text means, or None. Total, pure, linear in the length of the text.

    A date-time without an offset is read in ``zone``; a date alone, as the format has it, in UTC.
    A day up to 31 is taken in every month and rolls over (30 February is 1 or 2 March); fractions
    are cut to milliseconds.
    """
    reading = _read(text)
    if reading is None:
        return None
    offset = reading.offset
    if offset is None:
        offset = _zone_ms(zone, reading.civil)
    ms = reading.civil - offset
    return Instant(ms) if -MAX_MS <= ms <= MAX_MS else None


def is_instant(text: str) -> bool:
    """Whether `parse_instant` reads the text."""
    return _is_usual(text) is not None or parse_instant(text) is not None


def is_zoneless(text: str) -> bool:
    """Whether the text is an instant whose meaning hangs on the zone it is read in."""
    if _is_usual(text) is not None:
        return False
    reading = _read(text)
    return reading is not None and reading.offset is None and abs(reading.civil) <= MAX_MS


def _read(text: str) -> Reading | None:
    text = text.partition("\0")[0]  # to JavaScript engines the date ends there
    found = _STANDARD.fullmatch(text)
    if found is None or found["year"] == "-000000":
        from sesskit.schemas.engine_dates import read_engine_date  # rare, and slow to import

        return read_engine_date(text)
    return _standard(found)


def _standard(found: re.Match[str]) -> Reading | None:
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    fraction = found["fraction"] or ""
    if hour == 24 and (minute or second or fraction.strip("0")):
        return None
    ms = int(fraction[:3].ljust(3, "0"))
    date = int(found["year"]), int(found["month"] or 1), int(found["day"] or 1)
    offset = _offset_ms(found["offset"]) if found["time"] else 0
    return Reading(civil_ms(date, (hour, minute, second, ms)), offset)


def _offset_ms(text: str | None) -> int | None:
    if text is None:
        return None
    if text in "Zz":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return (-minutes if text[0] == "-" else minutes) * 60_000


def _zone_ms(zone: Zone, civil: int) -> int:
    """The offset of a zone at a local time, in milliseconds.

    A local time that occurs twice is its first occurrence; years Python lacks have the offset of
    the nearest year it knows.
    """
    if isinstance(zone, int):
        return zone * 60_000
    try:
        there = _EPOCH + timedelta(milliseconds=civil)
    except OverflowError:
        there = _LAST if civil > 0 else _FIRST
    offset = zone.utcoffset(there.replace(tzinfo=zone)) or timedelta(0)
    return offset // timedelta(milliseconds=1)


def _usual_ms(text: str) -> int:
    try:
        since = datetime.fromisoformat(text) - _EPOCH
    except ValueError:  # the year 0, or a day that rolls over
        date = int(text[:4]), int(text[5:7]), int(text[8:10])
        ms = int(text[20:23].rstrip("Z").ljust(3, "0")) if len(text) > 20 else 0
        return civil_ms(date, (int(text[11:13]), int(text[14:16]), int(text[17:19]), ms))
    return since.days * MS_OF_DAY + since.seconds * 1000 + since.microseconds // 1000
