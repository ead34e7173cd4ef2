"""Payloads of dsh events about compaction and pruning."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, UnsetType

from sesskit.schemas.closed import Broken, Closed
from sesskit.schemas.dsh_content import (
    Block,
    Count,
    Members,
    Ruled,
    Usage,
    Word,
    missing,
    not_empty,
    only_true,
)
from sesskit.schemas.dsh_values import is_count


def turn_or_null(sound: Members, members: Members) -> Iterator[Broken]:
    """The turn is a count, or null between turns."""
    turn = members.get("turn")
    if isinstance(turn, int | float) and not is_count(turn):
        yield Broken(("turn",), "range", "expected a count or null", "count or null", "number")


class CompactionStart(Ruled):
    """The talk is being summarised."""

    __rules__ = (turn_or_null,)

    compaction_id: Word
    turn: Count | None
    source_command_id: Word | UnsetType = UNSET


class CompactionEnd(Ruled):
    """The summarising is over."""

    __rules__ = (turn_or_null,)

    compaction_id: Word
    turn: Count | None
    source_command_id: Word | UnsetType = UNSET
    error: str | UnsetType = UNSET


class Range(Closed):
    """From one event to another."""

    start: Count
    end: Count


def range_of_the_list(sound: Members, _members: Members) -> Iterator[Broken]:
    """The range goes from the first event of the list to the last."""
    seqs, span = sound.get("shadowedSeqs"), sound.get("shadowedRange")
    if isinstance(seqs, list) and seqs and span is not None:
        ends = [_end(span, "start"), _end(span, "end")]
        if all(isinstance(e, int | float) for e in ends) and ends != [seqs[0], seqs[-1]]:
            message = "must go from the first event of the list to the last"
            yield Broken(("shadowedRange",), "range-of-list", message)


def _end(span: Any, name: str) -> Any:
    return span.get(name) if isinstance(span, dict) else getattr(span, name)


_SHADOWED = (not_empty("shadowedSeqs"), range_of_the_list)


def raw_output_of_the_call(sound: Members, members: Members) -> Iterator[Broken]:
    """A summary that came by a streamed call keeps what the call gave."""
    if "llmStreamCall" in members and "rawOutput" not in members:
        yield missing("rawOutput", "with llmStreamCall")


class CompactionSummary(Ruled):
    """A summary, and the events that it stands for."""

    __rules__ = (only_true("llmStreamCall"), raw_output_of_the_call, *_SHADOWED)

    compaction_id: Word
    summary: list[Block]
    shadowed_range: Range
    shadowed_seqs: list[Count]
    shadowed_token_count: Count
    provider: Word
    model: Word
    source_command_id: Word | UnsetType = UNSET
    max_tokens: Count | UnsetType = UNSET
    usage: Usage | UnsetType = UNSET
    raw_output: list[Block] | UnsetType = UNSET
    llm_stream_call: bool | UnsetType = UNSET


class CompactionPrune(Ruled):
    """Tool results were shortened."""

    __rules__ = _SHADOWED

    shadowed_range: Range
    shadowed_seqs: list[Count]
    shadowed_token_count: Count
