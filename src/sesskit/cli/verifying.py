"""`sesskit share --verify-only`: every file that is there, what lies in folders of sidecars too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sesskit.artifacts.share import Share, Wishes, verify_data
from sesskit.cli.checking import Wanted
from sesskit.cli.looking import read_stdin
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.screen import Screen
from sesskit.cli.sharing import rows_left, share_member
from sesskit.cli.writes import told
from sesskit.logs.formats import STDIN, Finding
from sesskit.logs.walking import PAYLOADS
from sesskit.records.reading import ZeroFilled, read_document
from sesskit.schemas.outcomes import Missing, Unreadable

_LOG = ".jsonl"


def verified(wanted: Sequence[Wanted], wishes: Wishes, rules: Rules, screen: Screen) -> list[Entry]:
    """What is left in the files that paths stand for, in sidecars, and in names of folders."""
    entries = [
        _entry(path, name, beside, wishes, rules, screen)
        for one in wanted
        for path, name, beside in _files(one)
    ]
    folders = (found for one in wanted if one.folder for found in _folders(one.path))
    for path, name in folders:
        named = verify_data(name, b"", wishes)
        if named.refused:
            entries.append(_told(path, named, rules, screen))
    return entries


def _folders(path: str) -> Iterator[tuple[str, str]]:
    """A folder that was named, and those in it that hold no file whose name would have theirs."""
    yield path, Path(path).absolute().name
    for place, folders, names in os.walk(path):
        if place != path and not names and not folders:
            yield place, os.path.relpath(place, path)


def _files(one: Wanted) -> Iterator[tuple[str, str, list[str]]]:
    """Each file with its name from the folder on that was named, and the sidecars that go with it.

    Folders of sidecars without a log are gone through file by file.
    """
    taken: set[str] = set()
    for source in one.sources:
        name = os.path.relpath(source.path, one.path) if one.folder else Path(source.path).name
        beside = [] if source.path == STDIN else _beside(source.path)
        taken |= set(beside)
        yield source.path, "" if source.path == STDIN else name, beside
    for path in _in_payloads(one.path) if one.folder else ():
        if path not in taken:
            yield path, os.path.relpath(path, one.path), []


def _beside(log: str) -> list[str]:
    """The files of the folder that holds the sidecars of a log."""
    if not log.endswith(_LOG):
        return []
    return list(_below(log.removesuffix(_LOG) + PAYLOADS))


def _in_payloads(folder: str) -> Iterator[str]:
    for place, folders, _ in os.walk(folder):
        for name in sorted(folders):
            if name.endswith(PAYLOADS):
                yield from _below(str(Path(place, name)))


def _below(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders.sort()
        yield from (str(Path(place, name)) for name in sorted(files))


def _entry(
    path: str, name: str, beside: Sequence[str], wishes: Wishes, rules: Rules, screen: Screen
) -> Entry:
    """What is left in a file of any kind, and in what belongs to it."""
    result = _looked_into(path, name, wishes)
    if not isinstance(result, Share):
        return entry_of(Finding(path, result), rules)
    for side in beside:
        inside = str(Path(name).parent / os.path.relpath(side, Path(path).parent))
        found = _looked_into(side, inside, wishes)
        outcome = found.outcome if isinstance(found, Share) else found
        if not isinstance(found, Share) or isinstance(outcome, Unreadable):
            return entry_of(Finding(side, outcome), rules)
        result.left += found.left
        result.refused |= found.refused
    return _told(path, result, rules, screen)


def _told(path: str, result: Share, rules: Rules, screen: Screen) -> Entry:
    entry = entry_of(Finding(path, result.outcome), rules)
    rows = rows_left(result)
    if result.refused:
        rows = [("refused", "it must not be published as it is"), *rows]
    return told(entry, rows, share_member(result, None), screen)


def _looked_into(path: str, name: str, wishes: Wishes) -> Share | Missing | Unreadable:
    document = read_stdin() if path == STDIN else read_document(path)
    if isinstance(document, (Missing, Unreadable)):
        return document
    data = document.sample() if isinstance(document, ZeroFilled) else document
    return verify_data(name, data, wishes)
