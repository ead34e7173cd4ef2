"""A prompt history written anew from session logs."""

from __future__ import annotations

from pathlib import Path

from sesskit.cli.checking import check, gather
from sesskit.cli.looking import Reading
from sesskit.cli.output import Display, show
from sesskit.cli.report import Entry, Rules
from sesskit.cli.screen import note, one_line
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import STDIN, Finding, examine, identify
from sesskit.logs.prompt_history import Prompt
from sesskit.logs.prompt_search import rebuild_history
from sesskit.logs.robota_rebuild import prompts_of_log
from sesskit.logs.walking import Source
from sesskit.schemas.outcomes import Original, Unreadable, Unrecognized, Valid

LOG = "robota-log"
SUBAGENTS = "subagents"
"""The folder beside a log that holds the logs of its subagents."""


class _Gathering:
    """The prompts of one log after the other."""

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []
        self.counts: dict[str, int] = {}

    def look(self, source: Source, reading: Reading) -> Finding:
        if source.trouble is not None:
            return Finding(source.path, Unreadable(source.trouble))
        found = identify(source.path, reading.format)
        if isinstance(found, Finding):
            return found
        path = Path(source.path)
        mine = found.entry.name == LOG and path.parent.name != SUBAGENTS
        if not mine and source.walked:
            return Finding(source.path, Unrecognized("a file that no person typed into"))
        if not mine:
            return examine(source.path, format=found.entry.name, options=reading.options)
        prompts = prompts_of_log(path, reading.options)
        if isinstance(prompts, list):
            self.prompts += prompts
            self.counts[source.path] = len(prompts)
            outcome = Valid(None, version=1, original=Original("accept"))
            return Finding(source.path, outcome, LOG, found.recognition)
        return Finding(source.path, prompts, LOG, found.recognition)


def written_anew(
    paths: list[str] | None, out: Path, rules: Rules, display: Display, *, keep_going: bool
) -> int:
    """Gather the prompts of logs and write them to ``out``; shows the report, gives its code."""
    wanted = gather(paths)
    if any(one.path == STDIN for one in wanted):
        raise BadUsage("standard input is no log with sidecars beside it; name its file")
    gathering = _Gathering()
    report = check(wanted, Reading(), rules, quiet=display.quiet, by=gathering.look)
    damaged = any(entry.finding.status != "valid" for entry in report.entries)
    entries = tuple(_entry(entry, gathering.counts, display) for entry in report.entries)
    code = show(report._replace(entries=entries, hint=None if damaged else ""), display)
    if damaged and not keep_going:
        note("nothing was written: prompts of these logs would be missing; see --keep-going")
    elif not report.empty:
        with writing(str(out)):
            lines = rebuild_history(out, gathering.prompts)
        note(f"{lines:,} {'prompt' if lines == 1 else 'prompts'} written to {one_line(str(out))}")
    return code


def _entry(entry: Entry, counts: dict[str, int], display: Display) -> Entry:
    count = counts.get(entry.finding.path)
    if count is None:
        return entry
    return told(entry, [("prompts", f"{count:,}")], {"prompts": count}, display.screen)
