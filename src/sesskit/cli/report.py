"""A report: the files of one run, what was found in them, and the exit code that follows.

A command that shows more than `validate` does puts it into its entries: ``members`` become further
members of the file's JSON, ``body`` lines of its text. Nothing here knows how a report is shown.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple, get_args

from sesskit.logs.formats import Finding
from sesskit.schemas.issues import Issue, Severity
from sesskit.schemas.outcomes import Unsupported

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
STATUSES = ("valid", "corrupt", "unsupported", "missing", "unreadable", "unrecognized")
FAILED, NOTHING_TO_CHECK = 1, 2


class Rules(NamedTuple):
    """What counts: issues of the codes in ``ignore`` do not, milder ones than ``fail_on`` pass.

    A file that is not valid fails whatever is ignored.
    """

    fail_on: Severity = "error"
    ignore: frozenset[str] = frozenset()
    exit_zero: bool = False

    @property
    def thorough(self) -> bool:
        """Where warnings count, those that cost time to find must be found."""
        return self.fail_on != "error"


class Entry(NamedTuple):
    """A file of the report. ``issues`` are those that are not ignored; ``ignored`` counts those."""

    finding: Finding
    issues: tuple[Issue, ...]
    ignored: int = 0
    members: dict[str, Any] | None = None
    body: tuple[str, ...] = ()

    @property
    def counts(self) -> Counter[str]:
        """How many issues of each severity."""
        return Counter(issue.severity for issue in self.issues)


def unknown_inside(finding: Finding) -> str | None:
    """The code of what a file of a known version holds that the program of that version does not
    know; None where it is the version itself that keeps it from being read."""
    outcome = finding.outcome
    if not isinstance(outcome, Unsupported) or outcome.version not in outcome.supported:
        return None
    codes = [issue.code for issue in outcome.issues if issue.severity == "error"]
    return None if not codes or any(code in _OF_VERSIONS for code in codes) else codes[0]


_OF_VERSIONS = ("version-other", "version-unsupported")


class Report(NamedTuple):
    """All entries in order; ``empty`` are the folders that held nothing to check.

    ``hint`` is the next useful command; without it the report finds one itself.
    """

    entries: tuple[Entry, ...]
    rules: Rules = Rules()
    skipped: int = 0
    empty: tuple[str, ...] = ()
    hint: str | None = None

    @property
    def exit_code(self) -> int:
        if not self.rules.exit_zero and any(fails(entry, self.rules) for entry in self.entries):
            return FAILED
        return NOTHING_TO_CHECK if self.empty else 0

    def by_status(self) -> dict[str, int]:
        """How many files of each status; every status is there."""
        found = Counter(entry.finding.status for entry in self.entries)
        return {status: found[status] for status in STATUSES}

    def by_severity(self) -> dict[str, int]:
        """How many issues of each severity; every severity is there."""
        total: Counter[str] = Counter()
        for entry in self.entries:
            total += entry.counts
        return {severity: total[severity] for severity in SEVERITIES}


def entry_of(
    finding: Finding,
    rules: Rules,
    *,
    members: dict[str, Any] | None = None,
    body: tuple[str, ...] = (),
) -> Entry:
    """A finding as an entry, without the issues that the rules ignore."""
    issues = tuple(issue for issue in finding.issues if issue.code not in rules.ignore)
    return Entry(finding, issues, len(finding.issues) - len(issues), members, body)


def told(entry: Entry) -> tuple[Issue, ...]:
    """The issues to be shown one by one: not the one that is just why a file was not decoded."""
    first = entry.issues[:1]
    undecoded = bool(first) and first[0].code == entry.finding.status
    return entry.issues[1:] if undecoded else entry.issues


def fails(entry: Entry, rules: Rules) -> bool:
    """True if the file makes the run fail: it is not valid, or has an issue that counts.

    To ignore an issue hides it; it makes no damaged or missing file a valid one.
    """
    if entry.finding.status != "valid":
        return True
    counted = SEVERITIES[: SEVERITIES.index(rules.fail_on) + 1]
    return any(issue.severity in counted for issue in entry.issues)
