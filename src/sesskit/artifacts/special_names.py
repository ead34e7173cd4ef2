"""Names that say little by themselves: what stands beside them says whether the value is secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from sesskit.artifacts.headers_in_text import user_and_password
from sesskit.artifacts.key_names import is_secret_name
from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.plausible import is_drawn, is_masked, is_mixed
from sesskit.artifacts.secret_rule import UUID
from sesskit.artifacts.span import Span
from sesskit.artifacts.values_in_text import judged, named_value, value_at

__all__ = ["SPECIAL"]

_PAIR_WINDOW: Final = 240
_NAMED_BEFORE: Final = re.compile(
    r"(?:name|key|header|variable|field)\\{0,16}[\"']?\s{0,4}[:=]\s{0,4}\\{0,16}[\"']?"
    r"(?:[\w.$-]{0,40}/){0,8}([\w.$-]{2,80})\\{0,16}[\"']?\s{0,4}(?:,|;|\\n|\n)?"
    rf"{ANY_PREFIX}?"
    r"(?:\\[nrt]|\s){0,40}\\{0,16}[\"']?\Z",
    re.IGNORECASE,
)
_NAMED_BELOW: Final = re.compile(
    rf"[\"']?[ \t]{{0,4}}\n{ANY_PREFIX}?[ \t]{{1,40}}(?:name|key):[ \t]{{1,4}}[\"']?"
    r"([\w.$-]{2,80})[\"']?[ \t]{0,4}(?:\n|\Z)"
)
_NAMED_BEHIND: Final = re.compile(
    r"\\{0,16}[\"']?\s{0,4},(?:\\[nrt]|\s){0,40}\\{0,16}[\"']?(?:name|key|header)\\{0,16}[\"']?"
    r"\s{0,4}[:=]\s{0,4}\\{0,16}[\"']([\w.$-]{2,80})\\{0,16}[\"']",
    re.IGNORECASE,
)
_LEAST_SESSION: Final = 20
_SIGNATURES: Final = frozenset({"sig", "signature", "x-amz-signature", "x-goog-signature"})


def _pair(text: str, start: int, begin: int) -> Iterator[Span]:
    """``value`` beside a ``name``, or below one: headers, variables and cookies as such pairs."""
    near = max(begin - _PAIR_WINDOW, 0)
    before = _NAMED_BEFORE.search(text, near, begin) or _PARENT.search(text, near, begin)
    value = value_at(text, start)
    if value is None:
        return
    behind = _NAMED_BEHIND.match(text, value.end) or _NAMED_BELOW.match(text, value.end)
    named = before or behind
    if behind and (not before or not is_secret_name(before[1])):
        named = behind  # what goes before is the one of another value
    if named and is_secret_name(named[1]):
        yield from named_value(text, named[1], start, begin)


_PARENT: Final = re.compile(r"(?<![\w.$-])([\w.$-]{2,80}):[ \t]{0,4}\n[ \t]{1,40}\Z")


def _signature(text: str, start: int, begin: int) -> Iterator[Span]:
    """The signature in the query of a signed address."""
    value = value_at(text, start)
    if value is None or text[begin - 1 : begin] not in ("?", "&", ";", ","):
        return
    content = text[value.start : value.end]
    if len(content) >= 16 and is_mixed(content) and not is_masked(content):
        yield Span(value.start, value.end, "signed-url", content, "url-signature")


def _session(text: str, start: int, begin: int) -> Iterator[Span]:
    """The id of a session in the query of an address, if it is as long as nobody would guess."""
    value = value_at(text, start)
    if value is None or text[begin - 1 : begin] not in ("?", "&"):
        return
    content = text[value.start : value.end]
    drawn = is_mixed(content) and not is_masked(content) and not _UUID.fullmatch(content.lower())
    if len(content) >= _LEAST_SESSION and drawn:
        yield Span(value.start, value.end, "url-session", content, "session-id")


def _user_and_password(text: str, start: int, begin: int) -> Iterator[Span]:
    """``auth`` as container registries and package managers have it: base64 of user:password."""
    value = value_at(text, start)
    if not value:
        return
    if text.startswith("_auth", begin) or _AUTHS.search(text, max(begin - _PAIR_WINDOW, 0), begin):
        span = judged(text, value, "token")
        if span and len(span.value) >= _LEAST_AUTH and _BASE64.fullmatch(span.value):
            yield span._replace(rule="registry-auth", stem="")
            return
    if user_and_password(text[value.start : value.end]):
        content = text[value.start : value.end]
        yield Span(value.start, value.end, "registry-auth", content)


def _connection_password(text: str, start: int, begin: int) -> Iterator[Span]:
    """``pwd`` is a password in connection strings and queries; elsewhere it is a folder."""
    value = value_at(text, start)
    if not value or text[value.start] in "/~\\" or text[value.start + 1 : value.start + 2] == ":":
        return
    content = text[value.start : value.end]
    known = text[begin - 1 : begin] in (";", "&", "?")
    if known or (len(content) >= _PLAIN_LEAST and is_mixed(content) and "/" not in content):
        span = judged(text, value, "password", plain=known)
        if span:
            yield span


def _short_name(text: str, start: int, begin: int) -> Iterator[Span]:
    """``pass``, ``pw`` or ``creds``: words with other meanings, whose value has to look random."""
    value = value_at(text, start)
    if not value or text.startswith("--- ", begin - 4):  # a test that passed
        return
    content = text[value.start : value.end]
    user, colon, password = content.partition(":")
    if colon and user.replace("_", "").replace("-", "").isalnum():
        value, content = value._replace(start=value.end - len(password)), password
    looks_drawn = is_mixed(content) or content.isalpha()
    if len(content) >= _PLAIN_LEAST and looks_drawn and "/" not in content:
        span = judged(text, value, "password")
        if span and span.confidence != "low":
            yield span


def _digest(text: str, start: int, begin: int) -> Iterator[Span]:
    """The answer in a ``Digest`` header, the signature of one of OAuth."""
    value = value_at(text, start)
    near = text[max(begin - 900, 0) : begin]
    if value and ("igest " in near or "IGEST " in near or "OAuth" in near or "Hawk " in near):
        content = text[value.start : value.end]
        if len(content) >= 16 and is_mixed(content) and not is_masked(content):
            yield Span(value.start, value.end, "request-signature", content)


def _code(text: str, start: int, begin: int) -> Iterator[Span]:
    """The code that an authorization server sends back, in a query."""
    value = value_at(text, start)
    if not value or text[begin - 1 : begin] not in ("?", "&", "#", " ", '"', "'"):
        return
    content = text[value.start : value.end]
    beside = text[max(begin - 300, 0) : begin] + text[value.end : value.end + 200]
    random = len(content) >= 16 and is_mixed(content) and not is_masked(content)
    if random and _AUTHORIZED.search(beside):
        yield Span(value.start, value.end, "authorization-code", content)


_AUTHORIZED: Final = re.compile(
    r"[?&]state=|authorization_code|redirect_uri=|client_id=|callback|/cb\b|/(?:invite|invitations?|magic|reset|verify|activate)\b"
)
_PLAIN_LEAST: Final = 8


def _beside_user(text: str, start: int, begin: int) -> Iterator[Span]:
    """``key`` right behind a ``username``, in a file of credentials, or called ``API key``."""
    value = value_at(text, start)
    if not value:
        return
    span = judged(text, value, "api-key")
    if span and (
        text.endswith("ecret access ", 0, begin)
        or _USER_LEFT.search(text, max(begin - 100, 0), begin)
    ):
        yield span
    elif span and (
        text[begin - 1 : begin] in ("?", "&") or _KEY_LEFT.search(text, max(begin - 24, 0), begin)
    ):
        drawn = is_drawn(span.value) and len(span.value) >= _LONG_KEY
        if drawn and span.value.isalnum() and not _HEX.fullmatch(span.value):
            yield span


_KEY_LEFT: Final = re.compile(
    r"(?i:api|access|secret|private|auth|license|licence|signing|encryption|master|service|your|my)"
    r"[ \t]\Z"
)
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_LONG_KEY: Final = 20
_USER_LEFT: Final = re.compile(
    r"username\\{0,16}[\"']:\s{0,2}\\{0,16}[\"'][^\"'\\]{1,60}\\{0,16}[\"'],\s{0,6}\\{0,16}[\"']?\Z"
)


def _default(text: str, start: int, begin: int) -> Iterator[Span]:
    """``default`` of a variable of Terraform, or of an option, that has a secret's name."""
    near = max(begin - _PAIR_WINDOW, 0)
    before = _VARIABLE.search(text, near, begin) or _OPTION.search(text, near, begin)
    value = value_at(text, start) if before and is_secret_name(before[1]) else None
    if before and value and value.quoted:
        yield from named_value(text, before[1], start, begin)


_AUTHS: Final = re.compile(r"\"auths\\{0,16}\"")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_LEAST_AUTH: Final = 16
_OPTION: Final = re.compile(r"\([ \t\n]{0,20}[\"'](?:--)?([\w-]{2,60})[\"'],[^()]{0,200}\Z")
_VARIABLE: Final = re.compile(
    r"variable[ \t]{1,4}\\{0,16}\"([\w-]{2,80})\\{0,16}\"[ \t]{0,4}\{[^{}]{0,200}\Z"
)


def _opaque(text: str, start: int, begin: int) -> Iterator[Span]:
    """A name that can only hold a token, though it does not say so."""
    value = value_at(text, start)
    span = judged(text, value, "token") if value else None
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


_UUID: Final = re.compile(UUID)
SPECIAL: Final[dict[str, Callable[[str, int, int], Iterator[Span]]]] = {
    **dict.fromkeys(("secret_id", "vault_secret_id", "approle_secret_id", "secretid"), _uuid),
    **dict.fromkeys(("pass", "pw", "psw", "creds", "cred"), _short_name),
    **dict.fromkeys(("response", "oauth_signature", "mac"), _digest),
    **dict.fromkeys(("code", "auth_code", "authcode"), _code),
    "key": _beside_user,
    "default": _default,
    **dict.fromkeys(
        (
            "sonar.login",
            "dsonar.login",
            "x-honeycomb-team",
            "x-jfrog-art-api",
            "cb-access-sign",
            "instrumentationkey",
            "code_verifier",
            "device_code",
            "samlresponse",
            "samlrequest",
            "connect.sid",
            "phpsessid",
            "jsessionid",
            "secretstring",
        ),
        _opaque,
    ),
    "x-amz-credential": _nothing,
    "x-goog-credential": _nothing,
    "value": _pair,
    "val": _pair,
    "auth": _user_and_password,
    "_auth": _user_and_password,
    "pwd": _connection_password,
    **dict.fromkeys(_SIGNATURES, _signature),
    "sid": _session,
}
"""Names that say little by themselves."""
