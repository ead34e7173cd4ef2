"""Whether a new log may lie at a place below a root, so that programs still list that root.

A root holds logs of one encoding and one log of an id and version; a link would lead the log out of
the root (dsh-session section 9).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sesskit.logs.dsh.paths import generation_name, place_of

EXISTS = "there is a log of that session already"


class Obstacle(NamedTuple):
    """Why a log may not lie where it should, with a stable code, and what stands in its way."""

    code: str
    message: str
    path: Path


def obstacle(root: Path, target: Path) -> Obstacle | None:
    """What keeps a new log from lying at ``target`` below ``root``; None if nothing does.

    Looks at names alone. Raises `OSError` where a folder cannot be listed.
    """
    return next(_obstacles(root, target), None)


def _obstacles(root: Path, target: Path) -> Iterator[Obstacle]:
    for folder in (target.parent.parent, target.parent):
        if folder.is_symlink():
            yield Obstacle("layout-link", "its folder is a link and leads out of the root", folder)
    if os.path.lexists(target):
        yield Obstacle("session-exists", EXISTS, target)
    place = place_of(target.absolute())
    if place.layout != "session" or place.generation is None:
        return
    version, compressed = place.generation, place.compressed
    names = [generation_name(version, compressed=kind) for kind in (False, True)]
    for folder in _session_folders(root):
        for name in names:
            path = folder / name
            if not os.path.lexists(path):
                continue
            if folder.name == place.session:
                message = "the root holds a log of that session already"
                yield Obstacle("session-exists", message, path)
            if name.endswith(".zstd") is not compressed:
                message = "a root holds logs of one encoding, and this one has the other"
                yield Obstacle("layout-other-encoding", message, path)


def _session_folders(root: Path) -> Iterator[Path]:
    for project in _folders(root):
        yield from _folders(project)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as listing:
            return sorted(Path(e.path) for e in listing if e.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []
