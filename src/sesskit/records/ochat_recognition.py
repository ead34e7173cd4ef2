"""ochat: how a snapshot is recognised by the beginning of its file. Imports no decoder.

A snapshot has no magic. It begins with a length of eight bytes, whose upper ones are zero, then a
version from 1 (or, in version 0, nothing) and two texts: the id and the path of the prompt.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from sesskit.records.format import Recognition

NAME = "snapshot.bin"
_LARGEST = 1 << 42
_HEADER = 8
_LATEST = 5
_WIDTHS = {0xFE: 2, 0xFD: 4}
_SMALL = 0x80
_ARCHIVED = re.compile(r"\d{8}-\d{4}(?:-\d+)?\.snapshot\.bin")
_TEXTUAL = re.compile(rb"[\s\x20-\x7e]{16}")


def recognize(head: bytes, name: str) -> Recognition | None:
    """What the beginning of a file and its name say of it being a snapshot."""
    file = PurePath(name).name
    called = file == NAME or is_archived_name(file)
    length = int.from_bytes(head[:_HEADER], "little")
    if len(head) > _HEADER and 0 < length < _LARGEST:
        payload = head[_HEADER:]
        if found := _by_content(payload, called=called):
            return found
    if called:
        return Recognition("likely", "its name is that of a session snapshot")
    if file.endswith(".bin") and _could_be(head, length):
        return Recognition("guess", "its name could be that of a snapshot, and little is in it")
    return None


def is_archived_name(name: str) -> bool:
    """Whether a file of an archive is called like the snapshots that are kept there."""
    return _ARCHIVED.fullmatch(name) is not None


def _by_content(payload: bytes, *, called: bool) -> Recognition | None:
    number = payload[0]
    if 1 <= number <= _LATEST and _two_texts(payload, 1):
        why = f"it begins with a length, version {number}, an id and a path"
        return Recognition("certain" if called or number > 1 else "likely", why)
    if _two_texts(payload, 0):
        why = "it begins with a length, an id and a path, as snapshots did before versions"
        return Recognition("certain" if called else "likely", why)
    if _LATEST < number < _SMALL and _two_texts(payload, 1):
        return Recognition("likely", f"it begins like a snapshot of version {number}")
    return None


def _two_texts(payload: bytes, start: int) -> bool:
    """Whether two texts that people could have written stand here."""
    for _ in range(2):
        end = _text_end(payload, start)
        if end is None:
            return False
        start = end
    return True


def _text_end(payload: bytes, start: int) -> int | None:
    if start >= len(payload):
        return None
    size, start = payload[start], start + 1
    if size >= _SMALL:
        width = _WIDTHS.get(size)
        if width is None:
            return None
        size, start = int.from_bytes(payload[start : start + width], "little"), start + width
    raw = payload[start : start + size]
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    # Only what this head still holds can be looked at.
    return start + size if len(raw) == size and text.isprintable() and text else None


def _could_be(head: bytes, length: int) -> bool:
    """Empty, cut in its header, zeros only, or a length with something behind that is no text."""
    if len(head) <= _HEADER or not head.strip(b"\0"):
        return True
    return 0 <= length < _LARGEST and _TEXTUAL.match(head) is None
