"""Safe file operations, in one place: reading, writing, folders, locks and names of files."""

from __future__ import annotations

from sesskit.records.folders import owner_only_directory
from sesskit.records.locks import Lock, LockTimeout
from sesskit.records.reading import (
    Document,
    FileRefused,
    ZeroFilled,
    read_document,
    read_stream,
    reason_for,
)
from sesskit.records.session_ids import InvalidSessionId, checked_session_id, safe_segment
from sesskit.records.writing import (
    backup,
    remove_leftovers,
    replace_in_place,
    sync_folder,
    write_atomic,
)

__all__ = [
    "Document",
    "FileRefused",
    "InvalidSessionId",
    "Lock",
    "LockTimeout",
    "ZeroFilled",
    "backup",
    "checked_session_id",
    "owner_only_directory",
    "read_document",
    "read_stream",
    "reason_for",
    "remove_leftovers",
    "replace_in_place",
    "safe_segment",
    "sync_folder",
    "write_atomic",
]
