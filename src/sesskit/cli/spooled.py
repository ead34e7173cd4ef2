"""Long lists of a JSON report that are not held in memory: kept in files without a name, and put
into the text of the report when it is written."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import IO, Any, NamedTuple

from sesskit.cli.report_json import json_text

Shape = Callable[[Any], Any]
"""What an item becomes before it is shown."""


class Spool:
    """One list under way; each item is a JSON value."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def add(self, item: Any) -> None:
        """One more item."""
        self._file.write(json.dumps(item, separators=(",", ":")).encode() + b"\n")

    def items(self) -> Iterator[Any]:
        """All of them, from the beginning."""
        self._file.seek(0)
        for line in self._file:
            yield json.loads(line)


class _Placed(NamedTuple):
    spool: Spool
    shape: Shape | None


class Spools:
    """The lists of one report; a context manager. Their files are the owner's alone."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._placed: dict[str, _Placed] = {}
        self._secret = ""

    def __enter__(self) -> Spools:
        import secrets  # only here: few reports have long lists

        self._secret = secrets.token_hex(16)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def new(self) -> Spool:
        """A list without items."""
        return Spool(self._open.enter_context(tempfile.TemporaryFile()))

    def place(self, spool: Spool, shape: Shape | None = None) -> str:
        """What stands in the report for a list until it is written."""
        name = f"{self._secret}-{len(self._placed)}"
        self._placed[name] = _Placed(spool, shape)
        return name

    def expanded(self, text: str) -> Iterator[str]:
        """The text of a report in pieces, with the lists in their places."""
        if not self._placed:
            yield text
            return
        for line in text.splitlines(keepends=True):
            before, quote, rest = line.partition(f'"{self._secret}-')
            if not quote:
                yield line
                continue
            number, _, after = rest.partition('"')
            yield before
            depth = len(line) - len(line.lstrip(" "))
            yield from _list_text(self._placed[f"{self._secret}-{number}"], depth)
            yield after


def list_text(items: Iterator[Any], depth: int = 0) -> Iterator[str]:
    """A list as indented JSON, item by item; without a line end."""
    indent = "\n" + " " * (depth + 2)
    between = "["
    for item in items:
        yield between + indent + json_text(item)[:-1].replace("\n", indent)
        between = ","
    yield "[]" if between == "[" else "\n" + " " * depth + "]"


def _list_text(placed: _Placed, depth: int) -> Iterator[str]:
    items = placed.spool.items()
    return list_text(items if placed.shape is None else map(placed.shape, items), depth)
