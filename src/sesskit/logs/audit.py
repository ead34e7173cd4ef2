"""The contract audit: does a log keep what a live session promises?

It reads the lines once, in order, and remembers the conversation, not the file. It does not lean on
the decoder: what is no event of a session is passed by here and reported there. What could not be
read is unknown, not absent: nobody is accused of what it may have held.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from sesskit.logs.audit_lines import LOST, Line
from sesskit.logs.audit_search import Search
from sesskit.logs.audit_sessions import Envelopes
from sesskit.schemas.issues import Issue
from sesskit.schemas.robota_contract import RULES

__all__ = ["RULES", "Audit", "audit"]


class Audit:
    """One pass over the lines of one log."""

    def __init__(self) -> None:
        self._search = Search()
        self._envelopes = Envelopes()

    def line(self, number: int, value: Any, offset: int | None = None) -> Iterator[Issue]:
        """Look at one line: parsed, sidecars resolved; None for one that nobody can read.

        Gives what is certain now; that may be about an earlier line. ``offset`` is where the line
        begins; findings carry it.
        """
        if value is None:
            return iter(self._search.line(Line(number, LOST, {}, offset)))
        if isinstance(value, dict) and isinstance(value.get("event"), str):
            line = Line(number, value["event"], value, offset)
            return iter((*self._envelopes.look(line), *self._search.line(line)))
        return iter(())

    def end(self) -> Iterator[Issue]:
        """The log ends here."""
        return iter(self._search.end())


def audit(
    lines: Iterable[tuple[int, Any]],
    *,
    rules: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Iterator[Issue]:
    """Every finding in a log; ``code`` is the id of the rule.

    ``lines`` are numbers and parsed values, sidecars resolved; None for what nobody can
    read. With ``rules`` only those are reported, those of ``ignore`` never.
    """
    wanted = set(rules or RULES) - set(ignore)
    auditor = Audit()
    for number, value in lines:
        yield from (issue for issue in auditor.line(number, value) if issue.code in wanted)
    yield from (issue for issue in auditor.end() if issue.code in wanted)
