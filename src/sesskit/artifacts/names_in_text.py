"""Secrets that stand behind a name: ``KEY=value``, ``"key": "value"``, ``Header: value``, queries.

Every ``=`` and ``:`` is looked at once, with a bounded piece of text to its left and right. Quotes
may be escaped to any level, so that text of strings in strings is understood without decoding it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sesskit.artifacts.headers_in_text import authorization, cookies, user_and_password
from sesskit.artifacts.key_names import endings, is_secret_name, stem_of, words_of
from sesskit.artifacts.plausible import is_masked, is_mixed, weigh
from sesskit.artifacts.secret_rule import Confidence
from sesskit.artifacts.span import Span

__all__ = ["WEAK", "Value", "judged", "named_in", "value_at"]

_SEPARATOR: Final = re.compile(r"[=:]")
_LEFT_WINDOW: Final = 150
_PAIR_WINDOW: Final = 240
_MOST: Final = 4096

# Read backwards, from the separator to the left.
_NAME_LEFT: Final = re.compile(r"[ \t]{0,40}\??\]?(?:[\"'`]\\{0,16})?([\w.$@-]{1,80})")
_TYPE: Final = re.compile(r"[ \t]{0,2}[A-Za-z][A-Za-z_.\[\], |<>?]{1,50}?[ \t]=(?=[ \t])")
_OPENING: Final = re.compile(r"[ \t]{0,40}[rbfuRBFU]{0,2}(\\{0,16})([\"'`])")
_BARE: Final = re.compile(r"[ \t]{0,40}([^\s\"'`\\<>\x00]{1,4096})")
_INSIDE: Final = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.){{0,4096}}") for quote in "\"'`"}
_NEXT_PAIR: Final = re.compile(r"[&;](?:amp;)?[\w.$-]{1,60}=|;(?=\s|\Z)|[&#]\Z")
_TRAILING: Final = ",;.:)]}&"
_CLOSED_BY: Final = {")": "(", "]": "[", "}": "{"}
_NAMED_BEFORE: Final = re.compile(
    r"(?:name|key|header|variable|field)\\{0,16}[\"']?\s{0,4}[:=]\s{0,4}\\{0,16}[\"']?"
    r"([\w.$-]{2,80})\\{0,16}[\"']?\s{0,4}(?:,|;|\\n|\n)?(?:\\[nrt]|\s){0,40}\\{0,16}[\"']?\Z",
    re.IGNORECASE,
)
_NAMED_BEHIND: Final = re.compile(
    r"\\{0,16}[\"']?\s{0,4},(?:\\[nrt]|\s){0,40}\\{0,16}[\"']?(?:name|key|header)\\{0,16}[\"']?"
    r"\s{0,4}[:=]\s{0,4}\\{0,16}[\"']([\w.$-]{2,80})\\{0,16}[\"']",
    re.IGNORECASE,
)
_SIGNATURES: Final = frozenset({"sig", "signature", "x-amz-signature", "x-goog-signature"})
_NO_SIGN_BEFORE: Final = frozenset("=!<>~+*/|^%-")
_ENVIRONMENT: Final = re.compile(r"[A-Z][A-Z0-9_]{2,}")

WEAK: Final = frozenset(
    (
        *("password", "passwd", "pass", "passphrase", "pwd", "pw", "pin", "otp", "totp"),
        *("passcode", "passwort", "psk"),
    )
)
"""Stems of names whose values may be short and plain."""


class Value(NamedTuple):
    """A value behind a name: its place, and whether quotes surround it."""

    start: int
    end: int
    quoted: bool


def named_in(text: str) -> list[Span]:
    """The secrets of a text that a name gives away."""
    found: list[Span] = []
    last = 0
    for separator in _SEPARATOR.finditer(text):
        at = separator.start()
        if at < last or not _may_be_named(text, at) or not _separates(text, at):
            continue
        for span in _behind(text, at):
            found.append(span)
            last = max(last, span.end)
    return found


def _may_be_named(text: str, at: int) -> bool:
    """Whether a name that ends before ``at`` could be one of a secret: a look at its end."""
    name = text[max(at - _MOST_BESIDE, 0) : at].rstrip(_BESIDE_NAME)
    if name[-1:].isdigit():
        name = name.rstrip("0123456789_-")
    return name[-2:].lower() in _ENDINGS


def _separates(text: str, at: int) -> bool:
    """Whether the sign there stands between a name and a value."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] == ":":
        return after not in (":", "=", "/") and before != ":"
    return after not in ("=", "~") and before not in _NO_SIGN_BEFORE


def _behind(text: str, at: int) -> Iterator[Span]:
    """What the name to the left of a separator says of the value to its right."""
    left = text[max(at - _LEFT_WINDOW, 0) : at][::-1]
    if text[at] == "=" and left[:1] == ":":
        left = left[1:]
    found = _NAME_LEFT.match(left)
    if not found:
        return
    name = found[1][::-1]
    if left[found.end() : found.end() + 2] == "::":
        return  # a path of names in some language
    begin = at - (1 if text[at - 1 : at] == ":" else 0) - found.end()
    start = at + 2 if text[at + 1 : at + 2] == ">" else at + 1
    lower = name.lower()
    special = _SPECIAL.get(lower)
    if special is not None:
        yield from special(text, start, begin)
        return
    if not is_secret_name(name):
        return
    typed = _TYPE.match(text, start) if text[at] == ":" else None
    if typed:
        start = typed.end()  # the value stands behind its type
    yield from _secret(text, name, start, begin)


def _secret(text: str, name: str, start: int, begin: int) -> Iterator[Span]:
    """The value of a secret's name."""
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
    content = text[start:end]
    weak = stem.rpartition("-")[2] in WEAK
    sure = weigh(content, quoted=quoted, weak=weak)
    if not sure and weak:
        app = _APP_PASSWORD.match(text, start)
        if app:
            content, end, sure = app[0], app.end(), "medium"
    if not sure and quoted and stem in _WORDY and _is_phrase(content):
        sure = "medium"
    if not sure or (sure == "low" and not plain):
        return None
    confidence: Confidence = "high" if sure == "high" else "medium"
    spread = len(content) >= 8 or (len(content) >= 6 and is_mixed(content))
    return Span(start, end, "named-secret", content, stem, "secret", confidence, spread=spread)


_APP_PASSWORD: Final = re.compile(r"(?:[a-z]{4} ){3}[a-z]{4}(?![a-z ])")
_WORDY: Final = frozenset(
    {"passphrase", "mnemonic", "seed-phrase", "recovery-phrase", "pass-phrase"}
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


def _in_quotes(text: str, opening: re.Match[str]) -> Value | None:
    begin, slashes, quote = opening.end(), opening[1], opening[2]
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


def _pair(text: str, start: int, begin: int) -> Iterator[Span]:
    """``value`` beside a ``name``: headers, variables and cookies as lists of such pairs."""
    before = _NAMED_BEFORE.search(text, max(begin - _PAIR_WINDOW, 0), begin)
    value = value_at(text, start)
    if value is None:
        return
    named = before or _NAMED_BEHIND.match(text, value.end)
    if named and is_secret_name(named[1]):
        yield from _secret(text, named[1], start, begin)


def _signature(text: str, start: int, begin: int) -> Iterator[Span]:
    """The signature in the query of a signed address."""
    value = value_at(text, start)
    if value is None or text[begin - 1 : begin] not in ("?", "&", ";", ","):
        return
    content = text[value.start : value.end]
    if len(content) >= 16 and is_mixed(content) and not is_masked(content):
        yield Span(value.start, value.end, "signed-url", content, "url-signature")


def _user_and_password(text: str, start: int, begin: int) -> Iterator[Span]:
    """``auth`` as container registries and package managers have it: base64 of user:password."""
    value = value_at(text, start)
    if value and user_and_password(text[value.start : value.end]):
        content = text[value.start : value.end]
        yield Span(value.start, value.end, "registry-auth", content)


def _connection_password(text: str, start: int, begin: int) -> Iterator[Span]:
    """``pwd`` is a password in connection strings and queries; elsewhere it is a folder."""
    value = value_at(text, start)
    if value and text[begin - 1 : begin] in (";", "&", "?") and text[value.start] != "/":
        span = judged(text, value, "password", plain=True)
        if span:
            yield span


def _nothing(text: str, start: int, begin: int) -> Iterator[Span]:
    """A name that tells less than its value, which tokens give away."""
    return iter(())


def _uuid(text: str, start: int, begin: int) -> Iterator[Span]:
    """``secret_id`` of a role is a secret where it is a UUID; else it names one."""
    value = value_at(text, start)
    if value and _UUID.fullmatch(text, value.start, value.end):
        content = text[value.start : value.end]
        yield Span(value.start, value.end, "named-secret", content, "secret-id")


_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SPECIAL: Final = {
    "secret_id": _uuid,
    "x-amz-credential": _nothing,
    "x-goog-credential": _nothing,
    "value": _pair,
    "val": _pair,
    "auth": _user_and_password,
    "_auth": _user_and_password,
    "pwd": _connection_password,
    **dict.fromkeys(_SIGNATURES, _signature),
}
"""Names that say little by themselves."""

_ENDINGS: Final = endings() | {name[-2:] for name in _SPECIAL}
_MOST_BESIDE: Final = 48
_BESIDE_NAME: Final = " \t\"'`]\\?:"
