"""Secrets beside a name in code and in dialogues: setters, arrays, defaults, prompts, next lines.

Each function looks at one place of a text, with a bounded piece of text around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from sesskit.artifacts.key_names import is_secret_name, stem_of, words_of
from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.plausible import is_drawn, is_masked
from sesskit.artifacts.secret_rule import word_set
from sesskit.artifacts.span import Span
from sesskit.artifacts.values_in_text import Value, judged, value_at

__all__ = ["BESIDE"]

_CALLS: Final = tuple(
    f"{word}({quote}"
    for word in ("assword", "asswd", "ecret", "oken", "Key", "_key")
    for quote in "\"'"
)
_VERBS: Final = word_set("set with use add put new update change encode hash encrypt")
_ASKING: Final = word_set("get find read load fetch lookup delete remove list describe parse")
_CALLED: Final = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]{0,60}\Z")
_ARGUMENT: Final = re.compile(
    r"[A-Za-z_]{3,10}\((?P<q>[\"'])(?P<value>[^\"'\\\n]{6,400})(?P=q)\s*[,)]"
)
_ARRAY: Final = re.compile(r"(?<![\w$])(?P<name>[A-Za-z_]\w{1,60})\s?\[[\w +*]{0,20}\Z")
_FALLBACK: Final = re.compile(
    r"(?<![\w$])(?P<name>[A-Za-z_]\w{1,60})(?:[\"']?[\])]{1,3})?[ \t]{0,4}(?:\r?\n[ \t]{0,40})?\Z"
)
_DEFAULTED: Final = re.compile(r"\$\{(?P<name>[A-Za-z_]\w{1,60})\Z")
_DEFAULT: Final = re.compile(r":[-=](?P<q>[\"']?)(?P<value>[^\s{}\"'`$]{4,400})(?P=q)\}")
_PROMPT: Final = re.compile(
    r"(?P<name>[A-Za-z]\w{1,40}(?:[ \t][A-Za-z]\w{0,40}){0,3})[ \t]\[[^\[\]\n]{0,60}\Z"
)
_ANSWER: Final = re.compile(r"\]:[ \t]{1,4}(?P<value>[^\s\"'`]{8,400})[ \t\r]*(?=\n|\Z|\\)")
_FIELD: Final = re.compile(
    r"(?i:passw(?:or)?d|passphrase|passcode|secret|token|api[_-]?key)\w{0,12}[\"'`\]]{0,4}[)\]]{1,2}"
    r"(?:\.\w{1,20}(?:\(\))?){0,2}\Z"
)
_TYPED: Final = re.compile(r"\.[\w$]{4,20}\((?P<q>[\"'`])(?P<value>[^\"'`\\\n]{6,400})(?P=q)")
_BELOW: Final = re.compile(
    rf"[A-Za-z_]{{3,10}}:?[\"'*]{{0,3}}[ \t]{{0,4}}\r?\n(?:{ANY_PREFIX}?[ \t]{{0,40}}\r?\n)?"
    rf"{ANY_PREFIX}?[ \t]{{0,40}}(?P<value>[^\s\"'`<>(){{}}\[\],;]{{8,200}})"
    r"[ \t\r]{0,40}(?=\n|\Z)"
)
_NAME_BEFORE: Final = re.compile(r"(?<![\w$])[\w.$ -]{0,60}\Z")
_WINDOW: Final = 140
_HASHED: Final = re.compile(
    r":(?P<value>\$(?:6|5|1|y|gy|7|apr1|2[aby])\$[./A-Za-z0-9$=,]{16,300}|\{S{0,2}(?:SHA|MD5)\}[\w+/=]{16,200})"
    r"(?=[:\s\"'\\]|\Z)"
)
_HOLDER: Final = re.compile(r"(?:\A|[\s\"'`>|:+-])[A-Za-z_][\w.@-]{0,63}\Z")


def _call_at(text: str, at: int) -> Iterator[Span]:
    """``setPassword("VALUE")``, ``.password("VALUE")``: what is set, not what is asked for."""
    found = _ARGUMENT.match(text, at)
    left = _CALLED.search(text, max(at - 64, 0), text.index("(", at)) if found else None
    if not found or not left:
        return
    words = words_of(left[0])
    while words and words[0] in _VERBS:
        words = words[1:]
    name = "_".join(words)
    if name and words[0] not in _ASKING and is_secret_name(name):
        yield from _drawn(text, found, stem_of(name))


def _array_at(text: str, at: int) -> Iterator[Span]:
    """``char api_key[] = "VALUE"``."""
    left = _ARRAY.search(text, max(at - _WINDOW, 0), at)
    if left and is_secret_name(left["name"]):
        yield from _valued(text, at + 4, left["name"])


def _fallback_at(text: str, at: int) -> Iterator[Span]:
    """``process.env.JWT_SECRET || "VALUE"``: what is taken where nothing is set."""
    left = _FALLBACK.search(text, max(at - _WINDOW, 0), at + (text[at] in ")]"))
    if left and is_secret_name(left["name"]):
        yield from _valued(text, text.find(" ", at + 2), left["name"])


def _default_at(text: str, at: int) -> Iterator[Span]:
    """``${DB_PASSWORD:-VALUE}``."""
    left = _DEFAULTED.search(text, max(at - 64, 0), at)
    found = _DEFAULT.match(text, at) if left and is_secret_name(left["name"]) else None
    if left and found:
        yield from _drawn(text, found, stem_of(left["name"]))


def _prompt_at(text: str, at: int) -> Iterator[Span]:
    """``AWS Secret Access Key [None]: VALUE``, the dialogue of a command."""
    left = _PROMPT.search(text, max(at - _WINDOW, 0), at)
    found = _ANSWER.match(text, at) if left and is_secret_name(left["name"]) else None
    if left and found:
        yield from _drawn(text, found, stem_of(left["name"]))


def _typed_at(text: str, at: int) -> Iterator[Span]:
    """``cy.get("#password").type("VALUE")``: what a test types into a field."""
    found = _TYPED.match(text, at)
    if found and _FIELD.search(text, max(at - _WINDOW, 0), at):
        yield from _drawn(text, found, "password")


def _below_at(text: str, at: int) -> Iterator[Span]:
    """A value that is alone in the line below its name, or in the one below that."""
    found = _BELOW.match(text, at)
    if not found or not is_drawn(found["value"]) or found["value"][-1] in ":=,;":
        return
    end = text.find(":", at, found.start("value"))
    end = end if end >= 0 else text.index("\n", at)
    left = _NAME_BEFORE.search(text[max(at - 64, 0) : end].rstrip(" \t\r\"'*"))
    words = words_of(left[0])[-3:] if left else []
    if words and is_secret_name("_".join(words)):
        yield from _drawn(text, found, stem_of("_".join(words)))


def _hash_at(text: str, at: int) -> Iterator[Span]:
    """The hash of a password in ``/etc/shadow`` or a file of ``htpasswd``."""
    found = _HASHED.match(text, at)
    if found and _HOLDER.search(text, max(at - 66, 0), at) and not is_masked(found["value"]):
        yield Span(*found.span("value"), "password-hash", found["value"])


def _valued(text: str, start: int, name: str) -> Iterator[Span]:
    value = value_at(text, start)
    span = judged(text, value, stem_of(name)) if value and value.quoted else None
    if span:
        yield span


def _drawn(text: str, found: re.Match[str], stem: str) -> Iterator[Span]:
    """The value of a match, where only one that somebody drew is none of a word."""
    span = judged(text, Value(*found.span("value"), quoted=True), stem)
    if span:
        yield span


BESIDE: Final[dict[str, Callable[[str, int], Iterator[Span]]]] = {
    **dict.fromkeys(_CALLS, _call_at),
    **dict.fromkeys(('] = "', "] = '"), _array_at),
    **dict.fromkeys(
        ("|| ", ") or ", "] or "),
        _fallback_at,
    ),
    ":-": _default_at,
    "]: ": _prompt_at,
    **dict.fromkeys(
        tuple(
            f".{verb}({quote}"
            for verb in ("fill", "type", "sendKeys", "send_keys", "setValue")
            for quote in "\"'"
        ),
        _typed_at,
    ),
    **dict.fromkeys(
        (
            *(f"{word}\n" for word in ("assword", "ASSWORD", "oken", "_key", "Key")),
            *(f"{word}:\n" for word in ("assword", "ASSWORD", "oken", "_key", "Key", "ecret")),
        ),
        _below_at,
    ),
    **dict.fromkeys(
        (":$6$", ":$5$", ":$1$", ":$y$", ":$apr1$", ":$2y$", ":$2a$", ":$2b$", ":{SHA}", ":{SSHA}"),
        _hash_at,
    ),
}
"""By anchor: what to ask where it stands."""
