"""JSON text as a whole: what it looks like before reading, and what follows its document."""

from __future__ import annotations

import re
from typing import Final

from sesskit.schemas import json_faults as faults
from sesskit.schemas.json_faults import Fault
from sesskit.schemas.json_scan import STRING

_ENCODINGS: Final = (
    (re.compile(rb"\xff\xfe\x00\x00|(?:[\x09-\x7f]\x00{3}){2}"), "UTF-32 (little endian)"),
    (re.compile(rb"\x00\x00\xfe\xff|(?:\x00{3}[\x09-\x7f]){2}"), "UTF-32 (big endian)"),
    (re.compile(rb"\xff\xfe|(?:[\x09-\x7f]\x00){2}"), "UTF-16 (little endian)"),
    (re.compile(rb"\xfe\xff|(?:\x00[\x09-\x7f]){2}"), "UTF-16 (big endian)"),
)
_CLOSING_ONLY: Final = re.compile(rb"[\]} \t\n\r]++\Z")
_HOLLOW: Final = re.compile(rb"[\x00 \t\n\r]*+\Z")
_BOM: Final = b"\xef\xbb\xbf"


def beginning(data: bytes) -> tuple[int, Fault | None]:
    """Where the document begins, and what is wrong with the text as a whole.

    With a fault and 0 there is no document that could be read.
    """
    if _HOLLOW.match(data):
        return 0, faults.ZERO_FILLED if 0 in data else faults.BLANK if data else faults.EMPTY
    for pattern, name in _ENCODINGS:
        if pattern.match(data):
            return 0, faults.encoding(name)
    return (len(_BOM), faults.BOM) if data.startswith(_BOM) else (0, None)


_DOCUMENT_FOLLOWS: Final = re.compile(
    rb'\{\s*(?:"|\}|\Z)|\[\s*(?:["\[{\]\-0-9tfn]|\Z)'
    rb"|(?:" + STRING + rb"|-?[0-9][-+.0-9eE]*+|true|false|null)[ \t\r]*(?:\n|\Z)",
    re.DOTALL,
)


def follower(data: bytes, end: int, start: int, found: str) -> Fault:
    """The fault of what stands at ``start``, when the document has ended at ``end``."""
    if _DOCUMENT_FOLLOWS.match(data, start):
        return faults.two_documents(b"\n" in data[end:start])
    if _CLOSING_ONLY.match(data, start):
        return faults.closed_twice(data.count(b"}", start) + data.count(b"]", start))
    return faults.trailing(len(data) - start, found)
