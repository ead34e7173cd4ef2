"""What lies in a log's payload directory: files no line refers to, strange entries, modes."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from sesskit.logs.sidecar_references import path_segments
from sesskit.schemas.issues import Issue

OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class SidecarListing:
    """A payload directory: names are relative to the log's directory, sorted."""

    files: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    """Regular files that no reference leads to; a cut or older log leaves them behind."""
    strange: tuple[str, ...] = ()
    """Links, directories, devices: a logger makes none of them."""
    issues: tuple[Issue, ...] = field(default=())
    certain: bool = True
    """Whether every reference of the log was read: otherwise there are no orphans to tell."""


def payload_directory_name(log: Path) -> str:
    """The name of a log's payload directory: ``<session>.payloads`` beside the log."""
    return f"{log.name.removesuffix('.jsonl')}.payloads"


def list_sidecars(log: Path, used: set[str], *, certain: bool = True) -> SidecarListing:
    """List a log's payload directory against the paths its references were ``used`` with.

    Unless it is ``certain`` that these are all, because lines or sidecars that may hold more could
    not be read, nothing is called an orphan.
    Modes that let others in are warnings (``mode-open``), an orphan is an info
    (``payload-orphan``), a strange entry a warning (``payload-strange``).
    """
    known = {"/".join(path_segments(path) or ()) for path in used}
    folder = log.parent / payload_directory_name(log)
    files, orphans, strange = [], [], []
    issues = [
        *_mode_issue(log.parent, "the folder of a session log"),
        *_mode_issue(log, "a session log"),
        *_mode_issue(folder, "the folder of a log's sidecars"),
    ]
    for name, found in _entries(folder):
        relative = f"{folder.name}/{name}"
        if not stat.S_ISREG(found.st_mode):
            strange.append(relative)
            issues.append(_strange(relative))
            continue
        files.append(relative)
        issues += _open_to_others(found, "a sidecar", relative)
        if certain and relative not in known:
            orphans.append(relative)
            issues.append(_orphan(relative))
    return SidecarListing(tuple(files), tuple(orphans), tuple(strange), tuple(issues), certain)


def _entries(folder: Path) -> list[tuple[str, os.stat_result]]:
    """Names and what they are, links not followed; nothing where there is no directory."""
    if folder.is_symlink():
        return []
    try:
        with os.scandir(folder) as entries:
            listed = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []
    return sorted(listed)


def _mode_issue(path: Path, what: str) -> list[Issue]:
    try:
        found = path.stat(follow_symlinks=False)
    except OSError:
        return []
    return _open_to_others(found, what) if not stat.S_ISLNK(found.st_mode) else []


def _open_to_others(found: os.stat_result, what: str, sidecar: str | None = None) -> list[Issue]:
    if os.name != "posix" or not found.st_mode & OTHERS:
        return []
    return [
        Issue(
            code="mode-open",
            severity="warning",
            message=f"{what} must be its owner's alone",
            expected="0700" if stat.S_ISDIR(found.st_mode) else "0600",
            found=f"{stat.S_IMODE(found.st_mode):04o}",
            sidecar=sidecar,
        )
    ]


def _orphan(name: str) -> Issue:
    return Issue(
        code="payload-orphan",
        severity="info",
        message="no line of the log refers to this sidecar",
        sidecar=name,
    )


def _strange(name: str) -> Issue:
    return Issue(
        code="payload-strange",
        severity="warning",
        message="no logger makes this: only regular files belong into a payload directory",
        sidecar=name,
    )
