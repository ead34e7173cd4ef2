"""Masking: what any output does to text before a person sees it.

Control characters and other invisible ones become visible escapes, long texts are shortened by
display columns, values of sensitive members and what looks like a credential are replaced. This
guards reports and screens; it is no redaction, which proves what it did.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, NamedTuple

from sesskit.schemas.sensitive import SENSITIVE_NAMES, rebuilt

__all__ = [
    "MASK",
    "TOKENS",
    "Token",
    "columns",
    "mask_payload",
    "mask_text",
    "mask_tree",
    "printable",
    "shorten",
]

MASK: Final = "[masked]"

# Controls, invisible format characters (bidi controls, joiners, fillers, tags), line and paragraph
# separators and lone surrogates. Arabic and other number signs are format characters that show.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NAMED_ESCAPES: Final = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_ZERO_WIDTH: Final = frozenset({"Mn", "Me"})


def printable(text: str) -> str:
    r"""The text with everything invisible shown as an escape: ``\x1b``, ``\u202e``, ``\n``.

    The result is one line, can be written as UTF-8 and moves no cursor. Backslashes stay as they
    are, so this is for eyes, not for reading back.
    """
    # isprintable() alone takes some invisible letters for printable.
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    if code < 0x100:
        return _NAMED_ESCAPES.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def columns(text: str) -> int:
    """Columns of a terminal that a printable text takes: wide characters two, combining none."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.category(character) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(text: str, width: int) -> str:
    """The printable text in at most ``width`` columns; an ellipsis stands for what was left out.

    Only the beginning of a long text is looked at.
    """
    if width <= 0:
        return ""
    # Combining characters take no columns, so they are bounded by number.
    shown = printable(text[: 4 * width + 1])
    if len(text) <= 4 * width and columns(shown) <= width:
        return shown
    kept, used = 0, 0
    for character in shown[: 4 * width]:
        used += _width(character)
        if used >= width:
            break
        kept += 1
    return shown[:kept] + "…"


class Token(NamedTuple):
    """A kind of credential that gives itself away.

    ``hints`` are texts one of which is there whenever the pattern matches. The pattern may name a
    group ``kept``: what stands before the credential and may stay.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    flags: int


def _token(kind: str, hints: str, pattern: str, flags: int = 0) -> Token:
    return Token(kind, tuple(hints.split()), pattern, flags | re.ASCII)


# A word begins behind anything but a letter or digit, and behind an escape that ends with one: of a
# text inside a text (\n, \x1b, \u001b), of a URL (%0A) or of a terminal (ESC[0m).
_WORD = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbfva0])|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})"
    r"|(?<=%[0-9A-Fa-f]{2})|(?<=\[[mK])|(?<=[\[;][0-9][mK])|(?<=[\[;][0-9]{2}[mK])"
    r"|(?<=[\[;][0-9]{3}m))"
)


def _begun(words: Iterable[str]) -> str:
    """Where a word begins that starts as one of these; the cheap look ahead comes first."""
    return f"(?=[{''.join(sorted({word[0] for word in words}))}]){_WORD}"


def _prefixed(kind: str, prefixes: str, body: str) -> Token:
    """Credentials that begin with one of the prefixes, at the beginning of a word."""
    words = prefixes.split()
    either = "|".join(map(re.escape, words))
    return _token(kind, prefixes, f"{_begun(words)}(?:{either}){body}")


_NAMES = "|".join(name.replace("?", "[-_]?") for name in SENSITIVE_NAMES)
_ASSIGNED = r"""\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?"""

TOKENS: Final = (
    _token(
        "private key",
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]*?(?:-----END[A-Z0-9 ]{0,60}-----|\Z)",
    ),
    _token("URL user info", "://", r"""(?P<kept>://)[^\s/"'<>\\?#]+(?=@)"""),
    _prefixed("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", "[A-Za-z0-9_]{8,}"),
    _prefixed("GitLab token", "glpat- gldt- glrt-", "[A-Za-z0-9_-]{8,}"),
    _prefixed("API key", "sk- sk_live_ sk_test_ rk_live_ rk_test_", "[A-Za-z0-9_-]{12,}"),
    _prefixed("Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "[A-Za-z0-9-]{8,}"),
    _prefixed("AWS key id", "AKIA ASIA", "[A-Z0-9]{12,}"),
    _prefixed("Google key", "AIza ya29. GOCSPX-", "[A-Za-z0-9_.-]{16,}"),
    _prefixed("registry token", "npm_ pypi- dckr_pat_ hf_ gsk_ xai-", "[A-Za-z0-9_-]{16,}"),
    _prefixed("SendGrid key", "SG.", "[A-Za-z0-9_.-]{20,}"),
    _prefixed("JSON Web Token", "eyJ", r"[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*"),
    _token(
        "bearer",
        "earer EARER",
        rf"(?P<kept>{_begun('B')}Bearer(?:\s|%20|\\[nrt]){{1,4}})[A-Za-z0-9._~+/=-]{{8,}}",
        re.I,
    ),
    _token(
        "authorization",
        "uthoriz UTHORIZ",
        rf"""(?P<kept>authorization{_ASSIGNED})[^"'\\\r\n,]+""",
        re.I,
    ),
    _token(
        "assigned",
        "= :",
        rf"""(?P<kept>{_begun(SENSITIVE_NAMES)}(?:{_NAMES}){_ASSIGNED})"""
        r"""(?:(?<=["'])[^"'\\\r\n]+|[^\s"'\\,;&]+)""",
        re.I,
    ),
)
"""What `mask_text` knows, in the order it is looked for. A new kind is a line."""


def mask_text(text: str) -> str:
    """The text with what looks like a credential replaced by ``[masked]``. Linear."""
    for kind in TOKENS:
        if any(hint in text for hint in kind.hints):
            text = _compiled(kind.pattern, kind.flags).sub(_masked, text)
    return text


@cache  # most runs show nothing that has a hint, and compiling takes longer than all of the rest
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def mask_payload(text: str) -> str:
    """`mask_text`; where the text is a JSON object or array, its sensitive members are masked too.

    Only then is it written anew, without blanks; else it stays as it was formatted.
    """
    if text.lstrip(" \t\r\n")[:1] in ("{", "["):
        import msgspec

        from sesskit.schemas.ecmascript import dumps  # only here: most texts are no JSON

        try:
            value = msgspec.json.decode(text)
            masked = rebuilt(value, MASK, leaf=_inner)
            if masked != value:
                text = dumps(masked).decode()
        except (ValueError, RecursionError):
            pass  # it is no JSON, or goes too deep: masked as any text
    return mask_text(text)


def _inner(value: Any) -> Any:
    return mask_payload(value) if isinstance(value, str) else value


def _masked(found: re.Match[str]) -> str:
    return f"{found.groupdict().get('kept', '')}{MASK}"


def mask_tree(value: Any) -> Any:
    """A copy for showing: sensitive members hold ``[masked]``, texts and names are masked."""
    return rebuilt(
        value,
        MASK,
        leaf=lambda held: mask_text(held) if isinstance(held, str) else held,
        name=mask_text,
    )
