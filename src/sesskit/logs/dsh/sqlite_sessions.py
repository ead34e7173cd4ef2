"""One session of a database: its rows judged as the events of version 0, in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.generations import READ_VERSIONS, V0, check_header
from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.rows import members, unpack
from sesskit.logs.dsh.ruling import PLAIN, UNSUPPORTED, Ruling, Stage
from sesskit.logs.dsh.sqlite_rows import stored_event
from sesskit.logs.dsh.writing import encoded, header_line, stored_records
from sesskit.schemas.dsh_values import is_number
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Corrupt, Decoded, Original, Unsupported, Valid

Json = dict[str, Any]
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class StoredSession:
    """One session of a store: its header, its events in today's shape, what the original says."""

    header: Json
    events: tuple[Json, ...]
    closers: tuple[Json, ...]
    issues: tuple[Issue, ...]
    original: Original

    @property
    def id(self) -> str:
        """What it is called; empty where that is no text."""
        found = self.header.get("id")
        return found if isinstance(found, str) else ""

    def text(self) -> bytes:
        """The session as the text of a log of version 0, its packed pieces included."""
        lines = [header_line({**self.header, "version": V0.version})]
        lines += stored_records(self.events, V0.version)
        return encoded(lines, compressed=False)

    def outcome(self) -> Decoded:
        """What it is by itself, whatever else the database holds; without a value."""
        found = self.issues
        if self.original.verdict == "unsupported":
            return Unsupported(None, READ_VERSIONS, found, original=self.original)
        if any(issue.severity == "error" for issue in found):
            return Corrupt(found, V0.version, original=self.original)
        return Valid(None, found, V0.version, original=self.original)


@dataclass(slots=True)
class SessionRows:
    """The fold of one session's rows, in the order of their numbers; ask `finished` at the end."""

    header: Json
    ruling: Ruling = field(default_factory=Ruling)
    issues: list[Issue] = field(default_factory=list)
    judge: Judge = field(init=False)
    _expected: int = 0
    _broken: bool = False
    _uncertain: bool = False
    _count: int = 0

    def __post_init__(self) -> None:
        self.judge = Judge(V0, self.header, self.ruling, resync=True)
        for issue in check_header(V0, {"type": "session", **self.header}):
            # The column may be empty, which stands for 0; only files must say the depth.
            if (issue.code, issue.keys) != ("member-missing", ("delegationDepth",)):
                self.refuse(issue, Stage.HEADER)
        version = self.header.get("version")
        if not is_number(version):
            message = "a header needs a version number"
            self.refuse(Issue("header-field", message, keys=("version",)), Stage.HEADER)

    def is_foreign(self) -> bool:
        """Whether the row is of a version that such databases never held; its events are not read.

        That is said when it is asked for.
        """
        version = self.header.get("version")
        if not is_number(version) or version == V0.version:
            return False
        self.ruling.refuse(Stage.VERSION, UNSUPPORTED, "unsupported")
        message = "databases hold sessions of version 0, and their programs refuse any other"
        self.issues.append(Issue("version-unsupported", message, keys=("version",)))
        return True

    def refuse(self, issue: Issue, stage: Stage) -> None:
        """Say a fault; the original refuses the session at that stage if it is an error."""
        if issue.severity == "error":
            self.ruling.refuse(stage, PLAIN)
        self.issues.append(issue)

    def see(self, rows: Iterable[Row]) -> None:
        """Take in the rows; what reading them raises goes on to the caller."""
        for row in rows:
            seq = row[0] if type(row[0]) is int else None
            place = ("events", self._count if seq is None else seq)
            found = self._row(row, seq)
            self.issues += [replace(i.inside(*place), seq=seq) for i in found]
            self._count += 1

    def finished(self) -> StoredSession:
        """The session, when all its rows were seen."""
        self.issues += self.judge.finish()
        placed = tuple(replace(i, line=None, column=None, offset=None) for i in self.issues)
        events, closers = tuple(self.judge.events), tuple(self.judge.open_turn.closers())
        return StoredSession(self.header, events, closers, placed, self.ruling.original)

    def _row(self, row: Row, seq: int | None) -> list[Issue]:
        event, found = stored_event(row)
        unread = any(issue.severity == "error" for issue in found)
        packed = "seq0" in event
        count = members(event) if packed and not unread else 1
        misplaced = self._misplaced(seq, count)
        # How many events a packed row stands for is not known when it cannot be read.
        self._uncertain = unread and packed
        if unread or misplaced is not None:
            self._broken, self.ruling.cut = True, True
            self.judge.lose()
        if self._broken and event["type"] == "turn/end":
            self.ruling.refuse(Stage.SCAN, PLAIN)
        found += misplaced or []
        if unread or seq is None:
            return found
        if packed:
            return found + self.judge.row(unpack(event), accepted=not self._broken)
        return found + self.judge.see(event, accepted=not self._broken)

    def _misplaced(self, seq: int | None, count: int) -> list[Issue] | None:
        """Why a row is not the next one; nothing is said where that follows from the one before."""
        expected = self._expected
        if seq is None:
            self._expected += count
            return [Issue("seq-missing", f"expected the number {expected}", keys=("seq",))]
        self._expected = seq + count
        if seq == expected:
            return None
        if self._uncertain and seq > expected:
            return []
        code = "seq-gap" if seq > expected else "seq-repeated"
        return [Issue(code, f"expected event {expected}", keys=("seq",), expected=str(expected))]
