"""Where a command writes that makes a new file of each old one: `--out FILE` or `--out DIR`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from sesskit.cli.checking import Wanted
from sesskit.cli.usage import BadUsage, refuse_name
from sesskit.logs.formats import STDIN
from sesskit.logs.walking import is_folder, mode_of

Named = Callable[[str, str], str]
"""From the path of a file and its place below a folder to the place that the new one gets."""


def targets_of(
    wanted: Sequence[Wanted],
    paths: Iterable[str],
    out: str,
    *,
    force: bool,
    named: Named | None = None,
) -> dict[str, str]:
    """The new file for each of ``paths``, which are some of those wanted.

    One named file goes to ``out`` itself; otherwise, or where ``out`` is a folder, every file
    goes into it, those of a folder at their place below it, or at the one that ``named`` gives.
    Raises `BadUsage` before anything is written where a file would be replaced without ``force``,
    or two would become one.
    """
    refuse_name("--out", out)
    single = len(wanted) == 1 and not wanted[0].folder
    if single and not (is_folder(out) or out.endswith(os.sep)):
        found = dict.fromkeys(paths, out)
    else:
        if Path(out).suffix and not (Path(out).is_dir() or out.endswith(os.sep)):
            raise BadUsage(
                f"--out {out} is called like one file; for several name a folder, or {out}/"
            )
        places = {source.path: one for one in wanted for source in one.sources}
        below = {path: _below(places[path], path) for path in paths}
        if named is not None:
            below = {path: named(path, place) for path, place in below.items()}
        found = {path: str(Path(out, place)) for path, place in below.items()}
    sources = [path for one in wanted for path in (one.path, *(s.path for s in one.sources))]
    _refuse(found, sources, force=force)
    return found


def make_folder(target: str) -> None:
    """Make the folder of a target, and those above it, for their owner only, if not there."""
    folder = Path(target).parent
    for missing in reversed([each for each in (folder, *folder.parents) if not mode_of(each)]):
        missing.mkdir(mode=0o700, exist_ok=True)


def _below(wanted: Wanted, path: str) -> str:
    if path == STDIN:
        raise BadUsage("standard input has no name; give --out FILE, not a folder")
    return os.path.relpath(path, wanted.path) if wanted.folder else Path(path).name


def _refuse(found: dict[str, str], sources: Iterable[str], *, force: bool) -> None:
    read = {os.path.realpath(path) for path in sources if path != STDIN and "\0" not in path}
    taken: dict[str, str] = {}
    for path, target in found.items():
        if os.path.realpath(target) in read:
            raise BadUsage(f"--out would replace {target}, which is to be read; use --in-place")
        if target in taken:
            raise BadUsage(f"{taken[target]} and {path} would both become {target}")
        if os.path.lexists(target) and not force:
            raise BadUsage(f"there is {target} already; --force replaces it")
        taken[target] = path
