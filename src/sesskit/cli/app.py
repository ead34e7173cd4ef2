"""The command line: its commands, each imported only when it runs, and its exit codes.

How to add a command
    1. Write ``cli/NAME.py`` with a function NAME: typer reads its signature and its docstring. The
       common options are ready-made types in `sesskit.cli.options`. For a command that has commands
       of its own, NAME is a `typer.Typer` made by `sesskit.cli.options.family`.
    2. Add one line to `COMMANDS` (a name that Python reserves gets a trailing underscore in
       ``module``). Its help is what ``sesskit --help`` shows without importing the module.
    3. Run ``make generate``: it writes ``docs/cli.md``.

A command parses, calls one library function, shows, and exits:

    report = check(gather(paths, ...), ...)          # sesskit.cli.checking
    raise typer.Exit(show(report, display))          # sesskit.cli.output: exit code included

``raise BadUsage("one kind line")`` ends it with exit code 2. Any other exception is a bug of ours,
exit code 70; SESSKIT_DEBUG=1 shows its traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from errno import EDQUOT, EFBIG, ENOSPC
from importlib import import_module
from types import TracebackType
from typing import NamedTuple

import typer
from typer._click.core import Command as ClickCommand
from typer._click.core import Context
from typer._click.formatting import HelpFormatter
from typer._click.shell_completion import CompletionItem
from typer.core import TyperGroup

from sesskit.cli.screen import hush, note, ready_streams
from sesskit.cli.usage import BadUsage, suggestion


class Command(NamedTuple):
    """A line of the table: where the command lives, and its help in one line."""

    module: str
    help: str


COMMANDS = {
    "validate": Command("validate", "Check session files; show every fault with its place."),
    "inspect": Command("inspect", "Show at one look what a session file holds."),
    "replay": Command("replay", "Show what was said in a session, or give it to programs."),
    "verify": Command("verify", "Prove a log whole: sidecars, replay, and the session contract."),
    "explain": Command("explain", "Explain an issue code: what it means, what to do."),
    "history": Command("history", "Search, list and rebuild the history of prompts."),
    "repair": Command("repair", "Save what can be saved of damaged logs, in new files."),
    "migrate": Command("migrate", "Bring an old session or log to the current form."),
    "reset": Command("reset", "Take a session back to its beginning."),
    "store": Command("store", "List, show, make, put, delete and rebuild sessions of a store."),
    "export": Command("export", "Write a session as an artifact, in full."),
    "import": Command("import_", "Take an artifact into a store, or refuse it with reasons."),
    "scrub": Command("scrub", "Replace the values of sensitive members in any JSON or text."),
    "share": Command("share", "Write a session without its secrets, proven; or refuse."),
    "schema": Command("schema", "List, show and apply the published JSON Schemas."),
}
NO_ROOM = (ENOSPC, EDQUOT, EFBIG)
OK, FAILED, USAGE, BUG, INTERRUPTED = 0, 1, 2, 70, 130
COMPLETION = ("--show-completion", "--install-completion")
REPORT_BUG = "please report it with the command that you ran"


class LazyGroup(TyperGroup):
    """A group that knows its commands by name and imports one when it is asked for."""

    def list_commands(self, ctx: Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> ClickCommand | None:
        line = COMMANDS.get(cmd_name)
        if line is None:
            return None
        found = getattr(import_module(f"sesskit.cli.{line.module}"), line.module)
        if not isinstance(found, typer.Typer):
            app = typer.Typer(add_completion=False, rich_markup_mode=None)
            app.command(cmd_name)(found)
            found = app
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line.help) for name, line in COMMANDS.items()])

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in COMMANDS if name.startswith(incomplete)]
        options = ClickCommand.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name].help) for name in names), *options]

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, ClickCommand | None, list[str]]:
        word = args[0]
        if word in COMMANDS or word.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        if os.path.lexists(word):
            raise BadUsage(f"say what to do with it first, for example: sesskit validate {word}")
        raise BadUsage(f"there is no command {word}{suggestion(word, COMMANDS)}")


app = typer.Typer(
    cls=LazyGroup,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 every file valid, 1 some file is not, 2 bad usage, 70 a bug of ours.",
)


@app.callback()
def sesskit(
    version: bool = typer.Option(False, "--version", "-V", help="Show the version and exit."),
) -> None:
    """Check, inspect, replay and migrate the session records and logs of AI agents."""


class Guard:
    """Turns whatever leaves a command into an exit code, and into one line for people."""

    code = OK

    def __enter__(self) -> Guard:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if fault is None or isinstance(fault, SystemExit):
            return False
        if isinstance(fault, BrokenPipeError):
            hush()
        elif isinstance(fault, (KeyboardInterrupt, typer.Abort)):
            self.code = INTERRUPTED
        elif isinstance(fault, typer.Exit):
            self.code = fault.exit_code
        elif isinstance(fault, (BadUsage, typer.TyperException)):
            self.code = USAGE
            note(_usage_line(fault))
        elif isinstance(fault, OSError) and fault.errno in NO_ROOM:
            self.code = USAGE
            hush()
            from sesskit.records.reading import reason_for

            note(f"what there is to write cannot be written: {reason_for(fault)}")
        elif isinstance(fault, MemoryError):
            self.code = FAILED
            note("there is not enough memory for this")
        else:
            self.code = BUG
            _say_bug(fault)
        return True


def run(args: Sequence[str]) -> int:
    """Run one command line; the exit code. Nothing but `SystemExit` leaves it."""
    ready_streams()
    with Guard() as guard:
        if not args:
            guard.code = USAGE
        if args and args[0].startswith(COMPLETION):
            from sesskit.cli.completion import named_shell

            if named_shell(args):
                return guard.code
        code = typer.main.get_command(app).main(
            args=list(args) or ["--help"], prog_name="sesskit", standalone_mode=False
        )
        guard.code = guard.code or int(code or OK)
        sys.stdout.flush()
    return guard.code


def _usage_line(fault: Exception) -> str:
    if not isinstance(fault, typer.TyperException):
        return str(fault)
    close = getattr(fault, "possibilities", None)
    text = (fault.message if close else fault.format_message()).rstrip(".")
    meant = f"; did you mean {' or '.join(close)}?" if close else "; -h shows what is possible"
    return text[:1].lower() + text[1:] + meant


def _say_bug(fault: BaseException) -> None:
    if os.environ.get("SESSKIT_DEBUG"):
        import traceback

        traceback.print_exception(fault)
    note(f"a bug of ours ({type(fault).__name__}); {REPORT_BUG}; SESSKIT_DEBUG=1 shows the details")
