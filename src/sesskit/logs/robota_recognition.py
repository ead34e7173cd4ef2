"""How Robota logs and prompt histories are recognised by the beginning of a file.

Imports no decoder.
"""

from __future__ import annotations

import re

from sesskit.records.format import Recognition
from sesskit.schemas.robota_log_names import EVENT_NAMES
from sesskit.schemas.sketch import sketch

ENVELOPE = frozenset({"schemaVersion", "timestamp", "sessionId", "event"})
PROMPT = frozenset({"at", "sessionId", "project", "text"})
_LOOKED_AT = 40
_EVENT = re.compile(rb'"event"\s*:\s*"([a-z_]{1,64})"')
_TAIL = re.compile(rb'"sessionId":"[^"]{0,200}","event":"([a-z_]{1,64})"\}\s*\Z')
_FIRST = frozenset({"cwd", "systemPromptLength", "systemPrompt"})
_SUFFIX = ".jsonl"


def log(head: bytes, name: str) -> Recognition | None:
    """A log by the envelope of one of its first lines, also of lines without a version."""
    if not head.strip(b"\0 \t\r\n"):
        return _of_nothing(head, name, "a session log")
    best: Recognition | None = None
    for line in _lines(head):
        tail = _TAIL.search(line)
        if tail is not None and tail[1].decode() in EVENT_NAMES and b'"schemaVersion":' in line:
            return Recognition("certain", "a line ends with the envelope of a session log")
        drawn = sketch(line)
        found = set(drawn.members)
        if drawn.kind != "object" or drawn.before:
            continue
        known = any(event[1].decode() in EVENT_NAMES for event in _EVENT.finditer(line))
        if found >= ENVELOPE and known:
            return Recognition("certain", "a line has the envelope and an event of a session log")
        best = best or _likely(found, known=known, ended=drawn.ended)
    return best


def _likely(found: set[str], *, known: bool, ended: bool) -> Recognition | None:
    if found >= ENVELOPE:
        return Recognition("likely", "a line has the envelope of a session log, its event is new")
    if known and found >= ENVELOPE - {"schemaVersion"}:
        return Recognition("likely", "a line of a session log from before lines had a version")
    if known and "schemaVersion" in found:
        return Recognition("guess", "a line names an event of a session log")
    if not ended and found >= _FIRST:
        return Recognition("likely", "it begins as session logs do, with a long first line")
    return None


def history(head: bytes, name: str) -> Recognition | None:
    """A prompt history by its first lines: objects with exactly its four members, as text."""
    if not head.strip(b"\0 \t\r\n"):
        return None
    prompts = others = 0
    for line in _lines(head):
        drawn = sketch(line)
        if drawn.kind == "object" and set(drawn.members) >= PROMPT:
            prompts += 1
        elif drawn.ended:
            others += 1
    if prompts > others:
        return Recognition("certain", "its lines hold at, sessionId, project and text")
    return Recognition("likely", "some lines are those of a prompt history") if prompts else None


def _lines(head: bytes) -> list[bytes]:
    return [line for line in head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip(b"\0 \t\r")]


def _of_nothing(head: bytes, name: str, what: str) -> Recognition | None:
    if not name.endswith(_SUFFIX):
        return None
    state = "filled with NUL bytes" if head.strip(b" \t\r\n") else "empty"
    return Recognition("guess", f"it is {state}; its name could be that of {what}")
