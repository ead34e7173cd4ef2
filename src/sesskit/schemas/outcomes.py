"""Outcomes: the possible answers to "what is in this file?".

The decoder of a format answers `Valid`, `Corrupt` or `Unsupported`; reading a path adds `Missing`,
`Unreadable` and `Unrecognized`. Only errors decide: a value with warnings alone is `Valid`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

from sesskit.schemas.issues import Issue

Verdict = Literal["accept", "accept-with-repair", "reject", "unsupported"]
Version = int | float | None


class Original(msgspec.Struct, frozen=True):
    """What the system that owns the format would do with the file: "will it load?"."""

    verdict: Verdict
    code: str | None = None


class Valid(msgspec.Struct, frozen=True):
    """Every member was checked. ``value`` is None where only a check was asked for."""

    status: ClassVar[str] = "valid"
    value: Any
    issues: tuple[Issue, ...] = ()
    version: Version = None
    original: Original | None = None


class Corrupt(msgspec.Struct, frozen=True):
    """Every place that is wrong; at least one of the issues is an error."""

    status: ClassVar[str] = "corrupt"
    issues: tuple[Issue, ...]
    version: Version = None
    original: Original | None = None


class Unsupported(msgspec.Struct, frozen=True):
    """A version this build does not read; None where no version could be read at all."""

    status: ClassVar[str] = "unsupported"
    version: Version
    supported: tuple[int, ...]
    issues: tuple[Issue, ...] = ()
    original: Original | None = None


class Missing(msgspec.Struct, frozen=True):
    """There is no such file. Nothing else is ever reported as missing."""

    status: ClassVar[str] = "missing"
    issues: tuple[Issue, ...] = ()


class Unreadable(msgspec.Struct, frozen=True):
    """Something is there and it cannot be read: a directory, a device, no permission ..."""

    status: ClassVar[str] = "unreadable"
    reason: str
    issues: tuple[Issue, ...] = ()


class Unrecognized(msgspec.Struct, frozen=True):
    """Readable, but no session file of any format known here."""

    status: ClassVar[str] = "unrecognized"
    looks_like: str
    issues: tuple[Issue, ...] = ()


Decoded = Valid | Corrupt | Unsupported
Outcome = Decoded | Missing | Unreadable | Unrecognized
OUTCOMES = (Valid, Corrupt, Unsupported, Missing, Unreadable, Unrecognized)
