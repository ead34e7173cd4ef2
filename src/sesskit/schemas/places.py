"""Places: from the keys of a value to where it stands in its text, and on to line and column.

Only what the keys lead through is looked at, each container once. Nothing is decoded. In damaged
text a place is as good as the text; nothing raises.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from sesskit.schemas.issues import Issue, Key, Keys
from sesskit.schemas.json_position import START, Base, Ruler
from sesskit.schemas.json_scan import Ends, Members, behind_noise, end_of_text, skip

__all__ = ["START", "Base", "Places", "Span"]

Span = tuple[int, int]
Hints = Mapping[Keys, Sequence[int]]
"""Where the elements of a list start, by the keys of the list."""

_LONG: Final = 4096
"""Containers from this length on are remembered once they have been looked through."""


class _Spot(NamedTuple):
    """Where a member or element stands: its name (or itself), its value, and the value's end."""

    key: int
    start: int
    end: int


_Index = dict[str, _Spot] | tuple["array[int]", "array[int]"]
"""The members of an object; the starts and ends of the elements of a list."""


class Places:
    """The places of one text. Offsets are those of ``data``; `place` and `position` add ``base``.

    ``hints`` spare the search through long lists whose elements somebody knows already.
    """

    def __init__(self, data: bytes, hints: Hints | None = None, base: Base = START) -> None:
        self._data = data
        self._base = base
        self._ruler = Ruler(data, base)
        self._indexes: dict[int, _Index] = {}
        self._ends: Ends = {}
        start = behind_noise(data, 0)
        self._root = _Spot(start, start, end_of_text(data))
        self._hints: Hints = {k: starts for k, starts in (hints or {}).items() if len(starts)}
        for starts in self._hints.values():
            self._remember_end(starts)

    def span(self, keys: Keys) -> Span | None:
        """Start and end of the value at ``keys``; of doubled members the last one counts."""
        spot, depth = self._find(keys)
        return None if depth < len(keys) or spot.end <= spot.start else (spot.start, spot.end)

    def key_span(self, keys: Keys) -> Span | None:
        """Start and end of the name of the member at ``keys``, quotes included."""
        spot, depth = self._find(keys)
        if depth < len(keys) or spot.key == spot.start:
            return None
        name = skip(self._data, spot.key)
        return None if name is None else (spot.key, name)

    def locate(self, keys: Keys, at_key: bool = False) -> int:
        """Where the value at ``keys`` starts, or with ``at_key`` the name of its member.

        Where there is none, the start of the innermost value on the way to it.
        """
        spot, depth = self._find(keys)
        return spot.key if at_key and depth == len(keys) else spot.start

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset of ``data``."""
        return self._ruler.position(offset)

    def place(self, issues: Iterable[Issue]) -> tuple[Issue, ...]:
        """The issues with their places, sorted by them; places they have already are kept."""
        origin = self._base.offset
        found = [
            (origin + self.locate(i.keys, i.at_key) if i.offset is None else i.offset, i)
            for i in issues
        ]
        found.sort(key=lambda pair: pair[0])
        return tuple(self._placed(issue, offset) for offset, issue in found)

    def _placed(self, issue: Issue, offset: int) -> Issue:
        if issue.line is None or issue.column is None:
            return issue.placed(offset, *self.position(offset - self._base.offset))
        return issue if issue.offset is not None else replace(issue, offset=offset)

    # Finding.

    def _find(self, keys: Keys) -> tuple[_Spot, int]:
        """The deepest value on the way along ``keys``, and how many of them lead to it."""
        spot, depth = self._hinted(keys)
        while depth < len(keys):
            inner = self._step(spot, keys[depth])
            if inner is None:
                break
            spot, depth = inner, depth + 1
        return spot, depth

    def _hinted(self, keys: Keys) -> tuple[_Spot, int]:
        for depth in range(len(keys) - 1, -1, -1) if self._hints else ():
            starts, index = self._hints.get(keys[:depth]), keys[depth]
            if starts is not None and isinstance(index, int) and 0 <= index < len(starts):
                start = starts[index]
                end = skip(self._data, start, self._ends)
                end = len(self._data) if end is None else end
                if end - start >= _LONG:
                    self._ends[start] = end
                return _Spot(start, start, end), depth + 1
        return self._root, 0

    def _step(self, spot: _Spot, key: Key) -> _Spot | None:
        index = self._index(spot)
        if isinstance(index, dict):
            return index.get(str(key))
        starts, ends = index
        if not isinstance(key, int) or not 0 <= key < len(starts):
            return None
        return _Spot(starts[key], starts[key], ends[key])

    def _index(self, spot: _Spot) -> _Index:
        index = self._indexes.get(spot.start)
        if index is None:
            index = self._look_through(spot.start)
            if spot.end - spot.start >= _LONG:
                self._indexes[spot.start] = index
        return index

    def _look_through(self, start: int) -> _Index:
        members = Members(self._data, start, self._ends)
        if self._data[start : start + 1] == b"{":
            return {str(name): _Spot(key, at, end) for name, key, at, end in members}
        starts, ends = array("q"), array("q")
        for _, _, at, end in members:
            starts.append(at)
            ends.append(end)
        return starts, ends

    def _remember_end(self, starts: Sequence[int]) -> None:
        """Note where a hinted list ends, so that it is stepped over at once."""
        data, opening = self._data, starts[0] - 1
        while 0 < opening < len(data) and data[opening] in b" \t\n\r":
            opening -= 1
        last = skip(data, starts[-1], self._ends)
        if last is None or data[opening : opening + 1] != b"[":
            return
        end = behind_noise(data, last)
        if data[end : end + 1] == b"]":
            self._ends[opening] = end + 1
