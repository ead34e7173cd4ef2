"""Session ids that become part of a path: one safe segment, or refused."""

from __future__ import annotations

import re
from typing import Any

MAX_LENGTH = 128

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class InvalidSessionId(ValueError):
    """A session id that is not one safe path segment. The message does not repeat it."""


def safe_segment(text: str) -> bool:
    """True for 1 to 128 ASCII letters, digits, ``.``, ``_``, ``-``, of which the first is a
    letter or a digit. Nothing is trimmed or repaired."""
    return _SAFE.fullmatch(text) is not None


def why_unsafe(text: str) -> str:
    """What is wrong with an unsafe id, in words for people."""
    if not text:
        return "it is empty"
    if len(text) > MAX_LENGTH:
        return f"it is longer than {MAX_LENGTH} characters"
    if not re.match(r"[A-Za-z0-9]", text):
        return "it does not start with an ASCII letter or digit"
    return "it holds something other than ASCII letters, digits, '.', '_' and '-'"


def checked_session_id(value: Any) -> str:
    """The same id if it is safe; raises `InvalidSessionId` for anything else."""
    if not isinstance(value, str):
        raise InvalidSessionId("the session id is not usable: it is not text")
    if not safe_segment(value):
        raise InvalidSessionId(f"the session id is not usable: {why_unsafe(value)}")
    return value
