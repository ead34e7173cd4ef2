"""The named checks of a log: every rule belongs to one, and each can be asked for."""

from __future__ import annotations

import pytest

from logs.dsh.vectors import Case, cases
from sesskit.logs.dsh.checks import BETWEEN, CHECKS, RULES, check_of, checked, held_to, rules_of
from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.relational import RULES as OF_OLD
from sesskit.schemas.codes import CODES
from sesskit.schemas.issues import Issue

RELATIONAL = [c for c in cases() if c.expected.get("relational")]


def test_every_code_belongs_to_a_check() -> None:
    assert {check_of(code) for code in CODES} == {*CHECKS}
    assert set(OF_OLD) <= set(RULES)
    assert {check_of(rule) for rule in RULES} == {*BETWEEN}
    assert check_of("turn-open") not in BETWEEN


@pytest.mark.parametrize("case", RELATIONAL, ids=lambda c: c.name)
def test_recorded_relations(case: Case) -> None:
    """What the checker of the original says of turns, steps and pairs."""
    answer = decode(case.file.read_bytes())
    held = held_to(answer.issues, rules_of(["turns", "steps", "calls"]))
    errors = {issue.code for issue in held if issue.code in RULES and issue.severity == "error"}
    recorded = case.expected["relational"]
    assert errors == (set() if recorded["ok"] else {recorded["error"]["reason"]})


def test_names_of_rules_and_of_checks() -> None:
    assert rules_of([]) == set(RULES)
    assert rules_of(["turn-number"]) == {"turn-number"}
    assert {check_of(rule) for rule in rules_of(["titles", "retry-id"])} == {"titles", "retries"}


def test_what_a_version_is_asked() -> None:
    issue = Issue("turn-number", "", "warning")
    by_name = {check.name: check for check in checked([issue, issue], 0)}
    assert (by_name["turns"].holds, by_name["turns"].broken) == (False, {"turn-number": 2})
    assert (by_name["lines"].holds, by_name["titles"].holds) == (True, None)
    assert all(check.holds for check in checked([], 3))
    assert [c.name for c in checked([], 4) if c.holds] == [
        "container", "lines", "numbers", "place", "header", "events", "surface"
    ]  # fmt: skip
    assert {c.name for c in checked([Issue("titles-x", ""), Issue("title-x", "")], 4)} == {*CHECKS}
