"""Import: an exported ZIP taken in. Nothing in it is trusted.

Only entries that an export has are read, as streams; every log goes through the decoder, every
attachment through its digest, before anything is written. What is there already is never replaced.
"""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from sesskit.logs.dsh.bundles import HELPERS, MEDIA, SESSION
from sesskit.logs.dsh.decode import open_log, outcome
from sesskit.logs.dsh.opening import blocks
from sesskit.logs.dsh.paths import encoded_id, log_path, seed_project_folder
from sesskit.logs.dsh.placing import obstacle
from sesskit.logs.dsh.writing import publish, stored_lines
from sesskit.records.files import write_atomic
from sesskit.records.folders import owner_only_directory
from sesskit.schemas.dsh_limits import BUNDLE_ENTRIES, BUNDLE_RATIO, BUNDLE_SURE_BYTES
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Outcome, Valid

Json = dict[str, Any]

_LOG = re.compile(rf"(?:{HELPERS}/([^/\\]+)/)?{re.escape(SESSION)}")
_FILE = re.compile(rf"{MEDIA}/(?:sha256[:_-])?([0-9a-f]{{64}})(?:\.[A-Za-z0-9]{{1,10}})?")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


class NoBundle(ValueError):
    """The file is no ZIP that an export could be; the text says why."""


class AlreadyThere(FileExistsError):
    """Something keeps a log from lying where the import would put it; ``filename`` says what."""


@dataclass(frozen=True, slots=True)
class UnbundledLog:
    """One log in an archive and what is in it; its issues are those of the log."""

    name: str
    header: Json
    outcome: Outcome


@dataclass(slots=True)
class Unbundled:
    """An archive that was looked through. Use it as a context, or call `close`.

    ``issues`` are those of the archive itself; the logs have their own. ``media`` are the sound
    attachments, by digest.
    """

    logs: list[UnbundledLog] = field(default_factory=list)
    media: dict[str, str] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    _archive: zipfile.ZipFile | None = None

    @property
    def sound(self) -> bool:
        """Whether all of it can be taken in as it is."""
        broken = any(issue.severity == "error" for issue in self.issues)
        return not broken and all(isinstance(log.outcome, Valid) for log in self.logs)

    def place(
        self, root: Path, *, compressed: bool = True, attachments: Path | None = None
    ) -> tuple[Path, ...]:
        """Put the logs below a root of dsh and the media beside it; gives the paths of the logs.

        The session itself comes last: where it is, all is. Logs of June 2026 go where the programs
        of that time look, plain. Raises `ValueError` where not all is sound, `AlreadyThere`, and
        `OSError`; logs that were written before stay.
        """
        if not self.sound or not self.logs:
            raise ValueError("only a sound archive is taken in")
        targets = [root / _target(log, compressed=compressed) for log in self.logs]
        for path in targets:
            found = obstacle(root, path)
            if found is not None:
                raise AlreadyThere(17, found.message, str(found.path))
        store = attachments or root.parent / "attachments"
        for digits, name in self.media.items():
            path = store / "v1" / "objects" / digits[:2] / digits
            if not path.exists():
                owner_only_directory(path.parent)
                with self._open(name) as entry:
                    write_atomic(path, blocks(entry), overwrite=False)
        for log, path in reversed(list(zip(self.logs, targets, strict=True))):
            self._publish(log, path)
        return tuple(targets)

    def close(self) -> None:
        """Let go of the file."""
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _publish(self, log: UnbundledLog, path: Path) -> None:
        compressed = path.suffix == ".zstd"
        with self._open(log.name) as entry:
            try:
                publish(path, stored_lines(_lines(entry), compressed=compressed))
            except FileExistsError as error:
                raise AlreadyThere(
                    17, "there is a log of that session already", str(path)
                ) from error

    def _open(self, name: str) -> BinaryIO:
        if self._archive is None:
            raise ValueError("the archive was closed")
        return cast("BinaryIO", self._archive.open(name))


def unbundle(source: Path | BinaryIO) -> Unbundled:
    """Look through an archive. Raises `NoBundle`, and `OSError` for what the system refuses."""
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(source))
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise NoBundle("it is no ZIP archive, or its end is missing") from error
        found = Unbundled(_archive=archive)
        entries = list(_entries(archive, found.issues))
        entries.sort(key=lambda pair: pair[1].filename != SESSION)
        for number, entry in entries:
            _take(archive, entry, number, found)
        if SESSION not in archive.namelist():
            raise NoBundle(f"it holds no {SESSION}")
        stack.pop_all()
    return found


def _entries(
    archive: zipfile.ZipFile, issues: list[Issue]
) -> Iterator[tuple[int, zipfile.ZipInfo]]:
    """The entries that an export has; others are told and left alone."""
    listed = archive.infolist()
    if len(listed) > BUNDLE_ENTRIES:
        raise NoBundle(f"it holds more than {BUNDLE_ENTRIES:,} entries")
    seen = set()
    for number, entry in enumerate(listed):
        name = entry.filename
        if entry.is_dir():
            continue
        wrong = _wrong(entry)
        if wrong is None and name in seen:
            wrong = "an entry has the name of another"
        if wrong is not None:
            issues.append(_issue("bundle-damaged", wrong, number))
        elif _LOG.fullmatch(name) or _FILE.fullmatch(name):
            seen.add(name)
            yield number, entry
        else:
            message = "no export has an entry of such a name; it is left out"
            issues.append(_issue("bundle-entry", message, number, warning=True))


def _wrong(entry: zipfile.ZipInfo) -> str | None:
    """Why an entry is none that could be taken, whatever is in it."""
    if entry.flag_bits & _ENCRYPTED:
        return "an entry is encrypted"
    if entry.compress_type not in _METHODS:
        return "an entry is compressed in a way that no export is"
    parts = entry.orig_filename.replace("\\", "/").split("/")
    if not parts[0] or ".." in parts or ":" in parts[0] or "\0" in entry.orig_filename:
        return "an entry has a name that leads out of the folder"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "an entry is no regular file"
    if entry.file_size > max(BUNDLE_SURE_BYTES, BUNDLE_RATIO * entry.compress_size):
        return "an entry expands far beyond what a session log could"
    return None


def _take(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, number: int, found: Unbundled) -> None:
    try:
        with archive.open(entry) as stream:
            source = cast("BinaryIO", stream)
            media = _FILE.fullmatch(entry.filename)
            if media is not None:
                _media(source, media[1], entry.filename, number, found)
            else:
                _log(source, entry.filename, number, found)
    except _DAMAGE:
        message = "an entry cannot be unpacked, or its checksum differs"
        found.issues.append(_issue("bundle-damaged", message, number))


def _media(source: BinaryIO, digits: str, name: str, number: int, found: Unbundled) -> None:
    digest = hashlib.sha256()
    for block in blocks(source):
        digest.update(block)
    if digest.hexdigest() == digits:
        found.media[digits] = name
    else:
        message = "an attachment is not what its name says"
        found.issues.append(_issue("bundle-media", message, number))


def _log(source: BinaryIO, name: str, number: int, found: Unbundled) -> None:
    reader = open_log(source, keep=False)
    issues = [issue for stored in reader for issue in stored.issues]
    if reader.compressed:
        message = "the log in an export is plain text"
        found.issues.append(_issue("bundle-damaged", message, number))
    header = reader.header or {}
    named = _LOG.fullmatch(name)
    folder = named[1] if named is not None else None
    session = header.get("id")
    names = (session, encoded_id(session)) if isinstance(session, str) and session else (folder,)
    if folder is not None and folder not in names:
        message = "a helper lies in the folder of another"
        found.issues.append(_issue("bundle-entry", message, number, warning=True))
    if session in (log.header.get("id") for log in found.logs):
        message = "two logs are of the same session"
        found.issues.append(_issue("bundle-damaged", message, number))
    log = UnbundledLog(name, header, outcome(reader, issues))
    if isinstance(log.outcome, Valid) and not _is_placeable(log):
        message = "the header of a log names no session or folder that it could lie in"
        found.issues.append(_issue("bundle-damaged", message, number))
    found.logs.append(log)


def _is_placeable(log: UnbundledLog) -> bool:
    try:
        _target(log, compressed=False)
    except (TypeError, ValueError):
        return False
    return True


def _target(log: UnbundledLog, *, compressed: bool) -> Path:
    header = log.header
    version = int(header["version"])
    if version == 1 and "delegationDepth" not in header and "isSeeded" not in header:
        folder = seed_project_folder(header.get("cwd"))
        return Path(folder) / f"{encoded_id(header['id'])}.jsonl"
    return Path(log_path(header["id"], header.get("cwd"), version=version, compressed=compressed))


def _lines(source: BinaryIO) -> Iterator[bytes]:
    for line in source:
        yield line.removesuffix(b"\n")


def _issue(code: str, message: str, number: int, *, warning: bool = False) -> Issue:
    return Issue(code, message, "warning" if warning else "error", keys=("entries", number))
