"""`sesskit export`: a session as an artifact, in full: nothing left out, nothing masked."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer

from sesskit.artifacts.exchange import EXCHANGES, ExportRefused, exchange_of
from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.database import named_in
from sesskit.cli.inspect import thorough
from sesskit.cli.legacy import BARE, is_bare
from sesskit.cli.output import MAX_ISSUES, refuse_existing, show
from sesskit.cli.report import Entry
from sesskit.cli.screen import note, write_bytes
from sesskit.cli.stores import is_database, store_kind
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import Out, Replace, told, unwritten, writing
from sesskit.logs.dsh.paths import place_of
from sesskit.logs.formats import STDIN, Recognized, identify
from sesskit.logs.walking import is_folder
from sesskit.records.files import write_atomic
from sesskit.schemas.outcomes import Valid

DSH = "dsh-log"
Which = Annotated[str, typer.Argument(metavar="PATH", help="A session, - , or an id with --store.")]


def export(
    path: Which,
    out: Out = None,
    force: Replace = False,
    format: o.FormatName = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    zone: o.Zone = "UTC",
    store: o.Store = None,
) -> None:
    """Write a session as an artifact, in full and in canonical bytes.

    Of a robota-record that is its file, of an ochat-record neutral JSON that import turns back into
    the same bytes, of a dsh-log (or the folder of a session) the ZIP that dsh exports. Nothing is
    left out and nothing is masked: to give it away, use share. Only what is valid is exported.
    --out - is standard output. Exits 1 if it is not valid.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    if out is None:
        raise BadUsage("say where to: --out FILE")
    if store is not None and is_database(store):
        path, store = store_kind(store, format).path(store, path), None
    if store is None and path != STDIN and named_in(path) is not None:
        from sesskit.cli.export_dsh import exported_from

        bundled = exported_from(path, out, force=force, screen=display.screen)
        show(bundled.report, display)
        raise typer.Exit(int(bundled.failed))
    log = _dsh_log(path, store, format)
    if log is not None:
        from sesskit.cli.export_dsh import exported

        bundled = exported(log, out, force=force, screen=display.screen)
        if bundled.report.entries:
            show(bundled.report, display)
        raise typer.Exit(int(bundled.failed))
    if out != STDIN:
        refuse_existing(out, force=force, inputs=[] if store else [path])
    reading = thorough(o.reading_of(format, None, zone=zone, keep=True, store=store))
    report = check(gather([path], store, format), reading, quiet=quiet)
    if len(report.entries) != 1:
        raise BadUsage("export takes one record; name a file, not a folder")
    entry = report.entries[0]
    data, why = artifact_of(entry)
    if data is None:
        refused = told(entry, [("refused", why)], {"exported": None}, display.screen)
        show(report._replace(entries=(refused,)), display)
        raise typer.Exit(1)
    if out == STDIN:
        raise typer.Exit(_to_stdout(entry, data))
    with writing(out):
        write_atomic(out, data, overwrite=force)
    rows, member = written(out, data)
    done = told(entry, [("exported", rows)], {"exported": member}, display.screen)
    raise typer.Exit(show(report._replace(entries=(done,), hint=""), display))


def _dsh_log(path: str, store: str | None, format: str | None) -> str | None:
    """The log that a path means: itself, or the latest in the folder of a session; else None."""
    if store is not None:
        kind = store_kind(store, format)
        return kind.path(store, path) if kind.format == DSH else None
    if path == STDIN:
        return None
    if is_folder(path):
        try:
            named = [(place_of(one).generation, str(one)) for one in Path(path).iterdir()]
        except OSError:
            return None
        found = [(generation, one) for generation, one in named if generation is not None]
        return max(found)[1] if found else None
    known = identify(path, format)
    return path if isinstance(known, Recognized) and known.entry.name == DSH else None


def artifact_of(entry: Entry) -> tuple[bytes | None, str]:
    """The bytes of the artifact, or None and why there is none."""
    finding = entry.finding
    if finding.format == BARE or is_bare(finding):
        return None, "it has no envelope; sesskit migrate gives it one"
    if not isinstance(finding.outcome, Valid):
        return None, "only a valid record is exported"
    exchange = exchange_of(finding.format or "")
    if exchange is None:
        if finding.format == DSH:
            return None, "a session of dsh is exported from its file, with what lies beside it"
        known = " or ".join(EXCHANGES)
        return None, f"only {known} is exported; sesskit migrate makes one of an old record"
    try:
        return exchange.artifact(finding.outcome.value), ""
    except ExportRefused as error:
        return None, unwritten(error.issues, finding.issues)


def _to_stdout(entry: Entry, data: bytes) -> int:
    """Write the artifact alone to standard output; what there is to say goes beside it."""
    write_bytes(data)
    for issue in entry.issues[:MAX_ISSUES]:
        place = f" (line {issue.line}, column {issue.column})" if issue.line is not None else ""
        note(f"{issue.severity} {issue.code} at {issue.path or '(root)'}{place}: {issue.message}")
    return 0


def written(place: str, data: bytes) -> tuple[str, dict[str, Any]]:
    """What was written, for people and for the report."""
    digest = sha256(data).hexdigest()
    return f"to {place} ({len(data):,} bytes)", {
        "path": place,
        "bytes": len(data),
        "sha256": digest,
    }
