"""Whether a text holds the number ``-0``, which fast parsers take for 0.

Asked of all text that is read, so it is quick where there is none.
"""

from __future__ import annotations

import re

_ZERO = ord("0")
_APART = 128
"""Where minus signs are farther apart, it is quicker to look at one after the other."""
_ENDED = re.compile(rb"-0(?:\.0+)?(?:[eE][+-]?[0-9]+)?\s*[,}\]]")
_BLANK = b" \t\n\r\x0b\x0c"


def has_negative_zero(data: bytes) -> bool:
    """Whether a text may hold ``-0`` as a value; what looks like it may stand in a string."""
    find, end = data.find, len(data) - 1
    at = find(b"-")
    for _ in range(1 + len(data) // _APART):
        if at < 0 or at == end:
            return False
        if data[at + 1] == _ZERO:
            break
        at = find(b"-", at + 1)
    return at >= 0 and any(_begins_value(data, m.start()) for m in _ENDED.finditer(data, at))


def _begins_value(data: bytes, at: int) -> bool:
    while at and data[at - 1] in _BLANK:
        at -= 1
    return at > 0 and data[at - 1] in b":,["
