"""What we write on: its width, its colours, and text that cannot take it over."""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import NamedTuple, TextIO

from sesskit.cli.usage import BadUsage

STYLES = {
    "title": "1",
    "place": "36",
    "faint": "2",
    "valid": "32",
    "error": "31;1",
    "warning": "33",
    "info": "34",
    "bad": "31",
    "hint": "36",
}
PLAIN_WIDTH = 80
LEAST_WIDTH, MOST_WIDTH = 40, 140


class Screen(NamedTuple):
    """Plain unless made by `screen_of` for a terminal."""

    width: int = PLAIN_WIDTH
    colour: bool = False

    def paint(self, style: str, text: str) -> str:
        """The text in a style of `STYLES`; as it is where there is no colour."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.colour and text else text


def screen_of(stream: TextIO, *, no_color: bool = False) -> Screen:
    """80 columns and no colour, except on a terminal that takes more."""
    if not stream.isatty():
        return Screen()
    width = shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns
    colour = not (no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")
    return Screen(min(max(width, LEAST_WIDTH), MOST_WIDTH), colour)


def one_line(text: str) -> str:
    """Text from outside as one line that is safe to print."""
    if text.isascii() and text.isprintable():
        return text
    from sesskit.schemas.masking import printable  # only now: it brings the decoder's library

    return printable(text.replace("\n", " "))


def width_of(text: str) -> int:
    """How many columns a printable text takes."""
    if text.isascii():
        return len(text)
    from sesskit.schemas.masking import columns

    return columns(text)


def write(text: str) -> None:
    """Write to standard output; where its reader has gone, quietly nothing."""
    _written(lambda: sys.stdout.write(text))


def stream(text: str) -> None:
    """Write what may be long in coming; raises `BrokenPipeError` where its reader has gone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritten(error) from error


def pause(seconds: float) -> None:
    """Let time pass; raises `BrokenPipeError` as soon as the reader of standard output has gone."""
    waiting = select.poll()
    with suppress(OSError, ValueError):  # a stream without a file is not asked
        waiting.register(sys.stdout.fileno(), 0)
    if waiting.poll(seconds * 1000):
        raise BrokenPipeError


def write_bytes(data: bytes) -> None:
    """Write bytes as they are to standard output."""
    _written(lambda: sys.stdout.buffer.write(data))


def _written(send: Callable[[], object]) -> None:
    try:
        send()
        sys.stdout.flush()
    except BrokenPipeError:
        hush()
    except OSError as error:
        raise _unwritten(error) from error


def _unwritten(error: OSError) -> BadUsage:
    hush()
    from sesskit.records.reading import reason_for

    return BadUsage(f"standard output cannot be written: {reason_for(error)}")


def note(text: str) -> None:
    """One line for the person, beside the output: on standard error."""
    try:
        sys.stderr.write(f"sesskit: {one_line(text)}\n")
    except OSError:  # where there is no room for the line either, the exit code says it
        hush_errors()


def ready_streams() -> None:
    """Make standard output and error ready for any text, also where they are closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, TextIOWrapper(FileIO(os.devnull, "w")))
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
            if isinstance(stream.buffer, RawIOBase):
                setattr(sys, name, _whole(stream, stream.buffer))


def _whole(stream: TextIOWrapper, raw: RawIOBase) -> TextIOWrapper:
    """The same stream, that writes all or raises: an unbuffered one loses what does not fit."""
    return TextIOWrapper(
        BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=True,
    )


def hush() -> None:
    """Whoever read our output has gone: let nothing more be written, not even at exit."""
    _to_nowhere(sys.stdout)
    hush_errors()


def hush_errors() -> None:
    """The same for standard error, if it cannot be written; else nothing."""
    try:
        sys.stderr.flush()
    except OSError:
        _to_nowhere(sys.stderr)


def _to_nowhere(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
