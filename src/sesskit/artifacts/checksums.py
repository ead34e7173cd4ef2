"""Checksums that issuers put into their tokens. One that fits ends all doubt about a match."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Final
from zlib import crc32

_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECK_LENGTH: Final = 6
_HEADER_BYTES: Final = 4096


def github(token: str) -> bool:
    """The last six letters are the CRC-32 of those between them and the prefix, in base 62."""
    body = token.rpartition("_")[2]
    if len(body) <= _CHECK_LENGTH:
        return False
    return _base62(crc32(body[:-_CHECK_LENGTH].encode())) == body[-_CHECK_LENGTH:]


def _base62(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits.rjust(_CHECK_LENGTH, "0")


def jwt(token: str) -> bool:
    """The first part is the base64 of a JSON object that names an algorithm."""
    head = token.partition(".")[0][:_HEADER_BYTES]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError, binascii.Error):
        return False
    return isinstance(header, dict) and bool({"alg", "enc", "typ"} & header.keys())


CHECKSUMS: Final[dict[str, Callable[[str], bool]]] = {"github": github, "jwt": jwt}
"""By the name that a rule has for it."""
