"""A session of dsh as the ZIP that dsh itself exports: its log, its helpers', their media."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from sesskit.cli.database import as_root, looked_up, named_in
from sesskit.cli.output import refuse_existing
from sesskit.cli.report import Entry, Report, Rules, entry_of
from sesskit.cli.rows import Row, safe
from sesskit.cli.screen import Screen, note, write_bytes
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.dsh.bundles import Bundle, NoSession, plan_bundle, write_bundle
from sesskit.logs.dsh.opening import blocks
from sesskit.logs.formats import STDIN, Finding
from sesskit.logs.walking import is_folder
from sesskit.records.files import write_atomic
from sesskit.schemas.masking import mask_text
from sesskit.schemas.outcomes import Missing, Outcome, Unsupported

LOG = "dsh-log"
_SHOWN = 8


class Exported(NamedTuple):
    """A report, and whether there is nothing to be had."""

    report: Report
    failed: bool


def exported_from(path: str, out: str, *, force: bool, screen: Screen) -> Exported:
    """The same for a session of a database, with the helpers that it holds as well; attachments
    are looked for beside the database."""
    found = looked_up(path)
    named = named_in(path)
    if found is None or named is None or found.status != "valid":
        entry = entry_of(found or Finding(path, Missing()), Rules())
        return _refused(entry, "only valid sessions are exported", screen)
    with tempfile.TemporaryDirectory() as folder:
        places = as_root(named[0], Path(folder, "sessions"))
        if named[1] not in places:
            return _refused(entry_of(found, Rules()), "its header names no place", screen)
        beside = Path(named[0]).parent / "attachments"
        log = str(places[named[1]])
        return exported(log, out, force=force, screen=screen, shown=path, attachments=beside)


def exported(
    log: str,
    out: str,
    *,
    force: bool,
    screen: Screen,
    shown: str | None = None,
    attachments: Path | None = None,
) -> Exported:
    """Write the archive of a session to ``out``: a file, a folder, or ``-``.

    Only sound logs are exported, those of v4 as far as v4 is known. Media that are
    nowhere to be found are told. ``shown`` is what the session is called instead of ``log``.
    """
    try:
        bundle = plan_bundle(Path(log), attachments=attachments)
    except NoSession as error:
        entry = entry_of(Finding(log, error.outcome, LOG), Rules())
        return _refused(entry, "it holds no session that could be exported", screen)
    except OSError as error:
        raise BadUsage(f"the root of {log} cannot be read") from error
    entries = [entry_of(Finding(str(one.path), one.outcome, LOG), Rules()) for one in bundle.logs]
    paired = zip(bundle.logs, entries, strict=True)
    bad = next((entry for log, entry in paired if not log.whole), None)
    if bad is not None:
        return _refused(bad, _why(bad.finding.outcome), screen)
    target = str(Path(out, bundle.name)) if is_folder(out) else out
    if target != STDIN:
        refuse_existing(target, force=force, inputs=[str(one.path) for one in bundle.logs])
    size, digest = _written(bundle, target, force=force)
    if target == STDIN:
        for missing in bundle.missing[:_SHOWN]:
            note(f"{missing.name} is not among the attachments; it is left out")
        return Exported(Report(()), failed=False)
    rows = list(_rows(bundle, target, size))
    member = _member(bundle, target, size, digest)
    first = entries[0]
    if shown is not None:
        first = first._replace(finding=first.finding._replace(path=shown))
    done = told(first, rows, {"exported": member}, screen)
    return Exported(Report((done,), hint=""), failed=False)


def _why(outcome: Outcome) -> str:
    if isinstance(outcome, Unsupported):
        return "only valid logs are exported; this one is not of a version that is known"
    return "only valid logs are exported; sesskit repair makes one of it"


def _refused(entry: Entry, why: str, screen: Screen) -> Exported:
    shown = told(entry, [("refused", f"{why}; nothing was written")], {"exported": None}, screen)
    return Exported(Report((shown,)), failed=True)


def _written(bundle: Bundle, target: str, *, force: bool) -> tuple[int, str]:
    """Write the archive, whole or not at all; gives its length and SHA-256."""
    folder = None if target == STDIN else str(Path(target).absolute().parent)
    digest = hashlib.sha256()
    with writing(target), tempfile.TemporaryFile(dir=folder) as held:
        write_bundle(bundle, held)
        held.seek(0)
        for block in blocks(held):
            digest.update(block)
        size = held.tell()
        held.seek(0)
        if target == STDIN:
            for block in blocks(held):
                write_bytes(block)
        else:
            write_atomic(target, _blocks(held), overwrite=force)
    return size, digest.hexdigest()


def _blocks(source: BinaryIO) -> Iterator[bytes]:
    yield from blocks(source)


def _rows(bundle: Bundle, target: str, size: int) -> Iterator[Row]:
    helpers = len(bundle.logs) - 1
    media = len(bundle.media) - len(bundle.missing)
    held = [f"{helpers:,} helper{'' if helpers == 1 else 's'}"] * bool(helpers)
    held += [f"{media:,} attachment{'' if media == 1 else 's'}"] * bool(media)
    with_ = f" with {' and '.join(held)}" if held else ""
    yield "exported", f"to {target} ({size:,} bytes){with_}"
    for number, missing in enumerate(bundle.missing[:_SHOWN]):
        yield "" if number else "not found", safe(missing.name, 80)
    if len(bundle.missing) > _SHOWN:
        yield "", f"and {len(bundle.missing) - _SHOWN:,} more"


def _member(bundle: Bundle, target: str, size: int, digest: str) -> dict[str, Any]:
    return {
        "path": target,
        "bytes": size,
        "sha256": digest,
        "logs": [{"name": mask_text(one.name), "id": mask_text(one.id)} for one in bundle.logs],
        "media": [one.name for one in bundle.media if one.path is not None],
        "missing": [one.name for one in bundle.missing],
    }
