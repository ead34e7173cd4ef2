"""Strings of JSON text: unescaped, with every fault in them.

What is between the quotes comes as bytes. A fault never costs the string: its value is what a
person would have meant.
"""

from __future__ import annotations

import json
import re
from typing import Final

from sesskit.schemas import json_faults as faults
from sesskit.schemas.json_faults import Fault

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_UTF8: Final = (
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2}"
)
WIDE: Final = rb"(?:" + _UTF8 + rb"){1,4096}"
"""Characters outside ASCII. The bound keeps the memory of one match small."""
BROKEN: Final = rb"(?:(?!" + _UTF8 + rb")[\x80-\xff]){1,65535}"
"""Bytes that are no UTF-8."""
_PIECE: Final = re.compile(
    rb"[^\\\x00-\x1f\x80-\xff]+"  # matched, not searched past: many times as fast
    rb'|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}'
    rb"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|" + WIDE + rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|(?P<short>\\u)|(?P<escape>\\)"
    rb"|(?P<nul>\x00+)|(?P<control>[\x01-\x1f]+)|(?P<broken>" + BROKEN + rb")"
)
_CUT_IN_TWO: Final = re.compile(
    rb"\\(?:u[0-9a-fA-F]{0,3})?"
    rb"|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
    rb"|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2}"
)
_BACKSLASHES: Final = ("escape", "short")
_decode = json.JSONDecoder(strict=False).raw_decode

Found = list[tuple[int, Fault]]


def sound_text(raw: bytes) -> str | None:
    """The text of a string without any fault, control characters aside; None if it has some."""
    try:
        text = raw.decode()
        if "\\" in text:
            text = _decode(f'"{text}"')[0]
    except ValueError:
        return None
    return None if _SURROGATE.search(text) else text


def read_text(raw: bytes, start: int, *, cut: bool = False) -> tuple[str, Found]:
    """The text of any string, and its faults by their offsets; ``raw`` stands at ``start``.

    What the end of the text (it has ``cut`` the string) or a run of NULs took away is no fault of
    its own: neither an escape or character cut in two, nor what follows NULs, where the quotes
    may not be the ones that belong together.
    """
    found: Found = []
    lost = raw.find(0)
    if lost < 0 and cut:
        lost = len(raw)

    def mend(match: re.Match[bytes]) -> bytes:
        kind = match.lastgroup
        if kind is None:
            return match[0]
        at = match.start()
        if kind == "nul" or lost < 0 or (at < lost and not _CUT_IN_TWO.fullmatch(raw, at, lost)):
            found.append((start + at, _fault(kind, match)))
        # A backslash that escapes nothing stands for itself: most are from Windows paths.
        return b"\\" + match[0] if kind in _BACKSLASHES else match[0]

    mended = _PIECE.sub(mend, raw)
    return _decode(f'"{mended.decode("utf-8", "replace")}"')[0], found


def _fault(kind: str, match: re.Match[bytes]) -> Fault:
    length = match.end() - match.start()
    if kind == "control":
        return faults.LINE_BREAK if b"\n" in match[0] else faults.control(length)
    if kind == "nul":
        return faults.zero_run(length)
    if kind == "broken":
        return faults.bytes_inside(length)
    return _FIXED[kind]


_FIXED: Final = {
    "half": faults.SURROGATE,
    "short": faults.SHORT_ESCAPE,
    "escape": faults.ESCAPE,
}
