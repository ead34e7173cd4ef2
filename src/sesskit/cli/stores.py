"""Stores of sessions: which kind a folder is, and where its sessions are.

A kind of store is one line of `STORES`: its format, how its files are named after a session, and
what the commands of `sesskit store` do with it (`Home`).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sesskit.cli.usage import BadUsage, one_of, refuse_name
from sesskit.cli.writes import unwritten
from sesskit.logs.formats import Recognized, identify
from sesskit.logs.walking import mode_of
from sesskit.records.reading import reason_for

if TYPE_CHECKING:
    from sesskit.schemas.instants import Instant
    from sesskit.schemas.issues import Issue
    from sesskit.schemas.outcomes import Outcome


class Listed(NamedTuple):
    """A session of a store: ``updated`` is when it was last, as far as the format or its file say;
    ``record_id`` is the id that the record inside says; ``note`` what its status does not say."""

    id: str
    path: str
    outcome: Outcome
    updated: Instant | None = None
    record_id: str | None = None
    note: str = ""


class Stored(NamedTuple):
    """What became of a record. ``written`` is True also where the same record was there already.

    ``issues`` are what is wrong with the record itself, where that is why it was refused.
    """

    written: bool
    words: str
    member: dict[str, Any]
    issues: tuple[Issue, ...] = ()


def stored_member(session_id: str, place: str) -> dict[str, Any]:
    """A record that was stored, as a member of the report."""
    return {"id": session_id, "path": place, "refused": None}


def refused(reason: str, words: str, issues: tuple[Issue, ...] = ()) -> Stored:
    """A record that was not stored, and why."""
    return Stored(False, words, {"refused": reason}, issues)


def why_of(result: Stored, source: Iterable[Issue]) -> str:
    """The words of a result; those about the record itself with their place in its source."""
    return unwritten(result.issues, source) if result.issues else result.words


class Home(Protocol):
    """A store, as the commands use it. Ids are safe segments; raises `OSError` as the system does.

    ``put`` replaces a different session of the same id only with ``force``, a damaged one never.
    """

    def list(self) -> list[Listed]: ...
    def put(self, value: Any, *, force: bool) -> Stored: ...
    def load(self, session_id: str) -> Outcome: ...
    def delete(self, session_id: str) -> bool: ...


class Kind(NamedTuple):
    """``tail`` is what the path of a session's file has behind its id; ``home`` is
    ``module:class``, made with the folder of the store.

    Where files do not lie so, the module ``finder`` has ``path`` and ``ids``; it is asked where a
    folder in the store is called like ``folders``, always where that is empty. Such an id is no
    part of a path.
    """

    format: str
    tail: str
    home: str

    finder: str = ""
    folders: str = ""

    def path(self, folder: str, session_id: str) -> str:
        """Where the file of a session is, or would be."""
        if self.finder:
            return str(import_module(self.finder).path(folder, session_id))
        return str(Path(folder, session_id + self.tail))

    def ids(self, folder: str) -> list[str]:
        """The ids of all sessions, sorted. Raises `OSError` for a folder that cannot be read."""
        if self.finder and not self.folders:
            return list(import_module(self.finder).ids(folder))
        names = sorted(path.name for path in Path(folder).iterdir())
        if self.finder:
            fitting = any(re.fullmatch(self.folders, name) for name in names)
            return list(import_module(self.finder).ids(folder)) if fitting else []
        if self.tail.startswith(os.sep):
            return [name for name in names if os.path.lexists(self.path(folder, name))]
        return [name.removesuffix(self.tail) for name in names if name.endswith(self.tail)]

    def open(self, folder: str) -> Home:
        """The store itself."""
        module, _, name = self.home.partition(":")
        made: Home = getattr(import_module(module), name)(folder)
        return made


STORES = (
    Kind("robota-record", ".json", "sesskit.cli.store_robota:RobotaHome"),
    Kind("ochat-record", "/snapshot.bin", "sesskit.cli.store_ochat:OchatHome"),
    Kind(
        "dsh-log",
        "",
        "sesskit.cli.store_dsh:DshHome",
        "sesskit.cli.store_dsh",
        r"--.+--|_no-cwd|cwd-[0-9a-f]{12}",
    ),
)

DATABASE = Kind("dsh-log", "", "sesskit.cli.database:DatabaseHome", "sesskit.cli.database")
"""The kind of a store that is no folder but one file."""


def is_database(store: str) -> bool:
    """Whether a store is a database of sessions, not a folder of them."""
    if not stat.S_ISREG(mode_of(store)):
        return False
    found = identify(store)
    return isinstance(found, Recognized) and found.entry.name == "dsh-sqlite"


def store_kind(folder: str, format: str | None = None, *, usual: str = STORES[0].format) -> Kind:
    """The kind of a store: that of ``format`` if it has one, else by what is in the folder.

    An empty folder, or one that is not there yet, is of the ``usual`` kind. Raises `BadUsage` for
    a folder of two kinds, and for one that cannot be read.
    """
    refuse_name("--store", folder)
    if is_database(folder) and format in (None, DATABASE.format):
        return DATABASE
    found = [kind for kind in STORES if kind.format == format]
    if found:
        return found[0]
    for kind in STORES:
        try:
            found += [kind] if kind.ids(folder) else []
        except (FileNotFoundError, NotADirectoryError):
            continue  # whoever reads or writes it says so
        except OSError as error:
            raise BadUsage(f"--store {folder} cannot be read: {reason_for(error)}") from error
    if len(found) > 1:
        names = one_of(kind.format for kind in found)
        raise BadUsage(f"--store {folder} holds sessions of two kinds; say --format {names}")
    return found[0] if found else kind_of(usual)


def kind_of(format: str) -> Kind:
    """The kind of store that holds sessions of a format. Raises `BadUsage` if none does."""
    for kind in STORES:
        if kind.format == format:
            return kind
    raise BadUsage(f"there is no store of {format}; stores hold {one_of(k.format for k in STORES)}")
