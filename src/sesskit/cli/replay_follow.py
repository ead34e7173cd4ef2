"""`sesskit replay --follow`: what is there, checked as a whole, and then what comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sesskit.cli.replay_log import Job, entries_of, give, refused, timeline_of
from sesskit.cli.replay_log_text import Telling
from sesskit.cli.replay_tree import Bad
from sesskit.cli.screen import pause
from sesskit.logs.robota_following import FollowedLog, LineBroken
from sesskit.logs.robota_moments import Moment, moments
from sesskit.logs.robota_talk import talk_of
from sesskit.records.reading import reason_for
from sesskit.schemas.outcomes import Missing, Outcome, Unreadable, Valid


def follow(job: Job) -> int:
    """Replay a log and go on as it grows, until the end of the part; the exit code.

    Raises what the reading raises where the log is not what it was any more.
    """
    path = Path(job.path)
    with FollowedLog(path, job.options, pause) as log:
        outcome = _checked(log)
        if not isinstance(outcome, Valid):
            return refused(job, Bad(job.path, outcome))
        found = _wanted(moments(log.lines(), job.options.zone), job)
        try:
            give(_pieces(found, job), job)
        except LineBroken as error:
            what = f"line {error.number} is not sound and ends this; what was shown before it is"
            return refused(job, Bad(job.path, error.outcome), what)
    return 0


def _checked(log: FollowedLog) -> Outcome:
    try:
        return log.check()
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error) if error.errno is not None else str(error.strerror))


def _wanted(found: Iterable[Moment], job: Job) -> Iterator[Moment]:
    """The moments of the part; what lies behind it ends the following."""
    for moment in found:
        if job.range.is_over(moment):
            return
        if job.range.holds(moment):
            yield moment


def _pieces(found: Iterator[Moment], job: Job) -> Iterator[str]:
    if job.form is not None:
        return entries_of(found)
    return timeline_of(found, job) if job.part.events else _told(found, job)


def _told(found: Iterator[Moment], job: Job) -> Iterator[str]:
    telling = Telling(job.display.screen, job.how)
    for item in talk_of(found):
        yield "".join(f"{line}\n" for line in telling.lines(item))
