"""The total decoder of Robota session records (robota-record sections 1 to 4).

`decode_envelope` reads a stored file or an artifact, `decode_bare` a record from before the
envelope existed. Both are total: `Valid`, `Corrupt` or `Unsupported`, whatever the bytes.
"""

from __future__ import annotations

from datetime import UTC, tzinfo

from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.robota_reading import Reading


def decode_envelope(
    data: bytes, *, thorough: bool = False, keep: bool = True, zone: tzinfo = UTC
) -> Decoded:
    """A stored session file or artifact.

    ``thorough`` also finds doubled member names; without ``keep`` the answer carries no value,
    which saves the memory of it; ``zone`` is the zone of date-times that name none.
    """
    reading = Reading(data, thorough=thorough, keep=keep, zone=zone)
    answer = reading.envelope()
    return _by_text(reading) if answer is None else answer


def decode_bare(
    data: bytes, *, thorough: bool = False, keep: bool = True, zone: tzinfo = UTC
) -> Decoded:
    """A record without an envelope, as builds before the envelope wrote it."""
    reading = Reading(data, thorough=thorough, keep=keep, zone=zone)
    answer = reading.bare()
    return _by_text(reading) if answer is None else answer


def _by_text(reading: Reading) -> Decoded:
    """No parser takes the document as it is; the tolerant reader finds out why."""
    from sesskit.schemas.robota_tolerant import read_tolerantly  # sound data does without

    return read_tolerantly(reading)
