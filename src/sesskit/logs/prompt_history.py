"""The cross-session prompt history: one line for each prompt a person typed, newest at the end.

Derived data, never the owner of a message. It is read backwards in blocks, so that the newest
prompts come first; a line that cannot be read is counted, and only a missing file is an empty
history. Source: robota-log section 11.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from sesskit.logs.log_files import append, owner_directory
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.json_text import read_json
from sesskit.schemas.limits import MAX_LINE_BYTES

BLOCK_BYTES = 65_536
SCAN_BLOCK_BYTES = 1024 * 1024
"""The block of a search through the whole file; larger blocks are faster, order is the same."""

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Prompt(msgspec.Struct, frozen=True, rename="camel"):
    """One prompt: ``at`` is when its turn began, ``project`` the root of its workspace."""

    at: str
    session_id: str
    project: str
    text: str


@dataclass(frozen=True, slots=True)
class HistoryBlock:
    """What one block held: prompts, newest first, and how many lines could not be read."""

    prompts: tuple[Prompt, ...]
    skipped: int


_DECODER = msgspec.json.Decoder(Prompt)


def read_history(path: Path, *, block_bytes: int = BLOCK_BYTES) -> Iterator[HistoryBlock]:
    """The history in blocks from its end; the caller may stop between any two.

    A file that does not exist, or whose directory does not, is the empty history. Raises OSError
    for whatever else keeps it from being read, a link at the path included.
    """
    return (block for _, block in read_history_bytes(path, block_bytes=block_bytes))


def read_history_bytes(path: Path, *, block_bytes: int) -> Iterator[tuple[bytes, HistoryBlock]]:
    """`read_history`, each block with the text of its lines."""
    try:
        file = os.open(path, _OPEN)
    except FileNotFoundError:
        return
    try:
        for lines in _blocks_backwards(file, block_bytes):
            yield lines, _read_lines(lines)
    finally:
        os.close(file)


def prompt_line(prompt: Prompt) -> bytes:
    """The line of a prompt as its producer writes it."""
    return dumps(msgspec.to_builtins(prompt)) + b"\n"


def append_prompt(path: Path, prompt: Mapping[str, Any], *, owned_root: Path | None = None) -> None:
    """Append one prompt, its members in the order given.

    The file becomes 0600 and its directory 0700, as does every directory from ``owned_root`` down.
    Raises OSError.
    """
    root = path.parent if owned_root is None else owned_root
    with ExitStack() as stack:
        folder = stack.enter_context(owner_directory(root))
        for name in path.parent.relative_to(root).parts:
            folder = stack.enter_context(owner_directory(name, folder))
        append(folder, path.name, dumps(dict(prompt)) + b"\n")


def _blocks_backwards(file: int, block_bytes: int) -> Iterator[bytes]:
    """Whole lines, block by block from the end; a line cut by a block's edge comes whole.

    What stands before a block's first line end belongs to a line of an earlier block.
    """
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        code = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
        raise OSError(code, os.strerror(code))
    end = found.st_size
    carried = _Carried()
    while end > 0:
        start = max(0, end - block_bytes)
        block = _read_at(file, start, end - start)
        end = start
        cut = block.find(b"\n") if start else -1
        if start and cut < 0:
            carried.add(block)
            yield b""
        else:
            yield block[cut + 1 :] + carried.take()
            carried.add(block[: max(cut, 0)])


class _Carried:
    """The end of a line whose beginning has not been read yet; its pieces come last first."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= MAX_LINE_BYTES:
            self._pieces.append(piece)
        else:
            self._pieces = [b"\0"]  # no line of JSON holds one: it will be counted

    def take(self) -> bytes:
        text = b"".join(reversed(self._pieces))
        self._pieces, self._size = [], 0
        return text


def _read_at(file: int, start: int, size: int) -> bytes:
    """All of a range; less only where the file was cut meanwhile."""
    pieces: list[bytes] = []
    while size > 0:
        piece = os.pread(file, size, start)
        if not piece:
            break
        pieces.append(piece)
        start += len(piece)
        size -= len(piece)
    return b"".join(pieces)


def _read_lines(text: bytes) -> HistoryBlock:
    whole = _all_at_once(text)
    if whole is not None:
        return HistoryBlock(whole, 0)
    prompts: list[Prompt] = []
    skipped = 0
    for line in text.split(b"\n"):
        if not line:
            continue
        prompt = read_prompt(line)
        if prompt is None:
            skipped += 1
        else:
            prompts.append(prompt)
    prompts.reverse()
    return HistoryBlock(tuple(prompts), skipped)


def _all_at_once(text: bytes) -> tuple[Prompt, ...] | None:
    """All lines by one call where each is plainly one object; None leaves it to the slow way.

    With every line opening with ``{`` and closing with ``}``, no value can reach over a line end:
    after ``}`` and a line end, ``{`` can only begin another value.
    """
    body = text[:-1] if text.endswith(b"\n") else text
    if not (body.startswith(b"{") and body.endswith(b"}")):
        return None
    count = body.count(b"\n") + 1
    if body.count(b"}\n{") != count - 1:
        return None
    try:
        prompts: list[Prompt] = _DECODER.decode_lines(body)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if len(prompts) != count:
        return None
    prompts.reverse()
    return tuple(prompts)


def read_prompt(line: bytes) -> Prompt | None:
    """The prompt of one line, or None where the line is none."""
    if len(line) > MAX_LINE_BYTES:
        return None
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        pass
    text = read_json(line.decode("utf-8", "replace").encode("utf-8"))
    value = text.value
    if any(i.severity == "error" for i in text.issues) or not isinstance(value, dict):
        return None
    members = [value.get(name) for name in ("at", "sessionId", "project", "text")]
    if not all(isinstance(member, str) for member in members):
        return None
    return Prompt(*(str(member) for member in members))
