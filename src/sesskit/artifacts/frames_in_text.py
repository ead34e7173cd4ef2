"""Secrets whose frame gives them away: private keys, user info of addresses, webhook addresses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.plausible import is_dummy, is_masked, is_mixed, weigh
from sesskit.artifacts.rules_services import WEBHOOKS
from sesskit.artifacts.secret_rule import word_set
from sesskit.artifacts.span import Span

__all__ = [
    "AN_ADDRESS",
    "KEY_BODIES",
    "account_keys_in",
    "key_bodies_in",
    "key_lines",
    "keys_in",
    "url_at",
    "web_keys_in",
]

_PEM_HEAD: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
    r"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|Private-Lines: [0-9]{1,4}"
)
_PEM_TAIL: Final = re.compile(r"-----END |---- END |Private-MAC: ")
_PRIVATE_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY")
_LONGEST_KEY: Final = 1 << 16
_KEY_LINE: Final = re.compile(r"[A-Za-z0-9+/]{20,}={0,2}")
_LOOSE_BODY: Final = re.compile(
    r"(?:(?:\\{1,16}[nr]|[\r\n]){1,4}"
    r"(?:[ \t]{0,10}(?:[0-9]{1,7}(?:→|\t|[ ]?[|:][ ]?|-))?[ \t+>\"'-]{0,6}"
    r"|[\w./-]{1,120}:[0-9]{1,6}:)"
    r"(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{1,15}={0,2}(?=[\r\n\"'\\]|\Z)"
    r"|[A-Z][A-Za-z-]{2,20}: ?[^\r\n\\]{1,80}|)){1,600}"
)
"""Lines of a key that has no end: base64, header lines and empty lines, behind any prefix."""

_BODIES: Final = word_set(
    "b3BlbnNzaC1rZXktdjEA MIIEowIBAAKCAQEA MIIEpAIBAAKCAQEA MIIEpQIBAAKCAQEA"
    " MIIEogIBAAKCAQEA MIIJKAIBAAKCAgEA MIIJKQIBAAKCAgEA MIIJJwIBAAKCAgEA MIIG4wIBAAKCAYEA"
    " MIIG5AIBAAKCAYEA MIIG5QIBAAKCAYEA MIICXAIBAAKBgQ MIICXQIBAAKBgQ MIICWwIBAAKBgQ"
    " MIICXgIBAAKBgQ MHcCAQEEI MIGkAgEBBD MIHcAgEBBE IBADANBgkqhkiG9w0BAQEFAASC"
    " MC4CAQAwBQYDK2Vw MIGHAgEAMBMGByqGSM49 MIG2AgEAMBAGByqGSM49"
)
KEY_BODIES: Final = tuple(sorted(_BODIES))
"""How the base64 of private keys begins: what says version and kind of key, before any number."""

_LOOSE_END: Final = re.compile(r"(?:\\{1,16}[nr]|[\s\"'+>-]){1,40}\Z")
_BODY_START_OF_KEY: Final = re.compile(
    rf"(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{{2,3}})?(?:{'|'.join(KEY_BODIES)})"
)
_FIRST_LINE: Final = 40
_MOST_LINES: Final = 400
_LONGEST_LINE: Final = 200
_BODY_LINE: Final = re.compile(r"[ \t>+|]{0,8}[A-Za-z0-9+/]{2,180}={0,2}\r?")
_KEY_TYPE: Final = re.compile(r"\"kty\\{0,16}\"")
_PRIVATE_PART: Final = re.compile(
    r"\"(?:d|p|q|dp|dq|qi|k)\\{0,16}\"\s{0,4}:\s{0,4}\\{0,16}\"([\w-]{40,1400})(?=\\|\")"
)
_ACCOUNT_KEY: Final = re.compile(
    r"\"username\"\s{0,8}:\s{0,8}\"[^\"\\]{1,80}\",\s{0,40}\"key\"\s{0,8}:\s{0,8}\"(?P<key>[\w-]{16,100})\""
)
_WEB_KEY: Final = 4096
_BODY_START: Final = re.compile(r"(?:\\{1,16}[nrt]|[\s\"'+,])*")
_USER_INFO: Final = re.compile(
    r"(?:(?P<user>[^\s/:@\"'<>\\?#`]{0,200}):(?P<password>[^\s/\"'<>\\?#`]{1,400})"
    r"|(?P<token>[^\s/:@\"'<>\\?#`]{8,400}))@(?=[\w\[])"
)
_WEBHOOK: Final = re.compile(
    "|".join(f"(?P<w{n}>{p})" for n, (_, p) in enumerate(WEBHOOKS)), re.ASCII
)
_ODD_INFO: Final = re.compile(
    r"(?P<user>[^\s/:@\"'<>\\?#`]{0,200}):(?![0-9]{1,5}(?:[/?#,]|\Z))"
    r"(?P<password>(?=[^\s@]{0,200}[/?#\[\]])[^\s\"'<>\\`@]{4,200})@(?=[\w\[])"
)
"""A password with signs in it that nobody escaped."""

AN_ADDRESS: Final = re.compile(
    rf"://(?:[^\s/\"'<>\\?#`]{{1,601}}@|{_ODD_INFO.pattern}"
    rf"|{'|'.join(pattern for _, pattern in WEBHOOKS)})",
    re.ASCII,
)
"""An address with user info, or one that is a secret as a whole."""

_SCHEME_LEFT: Final = re.compile(r"(?:https?|wss?)\Z", re.IGNORECASE)


def keys_in(text: str) -> Iterator[Span]:
    """The bodies of private keys, from behind the BEGIN line to the END line or as far as they go.

    Bodies do not overlap, and each END line is looked for once, so the time is linear.
    """
    heads = [found.end() for found in _PEM_HEAD.finditer(text)]
    tails = [found.start() for found in _PEM_TAIL.finditer(text)]
    private = [at for at in tails if _PRIVATE_END.match(text, at)]
    yield from _ends_in(text, [at for at in private if not _has_head(heads, tails, at)])
    done = 0
    for at, following in zip(heads, [*heads[1:], len(text)], strict=False):
        if at < done:
            continue
        number = bisect_left(tails, at)
        tail = tails[number] if number < len(tails) else len(text) + 1
        if tail <= following and tail - at <= _LONGEST_KEY:
            end = tail
        else:
            loose = _LOOSE_BODY.match(text, at, min(at + _LONGEST_KEY, following))
            end = loose.end() if loose else at
        begin = at + _length(_BODY_START, text, at, end)
        end = begin + len(text[begin:end].rstrip(" \t\r\n"))
        body = text[begin:end]
        first = _KEY_LINE.search(body)
        if first and not is_masked(first[0]):
            yield Span(begin, end, "private-key", "\n".join(key_lines(body)))
            done = end


def _has_head(heads: list[int], tails: list[int], tail: int) -> bool:
    """Whether a BEGIN line stands between an END line and the one before it."""
    before = bisect_left(tails, tail)
    return bisect_left(heads, tail) > bisect_left(heads, tails[before - 1] if before else 0)


def key_bodies_in(text: str) -> Iterator[Span]:
    """The bodies of private keys whose BEGIN lines are not there, from their first letters on."""
    done = 0
    for found in _BODY_START_OF_KEY.finditer(text):
        at = found.start()
        first = _KEY_LINE.match(text, at) if at >= done else None
        if not first or len(first[0]) < _FIRST_LINE:
            continue
        loose = _LOOSE_BODY.match(text, first.end(), min(at + _LONGEST_KEY, len(text)))
        done = loose.end() if loose else first.end()
        behind = _LOOSE_END.search(text, max(done - 60, first.end()), done)
        end = behind.start() if behind else done
        yield Span(at, end, "private-key", "\n".join(key_lines(text[at:end])))


def _ends_in(text: str, tails: list[int]) -> Iterator[Span]:
    """The last lines of private keys, before END lines that no BEGIN line belongs to."""
    for tail in tails:
        start = end = tail
        for _ in range(_MOST_LINES):
            line_end = start - 1
            begin = text.rfind("\n", max(line_end - _LONGEST_LINE, 0), max(line_end, 0)) + 1
            if line_end < 0 or not _BODY_LINE.fullmatch(text, begin, line_end):
                break
            start = begin
        if end - start > _FIRST_LINE:
            yield Span(start, end - 1, "private-key", "\n".join(key_lines(text[start:end])))


def web_keys_in(text: str) -> Iterator[Span]:
    """The private parts of JSON Web Keys, at whatever level of strings."""
    near = [found.start() for found in _KEY_TYPE.finditer(text)]
    for found in _PRIVATE_PART.finditer(text):
        number = bisect_left(near, found.start() - _WEB_KEY)
        if number < len(near) and near[number] < found.end() + _WEB_KEY:
            yield Span(*found.span(1), "private-jwk", found[1])


def account_keys_in(text: str) -> Iterator[Span]:
    """``key`` right behind ``username``: a file of credentials."""
    for found in _ACCOUNT_KEY.finditer(text):
        if is_mixed(found["key"]) and not is_masked(found["key"]):
            yield Span(*found.span("key"), "named-secret", found["key"], "api-key")


def key_lines(body: str) -> list[str]:
    """The lines of base64 in the body of a key, whatever stands between them."""
    return [found[0] for found in _KEY_LINE.finditer(body)]


def _length(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    found = pattern.match(text, start, end)
    return found.end() - start if found else 0


def url_at(text: str, at: int) -> Iterator[Span]:
    """The secrets of an address whose ``://`` is at ``at``."""
    start = at + 3
    hook = _WEBHOOK.match(text, start)
    if hook:
        scheme = _SCHEME_LEFT.search(text, max(at - 5, 0), at)
        begin, name = scheme.start() if scheme else start, WEBHOOKS[_number(hook)][0]
        if not is_masked(hook[0]):
            yield Span(begin, hook.end(), name, text[begin : hook.end()])
        return
    found = _USER_INFO.match(text, start)
    if not found:
        odd = _ODD_INFO.match(text, start)
        if odd and _is_drawn(odd["password"]) and weigh(odd["password"], quoted=True, weak=True):
            yield Span(*odd.span("password"), "url-password", odd["password"])
        return
    if found["token"]:
        yield from _token(found, "token", 16)
        return
    yield from _token(found, "user", 20)
    password = found["password"]
    sure = weigh(password, quoted=True, weak=True)
    if sure or (len(password) >= 4 and password.isalnum() and not is_dummy(password)):
        yield Span(
            *found.span("password"),
            "url-password",
            password,
            confidence="high" if sure in ("high", "medium") else "medium",
            spread=len(password) >= 8,
        )


def _is_drawn(password: str) -> bool:
    """Letters and digits, or letters of both cases as no word has them."""
    capitals = sum(map(str.isupper, password[1:]))
    return is_mixed(password) or (capitals > 1 and any(map(str.islower, password)))


def _token(found: re.Match[str], group: str, least: int) -> Iterator[Span]:
    content = found[group]
    if len(content) >= least and is_mixed(content) and not is_masked(content):
        yield Span(*found.span(group), "url-token", content)


def _number(found: re.Match[str]) -> int:
    return int((found.lastgroup or "w0")[1:])
