"""`sesskit store rebuild`: records that are missing, made anew from the logs of their sessions."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sesskit.cli.output import Display, show
from sesskit.cli.report import Entry, Report, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.store_robota import RobotaHome
from sesskit.cli.stores import kind_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told
from sesskit.logs.formats import Finding
from sesskit.logs.robota_rebuild import Rebuilt, rebuild_record
from sesskit.records.reading import reason_for
from sesskit.records.session_ids import safe_segment
from sesskit.schemas.outcomes import Missing, Original, Outcome, Valid

RECORD, LOG, SUFFIX = "robota-record", "robota-log", ".jsonl"


class Done(NamedTuple):
    """One session: its entry, and whether it has its record now, or would have."""

    entry: Entry
    there: bool


def rebuilt(
    store: str,
    logs: str,
    ids: list[str] | None,
    rules: Rules,
    display: Display,
    *,
    dry: bool = False,
) -> int:
    """Rebuild the sessions named, or all that have a log and no record; the exit code."""
    named = ids is not None and bool(ids)
    done = [
        _rebuilt(store, Path(logs, name + SUFFIX), name, rules, display, named=named, dry=dry)
        for name in (ids if ids else _with_log(logs))
    ]
    entries = tuple(one.entry for one in done)
    failed = not all(one.there for one in done) and not rules.exit_zero
    empty = () if entries else (logs,)
    hint = None if failed else ""
    return show(Report(entries, rules, empty=empty, hint=hint), display) or int(failed)


def _with_log(logs: str) -> list[str]:
    try:
        found = [path.name for path in Path(logs).iterdir() if path.name.endswith(SUFFIX)]
    except OSError as error:
        raise BadUsage(f"--logs {logs} cannot be read: {reason_for(error)}") from error
    names = sorted(name.removesuffix(SUFFIX) for name in found)
    return [name for name in names if safe_segment(name)]


def _rebuilt(
    store: str,
    log: Path,
    name: str,
    rules: Rules,
    display: Display,
    *,
    named: bool,
    dry: bool,
) -> Done:
    found = RobotaHome(store).load(name)
    if not isinstance(found, Missing):
        words = f"there is a record already ({found.status}): {_place(store, name)}"
        finding = Finding(str(log), Valid(None, version=1), LOG)
        return Done(_told(finding, [("kept", words)], rules, display), not named)
    made = rebuild_record(log)
    if made is None:
        finding = Finding(str(log), Valid(None, version=1, original=Original("accept")), LOG)
        row = ("refused", "no message was ever committed: there is no session to rebuild")
        return Done(_told(finding, [row], rules, display), not named)
    if not isinstance(made, Rebuilt):
        return Done(_failed(log, made, rules, display), False)
    return _put(store, log, name, made, rules, display, dry=dry)


def _put(
    store: str,
    log: Path,
    name: str,
    made: Rebuilt,
    rules: Rules,
    display: Display,
    *,
    dry: bool,
) -> Done:
    finding = Finding(str(log), Valid(None, version=1, original=Original("accept")), LOG)
    if made.record.id != name:
        row: Row = ("refused", "its lines are those of another session than its name says")
        return Done(_told(finding, [row], rules, display), False)
    place = _place(store, name)
    result = None if dry else RobotaHome(store).put(made.record, force=False)
    if result is not None and not result.written:
        return Done(_told(finding, [("refused", result.words)], rules, display), False)
    count = len(made.record.messages)
    messages = f"{count:,} {'message' if count == 1 else 'messages'}"
    rows: list[Row] = [("would be" if dry else "rebuilt", f"{messages} to {place}")]
    rows += [("not back" if n == 0 else "", loss) for n, loss in enumerate(made.losses)]
    member = {
        "id": name,
        "path": place,
        "written": not dry,
        "messages": count,
        "losses": made.losses,
    }
    entry = entry_of(finding, rules)
    return Done(told(entry, rows, {"rebuilt": member}, display.screen), True)


def _failed(log: Path, outcome: Outcome, rules: Rules, display: Display) -> Entry:
    known = outcome.status in ("valid", "corrupt", "unsupported")
    finding = Finding(str(log), outcome, LOG if known else None)
    row = ("refused", "nothing is made of a log that is not valid")
    return _told(finding, [row] if known else [], rules, display)


def _place(store: str, name: str) -> str:
    return kind_of(RECORD).path(store, name)


def _told(finding: Finding, rows: list[Row], rules: Rules, display: Display) -> Entry:
    entry = entry_of(finding, rules)
    return told(entry, rows, {"rebuilt": None}, display.screen) if rows else entry
