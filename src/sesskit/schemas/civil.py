"""Civil dates as milliseconds and back, for every year an instant can have.

The proleptic Gregorian calendar by arithmetic: `datetime` ends at the years 1 and 9999.
"""

from __future__ import annotations

from typing import NamedTuple

_DAYS_OF_ERA = 146_097  # days of 400 years
_DAYS_BEFORE_1970 = 719_468  # counted from 1 March of year 0
MS_OF_DAY = 86_400_000


class Reading(NamedTuple):
    """What a text says: the time on the clock there, and how far that clock is from UTC.

    Both in milliseconds; ``offset`` is None where the text names no zone.
    """

    civil: int
    offset: int | None


def civil_ms(date: tuple[int, int, int], time: tuple[int, int, int, int]) -> int:
    """(year, month 1..12, day), (hour, minute, second, millisecond) as milliseconds since 1970.

    A day the month lacks rolls over into the next month.
    """
    year, month, day = date
    hour, minute, second, ms = time
    # Years begin in March here, so the leap day is the last one.
    if month < 3:
        year -= 1
        month += 12
    era, of_era = divmod(year, 400)
    of_year = (153 * (month - 3) + 2) // 5 + day - 1
    days = era * _DAYS_OF_ERA + of_era * 365 + of_era // 4 - of_era // 100 + of_year
    return (days - _DAYS_BEFORE_1970) * MS_OF_DAY + ((hour * 60 + minute) * 60 + second) * 1000 + ms


def civil_text(ms: int) -> str:
    """Milliseconds since 1970 as ``YYYY-MM-DDTHH:mm:ss.sssZ``, far years as ``±YYYYYY``."""
    days, ms = divmod(ms, MS_OF_DAY)
    era, of_era = divmod(days + _DAYS_BEFORE_1970, _DAYS_OF_ERA)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    year += era * 400 + (month < 3)
    seconds, ms = divmod(ms, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+07d}"
    return f"{shown}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{ms:03d}Z"
