"""`sesskit reset`: a session at its beginning again, without what it said and was trusted with."""

from __future__ import annotations

import os
from typing import Annotated, Any, NamedTuple

import typer

from sesskit.cli import options as o
from sesskit.cli.changes import change_members, change_rows
from sesskit.cli.checking import check, gather
from sesskit.cli.looking import data_of
from sesskit.cli.output import MAX_ISSUES, refuse_existing, show
from sesskit.cli.report import Entry
from sesskit.cli.rows import Row
from sesskit.cli.stores import store_kind
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import Out, told, writing
from sesskit.logs.formats import STDIN
from sesskit.records.files import write_atomic
from sesskit.records.ochat_migrate import OchatMigration, reset_snapshot, reset_snapshot_file
from sesskit.records.ochat_snapshot import Snapshot
from sesskit.records.ochat_store import OchatStore, Saved
from sesskit.schemas.outcomes import Valid

FORMAT = "ochat-record"
REFUSED = {
    "changed": "it was changed while it was read; nothing was written",
    "record": "what it would become breaks the rules; nothing was written",
    "file": "it cannot be read or upgraded; nothing was written",
}
Target = Annotated[
    str, typer.Argument(metavar="FILE|ID", help="A snapshot, or with --store a session id.")
]
KeepHistory = Annotated[bool, typer.Option("--keep-history", help="Let the history stay.")]
Prompt = Annotated[
    str | None,
    typer.Option("--prompt-file", metavar="P", help="Record this prompt; a store copies it, too."),
]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Replace the file itself; it leaves a .bak.")
]
Force = Annotated[bool, typer.Option("--force", help="Let --out replace an existing file.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change; write nothing.")]


class How(NamedTuple):
    """What is kept, and whether anything is written."""

    keep_history: bool
    prompt_file: str | None
    dry: bool


class Done(NamedTuple):
    """What became of it: rows and members, or why nothing."""

    rows: tuple[Row, ...] = ()
    member: dict[str, Any] | None = None
    refused: str = ""


def reset(
    target: Target,
    store: o.Store = None,
    keep_history: KeepHistory = False,
    prompt_file: Prompt = None,
    out: Out = None,
    in_place: InPlace = False,
    force: Force = False,
    dry_run: DryRun = False,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
) -> None:
    """Take an ochat session back to its beginning.

    History, moderator and trust in shell commands go; its id, tasks, key/value data and the number
    of its next entry stay. In a store the old snapshot is archived first. Exits 1 if it cannot be.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    _refuse_places(target, store, out=out, in_place=in_place, dry=dry_run)
    refuse_existing(out, force=force, inputs=[] if store else [target])
    if store is not None and store_kind(store).format != FORMAT:
        raise BadUsage(f"--store {store} is no store of {FORMAT}; nothing else has a reset")
    report = check(gather([target], store), o.reading_of(None, store=store), quiet=quiet)
    if len(report.entries) != 1:
        raise BadUsage("reset takes one session; name a file, not a folder")
    (entry,) = report.entries
    how = How(keep_history, prompt_file, dry_run)
    why = _why_not(entry, store)
    if why:
        done = Done(refused=why)
    elif store is not None and out is None:
        done = _in_store(store, target, entry, how)
    else:
        done = _of_file(entry, how, out=out, in_place=in_place, force=force)
    rows = done.rows if not done.refused else (("refused", done.refused),)
    told_entry = told(entry, rows, {"reset": done.member}, display.screen)
    hint = None if done.refused else ""
    code = show(report._replace(entries=(told_entry,), hint=hint), display)
    raise typer.Exit(code or int(bool(done.refused)))


def _why_not(entry: Entry, store: str | None) -> str:
    """Why a session is not reset, whatever is asked for; empty if it may be."""
    if entry.finding.status == "missing" and store is None:
        return "there is no such file; the id of a session needs --store DIR"
    if entry.finding.status != "valid":
        return "only a valid session is reset"
    return "" if entry.finding.format == FORMAT else f"only {FORMAT} has a reset"


def _refuse_places(
    target: str, store: str | None, *, out: str | None, in_place: bool, dry: bool
) -> None:
    if in_place and (out is not None or store is not None):
        raise BadUsage("give one of --out, --in-place and --store")
    if store is None and out is None and not in_place and not dry:
        raise BadUsage("say where to: --out FILE or --in-place; --dry-run writes nothing")
    if in_place and target == STDIN:
        raise BadUsage("standard input cannot be replaced in place; use --out FILE")


def _of_file(entry: Entry, how: How, *, out: str | None, in_place: bool, force: bool) -> Done:
    path = entry.finding.path
    options: dict[str, Any] = {"keep_history": how.keep_history, "prompt_file": how.prompt_file}
    if how.dry or not in_place:
        made = reset_snapshot(data_of(entry.finding), **options)
        if made.data is not None and out is not None and not how.dry:
            with writing(out):
                write_atomic(out, made.data, overwrite=force)
    else:
        with writing(path):
            made = reset_snapshot_file(path, in_place=True, **options)
    if made.data is None:
        return Done(refused=_refusal(made))
    return _told(made, out or (path if in_place else None), made.backup, dry=how.dry)


def _in_store(store: str, session_id: str, entry: Entry, how: How) -> Done:
    made = reset_snapshot(
        data_of(entry.finding), keep_history=how.keep_history, prompt_file=how.prompt_file
    )
    if made.data is None:
        return Done(refused=_refusal(made))
    path = entry.finding.path
    if how.dry:
        return _told(made, path, None, dry=True)
    with writing(path):
        saved: Saved = OchatStore(store).reset(
            session_id, keep_history=how.keep_history, prompt_file=how.prompt_file
        )
    if not saved.written:
        return Done(refused=REFUSED[saved.refused_by or "file"])
    done = _told(made, path, saved.archived, dry=False)
    if saved.prompt_copied is False:
        row = ("note", "the prompt could not be read; only its path was recorded")
        return done._replace(rows=(*done.rows, row))
    return done


def _told(made: OchatMigration, path: str | None, copy: object, *, dry: bool) -> Done:
    kept = None if copy is None else os.fspath(str(copy))
    place = f"{path} " if path else ""
    size = f"({len(made.data or b''):,} bytes)"
    old = f"; the old one is {kept}" if kept else ""
    row = ("would be", f"reset {place}{size}") if dry else ("reset", f"{place}{size}{old}")
    member = {
        "path": path,
        "copy": kept,
        "written": path is not None and not dry,
        "changes": change_members(made.changes),
    }
    return Done((row, *change_rows(made.changes)), member)


def _refusal(made: OchatMigration) -> str:
    snapshot = made.outcome.value if isinstance(made.outcome, Valid) else None
    if isinstance(snapshot, Snapshot) and snapshot.refusal is not None:
        return f"it is of an old version that cannot be upgraded: {snapshot.refusal.message}"
    return "only a valid session is reset"
