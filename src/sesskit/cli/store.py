"""`sesskit store`: the sessions of a store listed, shown, made, put and deleted; their tasks."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.inspect import At, Full, show_inspected, thorough
from sesskit.cli.legacy import look_at_stored
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.report import Entry, Report, Rules, entry_of
from sesskit.cli.screen import note, one_line, write
from sesskit.cli.store_listing import table
from sesskit.cli.store_tasks import tasks
from sesskit.cli.stores import Home, Kind, Listed, kind_of, store_kind, why_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import Replace, StoreDir, told, writing
from sesskit.logs.formats import Finding
from sesskit.logs.walking import is_folder
from sesskit.records.reading import reason_for
from sesskit.records.session_ids import safe_segment, why_unsafe
from sesskit.schemas.outcomes import Missing, Valid

RECORD, BARE, OCHAT = "robota-record", "robota-record-bare", "ochat-record"

Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Session ids.")]
Files = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Session records, or - for standard input.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Delete without being asked.")]
StoreFormat = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="What the store holds; else its content says."),
]
PromptFile = Annotated[
    str | None, typer.Option("--prompt-file", metavar="P", help="The prompt of the session.")
]
NewId = Annotated[
    str | None,
    typer.Option("--id", metavar="ID", help="The id; by default the one ochat makes of P."),
]
Logs = Annotated[
    str, typer.Option("--logs", metavar="DIR", help="The folder of the logs: ID.jsonl.")
]
MaybeIds = Annotated[
    list[str] | None, typer.Argument(metavar="[ID...]", help="Session ids.", show_default=False)
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")]

store = o.family("List, show, make, put, delete and rebuild the sessions of a store.")
store.add_typer(tasks, name="tasks")


@store.command("list")
def list_(
    store: StoreDir,
    format: StoreFormat = None,
    output: o.Output = None,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """List every session of a store, newest update first, damaged ones too.

    Of ochat sessions the time is that of the file. Exits 1 if any is not valid.
    """
    display = o.display_of(output, no_color=no_color)
    kind = _kind(store, format)
    try:
        listed = kind.open(store).list()
    except OSError as error:
        raise BadUsage(f"--store {store} cannot be read: {reason_for(error)}") from error
    if not listed and not is_folder(store):
        raise BadUsage(f"there is no folder {store}")
    rules = Rules(exit_zero=exit_zero)
    report = Report(tuple(_entry(found, kind, rules) for found in listed), rules)
    if display.output == "text":
        write(table(store, listed, report, display))
    else:
        show(report, display)
    raise typer.Exit(report.exit_code)


@store.command("show")
def show_(
    ids: Ids,
    store: StoreDir,
    at: At = None,
    full: Full = False,
    format: StoreFormat = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """Show sessions of a store, as inspect does: what is in them and what is wrong.

    Exits 1 if any is not valid, not there, or a legacy record without envelope.
    """
    display = o.display_of(output, max_issues=max_issues, no_color=no_color)
    name = _kind(store, format).format
    reading = thorough(o.reading_of(name, store=store))
    rules = Rules(exit_zero=exit_zero)
    report = check(gather(ids, store, name), reading, rules, by=look_at_stored)
    legacy = not exit_zero and any(e.finding.format == BARE for e in report.entries)
    raise typer.Exit(show_inspected(report, display, reading, at=at, full=full) or int(legacy))


@store.command("create")
def create(
    store: StoreDir,
    prompt_file: PromptFile = None,
    id: NewId = None,
    format: StoreFormat = None,
    output: o.Output = None,
    no_color: o.NoColor = False,
) -> None:
    """Make a new ochat session for a prompt, empty, under the id that ochat would give it.

    Exits 1 if the store has that session already.
    """
    from sesskit.cli.store_create import created  # only here: it is for one format

    display = o.display_of(output, no_color=no_color)
    kind = kind_of(format) if format else store_kind(store, usual=OCHAT)
    if kind.format != OCHAT:
        raise BadUsage(f"a store of {kind.format} makes no sessions; sesskit store put takes them")
    if prompt_file is None:
        raise BadUsage("say which prompt the session is for: --prompt-file P")
    entry, done = created(store, prompt_file, id, display.screen)
    code = show(Report((entry,), hint="" if done else None), display)
    raise typer.Exit(code or int(not done))


@store.command("put")
def put(
    files: Files,
    store: StoreDir,
    force: Replace = False,
    format: StoreFormat = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    no_color: o.NoColor = False,
    zone: o.Zone = "UTC",
) -> None:
    """Put session records into a store, each under the id inside it.

    Only valid records of the current version are put, in canonical form. A session that is there
    already is replaced only with --force, a damaged one never. A new store holds what is put first.
    Exits 1 if any record is refused.
    """
    display = o.display_of(output, max_issues=max_issues, no_color=no_color)
    reading = thorough(o.reading_of(None, None, zone=zone, keep=True))
    report = check(gather(files), reading)
    first = (e.finding.format for e in report.entries if isinstance(e.finding.outcome, Valid))
    storable = (name for name in first if name is not None and name != BARE)
    kind = kind_of(format) if format else store_kind(store, usual=next(storable, RECORD))
    home = kind.open(store)
    done = [_put(entry, home, kind, force, display) for entry in report.entries]
    every = all(written for _, written in done)
    report = report._replace(entries=tuple(entry for entry, _ in done))
    raise typer.Exit(show(report._replace(hint="" if every else None), display) or int(not every))


@store.command("rebuild")
def rebuild(
    store: StoreDir,
    logs: Logs,
    ids: MaybeIds = None,
    dry_run: DryRun = False,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """Make session records that are missing anew, from the logs of their sessions.

    Without ids, of every log whose session has no record. Says what does not come back. A record
    that is there, whole or damaged, is left as it is. Exits 1 if any log is not valid, or a session
    that was named cannot be rebuilt.
    """
    from sesskit.cli.store_rebuild import rebuilt

    for session_id in ids or ():
        if not safe_segment(session_id):
            raise BadUsage(f"not a session id: {why_unsafe(session_id)}")
    display = o.display_of(output, max_issues=max_issues, no_color=no_color)
    rules = Rules(exit_zero=exit_zero)
    raise typer.Exit(rebuilt(store, logs, ids, rules, display, dry=dry_run))


@store.command("delete")
def delete(ids: Ids, store: StoreDir, yes: Yes = False, format: StoreFormat = None) -> None:
    """Delete sessions of a store, whatever is in their files.

    Asks before each one; where nobody can be asked, --yes is needed. An ochat session goes with its
    archive. Exits 1 if any was not there or was kept.
    """
    kind = _kind(store, format)
    for session_id in ids:
        if not (kind.finder or safe_segment(session_id)):
            raise BadUsage(f"not a session id: {why_unsafe(session_id)}")
    if not yes and not _can_ask():
        raise BadUsage("nobody can be asked here; --yes deletes without being asked")
    if kind.finder:
        raise BadUsage(
            "sessions of dsh are not deleted here: others may have grown from them;"
            " sesskit store list names their files"
        )
    kept = [session_id for session_id in ids if not _deleted(store, kind, session_id, yes)]
    raise typer.Exit(int(bool(kept)))


def _kind(store: str, format: str | None) -> Kind:
    return kind_of(format) if format else store_kind(store)


def _can_ask() -> bool:
    return sys.stdin.isatty()


def _deleted(folder: str, kind: Kind, session_id: str, yes: bool) -> bool:
    home = kind.open(folder)
    outcome = home.load(session_id)
    if isinstance(outcome, Missing):
        note(f"there is no session {session_id} in {folder}")
        return False
    question = (
        f"Delete the session {one_line(session_id)} ({outcome.status})? There is no way back."
    )
    if not yes and not typer.confirm(question, err=True):
        note(f"{session_id} is left as it is")
        return False
    place = kind.path(folder, session_id)
    with writing(place):
        home.delete(session_id)
    write(f"deleted {one_line(session_id)}\n")
    return True


def _put(entry: Entry, home: Home, kind: Kind, force: bool, display: Display) -> tuple[Entry, bool]:
    finding = entry.finding
    if isinstance(finding.outcome, Valid) and finding.format == kind.format:
        result = home.put(finding.outcome.value, force=force)
        row = ("stored" if result.written else "refused", why_of(result, entry.finding.issues))
        return told(entry, [row], {"stored": result.member}, display.screen), result.written
    why = "a store takes valid session records only"
    if isinstance(finding.outcome, Valid):
        why = f"this store holds {kind.format}"
    if finding.format == BARE:
        why = "it has no envelope; sesskit migrate gives it one"
    member = {"stored": {"refused": finding.status}}
    return told(entry, [("refused", why)], member, display.screen), False


def _entry(found: Listed, kind: Kind, rules: Rules) -> Entry:
    finding = Finding(found.path, found.outcome, kind.format)
    updated = None if found.updated is None else str(found.updated)
    members = {"id": found.id, "updated": updated, "recordId": found.record_id}
    return entry_of(finding, rules, members=members)
