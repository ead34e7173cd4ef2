"""Every issue code there is: what `sesskit explain` and ``docs/codes.md`` show.

Each family of codes is a table in a module of its own; a new family is a line in `FAMILIES`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sesskit.schemas.code import Code
from sesskit.schemas.codes_contract import CONTRACT
from sesskit.schemas.codes_files import FILES
from sesskit.schemas.codes_logs import LOGS, REPLAY, SIDECARS
from sesskit.schemas.codes_ochat import OCHAT
from sesskit.schemas.codes_record import RECORD
from sesskit.schemas.codes_text import TEXT

__all__ = ["CODES", "FAMILIES", "Code", "Family", "codes_markdown"]


class Family(NamedTuple):
    """Codes that belong together, under the title they have in the docs."""

    title: str
    about: str
    codes: tuple[Code, ...]


FAMILIES: Final = (
    Family("Files", "What is said of a file as a whole.", FILES),
    Family("Text", "Faults of the text, whatever it is meant to hold.", TEXT),
    Family("Values", "The text is JSON; a value in it is not what the format says.", RECORD),
    Family("Logs", "Lines of a log.", LOGS),
    Family("Sidecars", "Files beside a log that hold what is too big for a line.", SIDECARS),
    Family("Replay", "What a replay of a log would miss.", REPLAY),
    Family("Contract", "Rules of the contract audit of session logs.", CONTRACT),
    Family("Snapshots", "Faults of binary session snapshots.", OCHAT),
)

CODES: Final[dict[str, Code]] = {code.code: code for family in FAMILIES for code in family.codes}
"""All codes by name."""

_HEAD = """\
# Issue codes

Every issue has a code that does not change from release to release. `sesskit explain CODE` shows
what is said here. Errors make a file `corrupt`; warnings and infos never do, though `--strict`
makes warnings exit 1.
"""


def codes_markdown() -> str:
    """The text of ``docs/codes.md``."""
    return "\n".join((_HEAD, *map(_family_markdown, FAMILIES)))


def _family_markdown(family: Family) -> str:
    return "\n".join((f"## {family.title}\n\n{family.about}\n", *map(_code_markdown, family.codes)))


def _code_markdown(code: Code) -> str:
    parts = [
        f"### {code.code}",
        f"*{code.severity}*: {_prose(code.summary)}",
        f"**Why it matters.** {_prose(code.why)}",
        f"**What to do.** {_prose(code.next_step)}",
    ]
    if code.bad:
        parts.append(f"```text\n{code.bad}\n```")
    return "\n\n".join(parts) + "\n"


def _prose(text: str) -> str:
    """Plain text as Markdown that shows the same characters."""
    return text.replace("\\", "\\\\").replace("*", "\\*").replace("<", "&lt;")
