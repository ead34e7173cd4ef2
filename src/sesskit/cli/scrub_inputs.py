"""What `sesskit scrub` reads: the beginning of a file, all of it, or its blocks again and again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from sesskit.artifacts.documents import As, form_of
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.scrub_files import STREAMED_BYTES, is_packed
from sesskit.artifacts.scrub_lines import LineScrubber, Rereadable, blocks_of
from sesskit.artifacts.share_formats import share_format
from sesskit.artifacts.treatments import TEXT
from sesskit.cli.rows import Row
from sesskit.logs.formats import STDIN, by_name, recognize
from sesskit.records.files import write_atomic
from sesskit.records.format import Options
from sesskit.records.heads import read_head
from sesskit.records.reading import ZeroFilled, read_document, read_stream, reason_for
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Outcome, Unreadable, Valid

ONLY_VALUES: Final = "this is text, into which only --values looks"
CLOSED: Final = "it is closed"
_CHUNK: Final = 1 << 20


class Job(NamedTuple):
    """One file that can be read: its beginning, and the format of its session, if it is one."""

    path: str
    head: bytes
    session: str | None


def lines_of(path: str, session: str | None, redactor: Redactor) -> LineScrubber:
    """The scrubber of a file of lines, which knows what its format says of its places."""
    adapter = share_format(session)
    return LineScrubber(blocks(path), redactor, adapter.scrubbed if adapter else TEXT)


def broken(session: str, path: str, result: Path) -> Outcome | None:
    """What is wrong with the result of a session that was valid; None if nothing is."""
    read = by_name(session).load().read
    if read is None or not isinstance(read(Path(path), Options(keep=False)), Valid):
        return None
    outcome = read(result, Options(keep=False))
    return None if isinstance(outcome, Valid) else outcome


def blocks(path: str) -> Callable[[], Iterator[str]]:
    """What gives the blocks of a file, the same ones each time."""
    file = Rereadable(path)
    return lambda: blocks_of(file.chunks())


def kept_of(path: Path, head: bytes) -> str:
    """Standard input as a file for its owner alone."""
    rest = iter(lambda: sys.stdin.buffer.read(_CHUNK), b"")
    write_atomic(path, chain([head], rest))
    return str(path)


def hints(policy: Policy, form: As | None, name: str, data: bytes) -> list[Row]:
    """What to say of a file that is text, if nothing that looks into text was asked for."""
    wide = policy.extended or policy.values or policy.deny
    return [] if wide or (form or form_of(data, name)) != "text" else [("hint", ONLY_VALUES)]


def is_big(head: bytes) -> bool:
    """Whether a file that begins so is not to be held, if there is another way."""
    return len(head) > STREAMED_BYTES


def is_long(job: Job) -> bool:
    """Whether a file is not to be held; one that is packed is, until it is refused."""
    return is_big(job.head) and not is_packed(job.path, job.head[:RECOGNITION_BYTES])


def head_of(path: str) -> bytes | Missing | Unreadable:
    """The beginning of a file, one byte more than what need not be streamed."""
    if path != STDIN:
        return read_head(path, STREAMED_BYTES + 1)
    try:
        return sys.stdin.buffer.read(STREAMED_BYTES + 1) if sys.stdin else Unreadable(CLOSED)
    except OSError as error:
        return Unreadable(reason_for(error))


def whole_of(path: str, head: bytes) -> bytes | Missing | Unreadable:
    """All bytes of a file that begins with ``head``."""
    if not is_big(head) and path == STDIN:
        return head
    document = read_stream(sys.stdin.buffer) if path == STDIN else read_document(path)
    if isinstance(document, ZeroFilled) or (document == b"" and head and not head.strip(b"\0")):
        return Unreadable("it is filled with NUL bytes")
    return head + document if path == STDIN and isinstance(document, bytes) else document


def session_of(data: bytes, path: str) -> str | None:
    name = "" if path == STDIN else os.fspath(Path(path).absolute())
    known = recognize(data[:RECOGNITION_BYTES], name)
    return known.entry.name if known and known.recognition.sure != "guess" else None
