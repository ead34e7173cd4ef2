"""The rules of the contract audit: their names, and their list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import fill
from typing import NamedTuple

from sesskit.cli.output import Display


class _Rule(NamedTuple):
    """``text`` says what must hold or, of a dsh log, what is wrong; ``section`` where it is from
    or, of a dsh log, the check that it belongs to."""

    name: str
    severity: str
    text: str
    section: str
    format: str


def rule_names() -> list[str]:
    """What ``--rule`` takes: the ids of all rules, in the order in which they are listed, and the
    names of the checks that rules of dsh logs belong to."""
    from sesskit.logs.dsh.checks import BETWEEN

    return [*(rule.name for rule in _rules()), *BETWEEN]


def rules_of_format(names: list[str], *, dsh: bool) -> list[str]:
    """The names that are of dsh logs, or those that are not."""
    from sesskit.schemas.robota_contract import RULES

    return [name for name in names if (name not in RULES) == dsh]


def _rules() -> Iterator[_Rule]:
    from sesskit.logs.dsh.checks import RULES as OF_DSH
    from sesskit.logs.dsh.checks import check_of
    from sesskit.schemas.robota_contract import RULES

    for name, rule in RULES.items():
        yield _Rule(name, rule.severity, rule.holds, rule.source, "robota-log")
    for name, code in OF_DSH.items():
        yield _Rule(name, code.severity, code.summary, check_of(name), "dsh-log")


def rules_page(display: Display) -> str:
    """Every rule: how grave a breach is, and what must hold; as text or JSON."""
    rules = [*_rules()]
    if display.output == "json":
        rows = [{"rule": r.name, "severity": r.severity, "holds": r.text, "section": r.section,
                 "format": r.format} for r in rules]  # fmt: skip
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    screen = display.screen
    width = max(len(rule.name) for rule in rules) + 2
    lines = []
    for number, rule in enumerate(rules):
        if rule.format != "robota-log" and rules[number - 1].section != rule.section:
            lines += ["", screen.paint("title", f"dsh logs: {rule.section}")]
        text = f"{rule.severity:<9}{rule.text}"
        shown = fill(text, screen.width - width, subsequent_indent=" " * 9)
        first, *more = shown.splitlines()
        coloured = screen.paint(rule.severity, rule.severity) + first[len(rule.severity) :]
        lines.append(screen.paint("title", rule.name.ljust(width)) + coloured)
        lines += [" " * width + line for line in more]
    lines += ["", "sesskit explain RULE says more."]
    return "\n".join(lines) + "\n"
