"""Secrets in structure: a name and a value side by side in an object, in a list, in a query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sesskit.artifacts.commands_in_text import flags_of
from sesskit.artifacts.headers_in_text import authorization, cookies
from sesskit.artifacts.key_names import is_secret_name, stem_of, words_of
from sesskit.artifacts.names_in_text import Value, judged
from sesskit.artifacts.placeholders import PLACEHOLDER
from sesskit.artifacts.plausible import is_dummy, is_masked, is_said_of_one
from sesskit.artifacts.span import Span

__all__ = [
    "TELLING",
    "is_own",
    "listed_spans",
    "named_spans",
    "queries_in",
    "tells",
]

TELLING: Final = frozenset(
    {"auth", "_auth", "user.name", "user", "username", "logname", "sudo_user", "secretstring"}
    | {"pw", "pass", "psw", "pwd", "creds", "cred"}
)
"""Names of members that text is read with: they are no secrets by themselves."""

_QUERY: Final = re.compile(r"(?<=[?&;])(?P<name>[\w.%-]{2,80})=(?P<value>[^\s&;#\"'<>\\]{1,4096})")
_LONGEST: Final = 4096
_LEAST_TOLD: Final = 8
_REFERENCE: Final = re.compile(
    r"\s{0,80}\Z|\$\{|\$[A-Z_]+\Z|\$\(|\{\{|<[\w -]{1,40}>\Z|%[A-Z_]+%\Z|[a-z]{2,20}://"
    r"|(?:process\.env|os\.environ|env|vault|arn|op|secretRef|ENC)[.:\[]|\[[\w -]{1,40}\]\Z"
)
"""What points to a value, or stands for one."""

_SAMPLE: Final = re.compile(r"(?i)(?<![a-z])(?:fake|not[-_ ]real)(?![a-z])")


def named_spans(name: str, content: str, *, sure: bool = False) -> list[Span]:
    """What has to go from ``content``, the value of a secret name.

    With ``sure`` the name decides alone, and a whole value goes unless it is a placeholder.
    """
    whole = Value(0, len(content), quoted=True)
    words = words_of(name)
    found: list[Span] = []
    if words and words[-1] == "authorization":
        found = list(authorization(content, whole))
    elif words and words[-1] in ("cookie", "cookies"):
        found = list(cookies(content, whole, first_only=words[0] == "set"))
    else:
        span = judged(content, whole, stem_of(name), plain=True)
        found = [span] if span else []
    if sure and content and not PLACEHOLDER.fullmatch(content):
        values = [span for span in found if span.spread]
        value = values[0].value if values else content
        spread = bool(values) or _is_telling(content)
        return [Span(0, len(content), "named-secret", value, stem_of(name), spread=spread)]
    return found


def is_own(content: str) -> bool:
    """Whether a value is one, and neither a word for one, masked, nor a reference to another."""
    told = is_dummy(content) or is_masked(content) or _SAMPLE.search(content)
    return not (told or _REFERENCE.match(content) or is_said_of_one(content))


def _is_telling(content: str) -> bool:
    """Whether a value that its name alone gives away can be looked for: a phrase, no word."""
    plain = content.isalpha() and (content.islower() or content[1:].islower() or content.isupper())
    return len(content) >= _LEAST_TOLD and is_own(content) and not plain


def listed_spans(texts: Sequence[str]) -> Iterator[tuple[int, Span]]:
    """What has to go from the strings of a list: arguments of a command, headers one by one.

    Gives the index of the string and the span in it.
    """
    for number, (before, text) in enumerate(pairwise(texts), 1):
        name = before.lstrip("-")
        if 2 < len(name) <= 80 and not text.startswith("-") and is_secret_name(name):
            yield from ((number, span) for span in named_spans(name, text))
    if any(text.startswith("-") for text in texts):
        yield from _of_command(texts)


def _of_command(texts: Sequence[str]) -> Iterator[tuple[int, Span]]:
    joined = " ".join(text[:_LONGEST] for text in texts)
    starts, at = [], 0
    for text in texts:
        starts.append(at)
        at += min(len(text), _LONGEST) + 1
    for span in flags_of(joined):
        number = max(n for n, start in enumerate(starts) if start <= span.start)
        start, end = span.start - starts[number], span.end - starts[number]
        if end <= len(texts[number]):
            yield number, span._replace(start=start, end=end)


def queries_in(text: str) -> Iterator[Span]:
    """The values of secret names in the queries of addresses."""
    for found in _QUERY.finditer(text):
        if is_secret_name(found["name"]) and not PLACEHOLDER.fullmatch(found["value"]):
            stem = stem_of(found["name"])
            yield Span(*found.span("value"), "query", found["value"], stem)


_MEMBER: Final = re.compile(r"\"(?<=[{,\s]\")([^\"\\]{2,80}+)\"\s{0,4}:")


def tells(line: str) -> bool:
    """Whether a line of JSON that was scanned as text can say more when it is entered."""
    if "\\" in line or '"-' in line:
        return True
    return any(map(_is_telling_name, set(_MEMBER.findall(line))))


@lru_cache(maxsize=4096)
def _is_telling_name(name: str) -> bool:
    return name in ("value", "val") or name.lower() in TELLING or is_secret_name(name)
