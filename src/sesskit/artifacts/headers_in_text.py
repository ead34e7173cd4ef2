"""Secrets in headers: the credentials of ``Authorization``, the values of cookies."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, Protocol

from sesskit.artifacts.plausible import is_masked, is_mixed, weigh
from sesskit.artifacts.span import Span

__all__ = ["authorization", "cookies", "user_and_password"]


class Place(Protocol):
    """A value in a text."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def quoted(self) -> bool: ...


_LONGEST: Final = 4096
_CREDENTIALS: Final = re.compile(
    r"(?P<scheme>[A-Za-z][\w-]{1,30})(?:[ \t]{1,4}|%20|\+)(?P<after>[^\s\"'`\\<>,;]{4,4096})"
    r"|(?P<alone>[^\s\"'`\\<>,;]{8,4096})"
)
_SIGNATURE: Final = re.compile(r"Signature=(?P<sig>[0-9a-fA-F]{32,128})")
_COOKIE: Final = re.compile(r"[ \t]{0,2}([\w!#$%&*+.^|~-]{1,80})=(\"?)([^\s;\"'\\,]{0,4096})")
_NEXT_COOKIE: Final = re.compile(r"\"?;")
_SESSION: Final = re.compile(
    r"sid|sess|auth|token|jwt|csrf|xsrf|secret|remember|login|clearance|__secure|__host|key|id$",
    re.I,
)
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{6,4096}={0,2}")


def authorization(text: str, value: Place | None) -> Iterator[Span]:
    """What an ``Authorization`` header holds besides the name of its scheme."""
    if value is None:
        return
    found = _CREDENTIALS.match(text, value.start)
    if not found:
        return
    scheme = (found["scheme"] or "").lower()
    group = "after" if found["scheme"] else "alone"
    start, end = found.span(group)
    if scheme.startswith("aws4"):
        signed = _SIGNATURE.search(text, start, start + 1024)
        if signed:
            yield Span(*signed.span("sig"), "request-signature", signed["sig"])
        return
    content = text[start:end]
    if scheme in ("digest", "oauth") and "=" in content:
        return
    if scheme == "basic":
        if user_and_password(content) or (len(content) >= 12 and _is_credential(content)):
            yield Span(start, end, "basic-auth", content)
    elif _is_credential(content):
        yield Span(start, end, "bearer-token" if scheme == "bearer" else "authorization", content)


def _is_credential(content: str) -> bool:
    return weigh(content, quoted=True, weak=True) in ("high", "medium")


def user_and_password(content: str) -> bool:
    """Whether this is the base64 of ``user:password``."""
    if not _BASE64.fullmatch(content) or is_masked(content):
        return False
    plain = content.translate(str.maketrans("-_", "+/"))
    try:
        decoded = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (ValueError, binascii.Error):
        return False
    _, colon, password = decoded.partition(b":")
    return bool(colon and password) and decoded.isascii() and decoded.decode().isprintable()


def cookies(text: str, value: Place | None, *, first_only: bool = False) -> Iterator[Span]:
    """The values of cookies that hold a session; of ``Set-Cookie`` only the first pair is one."""
    if value is None:
        return
    at, end = value.start, min(len(text), value.start + _LONGEST)
    alone = text[value.start : value.end]
    if "=" not in alone and len(alone) >= 16 and is_mixed(alone) and not is_masked(alone):
        yield Span(value.start, value.end, "cookie", alone)
    while found := _COOKIE.match(text, at, end):
        content = found[3]
        if _is_session(found[1], content):
            yield Span(*found.span(3), "cookie", content)
        following = _NEXT_COOKIE.match(text, found.end())
        if first_only or not following:
            break
        at = following.end()


def _is_session(name: str, content: str) -> bool:
    if _SESSION.search(name):
        return weigh(content, quoted=True, weak=True) in ("high", "medium")
    return len(content) >= 20 and is_mixed(content) and not is_masked(content)
