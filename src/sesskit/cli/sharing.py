"""The work of `sesskit share`: each session with its family, written as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from sesskit.artifacts.share import Share, Shared, Wishes, share_data
from sesskit.artifacts.share_formats import File, ShareFormat, share_format
from sesskit.cli.checking import Wanted
from sesskit.cli.looking import data_of
from sesskit.cli.redactions import counted, findings, rows_of_found
from sesskit.cli.report import Entry, Rules, entry_of
from sesskit.cli.rows import Row
from sesskit.cli.screen import Screen
from sesskit.cli.share_files import put_files
from sesskit.cli.share_pages import Asked, Pages, asked
from sesskit.cli.targets import targets_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told
from sesskit.logs.formats import STDIN
from sesskit.logs.walking import is_folder

_ONLY_VALID: Final = "only a valid session is shared"


class Family(NamedTuple):
    """A session with the other files that belong to it."""

    entry: Entry
    adapter: ShareFormat | None
    data: bytes
    others: tuple[File, ...]


class Done(NamedTuple):
    """What became of a session, the path of its main file, if it was written, and its pages."""

    result: Share
    target: str | None = None
    pages: Pages | None = None

    @property
    def written(self) -> bool:
        return self.target is not None or self.pages is not None


class Work(NamedTuple):
    """Where results go: a file for each source, all below ``folder``, or in pages alone.

    ``written`` has the source of each file, since formats choose names themselves.
    """

    targets: dict[str, str]
    inputs: frozenset[str]
    folder: str | None
    force: bool
    html: Asked | None
    written: dict[str, str]

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
        if finding.format is None or finding.status not in ("valid", "unsupported"):
            return None
        family = self.family(entry)
        name = "" if finding.path == STDIN else Path(finding.path).name
        called = Path(self.targets[finding.path]).name if self.is_file else ""
        result = share_data(name, family.data, finding.format, wishes, family.others, called)
        if not result.files:
            return Done(result)
        left, pages = (), None
        if self.html is not None:
            left, pages = self.html.of(finding.path, result, finding.format, wishes)
        if left:
            why = "something secret or personal is in its pages, or in their name"
            return Done(replace(result, files=(), left=tuple(left), refused=True, why=why))
        base = self.base(family)
        target = None if base is None else str(base / result.files[0].name)
        if target is not None and target in self.written:
            why = f"it would become the same file as {self.written[target]}"
            return Done(replace(result, files=(), why=why))
        self.publish(base, result.files, pages, family)
        if base is not None:
            self.written.update((str(base / each.name), finding.path) for each in result.files)
        return Done(result, target, pages)

    @property
    def is_file(self) -> bool:
        """Whether a session goes to a file of a given name."""
        return self.folder is None and bool(self.targets)

    def base(self, family: Family) -> Path | None:
        """The folder that the names of a session's files are to be seen from."""
        target = self.targets.get(family.entry.finding.path)
        if target is None:
            return None
        rooted = family.adapter is not None and family.adapter.rooted
        return Path(self.folder) if rooted and self.folder is not None else Path(target).parent

    def family(self, entry: Entry) -> Family:
        """The bytes of a session and of what belongs to it."""
        finding = entry.finding
        adapter, data = share_format(finding.format), data_of(finding)
        alone = adapter is None or finding.path == STDIN or (adapter.rooted and self.is_file)
        others = () if alone or adapter is None else tuple(adapter.family(Path(finding.path), data))
        return Family(entry, adapter, data, others)

    def publish(
        self, base: Path | None, files: Sequence[Shared], pages: Pages | None, family: Family
    ) -> None:
        """Write the session and its pages: both, or neither of them."""
        beside = Path(family.entry.finding.path).parent
        read = self.inputs | {os.path.realpath(beside / name) for name, _ in family.others}
        for file in files if base is not None else ():
            if base is not None and os.path.realpath(base / file.name) in read:
                raise BadUsage(f"--out would replace {base / file.name}, which is to be read")
        with contextlib.ExitStack() as stack:
            put = stack.enter_context(pages.staged(force=self.force)) if pages else _nothing
            undo = _nothing
            if base is not None:
                undo = put_files(base, files, overwrite=self.force)
            try:
                put()
            except BaseException:
                undo()
                raise


def _nothing() -> None:
    """Nothing to put anywhere, and nothing to undo."""


def work_of(
    wanted: Sequence[Wanted],
    entries: Iterable[Entry],
    out: str | None,
    html: str | None,
    *,
    force: bool,
) -> Work:
    """The work of one run. Raises `BadUsage` where a file would be replaced.

    Sessions of several files go into a folder, unless ``out`` is called like a file.
    """
    entries = list(entries)
    paths = [entry.finding.path for entry in entries]
    sources = [source.path for one in wanted for source in one.sources]
    inputs = frozenset(os.path.realpath(path) for path in sources if path != STDIN)
    targets: dict[str, str] = {}
    folder = None
    if out is not None:
        out, folder = _folder_of(out, wanted, entries)
        targets = targets_of(wanted, paths, out, force=force)
    if html is None:
        return Work(targets, inputs, folder, force, None, {})
    pages = asked(html, wanted, paths, [*sources, *targets.values()], force=force)
    return Work(targets, inputs, folder, force, pages, {})


def _folder_of(
    out: str, wanted: Sequence[Wanted], entries: Iterable[Entry]
) -> tuple[str, str | None]:
    """What ``--out`` means, and the folder that it is, if it is one."""
    adapters = [share_format(entry.finding.format) for entry in entries]
    foldered = any(adapter is not None and adapter.foldered for adapter in adapters)
    if is_folder(out) or out.endswith(os.sep) or len(wanted) > 1 or wanted[0].folder:
        return out, out
    if foldered and not Path(out).suffix:
        return f"{out}{os.sep}", out
    return out, None


def _owners(entries: Sequence[Entry]) -> dict[str, str]:
    """The files that belong to the session of another one of them, with its path."""
    formats = {entry.finding.path: entry.finding.format for entry in entries}
    found: dict[str, str] = {}
    for path, name in formats.items():
        adapter = share_format(name)
        owner, at = None, path
        passed = {path}
        while adapter is not None and at != STDIN:
            above = str(adapter.belongs(Path(at)))
            if formats.get(above) != name:
                break
            if above in passed:  # sessions that say they started each other
                owner = None
                break
            passed.add(above)
            owner = at = above
        if owner is not None:
            found[path] = owner
    return found


def _told(entry: Entry, done: Done | None, rules: Rules, screen: Screen) -> Entry:
    if done is None:
        return told(entry, [("not shared", _ONLY_VALID)], {"share": None}, screen)
    result = done.result
    if not done.written:
        other = entry_of(entry.finding._replace(outcome=result.outcome), rules)
        rows = [("not shared", result.why), *rows_left(result)]
        return told(other, rows, share_member(result, None), screen)
    found = [one for file in result.files for one in file.found]
    size = sum(len(file.data) for file in result.files)
    many = f"{len(result.files):,} files, " if len(result.files) > 1 else ""
    where = f"to {done.target} ({many}{size:,} bytes)" if done.target else "in pages"
    rows = [("shared", f"{where}: {counted(found)}")]
    rows += [done.pages.row()] if done.pages else []
    if entry.finding.status != "valid":
        rows.append(("proven", "by its structure alone: events of this version are not decoded"))
    rows += rows_of_found(found, "replaced", main=result.files[0].name)
    rows += rows_left(result)
    members = share_member(result, done.target) | (done.pages.member() if done.pages else {})
    return told(entry, rows, members, screen)


def _told_with(entry: Entry, owner: str, done: Done | None, screen: Screen) -> Entry:
    """The entry of a file that was shared, or not, with the session that it belongs to."""
    if done is None or not done.written:
        row = ("not shared", f"it belongs to {owner}")
        return told(entry, [row], {"share": None}, screen)
    member = share_member(Share(done.result.outcome), done.target)
    member |= done.pages.member() if done.pages else {}
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
