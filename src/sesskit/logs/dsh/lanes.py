"""The fast lane: stream lines of a sound log, taken in without building their events.

It never decides that something is wrong. Whatever it does not take goes the careful way, which
gives the same answer for what it takes; a test holds the two together.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from sesskit.logs.dsh.generations import Generation
from sesskit.logs.dsh.judges import Judge
from sesskit.logs.dsh.stored import has_negative_zero
from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER
from sesskit.schemas.dsh_lines import (
    PREFIXES,
    CallRunData,
    ChunkLine,
    StreamLine,
    decode_stream_line,
    event_decoder,
)
from sesskit.schemas.dsh_payloads import SURFACE

_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)
_MESSAGES = SURFACE[3]


def take(data: bytes, judge: Judge, expected: int) -> int:
    """How many events the line adds behind event ``expected``; 0 where it is not taken."""
    if not data.startswith(PREFIXES) or has_negative_zero(data):
        return 0
    try:
        line = decode_stream_line(data)
    except _REFUSALS:
        return 0
    span = run_of(line)
    if span is None or span[0] != expected:
        return 0
    _, count, time = span
    relations, place = judge.relations, line.data
    if relations.step is None or relations.step != place.step or relations.turn != place.turn:
        return 0
    judge.took(expected, count, time)
    return count


def is_sound(data: bytes, generation: Generation) -> bool:
    """Whether a line holds an event without any fault of its own; False says nothing.

    In v0 a sound payload leaves nothing to the rules for messages, which ask for less.
    """
    if generation.seed or generation.listed or has_negative_zero(data):
        return False
    try:
        event = event_decoder(generation.version, generation.known)(data)
    except _REFUSALS:
        return False
    surfaced = event.surface_op is not UNSET or event.source_event_seqs is not UNSET
    if surfaced and generation.version and type(event).__struct_config__.tag not in _MESSAGES:
        return False  # from v1 on the rules for messages do not look at other types
    # Readers of v0 take an end of turn 0 for a malformed old one.
    return generation.version > 0 or getattr(event.data, "turn", 1) != 0


def run_of(line: StreamLine) -> tuple[int, int, int] | None:
    """The first number, how many events, and the time of the last one."""
    if isinstance(line, ChunkLine):
        return line.seq, 1, line.time
    gaps = line.data.dt
    count = len(line.data.args if isinstance(line.data, CallRunData) else line.data.texts)
    if len(gaps) != count - 1:
        return None
    time = line.time0 + sum(gaps)
    if abs(line.time0) + sum(map(abs, gaps)) > MAX_SAFE_INTEGER:
        return None
    return line.seq0, count, time
