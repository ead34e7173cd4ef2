"""`sesskit scrub`: JSON, lines of JSON and text without the values of sensitive members."""

from __future__ import annotations

import os
import platform
from typing import Annotated, get_args

import typer

from sesskit.artifacts.documents import As
from sesskit.artifacts.redaction import Policy
from sesskit.artifacts.scrub_keys import FILL
from sesskit.artifacts.span import Span
from sesskit.cli import options as o
from sesskit.cli.checking import Wanted, gather
from sesskit.cli.output import MAX_ISSUES, Display, show
from sesskit.cli.redactions import denied, known_here, list_of
from sesskit.cli.report import Entry, Rules
from sesskit.cli.screen import note
from sesskit.cli.scrub_inputs import ONLY_VALUES
from sesskit.cli.scrubbing import Work, replaced
from sesskit.cli.usage import BadUsage, one_of, suggestion
from sesskit.logs.formats import STDIN

FORMS: tuple[As, ...] = get_args(As)

Out = Annotated[
    str | None,
    typer.Option(
        "--out", metavar="FILE|DIR", help="Where to write; one file goes to standard output."
    ),
]
Replace = Annotated[bool, typer.Option("--force", help="Let --out replace existing files.")]
InPlace = Annotated[
    bool, typer.Option("--in-place", help="Replace the files themselves; each leaves a .bak.")
]
AsForm = Annotated[
    str | None,
    typer.Option("--as", metavar="|".join(FORMS), help="Read every file as this."),
]
Extended = Annotated[
    bool,
    typer.Option("--extended", help="By the wider rule for names, also in JSON in strings."),
]
Values = Annotated[
    bool, typer.Option("--values", help="Find secrets and personal data in all text as well.")
]
Fill = Annotated[str, typer.Option("--fill", metavar="TEXT", help="What stands for a value.")]
Allow = Annotated[
    str | None, typer.Option("--allow", metavar="FILE", help="Values that stay, one a line.")
]
Deny = Annotated[
    str | None, typer.Option("--deny", metavar="FILE", help="Values that must go, one a line.")
]


def scrub(
    paths: o.Paths = None,
    out: Out = None,
    in_place: InPlace = False,
    force: Replace = False,
    as_: AsForm = None,
    extended: Extended = False,
    values: Values = False,
    fill: Fill = FILL,
    allow: Allow = None,
    deny: Deny = None,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """Replace the values of sensitive members; leave every other byte as it is.

    Takes any JSON, lines of JSON, or text, in which only --values looks. The exact names count:
    apiKey, authorization, accessToken, refreshToken, secret, password, xApiKey. In a session of a
    known format parameters that only have such a name stay. Exits 1 if a file could not be read or
    is not sound.
    """
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    wanted = gather(paths)
    form = _form(as_)
    policy = Policy(extended, values, fill, denied(deny), frozenset(list_of(allow, "--allow")))
    known: tuple[Span, ...] = ()
    if values:
        sources = [source.path for one in wanted for source in one.sources]
        known = known_here(sources, dict(os.environ), platform.node())
    work = Work(wanted, form, policy, known, force, in_place)
    to_screen = _to_standard_output(wanted, out, display, in_place=in_place, output=output)
    report = work.report(out, Rules(exit_zero=exit_zero), display, to_screen=to_screen)
    if to_screen:
        code = report.exit_code
        if not quiet:
            note("; ".join(_summary(entry) for entry in report.entries))
        raise typer.Exit(code)
    raise typer.Exit(show(report, display))


def _form(word: str | None) -> As | None:
    form = next((known for known in FORMS if known == word), None)
    if word is not None and form is None:
        raise BadUsage(f"--as takes {one_of(FORMS)}{suggestion(word, FORMS)}")
    return form


def _to_standard_output(
    wanted: list[Wanted], out: str | None, display: Display, *, in_place: bool, output: str | None
) -> bool:
    """Whether the result itself is what is shown; raises `BadUsage` where that cannot be."""
    if out is not None and in_place:
        raise BadUsage("give --out or --in-place, not both")
    if in_place and any(one.path == STDIN for one in wanted):
        raise BadUsage("standard input cannot be replaced in place; use --out FILE")
    if out is not None or in_place:
        return False
    if len(wanted) > 1 or wanted[0].folder:
        raise BadUsage("say where to: --out DIR or --in-place")
    if output is not None:
        raise BadUsage("the result goes to standard output, where no report fits; give --out FILE")
    return True


def _summary(entry: Entry) -> str:
    done = (entry.members or {}).get("redaction")
    if done is None:
        return f"{entry.finding.path}: {entry.issues[0].message}"
    if done["refused"]:
        return f"{entry.finding.path}: {done['refused']}"
    unsound = "; its text is not sound" if entry.issues else ""
    hint = f"; {ONLY_VALUES}" if ONLY_VALUES in " ".join(" ".join(entry.body).split()) else ""
    return f"{replaced(done['count'])}{unsound}{hint}"
