"""The issues of one file as text: each with its place, an excerpt and a caret, like a compiler's.

Of one code, only so many are shown in full; the rest is counted, with the places where most are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from textwrap import wrap

from sesskit.cli.excerpts import Excerpts
from sesskit.cli.naming import shown_keys
from sesskit.cli.output import Display
from sesskit.cli.report import Entry, told
from sesskit.cli.screen import Screen, one_line
from sesskit.logs.formats import Finding
from sesskit.schemas.issues import Issue, dotted
from sesskit.schemas.masking import shorten

PATH_WIDTH = 120
"""A longer path of an issue is shortened: names of members may be of any length."""

_POSITION = re.compile(r"\[\d+\]")


def block_of(entry: Entry, display: Display) -> Iterator[str]:
    """The lines below the heading of a file that has something to show."""
    yield from entry.body
    counts: Counter[str] = Counter()
    shown: list[Issue] = []
    rest: dict[tuple[str, str], Counter[str]] = {}
    for issue in told(entry):
        counts[issue.code] += 1
        if counts[issue.code] <= display.max_issues:
            shown.append(issue)
        else:
            kind = (issue.severity, issue.code)
            rest.setdefault(kind, Counter())[_alike(issue)] += 1
    with Excerpts(entry.finding, shown) as excerpts:
        for issue in shown:
            yield ""
            yield from _issue(issue, entry.finding, excerpts, display.screen)
    for (severity, code), places in rest.items():
        yield ""
        yield from _more(severity, code, places, display.screen)
    yield ""


def _alike(issue: Issue) -> str:
    """The place of an issue as it is counted: without positions, and without names of no use."""
    keys = (*issue.keys[:-1], "*") if issue.at_key and issue.keys else issue.keys
    return _POSITION.sub("[*]", dotted(shown_keys(keys)))


def _issue(issue: Issue, finding: Finding, excerpts: Excerpts, screen: Screen) -> Iterator[str]:
    kind = f"{issue.severity}[{issue.code}]"
    path = one_line(shorten(dotted(shown_keys(issue.keys)), PATH_WIDTH))
    text = f"{path}: {_message(issue)}" if path else _message(issue)
    first, *more = wrap(one_line(f"{kind}  {text}"), screen.width, subsequent_indent="  ") or [kind]
    yield screen.paint(issue.severity, kind) + first.removeprefix(kind)
    yield from more
    place = _place(issue)
    if place:
        yield screen.paint("place", "  --> ") + one_line(finding.path) + place
    if issue.sidecar is not None:
        yield f"      {screen.paint('place', 'sidecar')} {one_line(issue.sidecar)}"
    excerpt = excerpts.around(issue, screen.width)
    if excerpt is not None:
        number, line, caret = excerpt
        gutter = " " * len(number)
        yield f"{screen.paint('faint', f'{number} |')} {line}"
        marked = screen.paint(issue.severity, caret)
        yield f"{screen.paint('faint', f'{gutter} |')} {marked}"


def _message(issue: Issue) -> str:
    """The message; where there is no source line to see it in, with what was expected."""
    if issue.line is not None or issue.expected is None or issue.expected in issue.message:
        return issue.message
    found = "" if issue.found is None else f", found {issue.found}"
    return f"{issue.message} (expected {issue.expected}{found})"


def _place(issue: Issue) -> str:
    if issue.line is not None:
        place = f":{issue.line}:{issue.column or 1}"
    elif issue.offset is not None:
        place = f" (byte {issue.offset:,})"
    else:
        return ""
    frame = "" if issue.frame is None else f", frame {issue.frame}"
    return place + frame


def _more(severity: str, code: str, places: Counter[str], screen: Screen) -> Iterator[str]:
    """How many more issues of a code there are, and where most of them are."""
    often = [
        f"{one_line(shorten(path, PATH_WIDTH)) or 'the text'} ({count:,})"
        for path, count in places.most_common(3)
    ]
    others = ", ..." if len(places) > 3 else ""
    kind = f"{severity}[{code}]"
    text = f"{kind}  {places.total():,} more: {', '.join(often)}{others}"
    first, *more = wrap(text, screen.width, subsequent_indent="  ")
    yield screen.paint(severity, kind) + first.removeprefix(kind)
    yield from more
