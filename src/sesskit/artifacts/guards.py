"""What has to stand at an anchor so that its finder can find anything: one pattern each.

A finder would see the same, but only after it was called; most anchors of most text are none.
A guard may let through what its finder refuses. It never holds back what that finds.
"""

from __future__ import annotations

import re
from typing import Final

from sesskit.artifacts.frames_in_text import AN_ADDRESS
from sesskit.artifacts.key_names import last_letters
from sesskit.artifacts.people_in_text import PEOPLE, PERMISSIONS
from sesskit.artifacts.positional_rows import POSITIONAL
from sesskit.artifacts.tables_in_text import CELL_END, COLUMN_WORDS
from sesskit.artifacts.tokens_in_text import AT_HINT

__all__ = ["GUARDS"]

_LISTED: Final = r"rw[xsStT-](?:[r-][w-][xsStT-]){2}[.+@]?[ \t]"
_FLAG: Final = re.compile(rf"[\s\"']--?[A-Za-z](?<!-r(?={_LISTED[1:]}))")
_NAME_ENDS: Final = "|".join(
    f"(?<=(?i:{'|'.join(sorted(e for e in last_letters() if len(e) == size))}))"
    for size in {len(ending) for ending in last_letters()}
)
_ARGUMENT: Final = re.compile(
    rf"(?:(?<=[^A-Za-z])|{_NAME_ENDS})[\"'][ \t]{{0,4}},\s{{0,40}}\\{{0,16}}[\"']"
)
_HOME: Final = re.compile(r"(?:(?<=[/\\-])|(?<=%2F)|(?<=%5C))[hUD]")
_PHONE: Final = re.compile(r".\+[1-9]")

GUARDS: Final[dict[str, re.Pattern[str]]] = {
    "://": AN_ADDRESS,
    **dict.fromkeys((" -", "\n-", '"-', "'-"), _FLAG),
    **dict.fromkeys(('",', "',"), _ARGUMENT),
    **dict.fromkeys(("home", "Users", "Documents and Settings"), _HOME),
    **dict.fromkeys((" +", '"+', "'+", ":+", "(+", "=+"), _PHONE),
    "id=": re.compile(r"id=[0-9]{1,10}\("),
    "@": re.compile(r"(?<=[\w.+-])@", re.ASCII),
    **{anchor: row.pattern for anchor, row in POSITIONAL.items() if anchor != "login "},
    **{anchor: pattern for anchor, (pattern, _) in PEOPLE.items()},
    **AT_HINT,
    **dict.fromkeys(COLUMN_WORDS, CELL_END),
    "!": re.compile(r"![A-Za-z0-9._]{80}"),
    "Q~": re.compile(r"Q~[\w~.-]{31}", re.ASCII),
    "msh": re.compile(r"msh[a-z0-9]{15}p1"),
    "-us": re.compile(r"-us[0-9]"),
    **dict.fromkeys(
        PERMISSIONS,
        re.compile(
            rf"{_LISTED}[ \t]*+(?:[0-9]{{1,6}}+[ \t]++(?!root[ \t])|[A-Za-z_][\w.-]{{1,31}}/)"
        ),
    ),
}
"""By anchor: a pattern that begins with it."""
