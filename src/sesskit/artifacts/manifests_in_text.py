"""Values of Kubernetes secrets, in YAML and in printed JSON: every one of them is secret."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from sesskit.artifacts.plausible import is_masked
from sesskit.artifacts.span import Span

__all__ = ["manifests_in"]

_KIND: Final = re.compile(r"^[^\S\n]*kind:[ \t]*[\"']?Secret[\"']?[ \t]*$", re.MULTILINE)
_DOCUMENT: Final = re.compile(r"^---", re.MULTILINE)
_BLOCK: Final = re.compile(r"^(?P<indent>[ ]*)(?:data|stringData):[ \t]*$", re.MULTILINE)
_LINE: Final = re.compile(
    r"\n(?P<indent>[ ]+)[\"']?(?P<name>[\w.-]{1,120})[\"']?:[ \t]*(?P<q>[\"']?)"
    r"(?P<value>[^\s\"'][^\n]{0,8000}?)(?P=q)[ \t]*(?=\n|\Z)|\n[ \t]*(?:#[^\n]*)?(?=\n|\Z)"
)
_JSON_KIND: Final = re.compile(r"\"kind\"\s*:\s*\"Secret\"")
_JSON_DATA: Final = re.compile(r"\"(?:data|stringData)\"\s*:\s*\{([^{}]{0,60000})\}")
_JSON_MEMBER: Final = re.compile(r"\"([\w.-]{1,120})\"\s*:\s*\"([^\"\\]{1,8000})\"")
_NEAR: Final = 60_000
_PUBLIC: Final = re.compile(r"(?:^|[._-])(?:crt|cert|ca|pub|public|namespace)(?:$|[._-])", re.I)
_LEAST: Final = 4


def manifests_in(text: str) -> Iterator[Span]:
    """The values under ``data`` and ``stringData`` of the secrets in a text. Each place once."""
    kinds = [found.start() for found in _KIND.finditer(text)]
    if kinds:
        edges = [0, *(found.start() for found in _DOCUMENT.finditer(text)), len(text)]
        for start, end in pairwise(edges):
            if bisect_left(kinds, start) < bisect_left(kinds, end):
                for block in _BLOCK.finditer(text, start, end):
                    yield from _lines(text, block, end)
    for start, end in _near(text):
        for data in _JSON_DATA.finditer(text, start, end):
            for found in _JSON_MEMBER.finditer(text, *data.span(1)):
                yield from _value(found[1], found[2], found.start(2))


def _near(text: str) -> Iterator[tuple[int, int]]:
    """The surroundings of printed secrets, those that overlap made one."""
    start = end = 0
    for kind in _JSON_KIND.finditer(text):
        if kind.start() - _NEAR > end:
            yield start, end
            start = kind.start() - _NEAR
        end = kind.end() + _NEAR
    if end:
        yield start, end


def _lines(text: str, block: re.Match[str], end: int) -> Iterator[Span]:
    """The lines of a block, as long as they are indented more than its head."""
    at = block.end()
    while line := _LINE.match(text, at, end):
        if line["name"]:
            if len(line["indent"]) <= len(block["indent"]):
                return
            yield from _value(line["name"], line["value"], line.start("value"))
        at = line.end()


def _value(name: str, value: str, start: int) -> Iterator[Span]:
    content = value.rstrip()
    if len(content) < _LEAST or _PUBLIC.search(name) or is_masked(content) or content[0] in "{|>$":
        return
    spread = len(content) >= 8
    yield Span(start, start + len(content), "kubernetes-secret", content, spread=spread)
