"""One cause, one finding: after a finding several readings of the log go on side by side.

A line that is missing, doubled or out of its place breaks many rules. When a line breaks one, the
audit also reads on as if a line had been lost before it, as if it were not there, as if it stood
one line later, or as if it were there and nobody knew what it says. The reading that leaves the
fewest findings is the one that is told; where two leave the same, the one that takes every line as
it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sesskit.logs.audit_lines import LOST, Line
from sesskit.logs.audit_phantoms import PHANTOMS
from sesskit.logs.audit_watch import Watch
from sesskit.schemas.issues import Issue

_BEAM = 6
"""How many readings go on."""
_WORSE = 2
"""How many findings more than the best a reading may have and go on."""
_LONGEST = 4096
"""After so many lines without a new finding the best reading is the right one."""
_ALSO: Final = {"provider_request": ("forced_summary",)}
"""What a line of an event may be besides."""
_SEARCHES = 256
"""How often a log is read in several ways; one with more faults is told line by line."""


class Track:
    """One reading: what it remembers after the last line and before it, and what it found.

    ``held`` is a line that is read after the next one.
    """

    __slots__ = ("_last", "after", "before", "found", "held")

    def __init__(self, before: Watch, after: Watch, last: Line | None, found: list[Issue]) -> None:
        self.before, self.after, self._last, self.found = before, after, last, found
        self.held: Line | None = None

    def read(self, line: Line) -> list[Issue]:
        """The next line; gives what it brings to light, which is not taken in yet."""
        if self._last is not None:
            self.before.look(self._last)
        self._last = line
        return self.after.look(line)

    def end(self) -> list[Issue]:
        return self.after.end()

    def others(self, line: Line, broken: list[Issue]) -> Iterator[Track]:
        """The other readings of a line that breaks something; the likelier first."""
        if self.held is not None:
            return
        found = [*self.found, broken[0]]
        here = next((issue for issue in broken if issue.line == line.number), broken[0])
        late = Track(self.before.fork(), self.before.fork(), None, found)
        late.held = line
        yield late
        gone = Track(self.before.fork(), self.before.fork(), None, [*self.found, here])
        doubted = self._doubted(line, found)
        # A text that is shown is nothing but a copy: a wrong one is altered, not one too many.
        yield from (*doubted, gone) if line.event == "text_delta" else (gone, *doubted)
        yield from self._missing(line, found)

    def _doubted(self, line: Line, found: list[Issue]) -> Iterator[Track]:
        """As if the line were there and nobody knew what it says."""
        for event in (line.event, *_ALSO.get(line.event, ())):
            after = self.before.fork()
            if event in PHANTOMS and after.phantom(event, line, doubted=True):
                before = self.before.fork()
                before.phantom(event, line, doubted=True)
                yield Track(before, after, None, found)

    def _missing(self, line: Line, found: list[Issue]) -> Iterator[Track]:
        """As if another line had been lost before it."""
        for event in PHANTOMS:
            after = self.before.fork()
            if not after.phantom(event, line) or after.look(line):
                continue
            before = self.before.fork()
            before.phantom(event, line)
            yield Track(before, after, line, found)


class Search:
    """All readings of one log."""

    def __init__(self) -> None:
        watch = Watch()
        self._tracks = [Track(watch.fork(), watch, None, [])]
        self._left = _SEARCHES
        self._quiet = 0
        self._runs = False
        self._over = False

    def line(self, line: Line) -> list[Issue]:
        """Read a line; gives what is certain now."""
        best = min(len(track.found) for track in self._tracks)
        grown: list[Track] = []
        for track in self._tracks:
            broken = self._read(track, line)
            if broken is None:
                continue
            if broken and len(track.found) <= best and self._left > 0:
                self._left -= 1
                others = list(track.others(line, broken))
                track.found = [*track.found, *broken]
                grown += [track, *others]
            else:
                track.found = [*track.found, *broken]
                grown.append(track)
        if len(grown) > len(self._tracks) or any(t.held for t in grown):
            self._quiet, self._runs, self._over = 0, False, False
        else:
            self._quiet += 1
            self._over = self._runs and line.event == "provider_request"
            self._runs |= line.event == "pre_run"
        self._tracks = self._pruned(grown)
        return self._settled()

    def _read(self, track: Track, line: Line) -> list[Issue] | None:
        held, track.held = track.held, None
        broken = track.read(line)
        if held is None:
            return broken
        if broken or held.event == LOST or track.read(held):
            return None
        return broken

    def _pruned(self, tracks: list[Track]) -> list[Track]:
        best = min(len(track.found) for track in tracks)
        kept = [track for track in tracks if len(track.found) <= best + _WORSE]
        return sorted(kept, key=lambda track: len(track.found))[:_BEAM]

    def _settled(self) -> list[Issue]:
        """What was found, once nothing can follow from it any more."""
        if len(self._tracks) > 1 and not self._over and self._quiet < _LONGEST:
            return []
        if any(track.held for track in self._tracks):
            return []
        track = self._tracks[0]
        found, track.found = track.found, []
        self._tracks = [track]
        return found

    def end(self) -> list[Issue]:
        """The log ends here."""
        for track in self._tracks:
            track.found = [*track.found, *track.end()]
        return min(self._tracks, key=lambda track: len(track.found)).found
