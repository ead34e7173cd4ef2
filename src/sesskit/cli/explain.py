"""`sesskit explain`: what an issue code means, why it matters, and what to do."""

from __future__ import annotations

import json
from textwrap import fill
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.screen import Screen, write
from sesskit.schemas.codes import CODES, Code

CODE = typer.Argument(
    metavar="CODE", help="An issue code; without one, all are listed.", show_default=False,
    autocompletion=o.codes,
)  # fmt: skip


def explain(
    code: Annotated[str | None, CODE] = None,
    output: o.Output = None,
    no_color: o.NoColor = False,
) -> None:
    """Explain an issue code: what it means, why it matters, what to do next."""
    display = o.display_of(output, no_color=no_color)
    chosen = CODES if code is None else {o.known_code(code): CODES[code]}
    if display.output == "json":
        write(_json(chosen))
    elif code is None:
        write(_table(display.screen))
    else:
        write(_page(code, CODES[code], display.screen))


def _page(name: str, code: Code, screen: Screen) -> str:
    parts = {
        "What it means": code.summary,
        "Why it matters": code.why,
        "What to do": code.next_step,
    }
    lines = [f"{screen.paint(code.severity, code.severity)}[{name}]"]
    for title, text in parts.items():
        lines += ["", screen.paint("title", title), _filled(text, screen, "  ")]
    if code.bad:
        example = (f"  {line}" for line in code.bad.splitlines())
        lines += ["", screen.paint("title", "An example"), *example]
    return "\n".join(lines) + "\n"


def _table(screen: Screen) -> str:
    width = max(map(len, CODES)) + 2
    lines = []
    for name in sorted(CODES):
        text = _filled(CODES[name].summary, screen, " " * width)
        lines.append(screen.paint("title", name.ljust(width)) + text[width:])
    lines += ["", "sesskit explain CODE says more."]
    return "\n".join(lines) + "\n"


def _filled(text: str, screen: Screen, indent: str) -> str:
    return fill(text, screen.width, initial_indent=indent, subsequent_indent=indent)


def _json(chosen: dict[str, Code]) -> str:
    shown = [
        {
            "code": name,
            "severity": code.severity,
            "summary": code.summary,
            "why": code.why,
            "nextStep": code.next_step,
        }
        for name, code in sorted(chosen.items())
    ]
    return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"
