"""Texts that are written as the numbers of their bytes: in hexadecimal or decimal, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["texts_listed"]

_LISTED: Final = b"0123456789abcdefABCDEFxX ,:\n\t"
_FLAT: Final = bytes(0x61 if byte in _LISTED else 0x20 for byte in range(256))
_RUN: Final = b"a" * 40
_HEX: Final = re.compile(
    r"(?<![0-9A-Fa-f])(?:0[xX])?[0-9A-Fa-f]{2}"
    r"(?:(?::|,?[ \t\n]{0,8})(?:0[xX])?[0-9A-Fa-f]{2}){15,}+"
)
_DECIMAL: Final = re.compile(
    r"(?<![0-9])[0-9]{1,3}(?:(?:,|(?=[ \t\n]))[ \t\n]{0,8}[0-9]{1,3}){15,}+"
)
_NUMBER: Final = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{2})")
_PLAIN: Final = frozenset(b"\t\n\r\x1b" + bytes(range(0x20, 0x7F)))


def texts_listed(text: str) -> Iterator[str]:
    """The texts of lists of bytes in a text; linear, most texts have none."""
    flat = text.encode("latin-1", "replace").translate(_FLAT)
    at = flat.find(_RUN)
    while at >= 0:
        end = flat.find(b" ", at)
        end = end if end >= 0 else len(flat)
        for found in _HEX.finditer(text, at, end):
            yield from _text(bytes.fromhex("".join(_NUMBER.findall(found[0]))))
        for found in _DECIMAL.finditer(text, at, end):
            numbers = [int(number) for number in re.findall(r"[0-9]+", found[0])]
            if max(numbers) < 256:
                yield from _text(bytes(numbers))
        at = flat.find(_RUN, end)


def _text(data: bytes) -> Iterator[str]:
    """The bytes as text, if most of them are."""
    if sum(byte in _PLAIN for byte in data) * 10 >= len(data) * 9:
        yield data.decode("utf-8", "replace")
