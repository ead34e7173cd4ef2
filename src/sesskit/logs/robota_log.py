"""Reading a Robota session log: as a stream, every line's every fault, nothing partial handed out.

`examine_log` checks or loads a log at a path with its sidecars, `decode_log` the bytes of one
without; `LogReading` gives the events one by one for those who need no more than one at a time.
Source: robota-log sections 3 to 6.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sesskit.logs.line_blocks import Block, Lines, line_blocks
from sesskit.logs.log_sources import LogPlace, open_place, payloads_of
from sesskit.logs.robota_checking import unsure_lines, with_repeated_names
from sesskit.logs.robota_line_answer import LineAnswer
from sesskit.logs.robota_lines import LineReader
from sesskit.logs.robota_odd_lines import hollow_answer, unended_answer
from sesskit.logs.robota_verdict import Verdict
from sesskit.logs.sidecar_files import PayloadDirectory, PayloadSource
from sesskit.logs.sidecars import MAX_REFERENCE_DEPTH, MAX_TOTAL_BYTES, Resolver
from sesskit.records.format import Options
from sesskit.records.reading import reason_for
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_position import Base
from sesskit.schemas.outcomes import Decoded, Missing, Outcome, Unreadable, Valid
from sesskit.schemas.robota_log_envelope import LogEvent


@dataclass(frozen=True, slots=True)
class SidecarOptions:
    """How sidecars are treated: not at all, or within limits.

    ``max_depth`` and ``max_total_bytes`` must be whole and not negative; what is not is an issue.
    """

    look: bool = True
    max_depth: float = MAX_REFERENCE_DEPTH
    max_total_bytes: float = MAX_TOTAL_BYTES


Announce = Callable[[list[bytes]], None]
"""Told of lines that are about to be read, so that their sidecars can be read ahead."""

Look = Callable[[Block, list[int], Iterator[Any]], None]
DEFAULT_OPTIONS = Options()
DEFAULT_SIDECARS = SidecarOptions()


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line that is not blank. ``event`` is None where the line has an error."""

    number: int
    offset: int
    event: LogEvent | None
    issues: tuple[Issue, ...] = ()


class LogReading:
    """One reading of one log: iterate over its lines, then ask for the ``outcome``.

    ``payloads`` is where sidecars are read from; without it references are left alone. ``offset``
    is where the stream begins in its file.
    """

    def __init__(
        self,
        stream: Lines,
        payloads: PayloadSource | None = None,
        *,
        options: Options = DEFAULT_OPTIONS,
        sidecars: SidecarOptions = DEFAULT_SIDECARS,
        offset: int = 0,
    ) -> None:
        self.verdict = Verdict()
        self._offset = offset
        self._stream = stream
        self._last: Block | None = None
        self._announce: Announce | None = getattr(payloads, "announce", None)
        resolver = None
        if payloads is not None and sidecars.look:
            resolver = Resolver(
                payloads,
                sidecars.max_depth,
                sidecars.max_total_bytes,
                thorough=options.thorough,
            )
        self.resolver = resolver
        self.payloads = payloads if resolver is not None else None
        self._thorough = options.thorough
        self._lines = LineReader(resolver, thorough=options.thorough, zone=options.zone)
        for fault in resolver.limit_faults() if resolver else ():
            self.verdict.fault = self.verdict.fault or fault
            self.verdict.report((fault.issue(),))

    def __iter__(self) -> Iterator[LogLine]:
        """Every line that is not blank, in order."""
        for block in self._blocks():
            if self._announce is not None:
                self._announce(block.lines)
            for number, offset, answer in self._answers(block):
                if not answer.blank:
                    yield LogLine(number, offset, answer.event, answer.issues)
            self._finish(block)

    def answers(self) -> Iterator[tuple[int, int, LineAnswer]]:
        """Number, offset and answer of every line that is not blank.

        ``plain`` of an answer is the parsed value, sidecars resolved, of what can be parsed. Shapes
        are checked all the same: the outcome is that of the whole log.
        """
        self._lines.keep_plain = True
        for block in self._blocks():
            for number, offset, answer in self._answers(block):
                if not answer.blank:
                    yield number, offset, answer
            self._finish(block)

    def check(self, look: Look | None = None) -> Verdict:
        """Read to the end without keeping anything; gives the verdict.

        ``look`` is told of each block, of positions in it of lines that are not known to be sound,
        and of one event for each line, read as it is asked for: typed or a twin of it, None where
        the line is wrong.
        """
        for block in self._blocks():
            unsure: list[int] = []
            if block.hollow or not block.ended:
                events: Iterator[Any] = (answer.event for _, _, answer in self._answers(block))
            else:
                unsure, events = self._check_fast(block, keep=look is not None)
            if look is not None:
                look(block, unsure, events)
            for _ in events:
                pass  # what nobody looked at is checked all the same
            self._finish(block)
        return self.verdict

    def _blocks(self) -> Iterator[Block]:
        """What was not read before; where a stream has grown since, a reading goes on there."""
        return line_blocks(self._stream, self.end, self.verdict.lines + 1)

    def outcome(self, value: Any = None) -> Decoded:
        """The answer, once all lines were read."""
        return self.verdict.outcome(value)

    def _check_fast(self, block: Block, *, keep: bool) -> tuple[list[int], Iterator[Any]]:
        twins: list[Any] | None = [] if keep else None
        unsure = unsure_lines(block.lines, twins)
        if self._thorough:
            unsure = with_repeated_names(block.lines, unsure)
        if self._announce is not None and unsure:
            self._announce([block.lines[position] for position in unsure])
        sound = len(block.lines) - len(unsure)
        self.verdict.events += sound
        if sound:
            self.verdict.version = 1
        return unsure, self._events(block, unsure, twins)

    def _events(self, block: Block, unsure: list[int], twins: list[Any] | None) -> Iterator[Any]:
        """The events of unsure lines, in order; with twins those of all lines."""
        offset, done = block.offset, 0
        for position in unsure:
            if twins is not None:
                yield from twins[done:position]
            offset += sum(map(len, block.lines[done:position]))
            line, base = block.lines[position], Base(offset, block.number + position)
            answer = self._answer(line, base, block)
            self.verdict.answer(base.line, answer)
            yield answer.event
            offset, done = offset + len(line), position + 1
        if twins is not None:
            yield from twins[done:]

    def _answers(self, block: Block) -> Iterator[tuple[int, int, LineAnswer]]:
        number, offset = block.number, block.offset
        for line in block.lines:
            answer = self._answer(line, Base(offset, number), block)
            self.verdict.answer(number, answer)
            yield number, offset, answer
            number += 1
            offset += len(line)

    @property
    def end(self) -> int:
        """The offset behind the last line that was read."""
        return self._offset if self._last is None else self._last.end

    def _finish(self, block: Block) -> None:
        self._last = block
        self.verdict.lines += len(block.lines)
        if self.resolver is not None:
            self.verdict.spent = self.resolver.spent
            self.verdict.used = self.resolver.used

    def _answer(self, line: bytes, base: Base, block: Block) -> LineAnswer:
        if block.hollow is not None:
            answer = hollow_answer(block.hollow, base)
        else:
            answer = self._lines.read(line, base)
        return answer if block.ended or answer.blank else unended_answer(answer, line, base)


def decode_log(data: bytes, options: Options = DEFAULT_OPTIONS) -> Decoded:
    """The events of a log in memory, without its sidecars. Total.

    References are left alone: where there are any the answer has no value, and what the original
    would say is not known.
    """
    return _decoded(LogReading(io.BytesIO(data), options=options), options)


def _decoded(reading: LogReading, options: Options) -> Decoded:
    if not options.keep:
        reading.check()
        return reading.outcome()
    events: list[LogEvent] = []
    for line in reading:
        if line.event is not None and not reading.verdict.errors:
            events.append(line.event)
    whole = not reading.verdict.errors and not reading.verdict.unresolved
    return reading.outcome(events if whole else None)


def examine_log(
    path: Path,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> Outcome:
    """What is in the log at a path. Never raises for what it finds.

    The log may be a link, its directory may not where sidecars are read. ``value`` of a `Valid`
    answer is the list of events, or None without ``options.keep``.
    """
    return open_payloads(path, options, sidecars, lambda reading: _decoded(reading, options))


def open_payloads(
    place: LogPlace,
    options: Options,
    sidecars: SidecarOptions,
    read: Callable[[LogReading], Decoded],
    *,
    workers: int = 1,
) -> Outcome:
    """Open a log and its sidecars for ``read``; what cannot be opened or read is the answer.

    With more than one worker, or 0 for as many as are good, sidecars are read ahead on threads.
    """
    try:
        stream = open_place(place)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(_reason(error))
    except ValueError:
        return Unreadable("its name cannot be the name of a file")
    try:
        with stream, payloads_of(place) as found, ExitStack() as stack:
            payloads = found
            if workers != 1 and isinstance(found, PayloadDirectory):
                from sesskit.logs.sidecar_prefetch import PrefetchedPayloads

                ahead = PrefetchedPayloads(found, workers=workers)
                payloads = stack.enter_context(ahead)
            return read(LogReading(stream, payloads, options=options, sidecars=sidecars))
    except OSError as error:
        return Unreadable(_reason(error))
    except MemoryError:
        return Unreadable("there is not enough memory to hold it")


def _reason(error: OSError) -> str:
    return reason_for(error) if error.errno is not None else str(error.strerror)


def read_log(
    path: Path,
    options: Options = DEFAULT_OPTIONS,
    *,
    sidecars: SidecarOptions = DEFAULT_SIDECARS,
) -> Outcome:
    """`examine_log` for those who resume a session: a log that is not there is the empty log."""
    outcome = examine_log(path, options, sidecars=sidecars)
    return Valid([]) if isinstance(outcome, Missing) else outcome
