"""What `sesskit verify` says of a dsh log or database: its named checks, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sesskit.cli.report import Entry
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.writes import told
from sesskit.logs.dsh.checks import Checked, checked, held_to, rules_of

FORMATS = ("dsh-log", "dsh-sqlite")
_UNREADABLE = ("container", "lines", "numbers")


def verified_log(entry: Entry, rules: Sequence[str] | None, screen: Screen) -> Entry:
    """The entry with every check; with ``rules``, maybe none for all, held to those between
    events: a broken one is an error then, and the others are not asked."""
    finding = entry.finding
    version = 0 if finding.format == "dsh-sqlite" else finding.version
    if rules is None:
        checks = checked(entry.issues, version)
        return told(entry, _rows(checks), {"checks": [_member(check) for check in checks]}, screen)
    asked = rules_of(rules)
    held = entry._replace(issues=held_to(entry.issues, asked))
    broken = sum(issue.code in asked for issue in held.issues)
    said = f"{broken:,} broken" if broken else "kept"
    row = ("contract", f"{_count(len(asked))}: {said}")
    return told(held, [row], {"contract": {"rules": len(asked), "findings": broken}}, screen)


def _count(rules: int) -> str:
    return "1 rule" if rules == 1 else f"{rules:,} rules"


def _rows(checks: Sequence[Checked]) -> Iterator[Row]:
    damaged = any(check.broken for check in checks if check.name in _UNREADABLE)
    for check in checks:
        if check.holds:
            far = damaged and check.name not in (*_UNREADABLE, "place", "header")
            yield check.name, "holds, as far as it can be read" if far else "holds"
        elif check.broken:
            told = ", ".join(f"{rule} {count:,}" for rule, count in sorted(check.broken.items()))
            yield check.name, f"broken: {told}"
    unasked = [check.name for check in checks if check.holds is None]
    if unasked:
        yield "not asked", f"of this version: {', '.join(unasked)}"


def _member(check: Checked) -> dict[str, Any]:
    return {"name": check.name, "holds": check.holds, "broken": check.broken}
