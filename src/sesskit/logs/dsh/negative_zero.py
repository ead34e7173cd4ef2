"""Whether a text holds the number ``-0``, which fast parsers take for 0.

Asked of all text that is read, so it is quick where there is none.
"""

from __future__ import annotations

import re

_FEW = 64
_ENDED = re.compile(rb"-0\s*[,}\]]")
_BLANK = b" \t\n\r\x0b\x0c"


def has_negative_zero(data: bytes) -> bool:
    """Whether a text may hold ``-0`` as a value; what looks like it may stand in a string."""
    at = data.find(b"-")
    for _ in range(_FEW):
        if at < 0:
            return False
        if data[at + 1 : at + 2] == b"0":
            break
        at = data.find(b"-", at + 1)
    return at >= 0 and any(_begins_value(data, m.start()) for m in _ENDED.finditer(data, at))


def _begins_value(data: bytes, at: int) -> bool:
    while at and data[at - 1] in _BLANK:
        at -= 1
    return at > 0 and data[at - 1] in b":,["
