"""`sesskit store`: the sessions of a store, listed, shown, put and deleted."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.export import RECORD
from sesskit.cli.inspect import At, Full, show_inspected, thorough
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.report import Entry, Report, Rules, entry_of
from sesskit.cli.report_text import counted_words
from sesskit.cli.rows import safe
from sesskit.cli.screen import note, one_line, write
from sesskit.cli.storing import stored
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import Replace, StoreDir, told, writing
from sesskit.logs.formats import Finding
from sesskit.records import robota_store
from sesskit.records.reading import reason_for
from sesskit.records.robota_store import RobotaStore
from sesskit.records.session_ids import safe_segment, why_unsafe
from sesskit.schemas.outcomes import Missing, Valid

Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Session ids.")]
Files = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Session records, or - for standard input.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Delete without being asked.")]
_ID_WIDTH, _LEAST_NOTE = 40, 12

store = o.family("List, show, put and delete the sessions of a store.")


@store.command("list")
def list_(
    store: StoreDir,
    output: o.Output = None,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """List every session of a store, newest update first, damaged ones too.

    Exits 1 if any is not valid.
    """
    display = o.display_of(output, no_color=no_color)
    try:
        listed = RobotaStore(store).list()
    except OSError as error:
        raise BadUsage(f"--store {store} cannot be read: {reason_for(error)}") from error
    if not listed and not Path(store).is_dir():
        raise BadUsage(f"there is no folder {store}")
    rules = Rules(exit_zero=exit_zero)
    report = Report(tuple(_entry(found, rules) for found in listed), rules)
    if display.output == "text":
        write(_table(store, listed, report, display))
    else:
        show(report, display)
    raise typer.Exit(report.exit_code)


@store.command("show")
def show_(
    ids: Ids,
    store: StoreDir,
    at: At = None,
    full: Full = False,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """Show sessions of a store, as inspect does: what is in them and what is wrong.

    Exits 1 if any is not valid or not there.
    """
    display = o.display_of(output, max_issues=max_issues, no_color=no_color)
    reading = thorough(o.reading_of(store=store))
    report = check(gather(ids, store), reading, Rules(exit_zero=exit_zero))
    raise typer.Exit(show_inspected(report, display, at=at, full=full))


@store.command("put")
def put(
    files: Files,
    store: StoreDir,
    force: Replace = False,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    no_color: o.NoColor = False,
    zone: o.Zone = "UTC",
) -> None:
    """Put session records into a store, each under the id inside it.

    Only valid records are put, in canonical form. A session that is there already is replaced only
    with --force, a damaged one never. Exits 1 if any record is refused.
    """
    display = o.display_of(output, max_issues=max_issues, no_color=no_color)
    reading = o.reading_of(None, None, zone=zone, keep=True)
    report = check(gather(files), reading)
    home = RobotaStore(store)
    done = [_put(entry, home, force, display) for entry in report.entries]
    every = all(written for _, written in done)
    report = report._replace(entries=tuple(entry for entry, _ in done))
    raise typer.Exit(show(report._replace(hint="" if every else None), display) or int(not every))


@store.command("delete")
def delete(ids: Ids, store: StoreDir, yes: Yes = False) -> None:
    """Delete sessions of a store, whatever is in their files.

    Asks before each one; where nobody can be asked, --yes is needed. Exits 1 if any was not there
    or was kept.
    """
    for session_id in ids:
        if not safe_segment(session_id):
            raise BadUsage(f"not a session id: {why_unsafe(session_id)}")
    if not yes and not _can_ask():
        raise BadUsage("nobody can be asked here; --yes deletes without being asked")
    home = RobotaStore(store)
    kept = [session_id for session_id in ids if not _deleted(home, session_id, yes)]
    raise typer.Exit(int(bool(kept)))


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _deleted(home: RobotaStore, session_id: str, yes: bool) -> bool:
    outcome = home.load(session_id)
    if isinstance(outcome, Missing):
        note(f"there is no session {session_id} in {home.base_dir}")
        return False
    question = f"Delete the session {session_id} ({outcome.status})? There is no way back."
    if not yes and not typer.confirm(question, err=True):
        note(f"{session_id} is left as it is")
        return False
    with writing(str(home.path(session_id))):
        home.delete(session_id)
    write(f"deleted {session_id}\n")
    return True


def _put(entry: Entry, home: RobotaStore, force: bool, display: Display) -> tuple[Entry, bool]:
    finding = entry.finding
    if isinstance(finding.outcome, Valid) and finding.format == RECORD:
        result = stored(home, finding.outcome.value, force=force)
        row = ("stored" if result.written else "refused", result.words)
        return told(entry, [row], {"stored": result.member}, display.screen), result.written
    why = "a store takes valid session records only"
    if finding.format == f"{RECORD}-bare":
        why = "it has no envelope; sesskit migrate gives it one"
    member = {"stored": {"refused": finding.status}}
    return told(entry, [("refused", why)], member, display.screen), False


def _entry(found: robota_store.Entry, rules: Rules) -> Entry:
    finding = Finding(str(found.path), found.outcome, RECORD)
    updated = None if found.updated is None else str(found.updated)
    members = {"id": found.id, "updated": updated, "recordId": found.record_id}
    return entry_of(finding, rules, members=members)


def _table(folder: str, listed: list[robota_store.Entry], report: Report, display: Display) -> str:
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
    unit = "session" if len(listed) == 1 else "sessions"
    total = f"{len(listed):,} {unit} in {one_line(folder)}{': ' if words else ''}{words}."
    return "\n".join([*lines, *([""] if listed else []), total]) + "\n"


def _note(found: robota_store.Entry, entry: Entry) -> str:
    if found.record_id is not None and found.record_id != found.id:
        return f"the record inside is {found.record_id}"
    reason = getattr(found.outcome, "reason", None)
    if reason is not None:
        return str(reason)
    if found.outcome.status == "unsupported":
        version = entry.finding.version
        return "it names no version" if version is None else f"version {version}"
    return counted_words(Counter(issue.severity for issue in entry.issues))
