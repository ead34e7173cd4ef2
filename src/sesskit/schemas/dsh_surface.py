"""The types of dsh events that are messages of the model, by format version."""

from __future__ import annotations

_SURFACE = frozenset(["user/message", "assistant/message", "tool/result"])
SURFACE = {0: _SURFACE, 1: _SURFACE, 2: _SURFACE, 3: _SURFACE | {"system/message"}}
"""The types that must carry a surface operation; no other type may."""
