"""How files of dsh are recognised by their beginning and their place. Imports no decoder.

Logs of other programs begin with a ``type`` of ``session`` too; only dsh puts ``createdAt`` beside
it.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from sesskit.logs.dsh.paths import place_of
from sesskit.records.format import Recognition
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.sketch import sketch

_ZSTD = b"\x28\xb5\x2f\xfd"
_SQLITE = b"SQLite format 3\0"
_APPLICATION = slice(68, 72)
_APPLICATION_ID = b"DSHP"
_FRAMES = 64
"""Frames that are looked into for a first line; dsh writes it into the first."""

_WRITTEN = re.compile(rb'\{"type":"session","version":-?\d[^,]*,"id":"[^\n]*?"createdAt":')
_TAGGED = re.compile(rb'"type"\s*:\s*"session"')
_OPENING = b'{"type":"session","version":'
_HEADER = {"type", "version", "id", "createdAt"}
_EVENT = {"type", "seq", "time", "data"}
_ROW = {"type", "seq0", "time0", "data"}
_CONTEXT = re.compile(r"session(?:\.v[1-9][0-9]*)?\.jsonl(?:\.zstd)?")
_LINES = 8


def recognize(head: bytes, name: str) -> Recognition | None:
    """Whether a file that begins like this and is called so is a log of dsh, whole or damaged."""
    text = _unpacked(head) if head.startswith(_ZSTD) else head
    return _by_header(text) or _by_place(name) or _by_lines(text) or _by_name(text, head, name)


def recognize_store(head: bytes, name: str) -> Recognition | None:
    """Whether a file is an SQLite database of dsh; its name says nothing."""
    if head.startswith(_SQLITE) and head[_APPLICATION] == _APPLICATION_ID:
        return Recognition("certain", "it is a database that says it is one of dsh")
    return None


def _by_header(text: bytes) -> Recognition | None:
    if _WRITTEN.match(text):
        return Recognition("certain", "it begins with the header of a session log")
    first = text.partition(b"\n")[0]
    if not _TAGGED.search(first):
        return None
    drawn = sketch(first)
    found = set(drawn.members)
    if found >= _HEADER:
        if drawn.before:
            return Recognition("likely", "the header of a session log, after something else")
        return Recognition("certain", "it begins with the members of a session log's header")
    if "createdAt" in found and len(found & _HEADER) == len(_HEADER) - 1:
        return Recognition("likely", "it begins with most of the header of a session log")
    return None


def _by_place(name: str) -> Recognition | None:
    if name and place_of(PurePath(name)).layout is not None:
        return Recognition("likely", "it lies where dsh keeps the log of a session")
    return None


def _by_lines(text: bytes) -> Recognition | None:
    """By the first lines: the header may be the damaged one."""
    for line in text.split(b"\n", _LINES)[:_LINES]:
        if b'"seq' not in line:
            continue
        found = set(sketch(line).members)
        if found >= _EVENT or found >= _ROW:
            return Recognition("likely", "it holds events of a session log")
    return None


def _by_name(text: bytes, head: bytes, name: str) -> Recognition | None:
    if not _CONTEXT.fullmatch(PurePath(name).name):
        return None
    begin = text[: len(_OPENING)]
    if not head.strip(b"\0") or (begin and _OPENING.startswith(begin)):
        # Other logs are named by their sessions: what can be of any kind is of dsh by its name.
        return Recognition("likely", "its name is that of a session log, and little is in it")
    if not text or head.startswith(_ZSTD[:2]):
        return Recognition("guess", "its name is that of a session log, and nothing can be read")
    return None


def _unpacked(head: bytes) -> bytes:
    """The text of the first frames, as far as it decompresses; bounded."""
    from backports.zstd import ZstdDecompressor, ZstdError  # only here: most files need none

    text, rest = b"", head
    for _ in range(_FRAMES):
        inflater = ZstdDecompressor()
        try:
            text += inflater.decompress(rest, RECOGNITION_BYTES)
        except (ZstdError, MemoryError):
            return text
        rest = inflater.unused_data
        if b"\n" in text or not rest.startswith(_ZSTD):
            return text
    return text
