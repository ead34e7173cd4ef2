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
from sesskit.artifacts.plausible import is_drawn, weigh
from sesskit.artifacts.secret_rule import word_set
from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.span import Span
from sesskit.artifacts.values_in_text import Value, judged
from sesskit.records.reading import read_document

__all__ = ["environment_secrets", "identity_spans", "secrets_beside"]

_LINE: Final = re.compile(
    r"^[ \t]*(?:#[ \t]*)?(?:export[ \t]+)?([\w.-]{1,80})[ \t]*=[ \t]*"
    r"(?:\"((?:[^\"\\]|\\.){0,8000})\"|'([^']{0,8000})'|([^\n]*?))(?:[ \t]+#[^\n]*)?[ \t\r]*$",
    re.MULTILINE,
)
"""A variable, also one that is commented out; its value in quotes may have several lines."""

_GIT: Final = re.compile(r"^[ \t]*(name|email)[ \t]*=[ \t]*\"?([^\"\n]{2,120}?)\"?[ \t\r]*$", re.M)
_MOST_BYTES: Final = 1 << 20
_MOST_FILES: Final = 50
_LEAST: Final = 8
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
        yield from _personal("person" if found[1] == "name" else "email", found[2].strip())


def _personal(stem: str, value: str) -> Iterator[Span]:
    if len(value) >= 4 and not is_generic(value):
        yield Span(0, 0, "local-identity", value, stem, "personal", "medium")


def environment_secrets(environment: Mapping[str, str]) -> Iterator[Span]:
    """The values of variables whose names say that they are secret."""
    for name, value in environment.items():
        if len(value) >= _LEAST and is_secret_name(name) and weigh(value, quoted=True, weak=True):
            yield Span(0, 0, "environment", value, stem_of(name))


def secrets_beside(folder: Path) -> Iterator[Span]:
    """The values of the ``.env`` files of a folder, whatever they are called.

    What could be anything is left out: words, numbers, versions, paths, addresses without a
    password, and what is named as something public (``IMAGE_TAG``, ``COMMIT_SHA``, ``MODEL``).
    """
    try:
        paths = sorted({*folder.glob(".env*"), *folder.glob("*.env")})[:_MOST_FILES]
    except OSError:
        return
    for path in paths:
        data = read_document(path, limit=_MOST_BYTES)
        if isinstance(data, bytes):
            found = _LINE.findall(data.decode("utf-8", "replace"))
            named = {name: "".join(values) for name, *values in found}
            yield from environment_secrets(named)
            yield from _drawn(named)


def _drawn(environment: Mapping[str, str]) -> Iterator[Span]:
    """Values that are credible by themselves, and passwords inside of addresses."""
    for name, value in environment.items():
        if "://" in value:
            yield from (span for span in scan(value) if span.kind == "secret")
            continue
        public = not _PUBLIC.isdisjoint(words_of(name)) or _UUID.fullmatch(value)
        if public or is_secret_name(name):
            continue
        if " " in value and judged(value, Value(0, len(value), quoted=True), "password"):
            yield Span(0, 0, "environment", value, "environment")
        if not weigh(value, quoted=True):
            continue
        if any(map(is_drawn, _SIGNS.split(value))):
            yield Span(0, 0, "environment", value, "environment")
