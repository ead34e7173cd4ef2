"""What tools put before each line: numbers, places, marks, times, names of services, comments."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ANY_PREFIX", "FURTHER"]

FURTHER: Final = (
    re.compile(
        r"(?:[^\n\t]{1,80}\t[^\n\t]{1,80}\t)?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20}"
        r"(?:Z|[+-][0-9:]{4,6})?[ \t]"
    ),
    re.compile(r"[\w./-]{1,60}[ ]{0,20}[ \t]\| ?"),
    re.compile(r"[ \t]{0,40}(?:#|//|--|;|\*|\d{1,3}[.)])[ \t]"),
    re.compile(r"[ ]{0,40}[\u2502\u2503\u2551|][ ]?"),
)
"""Times, also behind the names of a job and a step; services; comments; boxes."""

ANY_PREFIX: Final = (
    r"(?:(?:[^\n\t]{1,80}\t[^\n\t]{1,80}\t)?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20}"
    r"(?:Z|[+-][0-9:]{4,6})?|[ \t]{0,10}[0-9]{1,7}(?:\u2192|\t|[ ]?[\u2502|:])"
    r"|[\w./@+~-]{1,200}[:-][0-9]{1,7}[:-]|[\w./-]{1,60}[ ]{1,20}\|"
    r"|[ \t]{0,40}(?:#|//|;|\*|[\u2502\u2503\u2551|>])|[+-])"
)
"""All that stands before lines, as part of a pattern, without blanks behind it."""
