"""The work of `sesskit share`: each session with its family, written as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from sesskit.artifacts.share import Share, Shared, Wishes, share_data
from sesskit.artifacts.share_formats import File, ShareFormat, share_format
from sesskit.cli.checking import Wanted, data_of
from sesskit.cli.redactions import counted, findings, rows_of_found
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.targets import make_folder, targets_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import STDIN
from sesskit.logs.walking import is_folder
from sesskit.records.files import sync_folder, write_atomic

_ONLY_VALID: Final = "only a valid session is shared"


class Family(NamedTuple):
    """A session with the other files that belong to it."""

    entry: Entry
    adapter: ShareFormat | None
    data: bytes
    others: tuple[File, ...]


class Done(NamedTuple):
    """What became of a session, and the path of its main file, if it was written."""

    result: Share
    target: str | None


class Work(NamedTuple):
    """Where results go: a file for each source, or all below ``folder``."""

    targets: dict[str, str]
    inputs: frozenset[str]
    folder: str | None
    force: bool

    def entries(
        self, entries: Sequence[Entry], wishes: Wishes, rules: Rules, screen: Screen
    ) -> list[Entry]:
        """Share the sessions of some files; each entry says what was done, or why nothing."""
        owners = _owners(entries)
        done: dict[str, Done | None] = {}
        for entry in entries:
            path = entry.finding.path
            if path not in owners:
                done[path] = self.shared(entry, wishes)
        told_of = []
        for entry in entries:
            owner = owners.get(entry.finding.path)
            if owner is None:
                told_of.append(_told(entry, done[entry.finding.path], rules, screen))
            else:
                told_of.append(_told_with(entry, owner, done[owner], screen))
        return told_of

    def shared(self, entry: Entry, wishes: Wishes) -> Done | None:
        """Share one session and write it; None for a file that is no valid session."""
        finding = entry.finding
        if finding.status != "valid" or finding.format is None:
            return None
        family = self.family(entry)
        name = "" if finding.path == STDIN else Path(finding.path).name
        target = self.targets[finding.path]
        called = "" if self.folder is not None else Path(target).name
        result = share_data(name, family.data, finding.format, wishes, family.others, called)
        if not result.files:
            return Done(result, None)
        rooted = family.adapter is not None and family.adapter.rooted and self.folder is not None
        base = Path(self.folder or "") if rooted else Path(target).parent
        self.write(base, result.files, family)
        return Done(result, str(base / result.files[0].name))

    def family(self, entry: Entry) -> Family:
        """The bytes of a session and of what belongs to it."""
        finding = entry.finding
        adapter, data = share_format(finding.format), data_of(finding)
        alone = adapter is None or finding.path == STDIN or (adapter.rooted and not self.folder)
        others = () if alone or adapter is None else tuple(adapter.family(Path(finding.path), data))
        return Family(entry, adapter, data, others)

    def write(self, base: Path, files: Sequence[Shared], family: Family) -> None:
        """Write the files of a session below a folder, the main one last.

        A new folder comes to be at once, with all that is in it.
        """
        beside = Path(family.entry.finding.path).parent
        read = self.inputs | {os.path.realpath(beside / name) for name, _ in family.others}
        for file in files:
            if os.path.realpath(base / file.name) in read:
                raise BadUsage(f"--out would replace {base / file.name}, which is to be read")
        if len(files) > 1 and not os.path.lexists(base):
            self.write_folder(base, files)
        else:
            self.write_files(base, files, overwrite=self.force)

    def write_folder(self, base: Path, files: Sequence[Shared]) -> None:
        """Make a folder with files in it; there is nothing of its name until they are whole."""
        with writing(str(base)):
            make_folder(str(base))
            made = tempfile.mkdtemp(prefix=f".{base.name[:100]}.", suffix=".tmp", dir=base.parent)
            stage = Path(made)
            try:
                self.write_files(stage, files, overwrite=False)
                stage.rename(base)
                sync_folder(base.parent)
            except BaseException:
                shutil.rmtree(stage, ignore_errors=True)
                raise

    def write_files(self, base: Path, files: Sequence[Shared], *, overwrite: bool) -> None:
        """Write files, the main one last; new ones go again where one cannot be written."""
        made: list[Path] = []
        folders: list[Path] = []
        try:
            for file in (*files[1:], files[0]):
                place = base / file.name
                new = not os.path.lexists(place)
                folders += [folder for folder in place.parents if not os.path.lexists(folder)]
                with writing(str(place)):
                    make_folder(str(place))
                    made += [place] if new else []
                    write_atomic(place, file.data, overwrite=overwrite)
        except BaseException:
            _take_back(made, folders)
            raise


def _take_back(made: Iterable[Path], folders: Iterable[Path]) -> None:
    """Remove what was made, and the folders that were made for it, unless something is in them."""
    with contextlib.suppress(OSError):
        for place in made:
            place.unlink(missing_ok=True)
    for folder in sorted(set(folders), key=lambda each: len(each.parts), reverse=True):
        with contextlib.suppress(OSError):
            folder.rmdir()


def work_of(wanted: Sequence[Wanted], entries: Iterable[Entry], out: str, *, force: bool) -> Work:
    """The work of one run. Raises `BadUsage` where a file would be replaced.

    Sessions of several files go into a folder, unless ``out`` is called like a file.
    """
    entries = list(entries)
    adapters = [share_format(entry.finding.format) for entry in entries]
    foldered = any(adapter is not None and adapter.foldered for adapter in adapters)
    folder = is_folder(out) or out.endswith(os.sep) or len(wanted) > 1 or wanted[0].folder
    if foldered and not folder and not Path(out).suffix:
        out, folder = f"{out}{os.sep}", True
    paths = [entry.finding.path for entry in entries]
    targets = targets_of(wanted, paths, out, force=force)
    sources = (source.path for one in wanted for source in one.sources)
    inputs = frozenset(os.path.realpath(path) for path in sources if path != STDIN)
    return Work(targets, inputs, out if folder else None, force)


def _owners(entries: Sequence[Entry]) -> dict[str, str]:
    """The files that belong to the session of another one of them, with its path."""
    formats = {entry.finding.path: entry.finding.format for entry in entries}
    found: dict[str, str] = {}
    for path, name in formats.items():
        adapter = share_format(name)
        owner, at = None, path
        while adapter is not None and at != STDIN:
            above = adapter.belongs(Path(at))
            if above is None or formats.get(str(above)) != name:
                break
            owner = at = str(above)
        if owner is not None:
            found[path] = owner
    return found


def _told(entry: Entry, done: Done | None, rules: Rules, screen: Screen) -> Entry:
    if done is None:
        return told(entry, [("not shared", _ONLY_VALID)], {"share": None}, screen)
    result = done.result
    if done.target is None:
        other = entry_of(entry.finding._replace(outcome=result.outcome), rules)
        rows = [("not shared", result.why), *rows_left(result)]
        return told(other, rows, share_member(result, None), screen)
    found = [one for file in result.files for one in file.found]
    size = sum(len(file.data) for file in result.files)
    many = f"{len(result.files):,} files, " if len(result.files) > 1 else ""
    rows = [("shared", f"to {done.target} ({many}{size:,} bytes): {counted(found)}")]
    rows += rows_of_found(found, "replaced", main=result.files[0].name)
    rows += rows_left(result)
    return told(entry, rows, share_member(result, done.target), screen)


def _told_with(entry: Entry, owner: str, done: Done | None, screen: Screen) -> Entry:
    """The entry of a file that was shared, or not, with the session that it belongs to."""
    if done is None or done.target is None:
        row = ("not shared", f"it belongs to {owner}")
        return told(entry, [row], {"share": None}, screen)
    member = share_member(Share(done.result.outcome), done.target)
    return told(entry, [("shared", f"with {owner}")], member, screen)


def rows_left(result: Share) -> list[Row]:
    """What verification found, as rows: what refuses first."""
    left = [found for _, found in result.left]
    if not left:
        return []
    main = result.files[0].name if result.files else left[0].file
    sure = [found for found in left if found.confidence == "high" and found.kind == "secret"]
    unsure = [found for found in left if found not in sure]
    rows = [*rows_of_found(sure, "still there", main=main)]
    return [*rows, *rows_of_found(unsure, "perhaps", main=main)]


def share_member(result: Share, target: str | None) -> dict[str, Any]:
    """What was done as a member of the report."""
    found = [one for file in result.files for one in file.found]
    return {
        "share": {
            "path": target,
            "count": len(found),
            "findings": findings(found),
            "left": findings(one for _, one in result.left),
            "refused": result.refused,
            "placeholdersBefore": result.kept,
        }
    }
