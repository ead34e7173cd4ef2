"""Lists of log entries in memory, already parsed: decoded, replayed and checked for completeness.

Nothing is read from disk here, references stay as they are. Paths begin with the position in the
list: ``[3].message.role``.
"""

from __future__ import annotations

from typing import Any

from sesskit.logs.plain_values import copied
from sesskit.logs.robota_completeness import Completeness, Incomplete
from sesskit.logs.robota_line_answer import LineAnswer
from sesskit.logs.robota_line_faults import check_line
from sesskit.logs.robota_log import DEFAULT_OPTIONS
from sesskit.logs.robota_replay import Replay, replay_events
from sesskit.logs.robota_verdict import Verdict
from sesskit.records.format import Options
from sesskit.schemas.issues import Issue
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.outcomes import Decoded, Valid


def decode_entries(entries: Any, options: Options = DEFAULT_OPTIONS) -> Decoded:
    """The events of a list of parsed lines. Total; the list is not changed."""
    verdict = Verdict()
    if not isinstance(entries, list):
        found = kind_word(entries)
        message = f"expected array, found {found}"
        verdict.report((Issue("type", message, "error", (), "array", found),))
        return verdict.outcome()
    events = []
    for place, entry in enumerate(entries):
        answer = LineAnswer()
        event, issues = check_line(copied(entry), answer, options.zone)
        answer.issues = tuple(issue.inside(place) for issue in issues)
        verdict.answer(place + 1, answer)
        events.append(event)
    return verdict.outcome(events)


def replay_entries(entries: Any, options: Options = DEFAULT_OPTIONS) -> Replay | Decoded:
    """The replay of a list of parsed lines, or why there is none."""
    outcome = decode_entries(entries, options)
    return replay_events(outcome.value) if isinstance(outcome, Valid) else outcome


def incomplete_entries(
    entries: Any, options: Options = DEFAULT_OPTIONS
) -> list[Incomplete] | Decoded:
    """What a replay of a list of parsed lines would miss, or why it cannot be replayed."""
    outcome = decode_entries(entries, options)
    if not isinstance(outcome, Valid):
        return outcome
    completeness = Completeness()
    for event, entry in zip(outcome.value, entries, strict=True):
        completeness.add(event, entry)
    return completeness.found()
