"""The rules of the contract audit: their names, and their list."""

from __future__ import annotations

import json
from textwrap import fill

from sesskit.cli.output import Display


def rule_names() -> list[str]:
    """The ids of all rules, in the order in which they are listed."""
    from sesskit.schemas.robota_contract import RULES

    return list(RULES)


def rules_page(display: Display) -> str:
    """Every rule: how grave a breach is, and what must hold; as text or JSON."""
    from sesskit.schemas.robota_contract import RULES

    if display.output == "json":
        rows = [{"rule": name, "severity": r.severity, "holds": r.holds, "section": r.source}
                for name, r in RULES.items()]  # fmt: skip
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    screen = display.screen
    width = max(map(len, RULES)) + 2
    lines = []
    for name, rule in RULES.items():
        text = f"{rule.severity:<9}{rule.holds}"
        shown = fill(text, screen.width - width, subsequent_indent=" " * 9)
        first, *more = shown.splitlines()
        coloured = screen.paint(rule.severity, rule.severity) + first[len(rule.severity) :]
        lines.append(screen.paint("title", name.ljust(width)) + coloured)
        lines += [" " * width + line for line in more]
    lines += ["", "sesskit explain RULE says more."]
    return "\n".join(lines) + "\n"
