"""`sesskit verify`: is a log whole? Its sidecars, what lies beside them, replay, contract."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import Reading, check, gather
from sesskit.cli.contract import rule_names, rules_page
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.report import Entry
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen, write
from sesskit.cli.usage import BadUsage, suggestion
from sesskit.cli.verified import Proof, proof_members, proof_rows, prove
from sesskit.cli.writes import told
from sesskit.logs.formats import STDIN, Finding, examine, identify
from sesskit.logs.robota_log import SidecarOptions
from sesskit.logs.walking import Source
from sesskit.schemas.outcomes import Unreadable, Unrecognized

LOG = "robota-log"
FOLDER = "sidecars lie beside the file of their log"

Contract = Annotated[
    bool, typer.Option("--contract", help="Hold the log to what a live session promises instead.")
]
ListRules = Annotated[
    bool, typer.Option("--list", help="List the rules of the contract; read no file.")
]
OnlyRules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="With --contract: only this rule. Repeatable.",
        autocompletion=rule_names,
    ),
]
Depth = Annotated[
    float | None,
    typer.Option("--max-depth", metavar="N", help="Sidecars in sidecars, at most; 32 by default."),
]
Total = Annotated[
    float | None,
    typer.Option("--max-bytes", metavar="N", help="Bytes of sidecars, at most; 64 MiB by default."),
]


def verify(
    paths: o.Paths = None,
    contract: Contract = False,
    list_rules: ListRules = False,
    rule: OnlyRules = None,
    max_depth: Depth = None,
    max_bytes: Total = None,
    format: o.FormatName = None,
    output: o.Output = None,
    out: o.Out = None,
    force: o.Force = False,
    strict: o.Strict = False,
    fail_on: o.FailOn = None,
    ignore: o.Ignore = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
    zone: o.Zone = "UTC",
) -> None:
    """Prove that a log is whole.

    Every sidecar is read and hashed; files that no line refers to, and modes that let others in,
    are told; so is what a replay would miss. With --contract the log is held to the promises of a
    live session instead, and each broken one is an issue at its line. Exits 1 on errors, of the
    contract too; warnings (modes, lesser rules) are told and exit 0, with --strict 1.
    """
    display = o.display_of(
        output,
        out=out,
        force=force,
        quiet=quiet,
        max_issues=max_issues,
        no_color=no_color,
        inputs=paths,
    )
    if list_rules:
        write(rules_page(display))
        return
    if rule and not contract:
        raise BadUsage("--rule chooses among the rules of --contract; give that too")
    chosen = [_known_rule(name) for name in rule or ()]
    rules = o.rules_of(strict=strict, fail_on=fail_on, ignore=ignore, exit_zero=exit_zero)
    reading = o.reading_of(format, rules, zone=zone)
    wanted = gather(paths)
    if any(one.path == STDIN for one in wanted):
        raise BadUsage(f"standard input cannot be verified: {FOLDER}")
    limits = _limits(max_depth, max_bytes)
    proving = _Proving(chosen if contract else None, limits, rules.ignore)
    report = check(wanted, reading, rules, quiet=quiet, by=proving.look)
    entries = tuple(proving.entry(entry, display.screen) for entry in report.entries)
    raise typer.Exit(show(report._replace(entries=entries), display))


def _known_rule(name: str) -> str:
    if name not in rule_names():
        meant = suggestion(name, rule_names()) or "; --list shows all"
        raise BadUsage(f"there is no rule {name}{meant}")
    return name


def _limits(depth: float | None, total: float | None) -> SidecarOptions:
    usual = SidecarOptions()
    return SidecarOptions(
        max_depth=usual.max_depth if depth is None else depth,
        max_total_bytes=usual.max_total_bytes if total is None else total,
    )


class _Proving:
    """Verifies one file after the other, and keeps what there is to say beside the issues."""

    def __init__(
        self, rules: list[str] | None, sidecars: SidecarOptions, ignored: frozenset[str]
    ) -> None:
        self._rules, self._sidecars, self._ignored = rules, sidecars, ignored
        self._proofs: dict[str, Proof] = {}

    def look(self, source: Source, reading: Reading) -> Finding:
        """The finding of one source; only logs are verified, what else is walked is passed by."""
        if source.trouble is not None:
            return Finding(source.path, Unreadable(source.trouble))
        found = identify(source.path, reading.format)
        if isinstance(found, Finding):
            return found
        if found.entry.name != LOG:
            if source.walked:
                return Finding(source.path, Unrecognized(f"a {found.entry.name}"))
            return examine(source.path, format=found.entry.name, options=reading.options)
        options = reading.options._replace(keep=False)
        proof = prove(Path(source.path), options, self._sidecars, self._rules)
        self._proofs[source.path] = proof
        return Finding(source.path, proof.outcome, LOG, found.recognition, found.others)

    def entry(self, entry: Entry, screen: Screen) -> Entry:
        """The entry with its proof: issues, members, and lines of text."""
        finding = entry.finding
        proof = self._proofs.get(finding.path)
        if proof is None:
            if finding.format is None:
                return entry
            row: Row = ("verified", f"nothing: only a {LOG} can be verified")
            return told(entry, [row], {}, screen)
        whole = proof.added(entry, self._ignored)
        return told(whole, proof_rows(proof), proof_members(proof), screen)
