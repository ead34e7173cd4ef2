"""What each format's migration is to the command: a line of `MIGRATIONS`.

A format gives a function from the old bytes to a `Migrated`, and how its files are replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sesskit.cli.rows import Row
from sesskit.cli.usage import BadUsage, one_of
from sesskit.schemas.outcomes import Outcome


class Wishes(NamedTuple):
    """The options of the command that change the result; a format takes those that it knows."""

    backfill_history: bool = False
    no_fill: bool = False
    zone: tzinfo = UTC
    tolerant: bool = False


class Target(NamedTuple):
    """Where a new file goes: a ``path`` (None writes nothing), or over the old one.

    ``version`` is the one to reach, None the latest.
    """

    path: str | None
    in_place: bool = False
    force: bool = False
    dry: bool = False
    version: int | None = None


class Migrated(NamedTuple):
    """The new file, or None and why: ``outcome`` says what is wrong with the old one,
    ``refused`` in a sentence what its issues do not say.

    ``rows`` tell what was changed, ``member`` the same in the JSON report.
    """

    outcome: Outcome
    data: bytes | None = None
    rows: tuple[Row, ...] = ()
    member: Mapping[str, Any] = MappingProxyType({})
    refused: str = ""


Migrate = Callable[[bytes, Wishes], Migrated]
Replace = Callable[[str, bytes], Path | None]
"""Replaces a file by its new bytes; gives the copy of the old one, None if nothing changed."""


class Migration(NamedTuple):
    """``versions`` are those that can be reached, the last one without being asked for.

    ``migrate`` and ``replace`` are ``module:function``; without them there is never anything to do,
    for the reason ``kept``. A format whose files are too big to hold has ``stream`` instead, which
    reads and writes paths, and ``old``, which says what is to be migrated. One whose files are
    called after their version says with ``place`` how they are called in a folder, and with
    ``superseded`` which ones have a later version beside them.
    """

    versions: tuple[int, ...]
    migrate: str = ""
    replace: str = ""
    kept: str = ""
    stream: str = ""
    old: str = ""
    place: str = ""
    superseded: str = ""


MIGRATIONS = {
    "robota-record": Migration((1,), kept="it has its envelope"),
    "robota-record-bare": Migration(
        (1,), "sesskit.cli.migrate_robota:migrated", "sesskit.cli.migrate_robota:replaced"
    ),
    "robota-log": Migration(
        (1,),
        stream="sesskit.cli.migrate_logs:migrated_log",
        old="sesskit.cli.migrate_logs:is_old_log",
        kept="its lines have a version",
    ),
    "ochat-record": Migration(
        (5,), "sesskit.cli.migrate_ochat:migrated", "sesskit.cli.migrate_ochat:replaced"
    ),
    "dsh-log": Migration(
        (0, 1, 2, 3),
        stream="sesskit.cli.migrate_dsh:migrated",
        old="sesskit.cli.migrate_dsh:is_old",
        kept="it has the latest version that is read here",
        place="sesskit.cli.migrate_dsh:place",
        superseded="sesskit.cli.migrate_dsh:superseded",
    ),
}
"""By the name of the format."""


def versions() -> list[str]:
    """Every version that ``--to`` takes."""
    return sorted({str(number) for line in MIGRATIONS.values() for number in line.versions})


def version_of(text: str) -> int:
    """``5`` or ``v5`` as a number. Raises `BadUsage` for anything that nothing can reach."""
    word = text.removeprefix("v")
    number = int(word) if word.isascii() and word.isdecimal() and len(word) < 10 else None
    if number is None or all(number not in line.versions for line in MIGRATIONS.values()):
        raise BadUsage(f"--to takes {_all_versions()}")
    return number


def refuse_version(number: int, formats: set[str]) -> None:
    """Raise `BadUsage` if no file of these formats can reach that version."""
    known = {name: MIGRATIONS[name].versions for name in sorted(formats) if name in MIGRATIONS}
    if known and all(number not in versions for versions in known.values()):
        said = ", ".join(f"{name} is migrated to {_words(to)}" for name, to in known.items())
        raise BadUsage(f"--to {number} does not fit: {said}")


def function_of(place: str) -> Any:
    """A function of the table."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _words(versions: tuple[int, ...]) -> str:
    return one_of(map(str, versions))


def _all_versions() -> str:
    reached: dict[str, list[str]] = {}
    for name, line in MIGRATIONS.items():
        if line.migrate or line.stream:
            reached.setdefault(_words(line.versions), []).append(name)
    return one_of(f"{word} ({', '.join(names)})" for word, names in reached.items())
