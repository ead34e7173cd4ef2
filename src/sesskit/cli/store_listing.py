"""The sessions of a store as text: a line for each, for `sesskit store list`."""

from __future__ import annotations

from collections import Counter

from sesskit.cli.output import Display
from sesskit.cli.report import Entry, Report
from sesskit.cli.report_text import counted_words
from sesskit.cli.rows import safe
from sesskit.cli.screen import one_line
from sesskit.cli.stores import Listed

_ID_WIDTH, _LEAST_NOTE = 40, 12


def table(folder: str, listed: list[Listed], report: Report, display: Display) -> str:
    """A line for each session, and one that sums up."""
    screen = display.screen
    ids = [safe(found.id, _ID_WIDTH) for found in listed]
    width = max(map(len, [*ids, "id"]))
    lines = [screen.paint("faint", f"{'updated (UTC)':<19}  {'status':<11}  id")] if listed else []
    for found, shown, entry in zip(listed, ids, report.entries, strict=True):
        updated = "" if found.updated is None else str(found.updated)[:19].replace("T", " ")
        status = found.outcome.status
        style = "valid" if status == "valid" else "bad"
        painted = screen.paint(style, f"{status:<11}")
        row = f"{updated:<19}  {painted}  {shown:<{width}}"
        room = max(screen.width - len(f"{'':<19}  {'':<11}  {'':<{width}}  "), _LEAST_NOTE)
        lines.append(f"{row}  {safe(_note(found, entry), room)}".rstrip())
    counts = {status: count for status, count in report.by_status().items() if count}
    words = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    sessions = len({found.id for found in listed})
    unit = "session" if sessions == 1 else "sessions"
    several = f"{len(listed):,} logs of " if sessions < len(listed) else ""
    total = f"{several}{sessions:,} {unit} in {one_line(folder)}{': ' if words else ''}{words}."
    ending = [total, *_legacy_words(listed)]
    return "\n".join([*lines, *([""] if listed else []), *ending]) + "\n"


def _legacy_words(listed: list[Listed]) -> list[str]:
    """What helps with legacy records, if there are any."""
    count = sum("legacy" in found.note for found in listed)
    if not count:
        return []
    what, it = ("record", "it") if count == 1 else ("records", "them")
    return [f"{count:,} legacy {what} without envelope; sesskit migrate lifts {it}."]


def _note(found: Listed, entry: Entry) -> str:
    if found.record_id is not None and found.record_id != found.id:
        return f"the record inside is {found.record_id}"
    if found.note:
        return found.note
    reason = getattr(found.outcome, "reason", None)
    if reason is not None:
        return str(reason)
    if found.outcome.status == "unsupported":
        version = entry.finding.version
        return "it names no version" if version is None else f"version {version}"
    return counted_words(Counter(issue.severity for issue in entry.issues))
