"""`sesskit validate --follow`: the faults of a log that is still being written, as they come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sesskit.cli.checking import LOG
from sesskit.cli.output import Display
from sesskit.cli.report import Rules, entry_of, fails
from sesskit.cli.report_issues import block_of
from sesskit.cli.screen import note, one_line, pause, stream
from sesskit.logs.dsh.following import followed
from sesskit.logs.formats import Finding
from sesskit.logs.robota_following import FollowedLog, LogChanged
from sesskit.logs.robota_log import LogLine
from sesskit.records.format import Options
from sesskit.records.reading import reason_for
from sesskit.schemas.outcomes import Corrupt, Outcome, Valid

DSH = "dsh-log"


def follow(path: str, display: Display, rules: Rules, options: Options) -> int:
    """Check the lines of a log and those that come; the exit code once it is gone.

    It ends only where the log is not what it was any more, or whoever reads the output has gone.
    """

    def failures() -> Iterator[bool]:
        with FollowedLog(Path(path), options._replace(keep=False), pause) as log:
            _begin(path, LOG, display)
            for line in log.lines(broken=True):
                yield line.issues != () and _told(path, line, display, rules)

    return _until_it_ends(path, failures(), rules)


def follow_dsh(path: str, display: Display, rules: Rules) -> int:
    """The same for a log of dsh: faults of its frames come with the lines behind them."""

    def failures() -> Iterator[bool]:
        with followed(Path(path), pause) as reader:
            _begin(path, DSH, display)
            said = 0
            for stored in reader:
                found = (*reader.issues[said:], *stored.issues)
                said = len(reader.issues)
                yield found != () and _shown(Corrupt(found), path, DSH, display, rules)

    return _until_it_ends(path, failures(), rules)


def _begin(path: str, format: str, display: Display) -> None:
    if not display.quiet:
        stream(f"{one_line(path)}   {format}, followed as it grows\n")


def _until_it_ends(path: str, failures: Iterator[bool], rules: Rules) -> int:
    """The exit code, and a word on why it ends."""
    failed = False
    try:
        for one in failures:
            failed |= one
    except LogChanged as error:
        note(f"{one_line(path)} is not followed any more: {error}")
        failed = True
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        note(f"{one_line(path)} cannot be read any more: {reason_for(error)}")
        failed = True
    return 1 if failed and not rules.exit_zero else 0


def _told(path: str, line: LogLine, display: Display, rules: Rules) -> bool:
    """Show the issues of a line; whether they make the run fail."""
    outcome = Valid(None, line.issues) if line.event is not None else Corrupt(line.issues)
    return _shown(outcome, path, LOG, display, rules)


def _shown(outcome: Outcome, path: str, format: str, display: Display, rules: Rules) -> bool:
    errors = any(issue.severity == "error" for issue in Finding(path, outcome).issues)
    if isinstance(outcome, Corrupt) and not errors:
        outcome = Valid(None, outcome.issues)
    entry = entry_of(Finding(path, outcome, format), rules)
    if entry.issues:
        lines = [*block_of(entry, display)][:-1]  # no blank line behind the last
        stream("".join(f"{text}\n" for text in lines))
    return fails(entry, rules)
