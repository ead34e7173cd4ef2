"""The text that a run of letters is an encoding of: base64, base32, hex; also packed, or UTF-16."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from codecs import utf_8_decode
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Dump", "dumps_in", "text_in"]

_START: Final = 64
_TEXT_BYTES: Final = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))
_HEX: Final = re.compile(r"(?:[2-7][0-9a-f]|0[9ad]){12,}|(?:[2-7][0-9A-F]|0[9AD]){12,}")
_BASE32: Final = re.compile(r"[A-Z2-7]{24,}={0,6}")
_NO_TEXT: Final = re.compile("[\x01-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffe\uffff]")
_STANDARD: Final = str.maketrans("-_", "+/")
_PACKED: Final = "H4sI"
_MOST_UNPACKED: Final = 1 << 16


def text_in(blob: str) -> str:
    """The text whose encoding this is; empty if it is none. Of a packed one its beginning."""
    if _HEX.fullmatch(blob):
        return bytes.fromhex(blob).decode("ascii")
    plain = blob.rstrip("=").translate(_STANDARD)
    try:
        start = base64.b64decode(plain[: min(_START, len(plain) // 4 * 4)])
        if not _TEXT_BYTES.issuperset(start[:45]):
            return _other(blob, plain, start)
        whole = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (ValueError, binascii.Error):
        return ""
    if not _TEXT_BYTES.issuperset(whole):
        return _of_any_language(plain, start)
    return whole.decode("ascii")


def _of_any_language(plain: str, start: bytes) -> str:
    """The text if it is one in UTF-8, also with NULs between its parts or colours."""
    try:
        head = utf_8_decode(start, "strict", False)[0]
        if _NO_TEXT.search(head):
            return ""
        whole = base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8")
    except ValueError:
        return ""
    return "" if _NO_TEXT.search(whole) else whole


def _other(blob: str, plain: str, start: bytes) -> str:
    """What is no base64 of plain text; ``start`` are the first bytes if it is base64."""
    whole = b""
    if plain.startswith(_PACKED):
        packed = base64.b64decode(plain + "=" * (-len(plain) % 4))
        try:
            whole = zlib.decompressobj(31).decompress(packed, _MOST_UNPACKED)
        except zlib.error:
            return ""
    elif not any(start[1:45:2]):  # two bytes a character
        whole = base64.b64decode(plain + "=" * (-len(plain) % 4))[::2]
    elif _BASE32.fullmatch(blob):
        body = blob.rstrip("=")
        whole = base64.b32decode(body + "=" * (-len(body) % 8))
    else:
        return _of_any_language(plain, start)
    return whole.decode("ascii") if _TEXT_BYTES.issuperset(whole) else ""


_DUMPED: Final = re.compile(
    r"^[ \t>+|-]{0,4}[0-9a-f]{6,8}:?[ \t]{1,3}(?P<hex>[0-9a-f]{2}(?:[ ]{0,2}[0-9a-f]{2}){3,31})"
    r"(?=[ \t\r]|$)[^\n]{0,80}$",
    re.MULTILINE,
)
_HOLDS_DUMP: Final = "000000"


class Dump(NamedTuple):
    """What lines of a dump of bytes say: the text, and where each line of it begins and stands."""

    text: str
    starts: list[int]
    lines: list[tuple[int, int]]


def dumps_in(text: str) -> Iterator[Dump]:
    """The dumps in a text, as ``xxd`` and ``hexdump -C`` write them; other bytes are dots."""
    if _HOLDS_DUMP not in text:
        return
    pieces: list[str] = []
    starts: list[int] = []
    lines: list[tuple[int, int]] = []
    size = 0
    for found in _DUMPED.finditer(text):
        if lines and found.start() != lines[-1][1] + 1:
            yield Dump("".join(pieces), starts, lines)
            pieces, starts, lines, size = [], [], [], 0
        data = bytes.fromhex(found["hex"].replace(" ", ""))
        starts.append(size)
        lines.append((found.start("hex"), found.end()))
        pieces.append("".join(chr(b) if b in _TEXT_BYTES else "." for b in data))
        size += len(data)
    if lines:
        yield Dump("".join(pieces), starts, lines)
