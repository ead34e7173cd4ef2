"""All detection in one text: what it says as it stands, and what it says seen through.

`scan` is pure. It looks at the text, at the text without terminal sequences and invisible signs,
without prefixes of lines, with wrapped lines joined, with escapes undone, and at what is base64 in
it. Each view costs at most what the text costs, and their number is bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from sesskit.artifacts.broken_tokens import broken_in
from sesskit.artifacts.direct_scan import (
    Runs,
    direct,
    has_anchor,
    hides_in_lines,
    over_lines,
    runs_of,
)
from sesskit.artifacts.encoded_texts import dumps_in, holds_dump, text_in
from sesskit.artifacts.line_views import (
    continued,
    first_lines,
    goes_on,
    unwrapped,
    without_prefixes,
)
from sesskit.artifacts.literals import flat
from sesskit.artifacts.span import Span, merged
from sesskit.artifacts.views import (
    Cut,
    View,
    deeper_views,
    uncommon_in,
    with_plain_ends,
    without_noise,
)

__all__ = ["scan"]

_SHORTEST: Final = 6
_SHORT: Final = 256
_DEEPEST: Final = 3
_SPARE_VIEWS: Final = 8
_SPARE_CHARACTERS: Final = 1 << 16
_LEAST_BLOB: Final = 24
_BLOB: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_-])")
_LOUD: Final = re.compile(
    "[^A-Za-z0-9 .,;!?()\\[\\]{}*#|_^~$+\\n-]|[A-Za-z0-9_.~+-]{16}|-(?:Users|home)-"
)
"""What a short text has, besides anchors, that gives anything away; most have nothing of it."""


def scan(text: str) -> list[Span]:
    """What has to go from a text, in order and without overlaps."""
    if len(text) > _SHORT:
        return merged(_Scanner(text).spans(text, 0))
    if len(text) < _SHORTEST or not (_LOUD.search(text) or has_anchor(text) or holds_dump(text)):
        return []
    return list(_of_short(text))


@lru_cache(maxsize=8192)
def _of_short(text: str) -> tuple[Span, ...]:
    """Short texts come again and again: words of a format, names, paths."""
    return tuple(merged(_Scanner(text).spans(text, 0)))


class _Scanner:
    """One scan. It counts what it looks at, so that nested escapes cannot multiply the work."""

    def __init__(self, text: str) -> None:
        self.left = _SPARE_VIEWS * len(text) + _SPARE_CHARACTERS

    def spans(self, text: str, depth: int) -> list[Span]:
        plain = with_plain_ends(text)
        if plain is not None:
            return list(_back(plain, self.spans(plain.text, depth)))
        data = flat(text)
        runs = runs_of(text, data)
        anchors: set[str] = set()
        found = direct(text, runs, anchors, data)
        uncommon = uncommon_in(text)
        noiseless = without_noise(text, uncommon)
        if noiseless is None:
            found += self.seen(text, runs, anchors, depth, uncommon)
        else:
            text = noiseless.text
            runs = runs_of(text)
            anchors.clear()
            inside = direct(text, runs, anchors)
            beyond = self.seen(text, runs, anchors, depth, uncommon)
            found += _back(noiseless, [*inside, *beyond])
        return found

    def seen(
        self, text: str, runs: Runs, anchors: set[str], depth: int, uncommon: str
    ) -> list[Span]:
        """What other views of a text without noise show."""
        found = list(self.blobs(text, runs, depth))
        needed = hides_in_lines(anchors) or _touches_start(text, runs)
        lines = first_lines(text)
        for view in without_prefixes(text, lines, needed=needed):
            found += _back(view, over_lines(view.text))
            found += _back(view, self.blobs(view.text, runs_of(view.text), depth))
            found += _back(view, self.joined(view.text, first_lines(view.text), depth))
        if "\n" in text:
            found += self.joined(text, lines, depth)
        found += broken_in(text, runs)
        found += self.dumped(text, depth)
        if depth == 0:
            found += self.over_joints(text)
        if depth < _DEEPEST:
            for deeper in deeper_views(text, uncommon):
                self.left -= len(deeper.text)
                if self.left > 0:
                    found += _back(deeper, self.spans(deeper.text, depth + 1))
        return found

    def joined(self, text: str, lines: list[str], depth: int) -> Iterator[Span]:
        """What stands over line ends that wrapping made; two things that end lines stay two."""
        for at, part, view in unwrapped(text, lines):
            runs = runs_of(view.text)
            over = list(
                _back(view, [*direct(view.text, runs), *self.blobs(view.text, runs, depth)])
            )
            apart = [s.start for s in merged(direct(part, runs_of(part)))] if over else []
            for span in over:
                parts = bisect_left(apart, span.end) - bisect_left(apart, span.start)
                end = part.find("\n", span.start, span.end)
                goes = parts < 1 and not span.rule.startswith(_LOOSE_RULES)
                if goes or (parts <= 1 and end >= 0 and goes_on(text, at + end)):
                    yield span._replace(start=at + span.start, end=at + span.end)

    def over_joints(self, text: str) -> Iterator[Span]:
        """What stands over the places where strings are put together, or a line goes on."""
        for at, _, view in continued(text):
            for span in direct(view.text, runs_of(view.text)):
                start, end = view.back(span.start, span.end)
                if end - start > span.end - span.start:
                    yield span._replace(start=at + start, end=at + end)

    def dumped(self, text: str, depth: int) -> Iterator[Span]:
        """The lines of a dump of bytes that hold something."""
        for dump in dumps_in(text):
            for span in self.spans(dump.text, depth + 1):
                first = bisect_right(dump.starts, span.start) - 1
                last = bisect_right(dump.starts, span.end - 1) - 1
                start, end = dump.lines[first][0], dump.lines[last][1]
                yield span._replace(
                    start=start, end=end, rule=f"dumped-{span.rule}", stem="encoded-text"
                )

    def blobs(self, text: str, runs: Runs, depth: int) -> Iterator[Span]:
        """Base64 of text that holds something which has to go: it goes as a whole."""
        if depth >= _DEEPEST:
            return
        for start, end in runs:
            if end - start < _LEAST_BLOB:
                continue
            for blob in _BLOB.finditer(text, start, end):
                content = text_in(blob[0])
                self.left -= max(len(content) - len(blob[0]), 0)
                inner = merged(self.spans(content, depth + 1)) if content and self.left > 0 else []
                if inner:
                    best = max(inner, key=lambda span: span.rank)
                    rule = f"base64-{best.rule}"
                    yield Span(
                        *blob.span(), rule, blob[0], "encoded-text", best.kind, best.confidence
                    )


def _touches_start(text: str, runs: Runs) -> bool:
    """Whether a run that could be base64 begins a line: a mark before it is seen as part of it."""
    return any(
        end - start >= _LEAST_BLOB and (not start or text[start - 1] in "\n :")
        for start, end in runs
    )


def _back(view: View | Cut, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans of a view as spans of the text that it was made from."""
    for span in spans:
        start, end = view.back(span.start, span.end)
        yield span._replace(start=start, end=end)


_LOOSE_RULES: Final = ("command-", "prose-")
