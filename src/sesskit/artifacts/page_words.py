"""Words of a page: how long, when, how many, and what a block is that is no text."""

from __future__ import annotations

from collections.abc import Iterable

from sesskit.artifacts.page_text import excerpt
from sesskit.records.view import (
    Blob,
    Block,
    Compaction,
    Message,
    Notice,
    Opaque,
    Reasoning,
    StoredFile,
    Uri,
    Usage,
)
from sesskit.schemas.instants import Instant

__all__ = ["about_block", "clock", "lasted", "plural", "seconds_of", "size_of", "tokens", "who"]

_USUAL = {"user": "person", "assistant": "model", "system": "machine"}
_NAME = 60
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))
_MAX_TOKENS = 2**53 - 1


def who(message: Message) -> str:
    """The role, with who speaks in it where that is not the usual one."""
    usual = _USUAL[message.role] == message.by
    return message.role if usual else f"{message.role} ({message.by})"


def clock(time: Instant) -> tuple[str, str]:
    """Day and clock time of an instant, UTC."""
    day, _, rest = str(time)[:-5].partition("T")
    return day, rest


def seconds_of(started: Instant | None, ended: Instant | None) -> float | None:
    """Seconds between two instants; None where one is unknown or they stand the wrong way round."""
    if started is None or ended is None or ended.ms < started.ms:
        return None
    return (ended.ms - started.ms) / 1000


def lasted(seconds: float | None) -> str:
    """``0.4 s``, ``12 s``, ``3 min 20 s``, ``2 h 5 min``; empty for None."""
    if seconds is None:
        return ""
    if seconds < 60:
        return (
            f"{seconds:.0f} s" if seconds >= 10 or seconds == int(seconds) else f"{seconds:.1f} s"
        )
    whole = round(seconds)
    for number, (size, unit) in enumerate(_UNITS):
        if whole >= size:
            small, word = _UNITS[number + 1] if number + 1 < len(_UNITS) else (1, "s")
            rest = whole % size // small
            return f"{whole // size:,} {unit}" + (f" {rest} {word}" if rest else "")
    raise AssertionError


def tokens(usages: Iterable[Usage]) -> tuple[int, int] | None:
    """Tokens in and out, each answer once; None where nothing believable is said."""
    once = {usage.key: usage for usage in usages}
    sound = [u for u in once.values() if all(0 <= n <= _MAX_TOKENS for n in (u.prompt, u.output))]
    return (sum(u.prompt for u in sound), sum(u.output for u in sound)) if sound else None


def plural(count: int, word: str) -> str:
    """``1 call``, ``1,200 calls``."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def size_of(text: str) -> str:
    """How long a text is."""
    return plural(len(text), "character")


def about_block(block: Block) -> str:
    """What a block is that is no text and no call."""
    if isinstance(block, Reasoning):
        return "thinking, sealed for its vendor" if block.sealed else "thinking"
    if isinstance(block, Blob):
        return f"{excerpt(block.media or 'bytes', _NAME)}, {plural(block.ref.length, 'byte')}"
    if isinstance(block, Uri):
        return excerpt(block.media or "address", _NAME)
    if isinstance(block, StoredFile):
        return f"file {excerpt(block.id, _NAME)}"
    if isinstance(block, Compaction):
        count = "" if block.replaced is None else f" {block.replaced:,}"
        return f"summary of{count} earlier messages"
    if isinstance(block, Notice):
        return f"notice: {excerpt(block.kind, _NAME)}"
    if isinstance(block, Opaque):
        return f"{excerpt(block.kind, _NAME) or 'part'}, {plural(block.ref.length, 'byte')}"
    return block.type
