"""`sesskit history`: the prompt history across sessions and projects, searched, listed, rebuilt."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from sesskit.cli import options as o
from sesskit.cli.history_rebuild import written_anew
from sesskit.cli.history_shown import BY, Asked, show_prompts, show_sums
from sesskit.cli.output import MAX_ISSUES
from sesskit.cli.usage import BadUsage, one_of, refuse_name, suggestion
from sesskit.cli.writes import Replace
from sesskit.logs.prompt_search import Wanted
from sesskit.schemas.instants import Instant, parse_instant

USUAL = "~/.robota/history.jsonl"
LISTED = 20

history = o.family("Search, list and rebuild the history of prompts across sessions and projects.")

File = Annotated[
    str | None, typer.Option("--history", metavar="FILE", help=f"The history; {USUAL} without it.")
]
Project = Annotated[
    str | None, typer.Option("--project", metavar="DIR", help="Prompts of this project, or below.")
]
Session = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Prompts of this session.")
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Prompts from then on: 2026-05-11 ...")
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Prompts from before then.")
]
Limit = Annotated[
    int, typer.Option("--limit", "-n", min=0, metavar="N", help="Newest ones only; 0 is all.")
]
Full = Annotated[bool, typer.Option("--full", help="Show all of long prompts.")]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="project|session", help="One line for each of them instead."),
]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="A part of the prompt.")]
Regex = Annotated[bool, typer.Option("--regex", help="TEXT is a regular expression.")]
Case = Annotated[bool, typer.Option("--case", help="Upper and lower case differ.")]
Target = Annotated[str, typer.Option("--out", metavar="FILE", help="The history to write.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Write it without the logs that are not valid.")
]


@history.command("search")
def search(
    text: Text,
    file: File = None,
    regex: Regex = False,
    case: Case = False,
    project: Project = None,
    session: Session = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 0,
    full: Full = False,
    output: o.Output = None,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """Search the prompts, newest first.

    Lines that are no prompt are counted. Exits 1 if there are any, or the history is missing or
    cannot be read.
    """
    if regex:
        try:
            re.compile(text)
        except (re.error, OverflowError, RecursionError) as error:
            raise BadUsage("TEXT is no regular expression; without --regex it is a text") from error
    span = _instant("--since", since), _instant("--until", until)
    wanted = Wanted(text, regex, case, _folder(project), session, *span)
    display = o.display_of(output, no_color=no_color)
    asked = Asked(_path(file), wanted, limit, full)
    raise typer.Exit(show_prompts(asked, display) if not exit_zero else 0)


@history.command("list")
def list_(
    file: File = None,
    by: By = None,
    project: Project = None,
    session: Session = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = LISTED,
    full: Full = False,
    output: o.Output = None,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """List the newest prompts, or with --by the projects or sessions that have some.

    Lines that are no prompt are counted. Exits 1 if there are any, or the history is missing or
    cannot be read.
    """
    display = o.display_of(output, no_color=no_color)
    span = _instant("--since", since), _instant("--until", until)
    wanted = Wanted(project=_folder(project), session=session, since=span[0], until=span[1])
    asked = Asked(_path(file), wanted, limit, full)
    if by is not None and by not in BY:
        raise BadUsage(f"--by takes {one_of(BY)}{suggestion(by, BY)}")
    if by is not None and wanted != Wanted():
        raise BadUsage("--by counts all prompts; it goes without --project, --session and times")
    code = show_prompts(asked, display) if by is None else show_sums(asked, by, display)
    raise typer.Exit(0 if exit_zero else code)


@history.command("rebuild")
def rebuild(
    paths: o.Paths = None,
    out: Target = "",
    force: Replace = False,
    keep_going: KeepGoing = False,
    output: o.Output = None,
    max_issues: o.MaxIssues = MAX_ISSUES,
    quiet: o.Quiet = False,
    no_color: o.NoColor = False,
    exit_zero: o.ExitZero = False,
) -> None:
    """Write a prompt history anew from session logs: what persons typed, oldest first.

    Logs of subagents are passed by, nobody typed into them. While any log is not valid nothing is
    written, unless --keep-going is given; exits 1 then all the same.
    """
    if not out:
        raise BadUsage("say where to with --out FILE")
    refuse_name("--out", out)
    if os.path.lexists(out) and not force:
        raise BadUsage(f"there is {out} already; --force replaces it")
    display = o.display_of(output, quiet=quiet, max_issues=max_issues, no_color=no_color)
    rules = o.rules_of(exit_zero=exit_zero)
    raise typer.Exit(written_anew(paths, Path(out), rules, display, keep_going=keep_going))


def _path(file: str | None) -> Path:
    return Path(USUAL).expanduser() if file is None else Path(file)


def _folder(project: str | None) -> str | None:
    """A project as histories name it: its absolute path, links not followed."""
    return None if project is None else str(Path.cwd() / project).rstrip("/")


def _instant(option: str, text: str | None) -> Instant | None:
    found = None if text is None else parse_instant(text)
    if text is not None and found is None:
        raise BadUsage(f"{option} takes a date or a date-time, such as 2026-05-11T08:00:00Z")
    return found
