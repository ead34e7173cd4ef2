"""Export: a session as the ZIP that dsh itself exports.

    session.jsonl                       the text of the log, byte for byte, never compressed frames
    subagents/ID/session.jsonl          the logs of its helpers, and of theirs
    media/ATTACHMENT-ID.EXT             the pictures and files that the logs name

Nothing is held in memory: logs are streamed from their files into the archive.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from msgspec import DecodeError, json

from sesskit.logs.dsh.decode import open_log, outcome
from sesskit.logs.dsh.opening import blocks, opened, text_of
from sesskit.logs.dsh.paths import encoded_id, place_of
from sesskit.logs.dsh.roots import Root, StoredSession, survey
from sesskit.schemas.outcomes import Outcome, Unsupported, Valid

SESSION = "session.jsonl"
HELPERS = "subagents"
MEDIA = "media"

_NAMED = re.compile(rb'"attachmentId"\s*:\s*"sha256:')
_ATTACHMENT = re.compile(r"sha256:([0-9a-f]{64})")
_EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}
_SAFE_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,10})")
_ANY_EXTENSION = "bin"
_WHEN = (1980, 1, 1, 0, 0, 0)
_OWNER_ONLY = 0o600
_SURELY_SMALL = 1 << 21
"""A log file up to here is no text of two gibibytes, which older ZIP readers stop at."""


@dataclass(frozen=True, slots=True)
class BundledLog:
    """One log of an export: the name it gets in the archive, its file, and what is in it."""

    name: str
    id: str
    path: Path
    outcome: Outcome
    listed: bool = False
    """Of a version of which only the frame is known: it is carried whole, never judged."""

    @property
    def whole(self) -> bool:
        """Whether nothing is known to be wrong with it."""
        if not self.listed or not isinstance(self.outcome, Unsupported):
            return isinstance(self.outcome, Valid)
        errors = (i.code for i in self.outcome.issues if i.severity == "error")
        return all(code == "version-unsupported" for code in errors)


@dataclass(frozen=True, slots=True)
class BundledMedia:
    """A picture or file that a log names; ``path`` is None where it is not to be found."""

    name: str
    attachment: str
    path: Path | None


@dataclass(frozen=True, slots=True)
class Bundle:
    """What an export will hold: the session first, then its helpers, then media."""

    logs: tuple[BundledLog, ...]
    media: tuple[BundledMedia, ...]

    @property
    def name(self) -> str:
        """The usual name of the archive."""
        return f"dsh-session-{encoded_id(self.logs[0].id)}.zip"

    @property
    def missing(self) -> tuple[BundledMedia, ...]:
        """Media that the logs name and that are nowhere."""
        return tuple(media for media in self.media if media.path is None)


class NoSession(ValueError):
    """The file holds no session that could be exported; ``outcome`` says what it is."""

    def __init__(self, found: Outcome) -> None:
        super().__init__("the file holds no session log")
        self.outcome = found


def plan_bundle(log: Path, *, root: Path | None = None, attachments: Path | None = None) -> Bundle:
    """What an export of a log would hold.

    ``root`` is looked through for helpers; without it the root that the log lies in, if it lies in
    one. ``attachments`` is the folder of attachments, usually beside the root. Raises `NoSession`
    for a file that is none; a damaged log is for the caller to judge by its outcome.
    """
    place = place_of(log.absolute())
    if root is None and place.layout == "session":
        root = log.absolute().parents[2]
    if attachments is None and root is not None:
        attachments = root.parent / "attachments"
    named: dict[str, Any] = {}
    session = _read(log, SESSION, named)
    found = [session]
    for helper in _helpers(session.id, survey(root)) if root is not None else ():
        path = _same_generation(helper, place.generation)
        found.append(_read(path, f"{HELPERS}/{encoded_id(helper.id)}/{SESSION}", named))
    media = (_media(name, said, attachments) for name, said in named.items())
    return Bundle(tuple(found), tuple(media))


def write_bundle(bundle: Bundle, target: BinaryIO) -> None:
    """Write the archive; the same sessions give the same bytes. Raises `OSError`.

    Of a damaged frame its readable text is written.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for log in bundle.logs:
            large = log.path.stat().st_size > _SURELY_SMALL
            with log.path.open("rb") as source:
                _entry(archive, log.name, text_of(source), large=large)
        for media in bundle.media:
            if media.path is not None:
                with media.path.open("rb") as source:
                    _entry(archive, media.name, blocks(source), large=False)


def _entry(archive: zipfile.ZipFile, name: str, blocks: Iterable[bytes], *, large: bool) -> None:
    info = zipfile.ZipInfo(name, _WHEN)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = _OWNER_ONLY << 16
    with archive.open(info, "w", force_zip64=large) as entry:
        for block in blocks:
            entry.write(block)


def _read(path: Path, name: str, named: dict[str, Any]) -> BundledLog:
    """One log, read to its end; what it says of attachments goes into ``named``."""
    descriptor = opened(path)
    if not isinstance(descriptor, int):
        raise NoSession(descriptor)
    with os.fdopen(descriptor, "rb") as source:
        reader = open_log(source, path.absolute(), keep=False)
        issues = []
        for stored in reader:
            issues += stored.issues
            if _NAMED.search(stored.line.data):
                named |= _attachments(stored.line.data)
    found = outcome(reader, issues)
    session = (reader.header or {}).get("id")
    if not isinstance(session, str) or not session:
        raise NoSession(found)
    listed = reader.generation is not None and reader.generation.listed
    return BundledLog(name, session, path, found, listed)


def _attachments(line: bytes) -> dict[str, Any]:
    """The attachments that a line names, by id."""
    try:
        waiting = [json.decode(line)]
    except (DecodeError, RecursionError):
        return {}
    found = {}
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            named = value.get("attachmentId")
            if isinstance(named, str) and _ATTACHMENT.fullmatch(named):
                found[named] = value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return found


def _media(attachment: str, said: dict[str, Any], folder: Path | None) -> BundledMedia:
    digits = attachment.removeprefix("sha256:")
    extension = _EXTENSIONS.get(str(said.get("mediaType")))
    if extension is None:
        suffix = _SAFE_EXTENSION.fullmatch(PurePath(str(said.get("name", ""))).suffix)
        extension = suffix[1].lower() if suffix else _ANY_EXTENSION
    path = None
    if folder is not None:
        path = folder / "v1" / "objects" / digits[:2] / digits
        path = path if path.is_file() else None
    return BundledMedia(f"{MEDIA}/{attachment}.{extension}", attachment, path)


def _helpers(session: str, root: Root) -> Iterator[StoredSession]:
    """The helpers of a session, and their helpers, each once."""
    by_id = {found.id: found for found in root.sessions}
    seen, waiting = {session}, [session]
    while waiting:
        found = by_id.get(waiting.pop(0))
        for helper in found.helpers if found is not None else ():
            if helper not in seen:
                seen.add(helper)
                waiting.append(helper)
                yield by_id[helper]


def _same_generation(session: StoredSession, generation: int | None) -> Path:
    same = (log.path for log in session.logs if log.place.generation == generation)
    return next(same, session.latest.path)
