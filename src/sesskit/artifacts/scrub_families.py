"""Which files of a folder are of one session: a log, what it put beside it, and its subagents.

What one of them gives away goes from all of them; files of different sessions know nothing of each
other. A format says which files belong together; of all others a folder belongs to the file beside
it that holds lines and is called the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from sesskit.artifacts.share_formats import share_format

__all__ = ["families"]

_LOGS: Final = (".jsonl", ".ndjson")
_BESIDE: Final = ("", ".payloads", ".sidecars", ".files", ".subagents")


def families(paths: Iterable[str], format_of: Callable[[str], str | None]) -> list[list[str]]:
    """The paths by session, each session in the order of its files, its main file first if any."""
    every = list(paths)
    known = set(every)
    owners = _owners_by_folder(every)
    groups: dict[str, list[str]] = {}
    for path in every:
        owner = _told_owner(path, known, format_of) or owners.get(path, path)
        while owner in owners and owners[owner] != owner:
            owner = owners[owner]
        groups.setdefault(owner, []).append(path)
    return [sorted(group, key=lambda path: path != owner) for owner, group in groups.items()]


def _told_owner(path: str, known: set[str], format_of: Callable[[str], str | None]) -> str | None:
    """The main file of the session of a path, as its format says, if that is asked for too."""
    adapter = share_format(format_of(path))
    at, owner = Path(path), None
    passed = {at}
    while adapter is not None:
        above = adapter.belongs(at)
        if above is None or above in passed or str(above) not in known:
            break
        passed.add(above)
        at, owner = above, str(above)
    return owner


def _owners_by_folder(paths: list[str]) -> dict[str, str]:
    """For files below a folder that is called like a file beside it: that file."""
    folders: dict[Path, str] = {}
    for path in paths:
        file = Path(path)
        if file.suffix in _LOGS:
            folders |= {file.with_name(file.stem + ending): path for ending in _BESIDE}
    found = {}
    for path in paths:
        for folder in Path(path).parents:
            owner = folders.get(folder)
            if owner is not None and owner != path:
                found[path] = owner
                break
    return found
