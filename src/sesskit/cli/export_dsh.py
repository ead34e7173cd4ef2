"""A session of dsh as the ZIP that dsh itself exports: its log, its helpers', their media."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

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
from sesskit.schemas.outcomes import Corrupt

LOG = "dsh-log"
_SHOWN = 8


class Exported(NamedTuple):
    """A report, and whether there is nothing to be had."""

    report: Report
    failed: bool


def exported(log: str, out: str, *, force: bool, screen: Screen) -> Exported:
    """Write the archive of a session to ``out``: a file, a folder, or ``-``.

    Only sound logs are exported. Media that are nowhere to be found are told.
    """
    try:
        bundle = plan_bundle(Path(log))
    except NoSession as error:
        entry = entry_of(Finding(log, error.outcome, LOG), Rules())
        return _refused(entry, "it holds no session that could be exported", screen)
    except OSError as error:
        raise BadUsage(f"the root of {log} cannot be read") from error
    entries = [entry_of(Finding(str(one.path), one.outcome, LOG), Rules()) for one in bundle.logs]
    paired = zip(bundle.logs, entries, strict=True)
    bad = next((entry for log, entry in paired if not log.whole), None)
    if bad is not None:
        advice = "; sesskit repair makes one of it"
        advice = advice if isinstance(bad.finding.outcome, Corrupt) else ""
        return _refused(bad, f"only valid logs are exported{advice}", screen)
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
    done = told(entries[0], rows, {"exported": member}, screen)
    return Exported(Report((done,), hint=""), failed=False)


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
