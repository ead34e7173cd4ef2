"""The header of a session: what is known of it before its first event."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from sesskit.logs.dsh.errors import SessionError
from sesskit.schemas.dsh_values import is_count, is_json_value

FORMAT_VERSION = 0
"""The format that an in-memory session speaks: that of `session.jsonl`."""

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")

Clock = Callable[[], int]


def now() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


class SessionMeta(TypedDict, total=False):
    """What a caller may say about a new session, by the names of the stored header."""

    cwd: str
    parentSession: str
    createdAt: int
    seedLength: int
    origin: str
    delegationDepth: int
    agentPreset: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeader:
    """What is known of a session before its first event; never changes.

    ``created_at`` is in milliseconds since 1970; ``cwd`` an absolute path; ``seed_length`` how
    many leading events came from a seed; ``origin`` is ``subagent`` or None; None means absent.
    """

    version: int
    id: str
    created_at: int
    cwd: str | None = None
    parent_session: str | None = None
    seed_length: int | None = None
    origin: str | None = None
    delegation_depth: int | None = None
    agent_preset: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The members that are there, by their stored names, in the stored order."""
        named = ((_wire(f.name), getattr(self, f.name)) for f in fields(self))
        return {name: value for name, value in named if value is not None}


def _wire(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def is_absolute(path: object) -> bool:
    """Whether a path is absolute on the system that wrote it, POSIX or Windows."""
    return isinstance(path, str) and _ABSOLUTE.match(path) is not None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


HEADER_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "id": (_is_text, "string"),
    "createdAt": (is_count, "milliseconds since 1970"),
    "cwd": (is_absolute, "absolute path"),
    "parentSession": (_is_text, "string"),
    "seedLength": (is_count, "count"),
    "origin": (lambda value: value == "subagent", "subagent"),
    "delegationDepth": (is_count, "count"),
    "agentPreset": (_is_text, "string"),
}
"""What each member of a v0 header must be; members that are absent are not looked at."""


def make_header(
    session_id: str, meta: Mapping[str, Any] | None = None, clock: Clock = now
) -> SessionHeader:
    """The header of a new session; `SessionError` names the ``field`` that is wrong."""
    if not isinstance(session_id, str):  # a session itself, say
        raise SessionError("header-field", "id must be: string", field="id")
    members: dict[str, Any] = {"createdAt": clock(), **(meta or {}), "id": session_id}
    members = {name: value for name, value in members.items() if name in HEADER_RULES}
    if not is_json_value(members):
        raise SessionError("header-not-json-value", "the header holds what JSON cannot")
    for name, (rule, expected) in HEADER_RULES.items():
        if name in members and not rule(members[name]):
            raise SessionError("header-field", f"{name} must be: {expected}", field=name)
    attributes = {_python(name): value for name, value in members.items()}
    return SessionHeader(version=FORMAT_VERSION, **attributes)


def _python(name: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", name).lower()
