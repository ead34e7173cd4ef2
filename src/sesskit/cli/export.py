"""`sesskit export`: a session record as an artifact, in full: nothing left out, nothing masked."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any

import typer

from sesskit.artifacts.exchange import EXCHANGES, ExportRefused, exchange_of
from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.inspect import thorough
from sesskit.cli.legacy import BARE, is_bare
from sesskit.cli.output import MAX_ISSUES, refuse_existing, show
from sesskit.cli.report import Entry
from sesskit.cli.screen import note, write_bytes
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import Out, Replace, told, unwritten, writing
from sesskit.logs.formats import STDIN
from sesskit.records.files import write_atomic
from sesskit.schemas.outcomes import Valid

Path = Annotated[
    str, typer.Argument(metavar="PATH", help="A session record, - , or an id with --store.")
]


def export(
    path: Path,
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
    """Write a session record as an artifact, in full and in canonical bytes.

    Of a robota-record that is its file, of an ochat-record neutral JSON that import turns back into
    the same bytes. Nothing is left out and nothing is masked: to give it away, use share. Only a
    valid record is exported. --out - is standard output. Exits 1 if it is not valid.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    if out is None:
        raise BadUsage("say where to: --out FILE")
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


def artifact_of(entry: Entry) -> tuple[bytes | None, str]:
    """The bytes of the artifact, or None and why there is none."""
    finding = entry.finding
    if finding.format == BARE or is_bare(finding):
        return None, "it has no envelope; sesskit migrate gives it one"
    if not isinstance(finding.outcome, Valid):
        return None, "only a valid record is exported"
    exchange = exchange_of(finding.format or "")
    if exchange is None:
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
