"""An exported session of dsh taken into a root: every log and attachment checked before a write."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sesskit.cli.output import Display
from sesskit.cli.report import Entry, Report, Rules, entry_of
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.dsh.roots import survey
from sesskit.logs.dsh.unbundling import AlreadyThere, NoBundle, Unbundled, unbundle
from sesskit.logs.formats import Finding
from sesskit.records.format import Recognition
from sesskit.records.reading import Document, reason_for
from sesskit.schemas.issues import Issue
from sesskit.schemas.masking import mask_text
from sesskit.schemas.outcomes import Corrupt, Missing, Outcome, Unreadable, Unsupported, Valid

LOG = "dsh-log"
_ARCHIVE = Recognition("certain", "it is a ZIP archive")


def imported(
    file: str, source: Document | None, root: str, display: Display
) -> tuple[Report, bool]:
    """Take an archive, a file or the bytes of standard input, into a root of dsh.

    Gives the report, and whether nothing was written.
    """
    if isinstance(source, Unreadable | Missing):
        return Report((_entry(file, source),)), True
    data = source if isinstance(source, bytes) else b""
    try:
        bundle = unbundle(Path(file) if source is None else io.BytesIO(data))
    except NoBundle as error:
        issue = Issue("bundle-damaged", str(error))
        return _refused(_entry(file, Corrupt((issue,))), "nothing was written", display)
    except FileNotFoundError:
        return Report((_entry(file, Missing()),)), True
    except OSError as error:
        return Report((_entry(file, Unreadable(reason_for(error))),)), True
    with bundle:
        entry = _entry(file, _outcome(bundle))
        if not bundle.sound:
            return _refused(entry, "nothing was written", display)
        try:
            with writing(root):
                paths = bundle.place(Path(root), compressed=_compressed(root))
        except BadUsage as error:
            found = error.__cause__
            if not isinstance(found, AlreadyThere):
                raise
            why = f"{found.strerror} ({found.filename}); what a root holds is never replaced"
            return _refused(entry, why, display)
        return Report((_done(entry, bundle, paths, display),), hint=""), False


def _entry(file: str, outcome: Outcome) -> Entry:
    return entry_of(Finding(file, outcome, LOG, _ARCHIVE), Rules())


def _refused(entry: Entry, why: str, display: Display) -> tuple[Report, bool]:
    shown = told(entry, [("refused", why)], {"imported": None}, display.screen)
    return Report((shown,), hint=""), True


def _outcome(found: Unbundled) -> Outcome:
    """What the archive is: everything that is wrong with it and with the logs in it."""
    issues = list(found.issues)
    for log in found.logs:
        issues += [replace(issue, sidecar=log.name) for issue in _issues(log.outcome)]
    version = getattr(found.logs[0].outcome, "version", None) if found.logs else None
    unsupported = any(isinstance(log.outcome, Unsupported) for log in found.logs)
    if found.sound:
        return Valid(None, tuple(issues), version)
    if unsupported and not any(issue.severity == "error" for issue in found.issues):
        return Unsupported(version, (0, 1, 2, 3), tuple(issues))
    return Corrupt(tuple(issues), version)


def _issues(outcome: Outcome) -> tuple[Issue, ...]:
    return outcome.issues if isinstance(outcome, Valid | Corrupt | Unsupported) else ()


def _compressed(root: str) -> bool:
    """A root holds logs of one encoding: that of those which are there, else dsh's usual one."""
    try:
        logs = [log for log in survey(Path(root)).logs if log.place.layout == "session"]
    except OSError:
        return True
    return not logs or 2 * sum(log.place.compressed for log in logs) >= len(logs)


def _done(entry: Entry, found: Unbundled, paths: tuple[Path, ...], display: Display) -> Entry:
    ids = [mask_text(str(log.header.get("id"))) for log in found.logs]
    helpers = len(paths) - 1
    held = [f"{helpers:,} helper{'' if helpers == 1 else 's'}"] * bool(helpers)
    held += [f"{len(found.media):,} attachment{'' if len(found.media) == 1 else 's'}"] * bool(
        found.media
    )
    with_ = f" with {' and '.join(held)}" if held else ""
    member: dict[str, Any] = {
        "id": ids[0],
        "path": str(paths[0]),
        "refused": None,
        "logs": [{"id": one, "path": str(path)} for one, path in zip(ids, paths, strict=True)],
        "media": len(found.media),
    }
    return told(
        entry, [("imported", f"to {paths[0]}{with_}")], {"imported": member}, display.screen
    )
