"""Completion for a shell that was named: ``--show-completion zsh``, ``--install-completion=fish``.

Without a name typer finds out which shell it is called from, and does not look at a word behind.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from typer._completion_shared import get_completion_script, install

from sesskit.cli.screen import note, write
from sesskit.cli.usage import BadUsage, one_of, suggestion
from sesskit.records.reading import reason_for

SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
PROGRAM, VARIABLE = "sesskit", "_SESSKIT_COMPLETE"


def named_shell(args: Sequence[str]) -> bool:
    """Do what the option says for the shell behind it; False where no shell is named."""
    option, equals, word = args[0].partition("=")
    words = [word, *args[1:]] if equals else args[1:]
    if not words or words[0].startswith("-"):
        return False
    shell = words[0]
    if shell not in SHELLS:
        raise BadUsage(f"{option} takes {one_of(SHELLS)}{suggestion(shell, SHELLS)}")
    if len(words) > 1:
        raise BadUsage(f"{option} takes one shell and nothing behind it")
    if option == "--show-completion":
        script = get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell)
        write(f"{script}\n")
    else:
        _install(shell)
    return True


def _install(shell: str) -> None:
    try:
        _, place = install(shell=shell, prog_name=PROGRAM, complete_var=VARIABLE)
    except OSError as error:
        raise BadUsage(f"completion cannot be installed: {reason_for(error)}") from error
    note(f"completion for {shell} is in {os.fspath(place)}; it works in the next shell")
