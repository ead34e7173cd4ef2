"""The text that a run of letters is an encoding of: base64, base32, hex; also packed, or UTF-16."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.packings import PACKED, unpacked

__all__ = ["Dump", "dumps_in", "holds_dump", "text_in"]

_START: Final = 64
_TEXT_BYTES: Final = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))
_HEX: Final = re.compile(r"(?:[2-7][0-9a-f]|0[9ad]){12,}|(?:[2-7][0-9A-F]|0[9AD]){12,}")
_BASE32: Final = re.compile(r"[A-Z2-7]{24,}={0,6}")
_STANDARD: Final = str.maketrans("-_", "+/")
_PLAIN_BYTES: Final = bytes(_TEXT_BYTES | frozenset(b"\0\x1b\b"))
_PICTURES: Final = (b"\x89PNG", b"\xff\xd8", b"GIF8", b"RIFF", b"\0\0\1\0")
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
        return _read(base64.b64decode(plain + "=" * (-len(plain) % 4)))
    except (ValueError, binascii.Error):
        return ""


def _read(data: bytes) -> str:
    """Bytes as text, if they are one: plain, or in UTF-8, or nearly all of it plain."""
    if _TEXT_BYTES.issuperset(data):
        return data.decode("ascii")
    if _is_plain(data):
        return data.decode("utf-8", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _is_plain(data: bytes) -> bool:
    """Whether at least nine of ten bytes are those of plain text, or parted by NULs."""
    return len(data.translate(None, _PLAIN_BYTES)) * 10 <= len(data)


def _other(blob: str, plain: str, start: bytes) -> str:
    """What is no base64 of plain text; ``start`` are the first bytes if it is base64."""
    if plain.startswith(PACKED):
        return _read(unpacked(base64.b64decode(plain + "=" * (-len(plain) % 4)), _MOST_UNPACKED))
    if not any(start[1:45:2]):  # two bytes a character
        whole = base64.b64decode(plain + "=" * (-len(plain) % 4))[::2]
        return whole.decode("ascii") if _TEXT_BYTES.issuperset(whole) else ""
    if start.startswith(_PICTURES):
        return ""
    if _is_plain(start) or _is_begun(start):
        return _read(base64.b64decode(plain + "=" * (-len(plain) % 4)))
    if _BASE32.fullmatch(blob):
        body = blob.rstrip("=")
        whole = base64.b32decode(body + "=" * (-len(body) % 8))
        return whole.decode("ascii") if _TEXT_BYTES.issuperset(whole) else ""
    return ""


def _is_begun(start: bytes) -> bool:
    """Whether a text of UTF-8 may begin so; its last letter may be cut."""
    try:
        start[:45].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= min(len(start), 45) - 3
    return True


_HOLDS_DUMP: Final = "000000"
_OFFSET: Final = r"^[ \t>+|-]{0,4}[0-9a-f]{6,8}"
_DUMPED: Final = re.compile(
    _OFFSET + r":?[ \t]{1,3}(?P<told>[0-9a-f]{2}(?:[ ]{0,2}[0-9a-f]{2}){3,31})"
    r"(?=[ \t\r]|$)[^\n]{0,80}$",
    re.MULTILINE,
)
_HOLDS_WORDS: Final = "0000000 "
_HEX_WORDS: Final = re.compile(
    _OFFSET + r"[ ]{1,3}(?P<told>[0-9a-f]{4}(?:[ ]{1,4}[0-9a-f]{4}){1,15})[ \r]*$", re.MULTILINE
)
_OCTAL_WORDS: Final = re.compile(
    _OFFSET + r"[ ]{1,3}(?P<told>[01][0-7]{5}(?:[ ]{1,3}[01][0-7]{5}){1,15})[ \r]*$", re.MULTILINE
)
_CELLS: Final = re.compile(
    _OFFSET + r"(?P<told>(?:[ ]{3}[!-~]|[ ]{2}(?:\\[0abfnrtv]|[a-z]{2})|[ ](?:[0-7]{3}|[a-z]{3})"
    r"|[ ]{4}){4,32})[ \r]*$",
    re.MULTILINE,
)


class Dump(NamedTuple):
    """What lines of a dump of bytes say: the text, and where each line of it begins and stands."""

    text: str
    starts: list[int]
    lines: list[tuple[int, int]]


def _of_words(told: str, base: int) -> bytes:
    """Words of two bytes, the lower one first."""
    return b"".join(int(word, base).to_bytes(2, "little") for word in told.split())


def _of_cells(told: str) -> bytes:
    """A character in four columns; those that do not show have names."""
    cells = (told[at : at + 4].strip() for at in range(0, len(told), 4))
    return "".join(cell if len(cell) == 1 else _CELL.get(cell, ".") for cell in cells).encode()


_CELL: Final = {"": " ", "sp": " ", "\\n": "\n", "nl": "\n", "\\t": "\t", "ht": "\t"}
_FORMS: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bytes]], ...]] = (
    (_HOLDS_DUMP, _DUMPED, lambda told: bytes.fromhex(told.replace(" ", ""))),
    (_HOLDS_WORDS, _HEX_WORDS, lambda told: _of_words(told, 16)),
    (_HOLDS_WORDS, _OCTAL_WORDS, lambda told: _of_words(told, 8)),
    (_HOLDS_WORDS, _CELLS, _of_cells),
)
"""What a text with such a dump has, its lines, and the bytes of what one tells."""


def holds_dump(text: str) -> bool:
    """Whether there may be a dump in a text."""
    return _HOLDS_DUMP in text


def dumps_in(text: str) -> Iterator[Dump]:
    """The dumps in a text, as ``xxd``, ``hexdump`` and ``od`` write them; other bytes are dots."""
    if holds_dump(text):
        for hint, pattern, meaning in _FORMS:
            if hint in text:
                yield from _dumps(text, pattern, meaning)


def _dumps(text: str, pattern: re.Pattern[str], meaning: Callable[[str], bytes]) -> Iterator[Dump]:
    """The dumps whose lines have one form."""
    pieces: list[str] = []
    starts: list[int] = []
    lines: list[tuple[int, int]] = []
    size = 0
    for found in pattern.finditer(text):
        if lines and found.start() != lines[-1][1] + 1:
            yield Dump("".join(pieces), starts, lines)
            pieces, starts, lines, size = [], [], [], 0
        data = meaning(found["told"])
        starts.append(size)
        lines.append((found.start("told"), found.end()))
        pieces.append("".join(chr(b) if b in _TEXT_BYTES else "." for b in data))
        size += len(data)
    if lines:
        yield Dump("".join(pieces), starts, lines)
