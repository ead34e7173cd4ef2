"""The text report: like a compiler's, for a person at 80 columns, the same in a pipe.

A file without issues is one line; a file with issues a block (`sesskit.cli.report_issues`). The
last line sums up and names the next useful command.
"""

from __future__ import annotations

from collections import Counter
from shlex import quote
from textwrap import wrap

from sesskit.cli.output import Display
from sesskit.cli.report import SEVERITIES, Entry, Report, fails, told, unknown_inside
from sesskit.cli.screen import Screen, one_line, width_of
from sesskit.logs.formats import Finding
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Unsupported

LISTED = 20
"""Up to so many files, those without issues are listed too."""

COLUMN = 44
"""The second column stands behind paths up to so long; longer ones push it away."""

_VERDICTS = {
    "accept": "The system that wrote it would load it.",
    "accept-with-repair": "The system that wrote it would repair and load it.",
    "reject": "The system that wrote it would refuse it.",
    "unsupported": "The system that wrote it no longer takes this form.",
}
SAID_ALREADY = {("valid", "accept"), ("unsupported", "unsupported")}
"""Statuses that say themselves what the system that wrote the file would do."""

REFUSED = "refused"
"""What is said of a sound file that must not be handed out."""

URGENCY = ("corrupt", "unsupported", "unrecognized", "unreadable", "missing", "valid")
"""Of all files, that of the status named first says which command to try next."""


def as_text(report: Report, display: Display) -> str:
    """The report for people; empty where there is nothing to say."""
    if not report.entries:
        return ""
    lines: list[str] = []
    listed = not display.quiet and len(report.entries) <= LISTED
    column = _column(report)
    for entry in report.entries:
        block = bool(entry.body or told(entry))
        if block or listed or fails(entry, report.rules):
            lines += [""] if block and lines and lines[-1] else []
            lines += _heading(entry, column, display.screen)
        if block:
            from sesskit.cli.report_issues import block_of

            lines += block_of(entry, display)
    if not display.quiet:
        lines += [""] if lines and lines[-1] else []
        lines += _ending(report, display.screen)
    return "\n".join(lines).rstrip("\n") + "\n" if lines else ""


def _column(report: Report) -> int:
    """Where the second column starts: behind the paths, if they are not too long."""
    lengths = [width_of(one_line(entry.finding.path)) for entry in report.entries]
    return max((length for length in lengths if length <= COLUMN), default=0)


def _heading(entry: Entry, column: int, screen: Screen) -> list[str]:
    """``path   format, version   status``, on two lines where one is too short."""
    finding = entry.finding
    path = one_line(finding.path) or "''"
    status = status_words(entry)
    what = _format_words(finding)
    style = "valid" if finding.status == "valid" and status != REFUSED else "bad"
    rest = "   ".join(filter(None, (what, screen.paint(style, status))))
    length = len("   ".join(filter(None, (what, status))))
    title = screen.paint("title", path)
    room = screen.width - 3 - length
    taken = width_of(path)
    if taken <= room:
        gap = max(column - taken, 0) if column <= room else 0
        return [title + " " * (gap + 3) + rest]
    return [title, f"  {rest}"]


def _format_words(finding: Finding) -> str:
    if finding.format is None:
        return ""
    version = "" if finding.version is None else f", version {finding.version}"
    return finding.format + version


def status_words(entry: Entry) -> str:
    """``corrupt: 2 errors, 1 warning``, or why a file was not decoded."""
    status = entry.finding.status
    if _is_refused(entry):
        return REFUSED
    if entry.issues and entry.issues[0].code == status:
        return f"{status}: {one_line(entry.issues[0].message)}"
    if isinstance(entry.finding.outcome, Unsupported):
        return f"{status}: {_unsupported_words(entry.finding.outcome, entry)}"
    counted = counted_words(entry.counts)
    if entry.ignored:
        counted = ", ".join(filter(None, (counted, f"{entry.ignored:,} ignored")))
    return f"{status}: {counted}" if counted else status


def _is_refused(entry: Entry) -> bool:
    """Whether it is sound, and still nothing to hand out."""
    shared = (entry.members or {}).get("share") or {}
    return entry.finding.status == "valid" and bool(shared.get("refused"))


def _unsupported_words(outcome: Unsupported, entry: Entry) -> str:
    read = _ranged(outcome.supported)
    reads = f"this build reads {read}" if read else "this build reads no version"
    if _is_misplaced(entry):
        return "the program that its place selects reads another version"
    if unknown_inside(entry.finding):
        return "it holds what its program does not know"
    return reads if outcome.version is not None else f"it names no version, {reads}"


def _is_misplaced(entry: Entry) -> bool:
    """Whether the version is one that is read, and only its place is that of another."""
    codes = {issue.code for issue in entry.issues if issue.severity == "error"}
    return "version-other" in codes and "version-unsupported" not in codes


def _ranged(versions: tuple[int, ...]) -> str:
    """``0 to 5`` for three or more in a row, else all of them."""
    if len(versions) > 2 and versions == tuple(range(versions[0], versions[-1] + 1)):
        return f"{versions[0]} to {versions[-1]}"
    return ", ".join(map(str, versions))


def counted_words(counts: Counter[str]) -> str:
    """``2 errors, 1 warning``; the empty text for none."""
    words = {"error": "errors", "warning": "warnings", "info": "infos"}
    return ", ".join(
        f"{counts[name]:,} {name if counts[name] == 1 else words[name]}"
        for name in SEVERITIES
        if counts[name]
    )


def _ending(report: Report, screen: Screen) -> list[str]:
    """The summary, and the next useful command."""
    by_status = {status: count for status, count in report.by_status().items() if count}
    refused = sum(map(_is_refused, report.entries))
    if refused:
        by_status = {**by_status, "valid": by_status["valid"] - refused, REFUSED: refused}
    statuses = ", ".join(f"{count:,} {status}" for status, count in by_status.items() if count)
    counted = counted_words(Counter(i.severity for entry in report.entries for i in told(entry)))
    files = len(report.entries)
    text = f"{files:,} file{'' if files == 1 else 's'}: {statuses}"
    text += f" ({counted})." if counted else "."
    if report.skipped:
        text += f" {report.skipped:,} other file{'' if report.skipped == 1 else 's'} skipped."
    text += _verdict_words(report)
    command = next_command(report)
    hint = screen.paint("hint", command)
    if len(text) + 3 + len(command) <= screen.width:
        return [text + ("   " + hint if command else "")]
    return [*wrap(text, screen.width), *([hint] if command else [])]


def _verdict_words(report: Report) -> str:
    originals = [entry.finding.original for entry in report.entries]
    verdicts = [original.verdict for original in originals if original is not None]
    if len(report.entries) == 1 and verdicts:
        said = (report.entries[0].finding.status, *verdicts) in SAID_ALREADY
        return "" if said else f" {_VERDICTS[verdicts[0]]}"
    refused = sum(verdict in ("reject", "unsupported") for verdict in verdicts)
    return f" {refused:,} would be refused by the system that wrote them." if refused else ""


def next_command(report: Report) -> str:
    """The command that helps most after this report; empty if there is none."""
    if report.hint is not None:
        return report.hint
    single = len(report.entries) == 1
    urgent = sorted(report.entries, key=lambda entry: URGENCY.index(entry.finding.status))
    steps = (_next_step(entry, single) for entry in urgent)
    return next(filter(None, steps), "")


def _is_unversioned(issue: Issue) -> bool:
    return (issue.code, issue.path) == ("member-missing", "schemaVersion")


def _next_step(entry: Entry, single: bool) -> str:
    """What helps with this file; with a valid one only if it is the only one, or of an old form."""
    finding, path = entry.finding, quote(one_line(entry.finding.path))
    if finding.status == "corrupt" and entry.issues:
        if finding.format == "dsh-log" and finding.source is None and not _headless(entry):
            return f"sesskit repair --dry-run {path}"
        if finding.format == "robota-log" and _is_unversioned(entry.issues[0]):
            return f"sesskit migrate --dry-run {path}"
        return f"sesskit explain {entry.issues[0].code}"
    if finding.status == "unsupported" and not entry.body:
        of_versions = f"version-{'other' if _is_misplaced(entry) else 'unsupported'}"
        return f"sesskit explain {unknown_inside(finding) or of_versions}"
    if finding.status == "unrecognized":
        return f"sesskit validate --format NAME {path}"
    if finding.status == "valid" and finding.format == "robota-record-bare":
        return f"sesskit migrate --dry-run {path}"
    if finding.status == "valid" and single and not entry.body:
        return f"sesskit inspect {path}"
    return ""


def _headless(entry: Entry) -> bool:
    """Whether the header itself is at fault, of which no repair is certain."""
    return any(issue.severity == "error" and issue.line == 1 for issue in entry.issues)
