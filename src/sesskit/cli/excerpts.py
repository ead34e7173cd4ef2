"""What stands at an issue, with its caret: the source line of a text, or some bytes in hexadecimal.

Lines are read again from the file, a window at a time; so are the bytes of a binary file, all at
once. Neither shows what a text of the data says.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from types import TracebackType
from typing import NamedTuple

from sesskit.cli.looking import data_of
from sesskit.logs.formats import Finding, by_name
from sesskit.logs.walking import mode_of
from sesskit.records.lookup import Window
from sesskit.schemas.excerpts import lies_in_secret, masked_line
from sesskit.schemas.issues import Issue

BEFORE, AFTER = 8192, 4096
"""Bytes round an issue that are read to show its line."""

_ZSTD = b"\x28\xb5\x2f\xfd"

HIDDEN = ".."
"""Stands for a byte of a text, or one of which nothing is known."""


class Shown(NamedTuple):
    """A masked source line, or bytes: their number, what is shown, and the caret under it."""

    number: str
    line: str
    caret: str


class Excerpts:
    """The excerpts of one file; without one (a device, a file that has gone) there are none.

    ``issues`` are those that will be asked for.
    """

    def __init__(self, finding: Finding, issues: Iterable[Issue] = ()) -> None:
        self._finding = finding
        self._source = finding.source
        self._path = finding.path
        self._descriptor = -1
        self._offsets = [i.offset for i in issues if i.line is None and i.offset is not None]
        self._windows: dict[int, Window] = {}

    def __enter__(self) -> Excerpts:
        if self._offsets and self._finding.format is not None:
            windows = by_name(self._finding.format).looks_up().windows
            if windows is not None:
                self._windows = windows(data_of(self._finding), self._offsets)
        if self._source is None and stat.S_ISREG(mode_of(self._path)):
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
        """What stands at an issue in at most ``width`` columns; None where nothing is to show."""
        if issue.offset is None or issue.frame is not None or self._packed():
            return None  # of the decompressed text
        if issue.line is None or issue.column is None:
            return _bytes(self._windows.get(issue.offset), issue.offset)
        return self._line(issue, issue.line, issue.column, issue.offset, width)

    def _packed(self) -> bool:
        """Whether what is there is compressed, so that offsets mean another text."""
        return self._read(0, len(_ZSTD)) == _ZSTD

    def _line(self, issue: Issue, line: int, column: int, offset: int, width: int) -> Shown | None:
        start = max(offset - BEFORE, 0)
        window = self._read(start, offset + AFTER)
        if window is None or not window.strip(b"\0"):
            return None
        before, after = window[: offset - start], window[offset - start :]
        before = before[before.rfind(b"\n") + 1 :]
        after = after.partition(b"\n")[0]
        head = before.decode("utf-8", "replace")
        number = str(line)
        shown = masked_line(
            head + after.decode("utf-8", "replace"),
            column,
            width=width - len(number) - len(" | "),
            first=column - len(head),
            secret=lies_in_secret(issue.keys, issue.at_key),
        )
        if not shown.text.strip():
            return None
        at, length = shown.caret(column)
        return Shown(number, shown.text, " " * (at - 1) + "^" * length)

    def _read(self, start: int, end: int) -> bytes | None:
        if self._source is not None:
            return self._source[start:end]
        if self._descriptor < 0:
            return None
        try:
            return os.pread(self._descriptor, end - start, start)
        except OSError:
            return None


def _bytes(window: Window | None, offset: int) -> Shown | None:
    """The bytes around an offset, two digits each; the caret may stand behind the last one."""
    if window is None or not window.cells:
        return None
    cells = [HIDDEN if cell is None else f"{cell:02x}" for cell in window.cells]
    place = offset - window.start
    size = max(min(window.size, len(cells) - place), 1)
    width = len(HIDDEN) + 1
    caret = " " * (width * place) + "^" * (width * size - 1)
    return Shown(str(window.start), " ".join(cells), caret)
