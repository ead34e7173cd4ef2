"""The source line beside an issue, with its caret; read again from the file, a window at a time."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from sesskit.logs.formats import Finding
from sesskit.schemas.excerpts import lies_in_secret, masked_line
from sesskit.schemas.issues import Issue

BEFORE, AFTER = 8192, 4096
"""Bytes round an issue that are read to show its line."""


class Shown(NamedTuple):
    """A masked source line: its number, its text, and the caret under it."""

    number: str
    line: str
    caret: str


class Excerpts:
    """The excerpts of one file; without one (a device, a file that has gone) there are none."""

    def __init__(self, finding: Finding) -> None:
        self._source = finding.source
        self._path = finding.path
        self._descriptor = -1

    def __enter__(self) -> Excerpts:
        if self._source is None and Path(self._path).is_file():
            try:
                self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:
                self._descriptor = -1  # it was readable a moment ago: then without excerpts
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def around(self, issue: Issue, width: int) -> Shown | None:
        """The line of an issue in at most ``width`` columns; None where there is none to show."""
        if issue.line is None or issue.column is None or issue.offset is None:
            return None
        if issue.frame is not None:  # the offset is one of the decompressed text
            return None
        start = max(issue.offset - BEFORE, 0)
        window = self._read(start, issue.offset + AFTER)
        if window is None or not window.strip(b"\0"):
            return None
        before, after = window[: issue.offset - start], window[issue.offset - start :]
        before = before[before.rfind(b"\n") + 1 :]
        after = after.partition(b"\n")[0]
        head = before.decode("utf-8", "replace")
        number = str(issue.line)
        shown = masked_line(
            head + after.decode("utf-8", "replace"),
            issue.column,
            width=width - len(number) - len(" | "),
            first=issue.column - len(head),
            secret=lies_in_secret(issue.keys, issue.at_key),
        )
        if not shown.text.strip():
            return None
        column, length = shown.caret(issue.column)
        return Shown(number, shown.text, " " * (column - 1) + "^" * length)

    def _read(self, start: int, end: int) -> bytes | None:
        if self._source is not None:
            return self._source[start:end]
        if self._descriptor < 0:
            return None
        try:
            return os.pread(self._descriptor, end - start, start)
        except OSError:
            return None
