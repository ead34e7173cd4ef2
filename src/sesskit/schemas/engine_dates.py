"""Dates that JavaScript engines read although the date-time string format has no room for them.

RFC 1123 dates, month names, slashes, a space for `T`, ``AM`` and ``PM``, notes in parentheses and
much more. ECMA-262 leaves all of this to the engine; the rules here were worked out from what V8
(Node 20) answers, and `ENGINE_DIFFERENCES` lists where we differ on purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from sesskit.schemas.civil import Reading, civil_ms
from sesskit.schemas.engine_tokens import END, Scanner, Token


class Difference(NamedTuple):
    """One place where our answer is not the engine's."""

    text: str
    engine: str
    ours: str
    why: str


ENGINE_DIFFERENCES: Final = (
    Difference(
        "2026-03-04T09:00:00.0123456789Z",
        "2026-03-04T09:00:00.123Z",
        "2026-03-04T09:00:00.012Z",
        "the engine reads nine digits and forgets leading zeros of a fraction with more than nine",
    ),
    Difference(
        "Mar 4 2026 10:00 +999999:00",
        "an instant decades away",
        "refused",
        "an offset of more than 2^31 seconds overflows in the engine",
    ),
)
"""What `docs/formats` shows. Every other text in our tests gets the engine's answer."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = {name: number for number, name in enumerate(_MONTHS, 1)}
_HALF = {"am": 0, "pm": 12}
_ZONE_HOURS = {
    "z": 0, "ut": 0, "utc": 0, "gmt": 0,
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
}  # fmt: skip
_MAX_OFFSET_SECONDS = 2**31 - 1


class _Refused(Exception):
    """The engine gives up."""


class _Date:
    """What has been read so far. Each ``take_`` method reads on from one token."""

    def __init__(self, text: str) -> None:
        self.scanner = Scanner(text)
        self.day: list[int] = []
        self.month: int | None = None
        self.time: list[int] = []
        self.half: int | None = None
        self.sign = 0
        self.hour: int | None = None
        self.minute: int | None = None
        self.counted = False

    def expects(self, number: int) -> bool:
        """Whether a number without a colon can be the next part of the time."""
        limits = {1: 60, 2: 60, 3: 1000}
        return number < limits.get(len(self.time), 0)

    def close_time(self, number: int) -> None:
        self.time = [*self.time, number, 0, 0, 0][:4]

    def add_day(self, number: int) -> None:
        if len(self.day) == 3:
            raise _Refused
        self.day.append(number)
        self.scanner.skip("-")

    def take_number(self, token: Token) -> None:
        self.counted = True
        scanner, number = self.scanner, token.number
        if scanner.skip(":"):
            self.add_time(number)
        elif scanner.skip(".") and self.expects(number):
            self.time.append(number)
            self.close_time(_fraction(scanner.next()))
        elif self.hour is not None and self.minute is None and number < 60:
            self.minute = number
        elif self.expects(number):
            self.close_time(number)
            after = scanner.peek
            if after.kind not in ("end", "space", "+", "-") and after.text not in ("Z", "z"):
                raise _Refused
        else:
            self.add_day(number)

    def add_time(self, number: int) -> None:
        if self.scanner.skip(":"):
            if self.time:
                raise _Refused
            self.time = [number, 0]
            return
        if len(self.time) == 4:
            raise _Refused
        self.time.append(number)
        self.scanner.skip(".")

    def take_word(self, token: Token) -> None:
        word = token.text[:4].lower()  # one more than any name, which only months may go beyond
        if word in _HALF and self.time:
            self.half = _HALF[word]
        elif word[:3] in _MONTH:
            self.month = _MONTH[word[:3]]
            self.scanner.skip("-")
        elif word in _ZONE_HOURS and self.counted:
            hours = _ZONE_HOURS[word]
            self.sign, self.hour, self.minute = (-1 if hours < 0 else 1), abs(hours), 0
        elif self.counted or self.scanner.peek.kind == "number":
            raise _Refused  # words nobody knows stand before the first number, and apart from it

    def take_sign(self, token: Token) -> None:
        """An offset, where one may stand: after a time or after UTC. Else a sign is punctuation."""
        if not self.time and not (self.hour == 0 and self.minute == 0):
            self.take_bracket(token)
            return
        scanner = self.scanner
        self.sign = -1 if token.kind == "-" else 1
        digits = scanner.next() if scanner.peek.kind == "number" else END
        self.counted = True
        number, length = digits.number, len(digits.text)
        if scanner.peek.kind == ":":
            self.hour, self.minute = number, None
        elif length in (1, 2):
            self.hour, self.minute = number, 0
        elif length in (3, 4):
            self.hour, self.minute = divmod(number, 100)
        else:
            raise _Refused

    def take_bracket(self, token: Token) -> None:
        if self.counted:
            raise _Refused

    def take_nothing(self, token: Token) -> None:
        """White space, notes and other punctuation mean nothing."""

    def reading(self) -> Reading:
        date, time = _calendar(self.day, self.month), _clock(self.time, self.half)
        if not self.sign:
            return Reading(civil_ms(date, time), None)
        seconds = (self.hour or 0) * 3600 + (self.minute or 0) * 60
        if seconds > _MAX_OFFSET_SECONDS:
            raise _Refused
        return Reading(civil_ms(date, time), self.sign * seconds * 1000)


_TAKE: Final[dict[str, Callable[[_Date, Token], None]]] = {
    "number": _Date.take_number,
    "word": _Date.take_word,
    "+": _Date.take_sign,
    "-": _Date.take_sign,
    ")": _Date.take_bracket,
}


def read_engine_date(text: str) -> Reading | None:
    """Read a text that is not in the date-time string format, or None. Total and linear."""
    date = _Date(text)
    try:
        token = _standard_start(date)
        date.counted = bool(date.day)
        while token is not END:
            _TAKE.get(token.kind, _Date.take_nothing)(date, token)
            token = date.scanner.next()
        return date.reading()
    except _Refused:
        return None


def _standard_start(date: _Date) -> Token:
    """Read what looks like a standard date as far as it goes; the token it did not understand."""
    scanner = date.scanner
    sign = scanner.next() if scanner.peek.kind in ("+", "-") else None
    if not scanner.digits(6 if sign else 4):
        return sign or scanner.next()
    year = scanner.next().number
    if sign and sign.kind == "-":
        if year == 0:
            return sign
        year = -year
    date.day.append(year)
    for last in (12, 31):
        if not scanner.skip("-"):
            break
        if not scanner.digits(2) or not 1 <= scanner.peek.number <= last:
            break
        date.day.append(scanner.next().number)
    return scanner.next()


def _fraction(token: Token) -> int:
    if token.kind != "number":
        raise _Refused
    return int(token.text[:3].ljust(3, "0"))


def _calendar(day: list[int], month: int | None) -> tuple[int, int, int]:
    """Year, month and day out of up to three numbers and a named month."""
    if not day:
        raise _Refused
    first, second, third = [*day, 1, 1][:3]
    first_is_day = 1 <= first <= 31
    if month is None:
        year, month, number = (third, first, second) if first_is_day else (first, second, third)
    else:
        year, number = (second, first) if first_is_day else (first, second)
    if not 1 <= month <= 12 or not 1 <= number <= 31:
        raise _Refused
    if 0 <= year <= 99:
        year += 2000 if year < 50 else 1900
    return year, month, number


def _clock(time: list[int], half: int | None) -> tuple[int, int, int, int]:
    hour, minute, second, ms = [*time, 0, 0, 0, 0][:4]
    if half is not None:
        if hour > 12:
            raise _Refused
        hour = hour % 12 + half
    if hour == 24 and not (minute or second or ms):
        return 24, 0, 0, 0
    if hour > 23 or minute > 59 or second > 59 or ms > 999:
        raise _Refused
    return hour, minute, second, ms
