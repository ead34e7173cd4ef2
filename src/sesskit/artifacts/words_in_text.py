"""Secrets told by the words around them: prose, ``.netrc``, arguments, XML, ``NAME VALUE``.

Each function looks at one place of a text, with a bounded piece of text around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from sesskit.artifacts.headers_in_text import user_and_password
from sesskit.artifacts.key_names import is_secret_name, stem_of
from sesskit.artifacts.names_in_text import Value, judged, value_at
from sesskit.artifacts.plausible import is_drawn, is_jumble, is_mixed, weigh
from sesskit.artifacts.span import Span

__all__ = [
    "argument_before",
    "basic_at",
    "bearer_at",
    "element_before",
    "named_by_blank_in",
    "netrc_at",
    "password_before",
    "prose_at",
    "used_as_at",
]

_NETRC: Final = re.compile(
    r"login[ \t]+(?P<login>\S{1,200})[\s\S]{1,80}?(?<![\w-])password[ \t]+"
    r"(?P<value>[^\s\"'\\]{3,200})"
)
_LOGIN: Final = re.compile(r"[A-Za-z_][\w-]{1,40}(?:\.[\w-]{1,40}|[0-9]{1,4})")
_PROSE: Final = re.compile(
    r"(?:asswords?|assphrase|pwd|pw|asscode|ecret|oken|key|redentials?)(?:[ \t]\([^()\n]{1,30}\))?"
    r"(?:[ \t]+(?:for|of|to|on|here|there|now|currently|still|just)(?:[ \t]+[\w.@'-]{1,40}){0,4}?)?"
    r"(?:[ \t]+(?:is|was|are|be|equals|to|as|=)"
    r"(?:[ \t]+(?:set|reset|changed|created|now)(?:[ \t]+(?:to|as))?"
    r"|[ \t]+generated(?:[ \t]+for[ \t]+[\w.@'%-]{1,60})?(?=:))?(?:[ \t]*:[ \t]*|[ \t]+)"
    r"|:[ \t]+|[ \t]+[-\u2013\u2014][ \t]+)(?P<q>[\"'`*_(]{0,3})"
    r"(?P<value>[^\s\"'`<>(){}]{6,200})",
    re.IGNORECASE,
)
_USED_AS: Final = re.compile(
    r"(?P<q>[\"'`*]{0,2})(?P<value>[^\s\"'`<>(){}*]{8,100})"
    r"[\"'`*]{0,2}[ \t]\Z"
)
_BEARER: Final = re.compile(r"(?i:earer)(?:[ \t]{1,4}|%20)(?P<token>[\w.~+/=-]{12,4096})", re.ASCII)
_BLANK_BEFORE: Final = re.compile(
    r"[\"'`]?\\{0,16}[ \t]{1,8}(?:[|\u2502]`?[ \t]{1,40}`?)?(?:\\{0,16}[\"'`])?([\w.$-]{3,80})"
    r"(?:[ \t]([a-z]{3,10}))?",
    re.IGNORECASE,
)
_QUOTED_LEFT: Final = re.compile(r"([\"'])\\{0,16}([\w.#-]{3,80})\1")
_COMMA: Final = re.compile(r"[ \t]{0,4},\s{0,40}(?=\\{0,16}[\"'])")
_CLOSING: Final = re.compile(r"</([\w.:-]{2,80})>")


def netrc_at(text: str, at: int) -> Iterator[Span]:
    """``login NAME password VALUE``, in one line or in two."""
    if text[at - 1 : at].isalnum():
        return
    found = _NETRC.match(text, at)
    if not found:
        return
    span = judged(text, Value(*found.span("value"), quoted=True), "password")
    if span:
        yield span._replace(rule="netrc-password")
    if _LOGIN.fullmatch(found["login"]):
        start, end = found.span("login")
        yield Span(start, end, "login", found["login"], "user", "personal", "medium")


def prose_at(text: str, at: int) -> Iterator[Span]:
    """*the password is VALUE*: only values that no sentence would hold."""
    found = _PROSE.match(text, at)
    if not found:
        return
    content = found["value"].rstrip(".,;:!?*_")
    start = found.start("value")
    if weigh(content, quoted=bool(found["q"]), weak=True) not in ("high", "medium"):
        return
    odd = any(not c.isalnum() for c in content[1:-1])
    if any(map(str.isdigit, content)) or (odd and found["q"]) or is_jumble(content):
        yield Span(
            start,
            start + len(content),
            "prose-password",
            content,
            "password",
            confidence="low",
            spread=len(content) >= 8,
        )


def used_as_at(text: str, at: int) -> Iterator[Span]:
    """*VALUE as the password*: the word before ``as`` at ``at``."""
    found = _USED_AS.search(text, max(at - 110, 0), at)
    if found and is_drawn(found["value"]):
        span = judged(text, Value(*found.span("value"), quoted=True), "password")
        if span:
            yield span._replace(rule="prose-password", confidence="low")


def basic_at(text: str, at: int) -> Iterator[Span]:
    """``Basic`` and base64 of a user with a password, wherever it stands."""
    found = _BASIC.match(text, at)
    if found and user_and_password(found["value"]):
        yield Span(*found.span("value"), "basic-auth", found["value"])


_BASIC: Final = re.compile(r"asic (?P<value>[A-Za-z0-9+/_-]{8,2000}={0,2})(?![\w+/=-])")


def password_before(text: str, at: int) -> Iterator[Span]:
    """``password VALUE``, also as two cells of a table, where the value can be nothing else."""
    found = _BESIDE.match(text, at)
    if found and is_drawn(found["value"]):
        span = judged(text, Value(*found.span("value"), quoted=True), "password")
        if span:
            yield span._replace(rule="prose-password", confidence="medium")


_BESIDE: Final = re.compile(
    r"(?i:assword|asswd|assphrase)[\"'`*]{0,2}[ \t]{1,8}(?:[|\u2502][ \t]{1,40})?[\"'`]?"
    r"(?P<value>[^\s\"'`\\|;&<>$(){},=/:][^\s\"'`\\|;&<>(){}=/:]{6,98}[^\s\"'`\\|;&<>(){}=/:.,])"
    r"(?=[\s\"'`,;.\\]|\Z)"
)


def bearer_at(text: str, at: int) -> Iterator[Span]:
    """``Bearer TOKEN`` wherever it stands; words behind it are none."""
    found = _BEARER.match(text, at)
    if found and not text[max(at - 2, 0) : at - 1].isalpha():
        content = found["token"]
        if len(content) >= 16 and weigh(content, quoted=True, weak=True) in ("high", "medium"):
            yield Span(*found.span("token"), "bearer-token", content)


def named_by_blank_in(text: str, runs: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """``ENV API_KEY VALUE``: a long value behind a secret's name and nothing but a blank."""
    for start, end in runs:
        if text[start - 1 : start] not in " \t\"'`" or end - start > 512:
            continue
        before = _BLANK_BEFORE.match(text[max(start - 100, 0) : start][::-1])
        name = before[1][::-1] if before else ""
        if name.lower() == "key" and before and before[2]:
            name = f"{before[2][::-1]}_key"
        if before and is_secret_name(name) and not name.lower().endswith("cookie"):
            content = text[start:end].rstrip(".,;:")
            if len(content) % 4:
                content = content.rstrip("=")
            if weigh(content, quoted=True) == "high":
                stem = stem_of(name)
                yield Span(
                    start,
                    start + len(content),
                    "named-secret",
                    content,
                    stem,
                    confidence="medium",
                )


def argument_before(text: str, at: int) -> Iterator[Span]:
    """``define("DB_PASSWORD", "VALUE")``: a secret's name and its value as arguments of a call.

    The quote that ends the name is at ``at``.
    """
    comma = _COMMA.match(text, at + 1)
    if not comma:
        return
    name = _QUOTED_LEFT.match(text[max(at - 90, 0) : at + 1][::-1])
    if name and is_secret_name(name[2][::-1]):
        value = value_at(text, comma.end())
        span = judged(text, value, stem_of(name[2][::-1])) if value and value.quoted else None
        if span:
            yield span


_NAMING: Final = frozenset({"string", "property", "value", "entry", "add", "param", "key", "item"})
_NAME_IN_TAG: Final = re.compile(
    r"\b(?:name|key|id)=\\{0,16}[\"'](?P<name>[\w.$-]{2,80})\\{0,16}[\"']"
)
_KEY_BEFORE: Final = re.compile(
    r"<(?:key|name)>(?P<name>[\w.$-]{2,80})</(?:key|name)>(?:\s|\\[nrt]){0,20}\Z"
)


def element_before(text: str, at: int) -> Iterator[Span]:
    """``<password>VALUE</password>``; the closing tag begins at ``at``."""
    closing = _CLOSING.match(text, at)
    if not closing:
        return
    name = closing[1].rpartition(":")[2]
    start, end = text.rfind(">", max(at - 4096, 0), at) + 1, at
    if text.endswith("]]>", 0, at):
        end = at - 3
        start = text.rfind("<![CDATA[", max(at - 4096, 0), end) + len("<![CDATA[")
    content = text[start:end]
    opening = text.rfind("<", max(start - 300, 0), start - len("<![CDATA[") if end < at else start)
    if name in _NAMING and start and opening >= 0:
        told = _NAME_IN_TAG.search(text, opening, start) or _KEY_BEFORE.search(
            text, max(opening - 160, 0), opening
        )
        name = told["name"] if told else name
    if not is_secret_name(name):
        return
    if start and opening >= 0 and text.startswith(closing[1], opening + 1) and content:
        span = judged(text, Value(start, end, quoted=True), stem_of(name), plain=True)
        if span and is_mixed(content):
            yield span
