"""`sesskit export`: a session record as an artifact, in full and in canonical bytes."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any

import typer

from sesskit.artifacts.envelopes import export_artifact
from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.output import MAX_ISSUES, refuse_existing, show
from sesskit.cli.report import Entry
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import Out, Replace, told, writing
from sesskit.records.files import write_atomic
from sesskit.schemas.outcomes import Valid

RECORD = "robota-record"
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

    Nothing is left out and nothing is masked: to give it away, use share. Only a valid record is
    exported. Exits 1 if it is not.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    if out is None:
        raise BadUsage("say where to: --out FILE")
    refuse_existing(out, force=force, inputs=[] if store else [path])
    reading = o.reading_of(format, None, zone=zone, keep=True, store=store)
    report = check(gather([path], store), reading, quiet=quiet)
    if len(report.entries) != 1:
        raise BadUsage("export takes one record; name a file, not a folder")
    entry = report.entries[0]
    data, why = artifact_of(entry)
    if data is None:
        refused = told(entry, [("refused", why)], {"exported": None}, display.screen)
        show(report._replace(entries=(refused,)), display)
        raise typer.Exit(1)
    with writing(out):
        write_atomic(out, data, overwrite=force)
    rows, member = written(out, data)
    done = told(entry, [("exported", rows)], {"exported": member}, display.screen)
    raise typer.Exit(show(report._replace(entries=(done,), hint=""), display))


def artifact_of(entry: Entry) -> tuple[bytes | None, str]:
    """The bytes of the artifact, or None and why there is none."""
    finding = entry.finding
    if not isinstance(finding.outcome, Valid):
        return None, "only a valid record is exported"
    if finding.format != RECORD:
        return None, f"only a {RECORD} is exported; sesskit migrate makes one of an old record"
    return export_artifact(finding.outcome.value), ""


def written(place: str, data: bytes) -> tuple[str, dict[str, Any]]:
    """What was written, for people and for the report."""
    digest = sha256(data).hexdigest()
    return f"to {place} ({len(data):,} bytes)", {
        "path": place,
        "bytes": len(data),
        "sha256": digest,
    }
