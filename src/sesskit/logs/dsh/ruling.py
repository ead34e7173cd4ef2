"""What the original program would do with a log: "will it load?".

It looks at a log in stages and stops at the first fault. Here every fault is found, so the fault
of the earliest stage decides what the original says.
"""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

from sesskit.schemas.outcomes import Original, Verdict


class Stage(IntEnum):
    """When the original would meet a fault; later versions have other stages than v0."""

    FRAMES = 0
    VERSION = 1
    HEADER = 2
    SCAN = 3
    RETIRED = 4
    MARKED = 4
    LEGACY = 5
    MESSAGE = 6
    HEAD = 6
    UNKNOWN = 7
    CLOSERS = 8
    FULL = 9


PLAIN = "Error"
CORRUPTION = "SessionPersistenceCorruptionError"
UNSUPPORTED = "SessionFormatUnsupportedError"
FORMAT = "SessionFormatError"
MIGRATION = "SessionFormatUnsupportedMigrationError"
CRASH = "TypeError"


class Ruling(Struct):
    """The earliest refusal so far, and whether the original would change the file."""

    stage: Stage | None = None
    verdict: Verdict = "accept"
    code: str | None = None
    cut: bool = False
    closed: bool = False

    def refuse(self, stage: Stage, code: str, verdict: Verdict = "reject") -> None:
        """The original refuses at that stage; an earlier refusal stands."""
        if self.stage is None or stage < self.stage:
            self.stage, self.code, self.verdict = stage, code, verdict

    @property
    def original(self) -> Original:
        if self.stage is not None:
            return Original(self.verdict, self.code)
        return Original("accept-with-repair" if self.cut or self.closed else "accept")
