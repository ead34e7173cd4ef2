"""`sesskit verify`: is a log whole? Its sidecars, what lies beside them, replay, contract."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.checking import check, gather
from sesskit.cli.contract import rule_names, rules_of_format, rules_page
from sesskit.cli.database import looked_up
from sesskit.cli.looking import Reading, read_stdin
from sesskit.cli.output import MAX_ISSUES, show
from sesskit.cli.report import Entry
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen, note, write
from sesskit.cli.standard_input import NO_BASE, Base, base_of, place_of
from sesskit.cli.usage import BadUsage, suggestion
from sesskit.cli.verified import Proof, proof_members, proof_rows, prove
from sesskit.cli.verified_dsh import FORMATS as CHECKED
from sesskit.cli.verified_dsh import verified_log
from sesskit.cli.writes import told
from sesskit.logs.formats import STDIN, Finding, Recognized, examine, identify, identify_bytes
from sesskit.logs.log_sources import LogPlace
from sesskit.logs.robota_log import SidecarOptions
from sesskit.logs.walking import Source
from sesskit.schemas.outcomes import Unreadable, Unrecognized

LOG = "robota-log"

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
    str | None,
    typer.Option("--max-depth", metavar="N", help="Sidecars in sidecars, at most; 32 by default."),
]
Total = Annotated[
    str | None,
    typer.Option(
        "--max-bytes",
        metavar="SIZE",
        help="Bytes of sidecars, at most, as 5000, 64kB or 2GiB; 64MiB by default.",
    ),
]
_SIZE = re.compile(r"([0-9]{1,15}) ?(?:([kKMGT]?)(i?)B?)")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


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
    base: Base = None,
) -> None:
    """Prove that a log is whole.

    Every sidecar is read and hashed; files that no line refers to, and modes that let others in,
    are told; so is what a replay would miss. With --contract the log is held to the promises of a
    live session instead, and each broken one is an issue at its line. Exits 1 on errors, of the
    contract too; warnings (modes, lesser rules) are told and exit 0, with --strict 1.
    Sidecars of a log on standard input are looked for below --base. Of a dsh log every check is
    told by its name, from its frames to its turns; --contract holds it to the rules between events.
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
    base = base_of(base, paths)
    wanted = gather(paths)
    limits = _limits(max_depth, max_bytes)
    proving = _Proving(chosen if contract else None, limits, rules.ignore, base)
    report = check(wanted, reading, rules, quiet=quiet, by=proving.look)
    entries = tuple(proving.entry(entry, display.screen) for entry in report.entries)
    if base is None and any(_unresolved(entry) for entry in entries):
        note(NO_BASE)
    raise typer.Exit(show(report._replace(entries=entries), display))


def _known_rule(name: str) -> str:
    if name not in rule_names():
        meant = suggestion(name, rule_names()) or "; --list shows all"
        raise BadUsage(f"there is no rule {name}{meant}")
    return name


def _limits(depth: str | None, total: str | None) -> SidecarOptions:
    usual = SidecarOptions()
    return SidecarOptions(
        max_depth=usual.max_depth if depth is None else _whole("--max-depth", depth),
        max_total_bytes=usual.max_total_bytes if total is None else _bytes("--max-bytes", total),
    )


def _whole(option: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadUsage(f"{option} takes a whole number from 0 up")
    return int(text)


def _bytes(option: str, text: str) -> int:
    found = _SIZE.fullmatch(text)
    if found is None:
        raise BadUsage(f"{option} takes a number of bytes, such as 5000, 64kB or 2GiB")
    number, unit, binary = found.groups()
    scale: int = (1024 if binary else 1000) ** _POWERS[unit.lower()]
    return int(number) * scale


def _unresolved(entry: Entry) -> bool:
    return any(issue.code == "payload-unresolved" for issue in entry.issues)


class _Proving:
    """Verifies one file after the other, and keeps what there is to say beside the issues."""

    def __init__(
        self,
        rules: list[str] | None,
        sidecars: SidecarOptions,
        ignored: frozenset[str],
        base: str | None,
    ) -> None:
        self._rules, self._sidecars, self._ignored = rules, sidecars, ignored
        self._base = base
        self._proofs: dict[str, Proof] = {}

    def look(self, source: Source, reading: Reading) -> Finding:
        """The finding of one source; only logs are verified, what else is walked is passed by."""
        if source.trouble is not None:
            return Finding(source.path, Unreadable(source.trouble))
        if source.path == STDIN:
            return self._stdin(reading)
        inside = looked_up(source.path) if "#" in source.path else None
        if inside is not None:
            return inside
        found = identify(source.path, reading.format)
        if isinstance(found, Finding):
            return found
        if found.entry.name != LOG:
            if source.walked and found.entry.name not in CHECKED:
                return Finding(source.path, Unrecognized(f"a {found.entry.name}"))
            return examine(source.path, format=found.entry.name, options=reading.options)
        return self._proved(Path(source.path), source.path, found, reading)

    def _stdin(self, reading: Reading) -> Finding:
        read = read_stdin()
        if isinstance(read, Unreadable):
            return Finding(STDIN, read)
        data = read if isinstance(read, bytes) else read.sample()
        found = identify_bytes(data, reading.format)
        if isinstance(found, Finding) or found.entry.name != LOG:
            return examine(data, format=reading.format, options=reading.options)
        return self._proved(place_of(STDIN, data, self._base), STDIN, found, reading)

    def _proved(self, place: LogPlace, path: str, found: Recognized, reading: Reading) -> Finding:
        options = reading.options._replace(keep=False)
        rules = self._rules_of(LOG)
        if self._rules and not rules:
            outcome = prove(place, options, self._sidecars, None).outcome
            return Finding(path, outcome, LOG, found.recognition, found.others)
        proof = self._proofs[path] = prove(place, options, self._sidecars, rules)
        return Finding(path, proof.outcome, LOG, found.recognition, found.others)

    def _rules_of(self, format: str) -> list[str] | None:
        """The chosen rules that logs of a format have; None where no contract is asked for."""
        if self._rules is None:
            return None
        return rules_of_format(self._rules, dsh=format in CHECKED)

    def entry(self, entry: Entry, screen: Screen) -> Entry:
        """The entry with its proof: issues, members, and lines of text."""
        finding = entry.finding
        proof = self._proofs.get(finding.path)
        if proof is None:
            if finding.format is None:
                return entry
            row: Row = ("contract", "none of the chosen rules is of this format")
            if self._rules and not self._rules_of(finding.format):
                return told(entry, [row], {}, screen)
            if finding.format in CHECKED:
                return verified_log(entry, self._rules_of(finding.format), screen)
            row = ("verified", f"nothing: only {LOG}, {' and '.join(CHECKED)} can be verified")
            return told(entry, [row], {}, screen)
        whole = proof.added(entry, self._ignored)
        return told(whole, proof_rows(proof), proof_members(proof), screen)
