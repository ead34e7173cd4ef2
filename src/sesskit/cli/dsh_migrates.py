"""Whether a dsh log migrates: the other answer beside "it loads"."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from sesskit.cli.looking import data_of
from sesskit.cli.naming import shown_keys
from sesskit.cli.rows import Row
from sesskit.logs.dsh.generations import READ_VERSIONS
from sesskit.logs.dsh.migrations import migrates
from sesskit.logs.dsh.opening import text_of
from sesskit.logs.dsh.tolerant import TOLERABLE
from sesskit.logs.formats import Finding
from sesskit.schemas.issues import Issue, dotted

LOG = "dsh-log"
MOST_INSPECTED, MOST_VALIDATED = 4 << 20, 1 << 20
"""Larger texts are not migrated only to say whether they would be: migrate --dry-run does that."""


def answers(finding: Finding, most: int) -> dict[int, Issue | None] | None:
    """For each later version None, or why a released step refuses; None where it is not asked.

    It is asked of logs with a later version, and with at most ``most`` bytes of text.
    """
    if finding.format != LOG or finding.status not in ("valid", "corrupt", "unsupported"):
        return None
    if finding.version == READ_VERSIONS[-1] or finding.version not in READ_VERSIONS:
        return None
    if finding.source is None and Path(finding.path).stat().st_size > most:
        return None
    data = data_of(finding)
    size = 0
    for block in text_of(io.BytesIO(data)):
        size += len(block)
        if size > most:
            return None
    return migrates(data, cut=True) or None


def member(found: dict[int, Issue | None]) -> dict[str, Any]:
    """The answers as the member ``migrates`` of a file of the report."""
    return {"migrates": [_answer(version, why) for version, why in found.items()]}


def row(found: dict[int, Issue | None]) -> Row:
    """The answers in a line: ``to versions 1 and 2; version 3 refuses …``."""
    taken = [str(version) for version, why in found.items() if why is None]
    why = next((why for why in found.values() if why is not None), None)
    if why is None:
        return "migrates", f"to version {', '.join(taken)}"
    first = next(version for version, refused in found.items() if refused is not None)
    event = "" if why.seq is None else f"event {why.seq:,}"
    place = ", ".join(filter(None, (event, dotted(shown_keys(why.keys)))))
    refused = f"version {first} refuses it: {place}: {why.message}"
    reached = f"to version {', '.join(taken)}; " if taken else ""
    more = " (--tolerant may take it)" if why.code in TOLERABLE else ""
    return "migrates", f"{reached}{refused}{more}"


def _answer(version: int, why: Issue | None) -> dict[str, Any]:
    if why is None:
        return {"version": version, "accepted": True}
    said: dict[str, Any] = {
        "version": version,
        "accepted": False,
        "code": why.code,
        "path": dotted(shown_keys(why.keys)),
        "message": why.message,
    }
    return said if why.seq is None else {**said, "seq": why.seq}
