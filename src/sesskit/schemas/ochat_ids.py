"""Ids of history entries: ``<bytes of the namespace>:<namespace>:<sequence>``, all in decimal.

One form only: no leading zeros, signs or spaces; a namespace of at least one byte, a sequence
from 0 to 2^62-1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sesskit.schemas.binprot import INT_HIGH

PATTERN = r"^[1-9][0-9]*:[\s\S]+:(0|[1-9][0-9]*)$"
"""What a regular expression can say of an id; the length of the namespace it cannot."""

_LONGEST = len(str(INT_HIGH))
_DECIMAL = re.compile(rb"0|[1-9][0-9]{0,18}")
_HEAD = re.compile(rb"([1-9][0-9]{0,18}):")


@dataclass(frozen=True, slots=True)
class HistoryId:
    """A history id in its two parts."""

    namespace: str | bytes
    sequence: int

    def text(self) -> str | bytes:
        """The form that is stored; bytes where the namespace is not UTF-8."""
        if isinstance(self.namespace, bytes):
            return b"%d:%b:%d" % (len(self.namespace), self.namespace, self.sequence)
        return f"{len(self.namespace.encode())}:{self.namespace}:{self.sequence}"


def parse_history_id(text: str | bytes) -> HistoryId | None:
    """The parts of an id; None for anything that is not in the one form."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    head = _HEAD.match(raw)
    if head is None:
        return None
    start = head.end()
    end = start + int(head[1])
    sequence = raw[end + 1 :]
    if raw[end : end + 1] != b":" or _DECIMAL.fullmatch(sequence) is None:
        return None
    if int(sequence) > INT_HIGH:
        return None
    return HistoryId(_text(raw[start:end]), int(sequence))


def _text(raw: bytes) -> str | bytes:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def is_history_id(text: str | bytes) -> bool:
    """True for an id in the one form. Quick where many ids share a namespace."""
    if isinstance(text, bytes):
        return parse_history_id(text) is not None
    head, _, sequence = text.rpartition(":")
    if not (sequence.isascii() and sequence.isdigit()) or not _is_head(head):
        return False
    return (sequence[0] != "0" or sequence == "0") and (
        len(sequence) < _LONGEST or (len(sequence) == _LONGEST and int(sequence) <= INT_HIGH)
    )


@lru_cache(maxsize=64)
def _is_head(text: str) -> bool:
    return parse_history_id(f"{text}:0") is not None
