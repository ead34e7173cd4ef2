"""Checking a prompt history line by line: what its reader counts and steps over, with its place."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import msgspec

from sesskit.logs.line_blocks import Block, Lines, line_blocks
from sesskit.logs.log_sources import open_log
from sesskit.logs.prompt_history import Prompt, read_prompt
from sesskit.logs.robota_line_faults import place
from sesskit.logs.robota_log import DEFAULT_OPTIONS
from sesskit.records.format import Options
from sesskit.records.reading import reason_for
from sesskit.schemas.check import check
from sesskit.schemas.closed import Closed
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.issues import Issue
from sesskit.schemas.items import parse, without_repeats
from sesskit.schemas.json_position import Base
from sesskit.schemas.outcomes import Corrupt, Decoded, Missing, Original, Outcome, Unreadable, Valid
from sesskit.schemas.shapes import shape_of

_DECODE = msgspec.json.Decoder(Prompt).decode
_REFUSALS = (msgspec.MsgspecError, RecursionError)
_STILL = "it may still be being written"
_MEMBERS = ("at", "sessionId", "project", "text")


class PromptLine(Closed):
    """One line of a prompt history; whatever else it holds is dropped by the reader."""

    at: str
    session_id: str
    project: str
    text: str


def check_history(data: bytes, options: Options = DEFAULT_OPTIONS) -> Decoded:
    """The prompts of a history in memory, oldest first. Total."""
    return _checked(io.BytesIO(data), options)


def read_history_file(path: Path, options: Options = DEFAULT_OPTIONS) -> Outcome:
    """The prompts of the history at a path, oldest first. Never raises for what it finds."""
    try:
        with open_log(path) as stream:
            return _checked(stream, options)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error) if error.errno else str(error.strerror))
    except ValueError:
        return Unreadable("its name cannot be the name of a file")


def _checked(stream: Lines, options: Options) -> Decoded:
    issues: list[Issue] = []
    prompts: list[Prompt] = []
    for block in line_blocks(stream):
        number, offset = block.number, block.offset
        for raw in block.lines:
            prompt = _prompt(raw, Base(offset, number), block, issues, options)
            if prompt is not None and options.keep:
                prompts.append(prompt)
            number += 1
            offset += len(raw)
    found = tuple(issues)
    if any(issue.severity == "error" for issue in found):
        return Corrupt(found, original=Original("accept-with-repair"))
    return Valid(prompts if options.keep else None, found, original=Original("accept"))


def _prompt(
    raw: bytes, base: Base, block: Block, issues: list[Issue], options: Options
) -> Prompt | None:
    line = raw.removesuffix(b"\n")
    if not line and block.hollow is None:
        return None
    if not options.thorough and block.ended and block.hollow is None:
        try:
            return _DECODE(line)
        except _REFUSALS:
            pass
    if block.hollow is not None:
        what = "NUL bytes" if block.hollow.zeros else "too long to be read"
        code = "json-nul-run" if block.hollow.zeros else "size-limit"
        message = f"the line is {what}"
        issues.append(Issue(code, message).placed(base.offset, base.line, 1))
        return None
    found, whole = _issues(line, options)
    errors = any(issue.severity == "error" for issue in found)
    if not block.ended:
        found = [*found, _unended()] if whole else [_cut(found)]
    issues += place(line, base, found)
    return None if errors else read_prompt(line)


def _issues(line: bytes, options: Options) -> tuple[list[Issue], bool]:
    """What is wrong with a line, and whether it is JSON at all."""
    value, text = parse(line, thorough=options.thorough)
    if value is DAMAGED:
        return text, False
    known: Any = value
    if isinstance(value, dict):
        known = {name: value[name] for name in _MEMBERS if name in value}
    _, found = check(shape_of(PromptLine), known, zone=options.zone)
    return [*without_repeats(text, found, ()), *found], True


def _unended() -> Issue:
    message = f"the last line has no line end; {_STILL}"
    return Issue("line-unended", message, "warning", (), "a line end", "end of file")


def _cut(found: list[Issue]) -> Issue:
    """The last line stops where its first fault stands."""
    first = next(issue for issue in found if issue.severity == "error")
    message = f"the last line stops before its value ends: it was cut, or {_STILL}"
    return msgspec.structs.replace(
        first, code="line-cut", message=message, expected="a whole line", found="a part"
    )
