"""Scalars of the Robota formats (robota-record section 3)."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from sesskit.schemas.instants import STANDARD_UTC_PATTERN, Instant

__all__ = ["Counter", "Instant", "JsonMap", "NotBlank", "Primitives", "TextInstant", "Whole"]

TextInstant = Annotated[str, Meta(pattern=STANDARD_UTC_PATTERN, extra={"rule": "instant"})]
"""A date-time that stays the very same string. The pattern is the fast path's, not the rule."""

Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, extra={"rule": "wide"})]
"""Any whole number that a double can hold; the bounds are the fast path's, not the rule."""

Counter = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""A counter of a session loop."""

NotBlank = Annotated[str, Meta(pattern=r"[!-~]", extra={"rule": "not-blank"})]
"""Text with more than ECMAScript white space; the pattern is the fast path's, not the rule."""

Primitives = dict[str, Annotated[str | int | float | bool, Meta(extra={"rule": "open-map-value"})]]
"""An open map of strings, numbers and booleans."""

JsonMap = Annotated[dict[str, Any], Meta(extra={"rule": "json-map"})]
"""An open map of any JSON values."""
