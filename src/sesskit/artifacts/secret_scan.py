"""All detection in one text: what it says as it stands, and what it says seen through.

`scan` is pure. It looks at the text, at the text without terminal sequences and invisible signs,
without prefixes of lines, with wrapped lines joined, with escapes undone, and at what is base64 in
it. Each view costs at most what the text costs, and their number is bounded.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.direct_scan import direct, runs_of
from sesskit.artifacts.span import Span, merged
from sesskit.artifacts.views import View, deeper_views, unwrapped, without_noise, without_prefixes

__all__ = ["scan"]

_SHORTEST: Final = 6
_DEEPEST: Final = 3
_MOST_VIEWS: Final = 12
_BLOB: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_-])")
_BLOB_START: Final = 64
_TEXT_BYTES: Final = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))


def scan(text: str) -> list[Span]:
    """What has to go from a text, in order and without overlaps."""
    if len(text) < _SHORTEST:
        return []
    return merged(_Scanner().spans(text, 0))


class _Scanner:
    """One scan. Counts the views that it makes, so that nested escapes cannot multiply the work."""

    def __init__(self) -> None:
        self.views = 0

    def spans(self, text: str, depth: int) -> list[Span]:
        found = direct(text)
        noiseless = without_noise(text) if depth == 0 else None
        if noiseless:
            found += _back(noiseless, self.seen(noiseless.text, depth + 1))
        else:
            found += self.seen(text, depth)
        return found

    def seen(self, text: str, depth: int) -> list[Span]:
        """What other views of a text without noise show."""
        found: list[Span] = []
        if depth == 1:
            found += direct(text)
        found += self.blobs(text, depth)
        for view in without_prefixes(text):
            self.views += 1
            found += _back(view, [*direct(view.text), *self.blobs(view.text, depth)])
            found += self.joined(view.text, view)
        found += self.joined(text, None)
        if depth < _DEEPEST and self.views < _MOST_VIEWS:
            for view in deeper_views(text):
                self.views += 1
                found += _back(view, self.spans(view.text, depth + 1))
        return found

    def joined(self, text: str, below: View | None) -> Iterator[Span]:
        """What stands over line ends that wrapping made. Two things that end a line each are two."""
        view = unwrapped(text)
        if view is None:
            return
        self.views += 1
        apart = [span.start for span in merged(direct(text))]
        for span in _back(view, [*direct(view.text), *self.blobs(view.text, _DEEPEST - 1)]):
            inside = bisect_left(apart, span.end) - bisect_left(apart, span.start)
            if inside <= 1 and "\n" in text[span.start : span.end]:
                yield from _back(below, [span]) if below else [span]

    def blobs(self, text: str, depth: int) -> Iterator[Span]:
        """Base64 of text that holds something which has to go: it goes as a whole."""
        for start, end in runs_of(text, 24):
            for blob in _BLOB.finditer(text, start, end):
                content = _text_in(blob[0])
                if content and depth < _DEEPEST and self.views < _MOST_VIEWS:
                    self.views += 1
                    inner = merged(self.spans(content, depth + 1))
                    if inner:
                        best = max(inner, key=lambda span: span.rank)
                        yield Span(
                            *blob.span(),
                            f"base64-{best.rule}",
                            blob[0],
                            "encoded-text",
                            best.kind,
                            best.confidence,
                        )


def _back(view: View, spans: list[Span]) -> Iterator[Span]:
    """The spans of a view as spans of the text that it was made from."""
    for span in spans:
        start, end = view.back(span.start, span.end)
        yield span._replace(start=start, end=end)


def _text_in(blob: str) -> str:
    """The text whose base64 this is; empty if it is none."""
    plain = blob.rstrip("=").translate(_STANDARD)
    try:
        start = base64.b64decode(plain[:_BLOB_START])
        if not _TEXT_BYTES.issuperset(start[:45]):
            return ""
        whole = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except (ValueError, binascii.Error):
        return ""
    if not _TEXT_BYTES.issuperset(whole):
        return ""
    return whole.decode("ascii")


_STANDARD: Final = str.maketrans("-_", "+/")
