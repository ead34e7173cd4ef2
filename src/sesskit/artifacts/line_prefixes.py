"""What tools put before each line: numbers, places, marks, times, names of services, comments."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ANY_PREFIX", "PREFIXES", "prefix_of"]

PREFIXES: Final = (
    re.compile(r"^[ \t]{0,10}[0-9]{1,7}(?:→|\t|[ ]?[│|:][ ]?|[ ]{2}(?=\S)|-[ ]?)", re.MULTILINE),
    re.compile(r"^(?:[A-Za-z]:)?[\w./@+~-]{1,200}[:-][0-9]{1,7}[:-](?:[0-9]{1,5}:)?", re.MULTILINE),
    re.compile(
        r"^(?:[+-](?![+-]{2} |[rwxst-]{9})|[ ](?=\S)|[>|] ?|@@[^@\n]{1,60}@@ ?)", re.MULTILINE
    ),
    re.compile(
        r"^(?:[^\n\t]{1,80}\t[^\n\t]{1,80}\t)?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20}"
        r"(?:Z|[+-][0-9:]{4,6})?[ \t]",
        re.MULTILINE,
    ),
    re.compile(r"^[\w./-]{1,60}[ ]{0,20}[ \t]\| ?", re.MULTILINE),
    re.compile(r"^[ \t]{0,40}(?:#|//|--|;|\*|\d{1,3}[.)])[ \t]", re.MULTILINE),
    re.compile(
        r"^[ ]{0,40}[│┃║|][ ]?|[ ]{0,400}[│┃║][ ]{0,4}$|^[ ]{0,40}[╭╰┌└├][─━═┄]{1,400}[^\n]{0,100}$",
        re.MULTILINE,
    ),
)
"""Line numbers, the places that a search shows, the marks of a difference or quotation, times (also
behind the names of a job and a step), services of a composition, comments, boxes."""

ANY_PREFIX: Final = (
    r"(?:[ \t]{0,10}[0-9]{1,7}(?:→|\t|[ ]?[│|:])|[\w./@+~-]{1,200}[:-][0-9]{1,7}[:-]"
    r"|(?:[^\n\t]{1,80}\t[^\n\t]{1,80}\t)?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20}"
    r"(?:Z|[+-][0-9:]{4,6})?|[\w./-]{1,60}[ ]{1,20}\||[ \t]{0,40}(?:#|//|;|\*|[│┃║|>])|[+-])"
)
"""The same as part of a pattern, without what blanks follow."""


def prefix_of(text: str, start: int, end: int) -> re.Pattern[str] | None:
    """What kind of prefix a line has, if it has one."""
    for prefix in PREFIXES:
        found = prefix.match(text, start, end)
        if found and found.end() > start:
            return prefix
    return None
