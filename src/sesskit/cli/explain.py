"""`sesskit explain`: what an issue code means, why it matters, and what to do.

Codes of the systems that own the formats, the ``original.code`` of a report, are explained too.
"""

from __future__ import annotations

import json
from textwrap import fill
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.output import Display
from sesskit.cli.screen import Screen, write
from sesskit.cli.usage import BadUsage, suggestion
from sesskit.schemas.codes import CODES, Code
from sesskit.schemas.original_codes import ORIGINAL_CODES, OriginalCode


def _known() -> list[str]:
    return [*o.codes(), *sorted(ORIGINAL_CODES)]


CODE = typer.Argument(
    metavar="CODE", help="An issue code, or the code of the original; without one, all issue "
    "codes are listed.", show_default=False, autocompletion=_known,
)  # fmt: skip


def explain(
    code: Annotated[str | None, CODE] = None,
    output: o.Output = None,
    no_color: o.NoColor = False,
) -> None:
    """Explain an issue code: what it means, why it matters, what to do next.

    Also the codes of the systems that own the formats, as reports hold them.
    """
    display = o.display_of(output, no_color=no_color)
    if code is not None and code in ORIGINAL_CODES:
        write(_original(ORIGINAL_CODES[code], display))
        return
    if code is not None and code not in CODES:
        meant = suggestion(code, _known()) or "; sesskit explain lists all"
        raise BadUsage(f"there is no issue code {code}{meant}")
    chosen = CODES if code is None else {code: CODES[code]}
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


def _original(code: OriginalCode, display: Display) -> str:
    """A code of another system: in JSON with the issue codes that lead to it as ``issues``."""
    if display.output == "json":
        member = {"code": code.code, "system": code.system, "summary": code.meaning}
        return json.dumps([{**member, "issues": code.ours}], ensure_ascii=False, indent=2) + "\n"
    screen = display.screen
    ours = [f"  {name}" for name in code.ours]
    lines = [
        f"original[{code.code}]",
        "",
        screen.paint("title", "Whose code it is"),
        _filled(f"{code.system}. JSON reports hold it as original.code.", screen, "  "),
        "",
        screen.paint("title", "What it means"),
        _filled(code.meaning, screen, "  "),
        "",
        screen.paint("title", "What leads to it here"),
        *ours,
        "",
        "sesskit explain CODE says more of each.",
    ]
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
