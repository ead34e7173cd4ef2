"""Whether a line holds a sound event, told by the decoder of its type.

It never decides that something is wrong. What it does not take goes the careful way, which gives
the same answer for what it takes; a test holds the two together.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from sesskit.logs.dsh.generations import Generation
from sesskit.logs.dsh.negative_zero import has_negative_zero
from sesskit.schemas.dsh_lines import (
    event_decoder,
)
from sesskit.schemas.dsh_surface import SURFACE

_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)
_MESSAGES = SURFACE[3]


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
