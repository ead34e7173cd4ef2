"""How many faults of one log are kept, so that a small file cannot fill the memory with them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sesskit.logs.dsh.lines import Line
from sesskit.schemas.dsh_limits import MAX_LOG_ISSUES
from sesskit.schemas.issues import Issue


class IssueBound(Struct):
    """Counts faults; beyond the limit they are only counted, but the first error is always kept."""

    kept: int = 0
    unlisted: int = 0
    passed: int = 0
    _error: bool = False

    def taken(self, issues: list[Issue]) -> list[Issue]:
        """Those of the issues that are kept."""
        if not issues:
            return issues
        room = max(0, MAX_LOG_ISSUES - self.kept)
        kept = issues[:room]
        if not self._error:
            kept += [i for i in issues[room:] if i.severity == "error"][:1]
        self._error = self._error or any(issue.severity == "error" for issue in kept)
        self.kept += len(kept)
        self.unlisted += len(issues) - len(kept)
        return kept

    def passes(self, line: Line) -> bool:
        """Whether a line behind the damage is left unread, since so many faults were found.

        Not where it may end a turn, however that is spelled: the original's answer hangs on it.
        """
        if self.kept < MAX_LOG_ISSUES or not line.ended:
            return False
        if b"turn/end" in line.data or b"\\" in line.data:
            return False
        self.passed += 1 + line.more
        return True

    def said(self, line: int, offset: int) -> Iterator[Issue]:
        """What was not listed, as an issue at the end of the text."""
        if not self.unlisted and not self.passed:
            return
        message = f"{self.unlisted:,} further faults of this log are not listed"
        if self.passed:
            message += f", and {self.passed:,} lines behind them were not read"
        yield Issue("json-unlisted", message, "info", line=line, column=1, offset=offset)
