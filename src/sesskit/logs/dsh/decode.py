"""What is in a log: the total decoder of the format `dsh-log`.

Every fault of the whole file is found, also behind the first one, where the original stops. What
the original would do is said as well (`Original`): a user wants to know "will it load?".
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, BinaryIO

from sesskit.logs.dsh.frame_headers import MAGIC
from sesskit.logs.dsh.generations import READ_VERSIONS, Generation, whole_version
from sesskit.logs.dsh.messages import derive
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.dsh.ruling import PLAIN, Stage
from sesskit.logs.dsh.seed import seed_messages
from sesskit.logs.dsh.surface import Surface
from sesskit.schemas.issues import Issue, Severity
from sesskit.schemas.outcomes import Corrupt, Decoded, Unsupported, Valid

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Log:
    """What the original would have in memory after loading a log.

    ``events`` are the accepted ones in today's shape, ``closers`` those it would add because a
    turn is open; ``inherited`` says how many events came from a seed.
    """

    generation: Generation
    header: Json
    events: tuple[Json, ...]
    closers: tuple[Json, ...]
    surface: Surface
    inherited: int

    @property
    def all_events(self) -> tuple[Json, ...]:
        """The events with the closers behind them."""
        return self.events + self.closers

    def messages(self) -> list[Any]:
        """The messages that the next model request would hold, the closers included."""
        if self.generation.seed:
            return list(seed_messages(self.all_events))
        folded = [*self.surface.nodes(), *(e["seq"] for e in self.closers if "surfaceOp" in e)]
        return list(derive(self.all_events[int(seq)] for seq in folded))


def open_log(
    source: BinaryIO,
    path: PurePath | None = None,
    *,
    keep: bool = True,
    thorough: bool = False,
) -> LogReader:
    """A reader for a log of either encoding, told by its first bytes; by its name only where those
    begin neither zstd frames nor text.

    ``path`` is the absolute path, as far as it is known: its names say which program would read
    the file and where it should lie. Without ``keep`` memory stays flat, whatever the length.
    """
    head = source.read(len(MAGIC))
    stream = io.BufferedReader(_Rejoined(head, source), buffer_size=1 << 17)
    named = path is not None and path.suffix == ".zstd"
    broken = named and head.startswith(tuple(_NO_TEXT))
    compressed = head == MAGIC or broken
    reader = LogReader(stream, compressed, path, keep=keep, thorough=thorough)
    reader.gzip = broken and head.startswith(b"\x1f\x8b")
    return reader


_NO_TEXT = [bytes([first]) for first in range(256) if first not in b"{ \t\r\n\xef\xfe\xff"]
"""What the text of a log, or a byte order mark before it, does not begin with."""


def examine(
    source: BinaryIO,
    path: PurePath | None = None,
    *,
    keep: bool = True,
    thorough: bool = False,
) -> Decoded:
    """Read a log to its end and say what it is; total, in one pass.

    The value of a `Valid` answer is a `Log`, or None without ``keep``. A bit of a file that the
    original cuts away makes the answer `Corrupt`, though the original loads the rest.
    """
    reader = open_log(source, path, keep=keep, thorough=thorough)
    lines = reader if keep or thorough else reader.remarkable()
    issues = [issue for stored in lines for issue in stored.issues]
    return outcome(reader, issues)


def decode(data: bytes, path: PurePath | None = None, *, thorough: bool = False) -> Decoded:
    """The same for a whole file in memory."""
    return examine(io.BytesIO(data), path, thorough=thorough)


def outcome(reader: LogReader, issues: list[Issue]) -> Decoded:
    """The answer of a reader that was iterated to its end; ``issues`` are those of its lines."""
    found = tuple(_in_order([*_encoding(reader), *issues, *reader.issues]))
    if reader.gzip:
        message = "the file is compressed by gzip, which no program of dsh reads"
        expected, gzip = "zstd frames", "gzip data"
        issue = Issue("encoding-mismatch", message, "error", (), expected, gzip)
        found = (issue.placed(0, 1, 1),)
    version = whole_version(reader.header)
    original = reader.ruling.original
    listed = reader.generation is not None and reader.generation.listed
    # A header that was cut, or frames that are none, stop any program before it sees a version.
    foreign = reader.foreign is not None and reader.ruling.stage is not Stage.FRAMES
    unread = listed or foreign
    if unread or original.verdict == "unsupported":
        # What a program that nobody here has seen would say is not known.
        selected = reader.place.generation
        unknown = unread and selected not in READ_VERSIONS
        verdict = None if unknown and original.verdict != "unsupported" else original
        return Unsupported(version, READ_VERSIONS, found, original=verdict)
    if any(issue.severity == "error" for issue in found):
        return Corrupt(found, version, original=original)
    return Valid(log_of(reader), found, version, original=original)


def log_of(reader: LogReader) -> Log | None:
    """What the original would hold after loading, from a reader at its end that kept the events."""
    judge = reader.judge
    if judge is None or not reader.keep:
        return None
    inherited = (
        judge.inherited if judge.inherited is not None else judge.header.get("seedLength", 0)
    )
    return Log(
        judge.generation,
        judge.header,
        tuple(judge.events),
        tuple(judge.closers()),
        judge.surface,
        int(inherited) if isinstance(inherited, int | float) else 0,
    )


def _encoding(reader: LogReader) -> Iterator[Issue]:
    """A name that does not fit the bytes: the program goes by the name, so it cannot read them."""
    path = reader.path
    if path is None or path.suffix not in (".zstd", ".jsonl") or not reader.lines:
        return
    if (path.suffix == ".zstd") != reader.compressed:
        found = "zstd frames" if reader.compressed else "plain text"
        message = f"the file holds {found}, which its name does not say"
        named = reader.place.generation is not None
        if named:
            reader.ruling.refuse(Stage.HEADER, PLAIN)
        severity: Severity = "error" if named else "warning"
        yield Issue("encoding-mismatch", message, severity, found=found, line=1, column=1, offset=0)


def _in_order(issues: list[Issue]) -> list[Issue]:
    return sorted(issues, key=lambda issue: (issue.offset or 0, issue.column or 0))


class _Rejoined(io.RawIOBase):
    """A stream from which a few bytes were read already, from its beginning again."""

    def __init__(self, head: bytes, source: BinaryIO) -> None:
        super().__init__()
        self._head = head
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head or self._source.read(len(buffer))
        buffer[: len(data)] = data
        self._head = b""
        return len(data)
