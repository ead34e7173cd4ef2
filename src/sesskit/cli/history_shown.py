"""Prompts of a history on the screen or as JSON: one by one, or counted by project or session."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sesskit.cli.folding import folded
from sesskit.cli.output import Display
from sesskit.cli.report_json import json_text
from sesskit.cli.rows import safe
from sesskit.cli.screen import Screen, note, one_line, write
from sesskit.logs.prompt_history import Prompt
from sesskit.logs.prompt_search import Summary, Wanted, search_history, summarize_history
from sesskit.records.reading import reason_for, unreadable_kind
from sesskit.schemas.instants import parse_instant
from sesskit.schemas.masking import mask_text

BY: dict[str, Literal["project", "session_id"]] = {"project": "project", "session": "session_id"}
"""What prompts can be counted by -> the member that names it."""

_LINK = "it is a symbolic link, and none is followed"
_INDENT, _NAME, _TIME = 4, 60, 19


class Asked(NamedTuple):
    """Which prompts of which file: ``limit`` newest ones (0 is all), with ``full`` texts."""

    path: Path
    wanted: Wanted
    limit: int = 0
    full: bool = False


class _Counting:
    """Prompts as they are found, up to the limit; counts them and the lines not readable."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self.found = self.skipped = 0
        self.whole = True

    def __iter__(self) -> Iterator[Prompt]:
        limit = self._asked.limit
        for block in search_history(self._asked.path, self._asked.wanted):
            self.skipped += block.skipped
            for prompt in block.prompts:
                if limit and self.found >= limit:
                    self.whole = False
                    return
                self.found += 1
                yield prompt


def show_prompts(asked: Asked, display: Display) -> int:
    """Show the prompts asked for, newest first, as they are found; the exit code."""
    trouble = _trouble(asked.path)
    found = _Counting(asked)
    prompts: list[dict[str, str]] = []
    for prompt in found if trouble is None else ():
        if display.output == "json":
            prompts.append(_member(prompt))
        else:
            write("".join(_lines(prompt, asked, display.screen)))
    if display.output == "json":
        members = {"prompts": prompts, "more": not found.whole, "skippedLines": found.skipped}
        write(_json(asked.path, trouble, members))
    elif trouble is None and not found.found:
        note("no prompt fits")
    return _ended(asked.path, trouble, found.skipped)


def show_sums(asked: Asked, by: str, display: Display) -> int:
    """Show each project or session with the number of its prompts; the exit code."""
    trouble = _trouble(asked.path)
    sums, skipped = ([], 0) if trouble is not None else summarize_history(asked.path, BY[by])
    shown = sums[: asked.limit or None]
    if display.output == "json":
        rows = [_sum_member(row) for row in shown]
        more = len(shown) < len(sums)
        write(_json(asked.path, trouble, {f"{by}s": rows, "more": more, "skippedLines": skipped}))
    elif shown:
        width = max(len(f"{row.count:,}") for row in shown)
        for row in shown:
            room = display.screen.width - width - _TIME - 4
            write(f"{_time(row.last)}  {row.count:>{width},}  {safe(row.name, room)}\n")
        if len(shown) < len(sums):
            note(f"{len(sums) - len(shown):,} more; --limit 0 shows all")
    return _ended(asked.path, trouble, skipped)


def _trouble(path: Path) -> tuple[str, str] | None:
    """Status and reason where the history cannot be read; ``missing`` where there is none."""
    try:
        mode = path.lstat().st_mode
        kind = _LINK if stat.S_ISLNK(mode) else unreadable_kind(mode)
        if kind is not None:
            return "unreadable", f"the prompt history cannot be read: {kind}"
        for _ in search_history(path, Wanted()):
            break
    except FileNotFoundError:
        return "missing", "there is no prompt history"
    except OSError as error:
        return "unreadable", f"the prompt history cannot be read: {reason_for(error)}"
    except ValueError:
        return "unreadable", "its name cannot be the name of a file"
    return None


def _ended(path: Path, trouble: tuple[str, str] | None, skipped: int) -> int:
    """Say what was not shown; the exit code."""
    name = one_line(str(path))
    if trouble is not None:
        note(f"{name}: {trouble[1]}")
    if skipped:
        lines = "1 line is" if skipped == 1 else f"{skipped:,} lines are"
        note(f"{lines} no prompt and not shown; sesskit validate {name} says where")
    return int(trouble is not None or skipped > 0)


def _lines(prompt: Prompt, asked: Asked, screen: Screen) -> Iterator[str]:
    place = f"{safe(prompt.project, _NAME)}  {safe(prompt.session_id, _NAME)}"
    yield f"{screen.paint('faint', f'{_time(prompt.at)}  {place}')}\n"
    text = mask_text(prompt.text)
    if asked.full:
        yield from (f"{line}\n" for line in folded(text, screen.width, indent=_INDENT))
    else:
        yield f"{'':{_INDENT}}{safe(prompt.text, screen.width - _INDENT)}\n"


def _time(at: str) -> str:
    moment = parse_instant(at)
    return safe(at, _TIME) if moment is None else str(moment)[:_TIME].replace("T", " ")


def _member(prompt: Prompt) -> dict[str, str]:
    return {
        "at": mask_text(prompt.at),
        "sessionId": mask_text(prompt.session_id),
        "project": mask_text(prompt.project),
        "text": mask_text(prompt.text),
    }


def _sum_member(row: Summary) -> dict[str, Any]:
    times = {"first": mask_text(row.first), "last": mask_text(row.last)}
    return {"name": mask_text(row.name), "prompts": row.count, **times}


def _json(path: Path, trouble: tuple[str, str] | None, members: dict[str, Any]) -> str:
    """One object; ``status`` is read, missing or unreadable."""
    status = "read" if trouble is None else trouble[0]
    shown = {"history": str(path), "status": status, **members}
    return json_text(shown)
