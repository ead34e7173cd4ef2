"""Who shares: the names of the account, the machine and the author, which may stand in a session.

Reading them is the caller's choice; nothing of this is kept or shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sesskit.artifacts.identities_in_text import is_generic
from sesskit.artifacts.key_names import is_secret_name, stem_of, words_of
from sesskit.artifacts.plausible import is_drawn, is_mixed, weigh
from sesskit.artifacts.secret_rule import word_set
from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.span import Span
from sesskit.records.reading import read_document

__all__ = ["environment_secrets", "identity_spans", "secrets_beside"]

_LINE: Final = re.compile(
    r"^[ \t]*(?:#[ \t]*)?(?:export[ \t]+)?([\w.-]{1,80})[ \t]*=[ \t]*"
    r"(?:\"((?:[^\"\\]|\\.){0,8000})\"|'([^']{0,8000})'|([^\n]*?))(?:[ \t]+#[^\n]*)?[ \t\r]*$",
    re.MULTILINE,
)
"""A variable, also one that is commented out; its value in quotes may have several lines."""

_NAMES: Final = (".env*", "*.env")
_PASSED: Final = re.compile(r"(?i)[^\s:/@]{0,80}:([^\s/@:]{6,200})@")
_GIT: Final = re.compile(r"^[ \t]*(name|email)[ \t]*=[ \t]*\"?([^\"\n]{2,120}?)\"?[ \t\r]*$", re.M)
_MOST_BYTES: Final = 1 << 20
_MOST_FILES: Final = 50
_LEAST: Final = 8
_LONGEST: Final = 4096
_PUBLIC: Final = word_set(
    "id ids model models host hostname path dir file version sha commit rev revision hash digest"
    " checksum image tag name region zone public pub publishable bucket arn ami branch build"
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SIGNS: Final = re.compile(r"[-_./:,@+= ]+")


def identity_spans(
    environment: Mapping[str, str], host: str = "", git_config: str = ""
) -> Iterator[Span]:
    """The login, home folder and host of an environment, name and mail of a git configuration."""
    for variable in ("USER", "LOGNAME", "USERNAME"):
        yield from _personal("user", environment.get(variable, ""))
    home = environment.get("HOME") or environment.get("USERPROFILE") or ""
    yield from _personal("user", re.split(r"[\\/]", home.rstrip("\\/"))[-1])
    yield from _personal("host", host.partition(".")[0])
    for found in _GIT.finditer(git_config):
        stem = "person" if found[1] == "name" else "email"
        for way in _ways(found[2].strip()) if stem == "person" else (found[2].strip(),):
            yield from _personal(stem, way)


def _personal(stem: str, value: str) -> Iterator[Span]:
    if len(value) >= 4 and not is_generic(value):
        yield Span(0, 0, "local-identity", value, stem, "personal", "medium")


def _ways(name: str) -> Iterator[str]:
    """A name of two words or more, and the other ways in which such names are written."""
    yield name
    first, *_, last = words = name.split() or [name]
    if len(words) > 1:
        yield from (f"{last}, {first}", f"{last} {first}", f"{first}{last}")
        yield from (f"{first.lower()}{sign}{last.lower()}" for sign in "._-")
        yield f"{first[0].lower()}.{last.lower()}"


def environment_secrets(environment: Mapping[str, str]) -> Iterator[Span]:
    """The values of variables whose names say that they are secret."""
    for name, value in environment.items():
        secret = len(value) >= _LEAST and is_secret_name(name)
        if secret and weigh(value, quoted=True, weak=True):
            yield Span(0, 0, "environment", value, stem_of(name))
        elif len(value) > _LEAST and not value.isalnum():
            yield from _inside(value)
        if secret and any(map(str.isspace, value)):
            yield from _words(value)


def _inside(value: str) -> Iterator[Span]:
    """Secrets inside of a value: passwords of addresses, members of JSON; never whole addresses."""
    for span in scan(value[:_LONGEST]):
        if span.kind == "secret" and span.confidence != "low":
            yield span
    for found in _PASSED.finditer(value[:_LONGEST]):
        if "://" in value and weigh(found[1], quoted=True, weak=True):
            yield Span(0, 0, "environment", found[1], "url-password")


def _words(value: str) -> Iterator[Span]:
    """A passphrase of words of which one was drawn, and those of its words that were."""
    drawn = [word for word in value.split() if is_mixed(word)]
    if drawn:
        yield Span(0, 0, "environment", value, "password")
    yield from (Span(0, 0, "environment", word, "password") for word in drawn if is_drawn(word))


def secrets_beside(folder: Path) -> Iterator[Span]:
    """The values of the ``.env`` files of a folder, whatever they are called.

    What could be anything is left out: words, numbers, versions, paths, addresses without a
    password, and what is named as something public (``IMAGE_TAG``, ``COMMIT_SHA``, ``MODEL``).
    """
    try:
        paths = sorted({path for name in _NAMES for path in folder.glob(name)})[:_MOST_FILES]
    except OSError:
        return
    for path in paths:
        data = read_document(path, limit=_MOST_BYTES)
        if isinstance(data, bytes):
            found = _LINE.findall(data.decode("utf-8", "replace"))
            for name, *values in found:  # the same name may come twice, once commented out
                named = {name: "".join(values)}
                yield from environment_secrets(named)
                yield from _drawn(named)


def _drawn(environment: Mapping[str, str]) -> Iterator[Span]:
    """Values that are credible by themselves, and passwords inside of addresses."""
    for name, value in environment.items():
        if "://" in value:
            continue  # `environment_secrets` looks into addresses
        public = not _PUBLIC.isdisjoint(words_of(name)) or _UUID.fullmatch(value)
        if public or is_secret_name(name):
            continue
        if any(map(str.isspace, value)):
            lines = [line.strip() for line in value.splitlines()] if "\n" in value else [value]
            drawn = (line for line in lines if _is_phrase(line))
            yield from (Span(0, 0, "environment", line, "environment") for line in drawn)
            continue
        if not weigh(value, quoted=True):
            continue
        if any(map(is_drawn, _SIGNS.split(value))):
            yield Span(0, 0, "environment", value, "environment")


def _is_phrase(line: str) -> bool:
    """Whether words were drawn: most have letters and digits, and none is a path or an address."""
    words = line.split()
    mixed = [word for word in words if is_mixed(word) and word.isalnum()]
    return len(line) >= _LEAST and len(mixed) * 2 > len(words)
