"""A provider that replays a recorded session: for tests of what asks a provider.

Source: robota-log section 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sesskit.logs.robota_entries import decode_entries
from sesskit.logs.robota_log import (
    DEFAULT_OPTIONS,
    DEFAULT_SIDECARS,
    LogReading,
    open_payloads,
)
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Decoded, Outcome, Valid
from sesskit.schemas.robota_log_envelope import LogEvent
from sesskit.schemas.robota_log_turns import ProviderResponseNormalized
from sesskit.schemas.robota_messages import Message


class ReplayExhausted(LookupError):
    """The recorded responses have run out."""


class ReplayRefused(ValueError):
    """An entry is no event of a log; ``outcome`` says what is wrong with it."""

    def __init__(self, place: int, outcome: Decoded) -> None:
        first = outcome.issues[0]
        where = f"{first.path}: " if first.path else ""
        super().__init__(f"entry {place} is no event of a log: {where}{first.message}")
        self.outcome = outcome


class ReplayProvider:
    """A provider for tests: answers with the recorded responses, in the order of the log.

    Entries are events, or parsed lines, which are decoded first: raises `ReplayRefused` for one
    that is neither, or that has a response in a sidecar.
    """

    def __init__(self, entries: Iterable[LogEvent | Mapping[str, Any]]) -> None:
        events = [_event(place, entry) for place, entry in enumerate(entries)]
        self._responses = iter(
            [event.response for event in events if isinstance(event, ProviderResponseNormalized)]
        )

    def respond(self) -> Message:
        """The next response; raises `ReplayExhausted` when there is none left."""
        for response in self._responses:
            return response
        raise ReplayExhausted("the log holds no further response")


def _event(place: int, entry: LogEvent | Mapping[str, Any]) -> LogEvent:
    if isinstance(entry, LogEvent):
        return entry
    outcome = decode_entries([dict(entry) if isinstance(entry, Mapping) else entry])
    if not isinstance(outcome, Valid):
        raise ReplayRefused(place, outcome)
    found: LogEvent = outcome.value[0]
    return found


def replay_provider(path: Path, options: Options = DEFAULT_OPTIONS) -> ReplayProvider | Outcome:
    """A provider that replays the log at a path, or why there is none. Checked first."""
    responses: list[LogEvent] = []

    def read(reading: LogReading) -> Decoded:
        for line in reading:
            if isinstance(line.event, ProviderResponseNormalized):
                responses.append(line.event)
        return reading.outcome()

    outcome = open_payloads(path, options, DEFAULT_SIDECARS, read)
    return ReplayProvider(responses) if isinstance(outcome, Valid) else outcome
