"""What the in-memory library and the backend refuse, each with a stable code."""

from __future__ import annotations


class SessionError(Exception):
    """A call was refused and nothing has changed.

    ``code`` says why in one stable word; ``field`` names the member of a header, ``index`` the
    event of a seed, ``expected`` the number that an event should have had. The message names
    kinds and rules, never a value.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        index: int | None = None,
        expected: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.field = field
        self.index = index
        self.expected = expected


class ForkError(SessionError):
    """A session could not be forked: ``SESSION_NOT_FOUND``, ``SESSION_NOT_LIVE``,
    ``SESSION_ALREADY_EXISTS``, ``INVALID_BOUNDARY`` or ``OPEN_TURN``."""


class SessionPersistenceError(Exception):
    """A stored log cannot be read, or an append could not be made durable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SessionPersistenceCorruptionError(SessionPersistenceError):
    """The stored log is damaged in a part that was committed."""


class SessionFormatUnsupportedError(SessionPersistenceError):
    """The stored log needs another program version: its format or one of its events is unknown."""
