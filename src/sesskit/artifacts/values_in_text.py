"""Values behind names: where they begin and end, and whether they can be secrets.

Quotes may be escaped to any level, so that text of strings in strings is understood without
decoding it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.headers_in_text import authorization, cookies
from sesskit.artifacts.key_names import stem_of, words_of
from sesskit.artifacts.plausible import can_be_spoken, is_drawn, is_masked, is_mixed, weigh
from sesskit.artifacts.secret_rule import Confidence
from sesskit.artifacts.span import Span

__all__ = ["WEAK", "Value", "judged", "named_value", "value_at"]

_MOST: Final = 4096
_OPENING: Final = re.compile(r"[ \t]{0,40}(?:[rbfuLNRBFU@]{0,2}|b?r#{1,4})(\\{0,16})([\"'`])")
_BARE: Final = re.compile(r"[ \t]{0,40}([^\s\"'`\\<>\x00]{1,4096})")
_INSIDE: Final = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.){{0,4096}}") for quote in "\"'`"}
_NEXT_PAIR: Final = re.compile(r"[&;,](?:amp;)?[\w.$-]{1,60}=|;(?=\s|\Z)|[&#]\Z")
_SEALED: Final = 8000
_TRAILING: Final = ",;.:)]}&"
_CLOSED_BY: Final = {")": "(", "]": "[", "}": "{"}
_ENVIRONMENT: Final = re.compile(r"[A-Z][A-Z0-9_]{2,}")

WEAK: Final = frozenset(
    (
        *("password", "passwd", "pass", "passphrase", "pwd", "pw", "pin", "otp", "totp"),
        *("passcode", "passwort", "psk", "kennwort", "wachtwoord", "senha", "contrasena"),
    )
)
"""Stems of names whose values may be short and plain."""


class Value(NamedTuple):
    """A value behind a name: its place, and whether quotes surround it."""

    start: int
    end: int
    quoted: bool


def named_value(text: str, name: str, start: int, begin: int) -> Iterator[Span]:
    """The value of a secret's name. What only a cluster can open (``encryptedData``) is none."""
    if (
        text.startswith("Ag", start + 1)
        and "encryptedData" in text[max(start - _SEALED, 0) : start]
    ):
        return
    words = words_of(name)
    if words[-1] == "authorization":
        yield from authorization(text, value_at(text, start))
    elif words[-1] in ("cookie", "cookies"):
        yield from cookies(text, value_at(text, start), first_only=words[0] == "set")
    else:
        value = value_at(text, start)
        if value:
            plain = bool(_ENVIRONMENT.fullmatch(name))
            span = judged(text, value, stem_of(name), plain=plain)
            if span:
                yield span


def judged(text: str, value: Value, stem: str, *, plain: bool = False) -> Span | None:
    """The span of a value behind a name, if it can be a secret.

    ``plain`` lets words pass as passwords, where nothing but a value can stand.
    """
    start, end, quoted = value
    disguised = _DISGUISED.fullmatch(text, start, end)
    if disguised and is_drawn(disguised["value"] or disguised["inside"]):
        start, end = disguised.span("value" if disguised["value"] else "inside")
    content = text[start:end]
    weak = stem.rpartition("-")[2] in WEAK
    sure = weigh(content, quoted=quoted, weak=weak)
    if not sure and weak:
        app = _APP_PASSWORD.match(text, start)
        if app:
            content, end, sure = app[0], app.end(), "medium"
    if not sure and quoted and weak and _ODD_WORD.search(content) and can_be_spoken(content):
        sure = "medium"
    if not sure and quoted and weak and _is_scattered(content):
        sure = "medium"
    if not sure and quoted and stem in _WORDY and _is_phrase(content):
        sure = "medium"
    if not sure or (sure == "low" and not plain):
        return None
    confidence: Confidence = "high" if sure == "high" else "medium"
    spread = len(content) >= 8 or (len(content) >= 6 and is_mixed(content))
    return Span(start, end, "named-secret", content, stem, "secret", confidence, spread=spread)


_ODD_WORD: Final = re.compile(r"(?<!\S)(?=\S*[A-Za-z]\S)(?=\S*[0-9])\S*[!#$%&*?@^][^\s.,]*(?: |\Z)")
"""A word as only passwords have it: letters, digits and a sign."""

_DISGUISED: Final = re.compile(
    r"(?:\[[\w -]{1,40}\]|\*{3,40}|redacted-)(?P<value>\w{10,200})\*{0,40}"
    r"|\[[a-z]{1,20}-(?P<inside>\w{10,40})\]"
)
"""A value that stands beside a mask or a placeholder, or is written as if it were one."""

_ODD_START: Final = re.compile(r"\$[{(]|\{\{|[\n,;:]|-[0-9]|\.[a-z]")
_PIECE: Final = re.compile(r"[A-Za-z0-9]+")
_APP_PASSWORD: Final = re.compile(r"(?:[a-z]{4} ){3}[a-z]{4}(?![a-z ])")
_WORDY: Final = frozenset(
    {"passphrase", "mnemonic", "seed-phrase", "recovery-phrase", "pass-phrase"}
)


def _is_scattered(content: str) -> bool:
    """Whether a value in quotes is drawn, with blanks or brackets in it; no word is among it."""
    pieces = _PIECE.findall(content)
    mixed = [piece for piece in pieces if is_mixed(piece)]
    plain = [piece for piece in pieces if piece.isalpha() and len(piece) > 2 and piece.islower()]
    return (
        2 <= len(pieces) <= 8
        and not plain
        and len(mixed) * 2 >= len(pieces)
        and is_drawn("".join(pieces))
        and not is_masked(content)
        and content[0] not in "$<{[(/"
        and not _ODD_START.search(content)
    )


def _is_phrase(content: str) -> bool:
    words = content.split()
    return 4 <= len(words) <= 30 and all(word.isalpha() for word in words)


def value_at(text: str, start: int) -> Value | None:
    """The value that begins at a place: what is in quotes there, or up to the next blank."""
    opening = _OPENING.match(text, start)
    if opening:
        return _in_quotes(text, opening)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    begin, end = bare.span(1)
    following = _NEXT_PAIR.search(text, begin, end)
    if following:
        end = following.start()
    while end > begin and text[end - 1] in _TRAILING:
        opening_sign = _CLOSED_BY.get(text[end - 1])
        if opening_sign and opening_sign in text[begin:end]:
            break
        end -= 1
    return Value(begin, end, quoted=False) if end > begin else None


def _in_three(text: str, begin: int, quote: str) -> Value | None:
    """A value in three quotes, which may stand in a line of its own."""
    end = text.find(quote * 3, begin, begin + _MOST)
    content = text[begin:end].strip() if end >= 0 else ""
    if not content or "\n" in content:
        return None
    begin = text.index(content, begin)
    return Value(begin, begin + len(content), quoted=True)


def _in_quotes(text: str, opening: re.Match[str]) -> Value | None:
    begin, slashes, quote = opening.end(), opening[1], opening[2]
    if text.startswith(quote * 2, begin) and not slashes:
        return _in_three(text, begin + 2, quote)
    if not slashes:
        inside = _INSIDE[quote].match(text, begin)
        end = inside.end() if inside else begin
        if text[end : end + 1] == quote:
            return Value(begin, end, quoted=True)
    else:
        end = text.find(slashes + quote, begin, begin + _MOST)
        if end >= 0 and "\n" not in text[begin:end]:
            return Value(begin, end, quoted=True)
    bare = _BARE.match(text, begin)  # the quote is never closed: the text was cut
    return Value(bare.start(1), bare.end(1), quoted=True) if bare else None
