"""Text of a session as a page may hold it: harmless, escaped, and cut into pieces of bounded size.

What a terminal acts on is taken out; what does not show, or turns text round, is shown as its
number. Everything here is linear in its input.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["PIECE", "cut", "escaped", "excerpt", "visible"]

PIECE: Final = 48_000
"""Bytes of HTML that one folded piece of a long text has at most."""

_UNSEEN: Final = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U000e0000-\U000e0fff"
)
"""Characters without a picture of their own, and halves of characters."""

_ODD: Final = re.compile(f"[\0-\x08\x0b-\x1f\x7f-\x9f{_UNSEEN}]")
_TERMINAL: Final = re.compile(
    "\x1b(?:\\[[0-?]{0,40}[ -/]{0,4}[@-~]|\\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\\\)|[()][0-9A-B])"
    "|\x9b[0-?]{0,40}[ -/]{0,4}[@-~]"
)
_REPLACED: Final = re.compile(f"\r\n?|{_ODD.pattern}")
_ENTITY_BYTES: Final = 5


def visible(text: str) -> str:
    """The text without sequences of a terminal, and with a sign for each character of no picture.

    Control characters become their pictures (U+2400 on), others ``⟦U+202E⟧``. Breaks of lines
    become line feeds.
    """
    if not _ODD.search(text):
        return text
    return _REPLACED.sub(_sign, _TERMINAL.sub("", text))


def _sign(found: re.Match[str]) -> str:
    character = found[0]
    if character[0] == "\r":
        return "\n"
    if character in "\u200c\u200d" and _joins(found):
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"\u27e6U+{code:04X}\u27e7"


def _joins(found: re.Match[str]) -> bool:
    """Whether a joiner stands where it belongs: in a family of pictures, in some scripts."""
    text, at = found.string, found.start()
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    script = "\u0620" <= before <= "\u0dff"
    return script or (found[0] == "\u200d" and _is_picture(before) and _is_picture(after))


def _is_picture(character: str) -> bool:
    return (
        "\u2600" <= character <= "\u27bf"
        or character == "\ufe0f"
        or "\U0001f000" <= character <= "\U0001faff"
    )


def escaped(text: str) -> str:
    """Text as the content of an element, never as the value of an attribute: quotes stay."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def excerpt(text: str, size: int) -> str:
    """The beginning of a text on one line, harmless, at most ``size`` characters."""
    line = " ".join(visible(text[: size * 4]).split())
    return line if len(line) <= size and len(text) <= size * 4 else line[: size - 1].rstrip() + "…"


def cut(html: str, size: int = PIECE) -> list[str]:
    """Escaped text as pieces of at most ``size`` bytes, which together are that text.

    No character and no entity is cut in two; a line is, where it is too long.
    """
    if len(html) <= size and (html.isascii() or len(html.encode()) <= size):
        return [html]
    raw = html.encode()
    pieces, at = [], 0
    while at < len(raw):
        end = _end_of_piece(raw, at, size)
        pieces.append(raw[at:end].decode())
        at = end
    return pieces


def _end_of_piece(raw: bytes, at: int, size: int) -> int:
    end = at + size
    if end >= len(raw):
        return len(raw)
    line = raw.rfind(b"\n", at + size // 2, end)
    if line >= 0:
        return line + 1
    while raw[end] & 0xC0 == 0x80:  # inside of a character
        end -= 1
    entity = raw.rfind(b"&", end - _ENTITY_BYTES, end)
    return end if entity < 0 or raw.find(b";", entity, end) >= 0 else entity
