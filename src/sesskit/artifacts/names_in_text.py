"""Secrets that stand behind a name: ``KEY=value``, ``"key": "value"``, ``Header: value``, queries.

Every ``=`` and ``:`` is looked at once, with a bounded piece of text to its left and right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sesskit.artifacts.key_names import endings, is_secret_name, stem_of, suffixes, words_of
from sesskit.artifacts.line_prefixes import ANY_PREFIX
from sesskit.artifacts.plausible import is_drawn
from sesskit.artifacts.secret_rule import word_set
from sesskit.artifacts.span import Span
from sesskit.artifacts.special_names import SPECIAL
from sesskit.artifacts.values_in_text import WEAK, Value, judged, named_value, value_at

__all__ = ["WEAK", "Value", "judged", "named_in", "value_at"]

_LEFT_WINDOW: Final = 150
_LONGEST_NAME: Final = 80
# Read backwards, from the separator to the left.
_NAME_LEFT: Final = re.compile(r"[ \t]{0,40}\??\]?\*{0,3}(?:[\"'`]\\{0,16})?([\w.$@-]{1,80})")
_TYPE: Final = re.compile(
    r"[ \t]{0,2}(?:&(?:'static[ \t])?)?[A-Za-z][A-Za-z_.\[\], |<>?]{1,50}?[ \t]=(?=[ \t])"
)
_TYPE_LEFT: Final = re.compile(
    r"(?:gnirts|gnirtS|rts|txet|txeT|rahcrav)[ \t]{1,4}(?:[sS][aA][ \t]{1,4})?([\w.$@-]{1,80})"
)
_TAG: Final = re.compile(r"[ \t]{0,4}(?:!!(?:str|binary|string)|&[\w-]{1,40})[ \t]{1,4}")


_EMPHASIS: Final = re.compile(r"(?:\*{1,3}|__|</(?:b|strong|em)>)[ \t]{1,4}(?=\S)")
_BLOCK: Final = re.compile(
    rf"[ \t]{{1,4}}[|>][+-]?[1-9]?[ \t]*\r?\n{ANY_PREFIX}?[ \t]{{1,40}}"
    r"(?=\S{4,4096}[ \t]*(?:\r?\n|\Z))"
)
"""A name in bold letters; a text of YAML that begins in the next line."""

_CHANGED: Final = re.compile(
    r"(?:\[-(?P<old>[^\s\]]{4,400}?)-\])?\{\+(?P<new>[^\s}]{4,400}?)\+\}|\[-(?P<gone>[^\s\]]{4,400}?)-\]"
)
"""A value as it was and as it is, as ``git diff --word-diff`` shows it."""


def _of_both(text: str, found: re.Match[str], stem: str) -> Iterator[Span]:
    for group in ("old", "new", "gone"):
        if found[group]:
            span = judged(text, Value(*found.span(group), quoted=True), stem)
            if span:
                yield span


def named_in(text: str) -> list[Span]:
    """The secrets of a text that a name gives away."""
    found: list[Span] = []
    last = 0
    for at in _signs_in(text):
        if at < last:
            continue
        for span in _behind(text, at):
            found.append(span)
            last = max(last, span.end)
    return found


def _signs_in(text: str) -> list[int]:
    """Where the signs stand, in order, that a name of a secret may stand before."""
    return sorted(
        at
        for pattern in _NAMED
        for sign in pattern.finditer(text)
        if _may_be_named(text[max((at := sign.start()) - _MOST_BESIDE, 0) : at])
    )


@lru_cache(maxsize=16384)
def _may_be_named(beside: str) -> bool:
    """Whether a name that ends so could be one of a secret, as far as its end says."""
    name = beside.rstrip(_BESIDE_NAME)
    plain = name.rstrip("0123456789_-") if name[-1:].isdigit() else name
    word = _LAST_WORD.search(plain)
    if not word or not word.start():
        return bool(word) or not plain  # too long to be seen as a whole
    last, before = word[0].lower(), plain[word.start() - 1]
    if not _says_something(beside):
        return False
    if last in _FOLLOWING:  # such a word has to follow another one, or is a type
        joined = bool(_JOINT.match(before)) or (before == " " and last in _TYPES)
        return joined or (last in SPECIAL and plain is name)
    if plain.endswith(_VAGUE_ENDINGS):
        return True
    return last[-3:] in _ENDINGS or bool(_SECRET_ID.search(plain))


def _says_something(beside: str) -> bool:
    """Whether a name that ends so can say anything; what is not seen of it may."""
    found = _NAME_LEFT.match(beside[::-1])
    if not found or found.end() >= len(beside) or found.end(1) - found.start(1) >= _LONGEST_NAME:
        return True
    name = found[1][::-1]
    ways = {name, name.lstrip("-"), name.removeprefix("-"), name.removeprefix("-D")}
    return any(
        way.lower() in SPECIAL
        or way.lower() in _TYPES
        or way.lower().endswith("id")
        or is_secret_name(way)
        or _KEY_OF.fullmatch(way)
        for way in ways
    )


def _behind(text: str, at: int) -> Iterator[Span]:
    """What the name to the left of a separator says of the value to its right."""
    left = text[max(at - _LEFT_WINDOW, 0) : at][::-1]
    if text[at] == "=" and left[:1] == ":":
        left = left[1:]
    found = _NAME_LEFT.match(left)
    if not found:
        return
    name = found[1][::-1]
    typed_before = _TYPE_LEFT.match(left.lstrip()) if text[at] == "=" else None
    if typed_before:
        name = typed_before[1][::-1]  # as in ``var name string =``
    beside = left[found.end() : found.end() + 3]
    if beside[:2] == "::" and not beside[2:].isdigit():
        return  # a path of names in some language
    begin = at - (1 if text[at - 1 : at] == ":" else 0) - found.end()
    start = at + 2 if text[at + 1 : at + 2] == ">" else at + 1
    if name.startswith("-D") and not is_secret_name(name[1:]):
        name = name[2:]  # a property on a command line
    if name[0] == "-" and text[begin - 1 : begin] in ("", "\n"):
        name = name.lstrip("-")  # a line that a difference takes away
    lower = name.lower().lstrip("-")
    special = SPECIAL.get(lower)
    if special is None and lower.endswith("id") and words_of(name)[-2:] == ["secret", "id"]:
        special = SPECIAL["secret_id"]
    if special is not None:
        yield from special(text, start, begin)
        return
    if not is_secret_name(name):
        yield from _some_key(text, name, start)
        return
    typed = _TYPE.match(text, start) if text[at] == ":" else None
    if typed:
        start = typed.end()  # the value stands behind its type
    else:
        tag = _TAG.match(text, start) or _EMPHASIS.match(text, start) or _BLOCK.match(text, start)
        start = tag.end() if tag else start
    changed = _CHANGED.match(text, start)
    if changed:
        yield from _of_both(text, changed, stem_of(name))
        return
    yield from named_value(text, name, start, begin)


def _some_key(text: str, name: str, start: int) -> Iterator[Span]:
    """``GIPHY_KEY`` of nobody we know: a variable whose value was drawn, letters of all kinds."""
    if not _KEY_OF.fullmatch(name) or not _NO_KEYS.isdisjoint(words_of(name)):
        return
    value = value_at(text, start)
    content = text[value.start : value.end] if value else ""
    drawn = is_drawn(content) and content.isalnum() and len(content) >= _LONG_KEY
    if value and drawn and not content.islower() and not content.isupper():
        span = judged(text, value, "api-key")
        if span:
            yield span._replace(confidence="medium")


_VAGUE: Final = ("ADMIN", "AUTH", "PEPPER", "SALT", "SEED", "SERVICE_ROLE", "SK", "SONAR_LOGIN")
"""How names of variables end whose value is a secret if it was drawn."""

_KEY_OF: Final = re.compile(
    rf"[A-Z][A-Z0-9_]{{1,60}}_KEY|(?:[A-Z0-9_]{{1,60}}_)?(?:{'|'.join(_VAGUE)})"
)
_NO_KEYS: Final = word_set(
    "public pub publishable primary foreign cache sort partition hash range index idempotency"
    " dedupe lookup object s3 routing message group gpg site measurement tracking query row"
    " registry map item host storage bucket file path name anon unique parent event schema"
)
"""Keys that are no secrets, or name something."""

_LONG_KEY: Final = 20
_ENDINGS: Final = endings() | {name[-3:] for name in SPECIAL}
_FOLLOWING: Final = suffixes() | {"b"}
_LAST_WORD: Final = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)\Z")
_TYPES: Final = frozenset({"string", "str", "text"})
_SECRET_ID: Final = re.compile(r"ecret[_-]?id\Z", re.IGNORECASE)
_JOINT: Final = re.compile(r"[\w.$-]")
_MOST_BESIDE: Final = 12
_BESIDE_NAME: Final = " \t\"'`]\\?:*"
_QUOTES: Final = r"[ \t\"'`\]\\?:*]"
_GAP: Final = rf"[0-9_-{_QUOTES[1:]}".replace("_-", "_\\-")


_VAGUE_ENDINGS: Final = tuple({f"_{name}"[-3:] for name in _VAGUE})


def _no_name(way: str) -> str:
    """What refuses words with this ending that say nothing unless they follow another word."""
    refused = ""
    for word in sorted({*_FOLLOWING, "key", "keys"}):
        for form in (word, word.upper(), word.capitalize()):
            if form.endswith(way):
                alone = rf"[^\w.$ -]{form}" if word in _TYPES else rf"[^\w.$-]{form}"
                if word in SPECIAL:  # by itself it says something, with a number it does not
                    refused += rf"(?!(?<={alone})[0-9_-]{{0,2}}[0-9])"
                else:
                    refused += f"(?<!{alone})"
    return refused


def _filter(sign: str, right: str) -> re.Pattern[str]:
    """A sign between a name and a value, where the name ends as those of secrets can.

    What is right before a sign is seen without Python: that is most of the work of most text.
    """
    words = {*_ENDINGS, *_FOLLOWING, "tid", "_id", "-id"}
    lower = {word[-3:].rjust(3, ".") for word in words}
    tree: dict[str, list[str]] = {}
    # In all cases: a pattern that ignores case is several times as slow.
    ways = {way for w in lower for way in (w, w.upper(), w.capitalize())} | {*_VAGUE_ENDINGS}
    for way in sorted(ways):
        tree.setdefault(way[0].replace(".", "(?s:.)"), []).append(way[1:] + _no_name(way))
    name = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in tree.items())
    last = f"[{''.join(sorted({way[-1] for way in ways}))}]"  # seen first: most signs have none
    near = [
        rf"(?<={last}{_GAP * count}{sign})(?<=(?:{name}){_GAP * count}{sign})" for count in range(4)
    ]
    near[0] += rf"|(?<=^(?:pw|PW|Pw){sign})"
    apart = f"(?<={_GAP}{sign})(?:{'|'.join(near[1:])}|(?<={_QUOTES * 4}{sign}))"
    return re.compile(rf"{sign}{right}(?:{apart}|{near[0]})", re.MULTILINE)


_NAMED: Final = (
    _filter(":", r"(?![:=/]|-[$}])(?<!::)"),
    _filter("=", r"(?![=~])(?<![=!<>~+*/|^%-]=)"),
)
"""One pattern a sign: text is passed over faster than for either of two."""
