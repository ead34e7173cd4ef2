"""What is wrong with one event, each fault once: what follows from a value that is wrong itself is
no fault of its own."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sesskit.logs.dsh.checks import BETWEEN, RULES, check_of
from sesskit.schemas.codes_record import RECORD
from sesskit.schemas.issues import Issue, Keys

_PLACES = (("data", "turn"), ("data", "step"), ("data",))
"""Members that say where an event stands."""
_OF_PLACES = frozenset(
    rule for rule in RULES if check_of(rule) in ("turns", "steps") or rule == "retry-place"
)


_OF_PARTNERS = BETWEEN[4:]
_OF_DATA = frozenset(["call-unasked", "result-without-call", "prune-changes-more-than-content"])
_KINDS = frozenset(
    [*(row.code for row in RECORD), "message-not-model-source", "message-not-tool-source"]
)
"""What says only that a value is of the wrong kind, or that a part of it is."""
_HARMLESS = frozenset(["member-unknown", "member-foreign"])
"""A member too many changes nothing of what the others say."""


def confuses(issue: Issue) -> bool:
    """Whether what belongs to an event with this issue may look wrong because of it."""
    return issue.severity == "warning" and issue.code not in _HARMLESS


def one_cause(issues: list[Issue]) -> list[Issue]:
    """The issues of one event without those that follow from others of it.

    A rule that asks for a value of the wrong kind is broken because of that; where the program
    minds only the rule, the value is what it minds.
    """
    if len(issues) < 2:
        return issues
    kept: dict[tuple[str, Keys | str], Issue] = {}
    for issue in issues:
        said = _cause(issue, issues)
        key = (said.code, said.keys or said.message)
        before = kept.get(key, said)
        grave = "error" in (issue.severity, before.severity)
        kept[key] = replace(said, severity="error") if grave else before
    return list(kept.values())


def follows(issue: Issue, known: Sequence[Issue]) -> bool:
    """Whether an issue is one of those that are known of an event, or follows from them."""
    said = {(one.code, one.keys) for one in known}
    return (issue.code, issue.keys) in said or _cause(issue, known) is not issue


def _cause(issue: Issue, among: Sequence[Issue]) -> Issue:
    """What an issue follows from, at the end of all; the issue itself if from nothing."""
    for _ in among:
        cause = next((one for one in among if one is not issue and _made(issue, one)), None)
        if cause is None:
            break
        issue = cause
    return issue


def _made(issue: Issue, by: Issue) -> bool:
    """Whether an issue follows directly from another one of the same event."""
    if by.code in _HARMLESS:
        return False
    if issue.code == "type-unknown":
        return by.keys == ("type",)
    if issue.code == by.code == "surface-op-missing":
        return len(by.keys) > len(issue.keys)
    if by.code == "message-missing" and _is_of_messages(issue.code):
        return len(by.keys) < len(issue.keys) and by.keys == issue.keys[: len(by.keys)]
    if issue.code in RULES:
        return bool(by.keys) and by.code not in RULES and _breaks(issue, by)
    if _is_of_messages(issue.code) and by.keys == ("data",):
        return by.code in _KINDS
    if _is_of_messages(by.code) and issue.keys != ("data",):
        # Said with the rule of messages, which tells more than the kind of a value.
        return issue.code in _KINDS and _near(by.keys, issue.keys)
    return False


def _breaks(rule: Issue, by: Issue) -> bool:
    if rule.keys and rule.code in _OF_PLACES and by.keys in _PLACES:
        return True
    if rule.code in _OF_DATA and by.keys[0] == "data":
        return True
    if check_of(rule.code) in _OF_PARTNERS:
        return by.keys[0] == "data" and by.code in _KINDS
    return by.keys == rule.keys[: len(by.keys)]


def _is_of_messages(code: str) -> bool:
    return code == "program-crash" or check_of(code) == "messages"


def _near(rule: Keys, value: Keys) -> bool:
    """Whether a value is the one that a rule is about, holds it, or is its first part."""
    short, long = sorted((rule, value), key=len)
    return short == long[: len(short)] and (short is value or len(value) <= len(rule) + 2)
