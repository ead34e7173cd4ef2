"""What `sesskit repair` says: rows for people, and the member of the JSON report."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import Any

from sesskit.cli.overview_text import VERDICTS
from sesskit.cli.repairing import Part, Repair, log_member
from sesskit.cli.report import Entry
from sesskit.cli.rows import Row, safe
from sesskit.cli.screen import one_line
from sesskit.logs.dsh.fates import Fate
from sesskit.logs.dsh.material import Dropped

_SHOWN = 8
_NAME = 60
_DIGITS = 12


def nothing() -> dict[str, Any]:
    """The member of a log that is not damaged."""
    return {"repair": _member(None, needed=False, written=False)}


def member(made: Repair, *, dry: bool) -> dict[str, Any]:
    """What was, or would be, done with one log."""
    return {"repair": _member(made, needed=True, written=not (dry or made.refused))}


def _member(made: Repair | None, *, needed: bool, written: bool) -> dict[str, Any]:
    dropped = made.plan.dropped if made is not None and made.plan is not None else ()
    return {
        "needed": needed,
        "written": written,
        "refused": made.refused or None if made is not None else None,
        "original": None if made is None else _fate(made.fate, made.size),
        "recovered": _recovered(made) if made is not None else 0,
        "logs": [log_member(part) for part in made.parts] if made is not None else [],
        "dropped": [_dropped(run) for run in dropped],
        "lostAndFound": made.lost if made is not None else None,
    }


def _fate(fate: Fate, size: int) -> dict[str, Any]:
    cut = None if fate.cut is None else {"offset": fate.cut, "length": size - fate.cut}
    closers = [{"type": str(event["type"]), "seq": int(event["seq"])} for event in fate.closers]
    return {"kept": fate.kept, "cut": cut, "closers": closers}


def _recovered(made: Repair) -> int:
    return max(sum(part.log.events - part.log.shared for part in made.parts) - made.fate.kept, 0)


def _dropped(run: Dropped) -> dict[str, Any]:
    return {
        "offset": run.offset,
        "length": run.length,
        "of": "decompressed text" if run.decompressed else "file",
        "sha256": run.sha256,
        "reason": run.reason,
    }


def rows(made: Repair, *, dry: bool) -> Iterator[Row]:
    """What was, or would be, done with one log, for people."""
    yield "original", _original_words(made)
    if made.refused:
        yield "refused", f"{made.refused}; nothing was written"
        return
    for part in made.parts:
        yield from _part_rows(part, dry=dry)
    recovered = _recovered(made)
    if recovered:
        yield "recovered", f"{_events(recovered)} that dsh would not keep"
    dropped = made.plan.dropped if made.plan is not None else ()
    if dropped:
        yield from _dropped_rows(dropped)
    if made.lost is not None:
        what = "every dropped byte, and this report" if dropped else "this report"
        yield "lost+found", f"{what}{' would go' if dry else ''} in {made.lost}"


def _original_words(made: Repair) -> str:
    fate = made.fate
    if fate.original is None:
        return "there is no program to ask about this version"
    verdict = fate.original.verdict
    code = f" ({fate.original.code})" if fate.original.code else ""
    words = f"{verdict}: dsh {VERDICTS[verdict]}{code}"
    if verdict != "accept-with-repair":
        return words
    does = [f"keeps {_events(fate.kept)}"]
    if fate.cut is not None:
        does.append(f"cuts {made.size - fate.cut:,} bytes from byte {fate.cut:,} on")
    if fate.closers:
        does.append(f"adds {', '.join(str(event['type']) for event in fate.closers)}")
    return f"{words}; it {', '.join(does)}"


def _part_rows(part: Part, *, dry: bool) -> Iterator[Row]:
    label = f"branch {part.log.branch}" if part.log.branch else ("would be" if dry else "repaired")
    closing = f", {_events(part.log.closers, 'closing ')} added" if part.log.closers else ""
    said = f"session {safe(str(part.log.header['id']), _NAME)}, " if part.log.branch else ""
    size = f"{said}{_events(part.log.events)}{closing}, {part.log.length:,} bytes"
    place = " ".join(filter(None, ("repaired to" if label == "would be" else "", part.path)))
    place = "repaired" if label == "would be" and part.path is None else place
    yield label, f"{place} ({size})" if place else size
    if part.log.outcome.status != "valid":
        yield "", "it has events of types that only another program knows, and needs that one"
    changes = part.log.changes
    for change in changes[:_SHOWN]:
        yield "", one_line(change)
    if len(changes) > _SHOWN:
        yield "", f"and {len(changes) - _SHOWN:,} more changes"


def _dropped_rows(dropped: tuple[Dropped, ...]) -> Iterator[Row]:
    total = sum(run.length for run in dropped)
    runs = "1 run" if len(dropped) == 1 else f"{len(dropped):,} runs"
    yield "dropped", f"{total:,} bytes in {runs}"
    for run in dropped[:_SHOWN]:
        of = "text" if run.decompressed else "file"
        place = f"byte {run.offset:,} of the {of}"
        yield "", f"{place}: {run.length:,} ({run.reason}), sha256 {run.sha256[:_DIGITS]}"
    if len(dropped) > _SHOWN:
        yield "", f"and {len(dropped) - _SHOWN:,} more runs"


def _events(count: int, kind: str = "") -> str:
    return f"1 {kind}event" if count == 1 else f"{count:,} {kind}events"


def next_step(entry: Entry) -> str:
    """What to do next about a file; empty where nothing was, or is to be, repaired."""
    made = (entry.members or {}).get("repair")
    if not made or made["refused"] or not made["needed"]:
        return ""
    if made["written"]:
        return f"sesskit validate {quote(one_line(made['logs'][0]['path']))}"
    return f"sesskit repair {quote(one_line(entry.finding.path))}"
