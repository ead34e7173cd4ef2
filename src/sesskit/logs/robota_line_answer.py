"""What is found in one line of a Robota log (`LineAnswer`), and how lines are read (`Way`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

from sesskit.logs.sidecar_references import PayloadFault
from sesskit.logs.sidecars import Resolver
from sesskit.schemas.issues import Issue


@dataclass(slots=True)
class LineAnswer:
    """What is in one line. ``event`` is None where it is wrong, blank, or not to be had."""

    event: Any = None
    issues: tuple[Issue, ...] = ()
    faults: tuple[PayloadFault, ...] = ()
    version: int | None = None
    """A version that can be read: 1, or one that this build does not know."""
    is_json: bool = True
    blank: bool = False
    unresolved: int = 0
    plain: Any = None
    """The parsed value, sidecars resolved, where it was asked for."""


class Way:
    """How lines are read. ``resolver`` is None where sidecars are not to be looked at."""

    def __init__(
        self, resolver: Resolver | None, *, thorough: bool = False, zone: tzinfo = UTC
    ) -> None:
        self.resolver = resolver
        self.keep_plain = False
        self.thorough = thorough
        self.zone = zone
