"""`sesskit import`: an artifact taken into a store or a file, or refused with every reason."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sesskit.artifacts.exchange import (
    BINARY,
    EXCHANGES,
    Exchange,
    ExportRefused,
    exchange_of,
    format_of,
)
from sesskit.cli import options as o
from sesskit.cli.checking import gather
from sesskit.cli.export import written
from sesskit.cli.looking import data_of, read_stdin
from sesskit.cli.output import MAX_ISSUES, Display, refuse_existing, show
from sesskit.cli.report import Entry, Report, entry_of
from sesskit.cli.report import Rules as ReportRules
from sesskit.cli.stores import store_kind, why_of
from sesskit.cli.usage import BadUsage, one_of
from sesskit.cli.writes import Out, Replace, refuse_both, refuse_stdout, told, unwritten, writing
from sesskit.logs.formats import STDIN, Finding, examine, recognize
from sesskit.records.files import write_atomic
from sesskit.records.format import Options, Recognition
from sesskit.records.heads import read_head
from sesskit.records.reading import Document, ZeroFilled, read_document
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Unreadable, Valid

ARCHIVED = "dsh-log"
"""The format whose artifacts are ZIP archives."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""How an archive begins; the second one is empty."""

File = Annotated[str, typer.Argument(metavar="FILE", help="An artifact, or - for standard input.")]
Store = Annotated[
    str | None, typer.Option("--store", metavar="DIR", help="The store that takes it in.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="What it is an artifact of; else it says so."),
]


def import_(
    file: File,
    store: Store = None,
    out: Out = None,
    force: Replace = False,
    format: Format = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    zone: o.Zone = "UTC",
) -> None:
    """Take an artifact into a store or a file, or refuse it with every reason.

    The ZIP of a dsh session goes into a root of dsh, where nothing is ever replaced. Nothing is
    written unless all of it is valid. A session that is there already is replaced only with
    --force, a damaged one never. Exits 1 if the artifact is refused.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    refuse_both(out, store, "--store")
    refuse_stdout(out)
    if store is None and out is None:
        raise BadUsage("say where to: --store DIR or --out FILE")
    if format is not None and format not in (*EXCHANGES, ARCHIVED):
        raise BadUsage(
            f"--format {format}: there are artifacts of {one_of((*EXCHANGES, ARCHIVED))}"
        )
    refuse_existing(out, force=force, inputs=[file])
    piped = read_stdin() if file == STDIN else None
    if format == ARCHIVED or (format is None and _is_archive(file, piped)):
        if store is None:
            raise BadUsage("an exported session of dsh goes into a root: --store DIR")
        held = store_kind(store, usual=ARCHIVED).format
        if held != ARCHIVED:
            raise BadUsage(f"--store {store} holds {held}, this is of {ARCHIVED}")
        from sesskit.cli.import_dsh import imported

        report, failed = imported(file, piped, store, display)
        raise typer.Exit(show(report, display) or int(failed))
    if any(one.folder for one in gather([file])):
        raise BadUsage("import takes one artifact; name a file, not a folder")
    finding, exchange = _read(file, piped, format, Options(thorough=True, zone=o.zone_of(zone)))
    entry = entry_of(finding, ReportRules())
    if not isinstance(finding.outcome, Valid) or exchange is None:
        why = _reason(finding) if exchange else _no_artifact(finding)
        refused = told(entry, [("refused", why)], {"imported": None}, display.screen)
        show(Report((refused,)), display)
        raise typer.Exit(1)
    done, failed = _taken_in(entry, exchange, (store, out), force, display)
    code = show(Report((done,), hint=""), display)
    raise typer.Exit(code or int(failed))


def _is_archive(file: str, piped: Document | None) -> bool:
    """Whether a file, or what came in on standard input, is a ZIP archive."""
    head = read_head(Path(file)) if piped is None and file else piped
    if not isinstance(head, bytes):
        return False
    return head.startswith(ZIP) or (not head and file.lower().endswith(".zip"))


def _read(
    file: str, piped: Document | None, format: str | None, options: Options
) -> tuple[Finding, Exchange | None]:
    """What the artifact is, and how its format comes back."""
    found: Document = read_document(file) if piped is None else piped
    if isinstance(found, Missing | Unreadable):
        return Finding(file, found, format), None
    data = found.sample() if isinstance(found, ZeroFilled) else found
    known = None if format else recognize(data[:RECOGNITION_BYTES])
    if known is not None and known.entry.name in BINARY:
        # Not an artifact but the thing itself: told as what it is, not as bad JSON.
        finding = examine(data, format=known.entry.name)
        return finding._replace(path=file, recognition=known.recognition), None
    name = format or format_of(data[:RECOGNITION_BYTES])
    exchange = exchange_of(name)
    if exchange is None:
        raise AssertionError(name)
    why = Recognition("certain", "it was asked for" if format else "it has the members of one")
    source = data if file == STDIN else None
    return Finding(file, exchange.read(data, options), name, why, source=source), exchange


def _taken_in(
    entry: Entry,
    exchange: Exchange,
    place: tuple[str | None, str | None],
    force: bool,
    display: Display,
) -> tuple[Entry, bool]:
    """Write what was read into a store or a file; True where the store refuses it."""
    value = entry.finding.outcome.value if isinstance(entry.finding.outcome, Valid) else None
    store, out = place
    if out is not None:
        try:
            data = exchange.file(value)
        except ExportRefused as error:
            row = ("refused", unwritten(error.issues, entry.finding.issues))
            return told(entry, [row], {"imported": None}, display.screen), True
        with writing(out):
            write_atomic(out, data, overwrite=force)
        text, member = written(out, data)
        return told(entry, [("imported", text)], {"imported": member}, display.screen), False
    name = entry.finding.format or ""
    kind = store_kind(store or "", usual=name)
    if kind.format != name:
        raise BadUsage(f"--store {store} holds {kind.format}, this is of {name}")
    result = kind.open(store or "").put(value, force=force)
    row = ("imported" if result.written else "refused", why_of(result, entry.finding.issues))
    return told(entry, [row], {"imported": result.member}, display.screen), not result.written


def _no_artifact(finding: Finding) -> str:
    if finding.format in BINARY:
        return "it is a session file itself, no artifact; sesskit store put takes it"
    return "nothing was written"


def _reason(finding: Finding) -> str:
    """Why an artifact is refused, beside its issues."""
    found = recognize(data_of(finding)[:RECOGNITION_BYTES])
    if found is None or found.entry.name in EXCHANGES:
        return "nothing was written"
    return f"it is a {found.entry.name}; sesskit migrate gives it an envelope"
