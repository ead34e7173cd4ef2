"""Where dsh keeps a log: folder and file names from a header, and back from a path.

A root holds project folders, those hold one folder a session, that holds one file a generation:
``--PROJECT--/ID/session[.vN].jsonl[.zstd]``, with ``_no-cwd`` for sessions without a folder of
their own. Builds of June 2026 wrote ``cwd-<12 hex>/ID.jsonl`` instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Literal

from msgspec import Struct

NO_CWD = "_no-cwd"
PROJECT_CHARACTERS = 251
"""Where a project key is cut, so that the folder's name fits the usual 255."""

Layout = Literal["session", "seed"]

_GENERATION = re.compile(r"session(?:\.v([1-9][0-9]{0,15}))?\.jsonl(\.zstd)?")
_NEARLY = re.compile(r"session(?:\.v[^.]*)?\.jsonl(?:\.zstd)?", re.IGNORECASE)
_PROJECT = re.compile(r"--.+--", re.DOTALL)
_SEED_PROJECT = re.compile(r"cwd-[0-9a-f]{12}")
_SEPARATORS = re.compile(r"[/\\:]+")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Place(Struct, frozen=True):
    """What a path says about a log: the layout it lies in, which generation, which encoding.

    ``generation`` is None where the file has no name of a generation. ``project`` and ``session``
    are the names of the folders (of the file, in the old layout) as they are written; both are
    empty where the path is in no layout.
    """

    generation: int | None
    compressed: bool
    layout: Layout | None = None
    project: str = ""
    session: str = ""


def place_of(path: PurePath) -> Place:
    """What a path says; total, looks at nothing but the names."""
    names = path.parts[-3:]
    named = _GENERATION.fullmatch(path.name)
    if named is None:
        return _seed_place(path, names)
    generation = int(named[1]) if named[1] else 0
    compressed = named[2] is not None
    if len(names) == 3 and (names[0] == NO_CWD or _PROJECT.fullmatch(names[0])):
        return Place(generation, compressed, "session", names[0], names[1])
    return Place(generation, compressed)


def _seed_place(path: PurePath, names: tuple[str, ...]) -> Place:
    name = path.name
    compressed = name.endswith(".zstd")
    if len(names) >= 2 and name.endswith(".jsonl"):
        project = names[-2]
        if project == NO_CWD or _SEED_PROJECT.fullmatch(project):
            return Place(None, False, "seed", project, name.removesuffix(".jsonl"))
    return Place(None, compressed)


def is_misnamed(path: PurePath) -> bool:
    """Whether a file lies where a session's logs lie and nearly has the name of one: no program
    reads ``session.v0.jsonl``, ``session.v02.jsonl`` or ``Session.jsonl``."""
    if _NEARLY.fullmatch(path.name) is None or _GENERATION.fullmatch(path.name):
        return False
    return place_of(path.with_name("session.jsonl")).layout == "session"


def generation_name(version: int, *, compressed: bool = False) -> str:
    """The file name of a generation: ``session.jsonl`` for 0, ``session.vN.jsonl`` for others."""
    stem = "session" if version == 0 else f"session.v{version}"
    return f"{stem}.jsonl{'.zstd' if compressed else ''}"


def encoded_id(session_id: str) -> str:
    """The folder name of a session: one safe segment, a different one for each id.

    Raises `ValueError` for the empty id, which names no folder.
    """
    if not session_id:
        raise ValueError("the empty id names no folder")
    if session_id in (".", ".."):
        return "~002E" * len(session_id)
    return "".join(_escaped(session_id))


def project_folder(cwd: str | None) -> str:
    """The folder name of a project: lossy on purpose, so some working folders share one.

    Raises `ValueError` for the empty path.
    """
    if cwd is None:
        return NO_CWD
    if not cwd:
        raise ValueError("the empty path names no project")
    key = "".join(_escaped(_SEPARATORS.sub("-", cwd))).lstrip("-")
    return f"--{key[:PROJECT_CHARACTERS] or 'root'}--"


def seed_project_folder(cwd: str | None) -> str:
    """The folder name of a project in the layout of June 2026."""
    if cwd is None:
        return NO_CWD
    import hashlib  # only here: few logs lie where it is asked for

    # Halves of characters are written as the sign for what is no character.
    text = cwd.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    hashed = hashlib.sha256(text.encode()).hexdigest()
    return f"cwd-{hashed[:12]}"


def log_path(
    session_id: str, cwd: str | None, *, version: int = 0, compressed: bool = False
) -> PurePath:
    """Where below a root the log of that header lies; `ValueError` if it can lie nowhere."""
    name = generation_name(version, compressed=compressed)
    return PurePath(project_folder(cwd), encoded_id(session_id), name)


def _escaped(text: str) -> Iterator[str]:
    """The text with every UTF-16 unit that is not plain as ``~XXXX``."""
    for character in text:
        if character in _PLAIN:
            yield character
            continue
        units = character.encode("utf-16-be", "surrogatepass").hex().upper()
        yield from (f"~{units[at : at + 4]}" for at in range(0, len(units), 4))
