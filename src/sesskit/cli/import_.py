"""`sesskit import`: an artifact taken into a store or a file, or refused with every reason."""

from __future__ import annotations

from typing import Annotated

import typer

from sesskit.artifacts.envelopes import export_artifact
from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.export import RECORD, written
from sesskit.cli.inspect import data_of
from sesskit.cli.output import MAX_ISSUES, refuse_existing, show
from sesskit.cli.report import Entry
from sesskit.cli.storing import stored
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import Out, Replace, told, writing
from sesskit.logs.formats import recognize
from sesskit.records.files import write_atomic
from sesskit.records.robota_store import RobotaStore
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Unsupported, Valid

File = Annotated[str, typer.Argument(metavar="FILE", help="An artifact, or - for standard input.")]
Store = Annotated[
    str | None, typer.Option("--store", metavar="DIR", help="The store that takes it in.")
]


def import_(
    file: File,
    store: Store = None,
    out: Out = None,
    force: Replace = False,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    zone: o.Zone = "UTC",
) -> None:
    """Take an artifact into a store or a file, or refuse it with every reason.

    Nothing is written unless all of it is valid. A session that is there already is replaced only
    with --force, a damaged one never. Exits 1 if the artifact is refused.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    if (store is None) == (out is None):
        raise BadUsage("say where to: --store DIR or --out FILE")
    refuse_existing(out, force=force, inputs=[file])
    reading = o.reading_of(RECORD, None, zone=zone, keep=True)
    reading = reading._replace(options=reading.options._replace(thorough=True))
    report = check(gather([file]), reading, quiet=quiet)
    if len(report.entries) != 1:
        raise BadUsage("import takes one artifact; name a file, not a folder")
    (entry,) = report.entries
    outcome = entry.finding.outcome
    if not isinstance(outcome, Valid):
        refused = told(entry, [("refused", _reason(entry))], {"imported": None}, display.screen)
        show(report._replace(entries=(refused,)), display)
        raise typer.Exit(1)
    if out is not None:
        data = export_artifact(outcome.value)
        with writing(out):
            write_atomic(out, data, overwrite=force)
        text, member = written(out, data)
        done, failed = told(entry, [("imported", text)], {"imported": member}, display.screen), 0
    else:
        result = stored(RobotaStore(store or ""), outcome.value, force=force)
        row = ("imported" if result.written else "refused", result.words)
        done = told(entry, [row], {"imported": result.member}, display.screen)
        failed = not result.written
    code = show(report._replace(entries=(done,), hint=""), display)
    raise typer.Exit(code or int(failed))


def _reason(entry: Entry) -> str:
    """Why an artifact is refused, beside its issues."""
    if isinstance(entry.finding.outcome, Unsupported):
        found = recognize(data_of(entry.finding)[:RECOGNITION_BYTES])
        if found is not None and found.entry.name != RECORD:
            return f"it is a {found.entry.name}; sesskit migrate gives it an envelope"
    return "nothing was written"
