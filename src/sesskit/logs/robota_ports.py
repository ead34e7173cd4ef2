"""The ports of a session log: where lines come from and go to. Nothing opens a path by itself."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from sesskit.logs.log_files import append, owner_directory, put_once
from sesskit.logs.sidecar_files import PayloadDirectory, PayloadSource
from sesskit.records.files import safe_segment

_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())

Report = Callable[[str], None]
"""Where a writer says what went wrong, in sentences that hold no value and no path."""


class LogSink(Protocol):
    """Where lines and sidecars go. Failures are OSError; an unsafe session id is ValueError."""

    def append(self, session_id: str, lines: bytes) -> None:
        """Append whole lines, all or none."""
        ...

    def put_payload(self, session_id: str, sha256: str, data: bytes) -> None:
        """Make the sidecar of that digest exist."""
        ...


class LogSource(Protocol):
    """Where the lines and sidecars of a session are read from."""

    def open_log(self, session_id: str) -> BinaryIO | None:
        """The bytes of a log, or None where there is none. Raises OSError for anything else."""
        ...

    def payloads(self, session_id: str) -> PayloadSource:
        """The sidecars a log refers to."""
        ...


def default_report(sentence: str) -> None:
    """Report to this module's logger."""
    _LOG.warning("%s", sentence)


class DirectorySink:
    """Logs in one directory: ``<id>.jsonl`` beside ``<id>.payloads/``, owner-only.

    A directory that cannot be made disables the sink: it says so once, then swallows everything,
    because a session does not stop for its log. ``durable`` adds fsync to every write.
    """

    def __init__(
        self, directory: Path, *, durable: bool = False, report: Report = default_report
    ) -> None:
        self.directory = directory
        self.durable = durable
        self.enabled = True
        try:
            with owner_directory(directory):
                pass
        except OSError as error:
            self.enabled = False
            report(f"session log: disabled, its directory cannot be made ({reason(error)})")
            return
        if directory.is_symlink():
            report(
                "session log: its directory is a link; readers refuse sidecars there, so give "
                "them the directory itself"
            )

    def append(self, session_id: str, lines: bytes) -> None:
        _require_safe(session_id)
        if self.enabled:
            with owner_directory(self.directory) as folder:
                append(folder, f"{session_id}.jsonl", lines, durable=self.durable)

    def put_payload(self, session_id: str, sha256: str, data: bytes) -> None:
        _require_safe(session_id)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ValueError("the digest is not that of the sidecar's text")
        if not self.enabled:
            return
        with (
            owner_directory(self.directory) as folder,
            owner_directory(f"{session_id}.payloads", folder) as payloads,
        ):
            put_once(payloads, f"{sha256}.json", data, durable=self.durable)


class DirectorySource:
    """The logs of one directory, for reading."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def open_log(self, session_id: str) -> BinaryIO | None:
        _require_safe(session_id)
        try:
            return (self.directory / f"{session_id}.jsonl").open("rb")
        except FileNotFoundError:
            return None

    def payloads(self, session_id: str) -> PayloadDirectory:
        return PayloadDirectory(self.directory)


def subagent_directory(directory: Path, parent_id: str) -> Path:
    """Where the logs of a session's subagents lie; an ordinary log directory."""
    _require_safe(parent_id)
    return directory / parent_id / "subagents"


def reason(error: Exception) -> str:
    """What went wrong, without the path an OSError carries."""
    if isinstance(error, OSError) and error.errno:
        return f"{errno.errorcode.get(error.errno, 'error')}: {os.strerror(error.errno)}"
    return str(error)


def _require_safe(session_id: str) -> None:
    if not safe_segment(session_id):
        raise ValueError("a session id must be one safe path segment")
