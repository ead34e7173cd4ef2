"""Searching the prompt history across sessions and projects, and writing it anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from sesskit.logs.prompt_history import (
    SCAN_BLOCK_BYTES,
    HistoryBlock,
    Prompt,
    prompt_line,
    read_history_bytes,
)
from sesskit.records.files import write_atomic
from sesskit.schemas.instants import Instant, parse_instant

_SAFE_RUN = re.compile(r"[ !#-.0-\[\]-~]+")
"""ASCII that JSON writes as it is; `"`, `\\` and `/` may be escaped."""

_FOLDING = re.compile(rb"\xe2\x84\xaa|\xc4\xb0|\\u(?:00[2-7]|212[aA]|0130)")
"""What can become ASCII: an escape of it, and the two letters whose lower case begins with it."""


@dataclass(frozen=True)
class Wanted:
    """Which prompts are wanted; everything that is given must hold.

    ``text`` is a part of the prompt, or a regular expression where ``pattern`` is set; upper and
    lower case are the same unless ``exact_case``. ``project`` is a directory or one above it.
    ``since`` is inclusive, ``until`` is not; a prompt whose time cannot be read fits neither.
    """

    text: str = ""
    pattern: bool = False
    exact_case: bool = False
    project: str | None = None
    session: str | None = None
    since: Instant | None = None
    until: Instant | None = None

    def fits(self, prompt: Prompt) -> bool:
        """Whether a prompt is wanted."""
        return (
            (self.session is None or prompt.session_id == self.session)
            and (self.project is None or _is_within(prompt.project, self.project))
            and (not self.text or self._finds(prompt.text))
            and ((self.since is None and self.until is None) or self._in_time(prompt.at))
        )

    def may_fit(self, block: bytes) -> bool:
        """A quick look at the bytes of many lines: never a false no."""
        if not self._run:
            return True
        folded = block if self.exact_case else block.lower()
        return self._run in folded or _FOLDING.search(block) is not None

    @cached_property
    def _finds(self) -> Callable[[str], bool]:
        if self.pattern:
            search = re.compile(self.text, 0 if self.exact_case else re.IGNORECASE).search
            return lambda text: search(text) is not None
        if self.exact_case:
            return lambda text: self.text in text
        lowered = self.text.lower()
        return lambda text: lowered in text.lower()

    @cached_property
    def _run(self) -> bytes:
        """The longest part of the text that stands in a line as it is."""
        if self.pattern:
            return b""
        text = self.text if self.exact_case else self.text.lower()
        return max(_SAFE_RUN.findall(text), key=len, default="").encode()

    def _in_time(self, at: str) -> bool:
        moment = parse_instant(at)
        if moment is None:
            return False
        return (self.since is None or self.since <= moment) and (
            self.until is None or moment < self.until
        )


@dataclass(slots=True)
class Summary:
    """The prompts of one project or session: how many, and the times of first and last as text."""

    name: str
    count: int
    first: str
    last: str


def search_history(path: Path, wanted: Wanted) -> Iterator[HistoryBlock]:
    """The wanted prompts, newest first, in blocks; ``skipped`` counts all lines not readable.

    A missing file is the empty history. Raises OSError, and `re.error` for a bad pattern.
    """
    for text, block in read_history_bytes(path, block_bytes=SCAN_BLOCK_BYTES):
        fits = wanted.may_fit(text)
        prompts = tuple(filter(wanted.fits, block.prompts)) if fits else ()
        yield HistoryBlock(prompts, block.skipped)


def summarize_history(
    path: Path, by: Literal["project", "session_id"]
) -> tuple[list[Summary], int]:
    """Projects or sessions, the one with the newest prompt first, and the lines not readable."""
    found: dict[str, Summary] = {}
    skipped = 0
    for _, block in read_history_bytes(path, block_bytes=SCAN_BLOCK_BYTES):
        skipped += block.skipped
        for prompt in block.prompts:
            name = getattr(prompt, by)
            known = found.setdefault(name, Summary(name, 0, prompt.at, prompt.at))
            known.count += 1
            known.first = prompt.at
    return list(found.values()), skipped


def rebuild_history(path: Path, prompts: Iterable[Prompt]) -> int:
    """Write the history anew, oldest prompt first; gives the number of lines.

    Times that cannot be read sort first. Doubled prompts (same time, session and text) are one.
    The file is replaced as a whole, 0600. Raises OSError.
    """
    kept = {(p.at, p.session_id, p.text): p for p in prompts}
    ordered = sorted(kept.values(), key=_moment)
    write_atomic(path, (prompt_line(prompt) for prompt in ordered))
    return len(ordered)


def _moment(prompt: Prompt) -> float:
    moment = parse_instant(prompt.at)
    return float("-inf") if moment is None else moment.ms


def _is_within(project: str, folder: str) -> bool:
    return project == folder or project.startswith(folder.rstrip("/") + "/")
