"""Known values in a text that is written otherwise: in escapes, or with invisible signs in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sesskit.artifacts.span import Span, merged
from sesskit.artifacts.views import Cut, View, deeper_views, uncommon_in, without_noise

__all__ = ["is_odd", "seen_through"]

_ODD: Final = {
    "\\": re.compile(
        r"\\(?:[uU](?:0000)?(?:00[0-7aA]|03|06|11|17|18|20(?:0[b-fB-F]|2[a-eA-E]|6)|[fF][eE]|[dD][bB])"
        r"|[xX_])"
    ),
    "%": re.compile("%[2-7][0-9A-Fa-f]"),
    "&": re.compile("&#"),
}
"""What letters and digits, or signs that do not show, may be hidden in.

Other escapes are among the forms of a value."""

_DEEPEST: Final = 4


def is_odd(text: str) -> bool:
    """Whether there may be more in a text than one sees."""
    escaped = any(sign in text and odd.search(text) for sign, odd in _ODD.items())
    return escaped or without_noise(text) is not None


def seen_through(text: str, spans_in: Callable[[str], Iterable[Span]]) -> list[Span]:
    """What ``spans_in`` finds in a text, as it stands and with all escapes undone."""
    return merged(_seen(text, spans_in, 0))


def _seen(text: str, spans_in: Callable[[str], Iterable[Span]], depth: int) -> Iterator[Span]:
    yield from spans_in(text)
    if depth == _DEEPEST or not is_odd(text):
        return
    for view in _views(text):
        for span in _seen(view.text, spans_in, depth + 1):
            start, end = view.back(span.start, span.end)
            yield span._replace(start=start, end=end)


def _views(text: str) -> Iterator[View | Cut]:
    uncommon = uncommon_in(text)
    calm = without_noise(text, uncommon)
    if calm:
        yield calm
    yield from deeper_views(text, uncommon)
