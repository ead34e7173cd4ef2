"""The named checks of a dsh log: which rule belongs to which, and what each one says of a log.

The rules between events (turns, steps, calls, surface …) are apart from those of single lines, and
each can be asked for by the name of its check or of the rule itself, which is its issue's code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from sesskit.logs.dsh.generations import READ_VERSIONS
from sesskit.schemas.code import Code
from sesskit.schemas.codes_dsh_events import DSH_EVENTS
from sesskit.schemas.codes_dsh_rules import DSH_RULES
from sesskit.schemas.issues import Issue

_RULE_NAMES: dict[str, tuple[str, ...]] = {
    "turns": ("turn-",),
    "steps": ("step-", "not-the-open-step", "not-in-a-turn"),
    "calls": ("call-", "result-without-call", "replacement-outside-turn", "unresolved-tool-call"),
    "surface": ("surface-", "sources-", "replace-", "prune-", "system-head-missing"),
    "compactions": ("compaction-",),
    "retries": ("retry-",),
    "commands": ("command-",),
    "titles": ("title-",),
    "dispatches": ("dispatch-",),
    "deliveries": ("delivery-",),
}
"""Checks between events, by how the names of their rules begin."""
_ALONE: dict[str, tuple[str, ...]] = {
    "container": ("zstd-", "encoding-", "database-"),
    "lines": ("json-", "line-", "tail-", "row-", "size-limit"),
    "numbers": ("seq-",),
    "place": ("layout-", "header-path"),
    "header": ("header-", "version-", "generation-", "retired-field", "seed-"),
    "messages": ("message-", "request-header-", "tool-call-id-", "not-one-tool-result-"),
    "events": ("",),
}
"""Checks of single lines and of the file, the first that fits; the last takes all that is left."""
_FROM_V2 = frozenset(["compactions", "retries", "commands", "titles", "dispatches", "deliveries"])
"""Checks that no program made before v2."""
_OF_FRAMES = frozenset(["container", "lines", "numbers", "place", "header", "surface", "events"])
"""Checks of a version of which only the frame is known."""
_NO_RULE = frozenset(["turn-open", "surface-before-step"])
"""How a log ends while it is being written, and what only a migration asks."""

BETWEEN = tuple(_RULE_NAMES)
"""The names of the checks between events."""
CHECKS = (*_ALONE, *BETWEEN)
"""The names of all checks, in the order in which they are told."""


def check_of(code: str) -> str:
    """The check that a rule belongs to."""
    if code in _NO_RULE:
        return "events"
    for name, beginnings in (*_RULE_NAMES.items(), *_ALONE.items()):
        if code.startswith(beginnings):
            return name
    return "events"


def _rules() -> dict[str, Code]:
    known = (*DSH_RULES, *DSH_EVENTS)
    return {row.code: row for row in known if check_of(row.code) in _RULE_NAMES}


RULES: dict[str, Code] = _rules()
"""Every rule between events by its name, which is the code of the issues that say it is broken."""


def rules_of(names: Iterable[str]) -> frozenset[str]:
    """The rules that names of rules and of checks stand for; all for none."""
    asked = frozenset(names)
    return frozenset(rule for rule in RULES if not asked or {rule, check_of(rule)} & asked)


@dataclass(frozen=True, slots=True)
class Checked:
    """What one check says of a log: ``broken`` counts the issues of each rule that was broken.

    ``holds`` is None where the version of the log has no such rules.
    """

    name: str
    broken: dict[str, int]
    holds: bool | None


def checked(issues: Iterable[Issue], version: float | None) -> list[Checked]:
    """Every check of a log of that version, with what its issues say of it; infos do not count."""
    found: dict[str, Counter[str]] = {name: Counter() for name in CHECKS}
    for issue in issues:
        if issue.severity != "info" and issue.code not in _NO_RULE:
            found[check_of(issue.code)][issue.code] += 1
    return [
        Checked(name, dict(broken), not broken if broken or _is_asked(name, version) else None)
        for name, broken in found.items()
    ]


def _is_asked(name: str, version: float | None) -> bool:
    if version not in READ_VERSIONS:
        return name in _OF_FRAMES
    return version >= 2 or name not in _FROM_V2


def held_to(issues: Iterable[Issue], rules: Collection[str]) -> tuple[Issue, ...]:
    """The issues of a log that is held to its rules between events: each is as grave as the rule,
    whatever the program of the version minds; one that is not asked for is no issue."""
    return tuple(
        replace(issue, severity=RULES[issue.code].severity) if issue.code in RULES else issue
        for issue in issues
        if issue.code in rules or issue.code not in RULES
    )
