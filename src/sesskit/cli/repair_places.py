"""Where `sesskit repair` writes: the log, its other branches, what is in neither."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from sesskit.cli.checking import Wanted
from sesskit.cli.usage import BadUsage, refuse_name
from sesskit.logs.dsh.generations import Generation, generation_of
from sesskit.logs.dsh.paths import encoded_id, generation_name, place_of
from sesskit.logs.formats import STDIN
from sesskit.logs.walking import is_folder

REPAIRED, LOST = ".repaired", ".lost+found"
MADE = re.compile(r"\.(repaired|branch-[0-9]+|lost\+found)\Z")
"""Names that an earlier repair gave: in a folder they are passed by."""

_STEM = re.compile(r"(?P<stem>.*?)(?P<ending>(?:\.jsonl)?(?:\.zstd)?)", re.DOTALL)


class Where(NamedTuple):
    """What was asked for with ``--out``: None is beside the input."""

    out: str | None
    folder: bool
    below: dict[str, str]
    """For a file of a folder that was named, its place below that folder."""


def where(wanted: Sequence[Wanted], out: str | None) -> Where:
    """What ``--out`` means for these files. Raises `BadUsage` where it cannot mean anything."""
    refuse_name("--out", out)
    paths = [source.path for one in wanted for source in one.sources]
    if out is None:
        if STDIN in paths:
            raise BadUsage("standard input has no name to write beside; give --out FILE")
        return Where(None, False, {})
    folder = is_folder(out) or out.endswith(os.sep)
    single = len(wanted) == 1 and not wanted[0].folder
    if not folder and not single:
        if PurePath(out).suffix:
            raise BadUsage(
                f"--out {out} is called like one file; for several name a folder, or {out}/"
            )
        folder = True
    if folder and STDIN in paths:
        raise BadUsage("standard input has no name; give --out FILE, not a folder")
    below = {s.path: os.path.relpath(s.path, w.path) for w in wanted if w.folder for s in w.sources}
    return Where(out, folder, below)


def target_of(path: str, name: str, chosen: Where) -> str:
    """Where the repaired log of ``path`` goes; ``name`` is what it has to be called there.

    A log that lies in a root of dsh keeps its folders below an ``--out`` that is a folder.
    """
    if chosen.out is None:
        return path + REPAIRED
    if not chosen.folder:
        return chosen.out
    if path in chosen.below:
        return str(Path(chosen.out, chosen.below[path]).with_name(name))
    place = place_of(Path(path).absolute())
    if place.layout == "session":
        return str(Path(chosen.out, place.project, place.session, name))
    return str(Path(chosen.out, *([place.project] if place.layout == "seed" else []), name))


def branch_of(target: str, number: int, session: str) -> str:
    """Where another branch of a log goes that goes to ``target``: in a root it is a session."""
    path = Path(target)
    if target.endswith(REPAIRED):
        return f"{target.removesuffix(REPAIRED)}.branch-{number}"
    place = place_of(path.absolute())
    if place.layout == "session":
        return str(path.parent.with_name(encoded_id(session)) / path.name)
    if place.layout == "seed":
        return str(path.with_name(f"{encoded_id(session)}.jsonl"))
    found = _STEM.fullmatch(path.name)
    stem, ending = (found["stem"], found["ending"]) if found else (path.name, "")
    return str(path.with_name(f"{stem}.branch-{number}{ending}"))


def lost_of(target: str) -> str:
    """Where the bytes go that are in no log."""
    return target.removesuffix(REPAIRED) + LOST


def name_of(path: PurePath, header: dict[str, Any] | None, *, compressed: bool) -> str:
    """What a log has to be called: the programs go by the name, so it must fit what is in it."""
    if place_of(path).generation is None or header is None:
        return path.name
    generation = generation_of(header)
    if not isinstance(generation, Generation) or generation.seed:
        return path.name
    return generation_name(generation.version, compressed=compressed)


def refuse_taken(targets: Sequence[str], inputs: Sequence[str], *, force: bool) -> None:
    """Raise `BadUsage` for a place that is an input, or that is taken without ``force``."""
    read = {os.path.realpath(path) for path in inputs if path != STDIN and "\0" not in path}
    for target in targets:
        if os.path.realpath(target) in read or any(_same(target, path) for path in inputs):
            raise BadUsage(f"{target} is to be read; repair never writes into what it reads")
        if os.path.lexists(target) and not force:
            raise BadUsage(f"there is {target} already; --force replaces it")


def _same(target: str, path: str) -> bool:
    try:
        return Path(target).samefile(path)
    except (OSError, ValueError):
        return False
