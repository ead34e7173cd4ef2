"""What leaves and comes back in full, for each format: `EXCHANGES`.

An artifact is what `export` writes: of Robota the bytes of a stored file, of ochat neutral JSON.
Both ways nothing is lost. A format is one line.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from sesskit.records.format import Options
from sesskit.schemas.issues import Issue
from sesskit.schemas.masking import printable
from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.sketch import sketch


class ExportRefused(ValueError):
    """A value that no artifact can hold, with the places in its envelope; repeats no value."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        super().__init__(issues)
        self.issues = issues

    def __str__(self) -> str:
        errors = (each for each in self.issues if each.severity == "error")
        return "\n".join(f"{printable(each.path) or '(root)'}: {each.message}" for each in errors)


class Exchange(NamedTuple):
    """``artifact`` gives the bytes to hand out, ``read`` takes them in again, ``file`` gives those
    to be stored; values are those of a `Valid` outcome. Both raise `ExportRefused` for what would
    not come back.
    """

    artifact: Callable[[Any], bytes]
    read: Callable[[bytes, Options], Decoded]
    file: Callable[[Any], bytes]


EXCHANGES = {
    "robota-record": "sesskit.artifacts.envelopes:EXCHANGE",
    "ochat-record": "sesskit.artifacts.snapshots:EXCHANGE",
}
"""By the name of the format: ``module:attribute``."""

_SAID = {"ochat-record": ("id", "prompt_file")}
"""Members by which an artifact is told from others."""

USUAL = "robota-record"

BINARY = ("ochat-record",)
"""Formats whose files are no artifacts themselves."""


def exchange_of(name: str) -> Exchange | None:
    """How records of a format leave and come back; None for a format that has no artifacts."""
    place = EXCHANGES.get(name)
    if place is None:
        return None
    module, _, attribute = place.partition(":")
    found: Exchange = getattr(import_module(module), attribute)
    return found


def format_of(head: bytes) -> str:
    """The format that an artifact beginning like this is of; the usual one where nothing says."""
    members = sketch(head).members
    said = (name for name, told in _SAID.items() if all(one in members for one in told))
    return next(said, USUAL)
