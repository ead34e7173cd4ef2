"""Detection in a text as it stands: every finder, asked only where it is worth it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from sesskit.artifacts import identities_in_text as people
from sesskit.artifacts import words_in_text as words
from sesskit.artifacts.anchors import Anchors
from sesskit.artifacts.commands_in_text import flag_at
from sesskit.artifacts.frames_in_text import keys_in, url_at, web_keys_in
from sesskit.artifacts.manifests_in_text import manifests_in
from sesskit.artifacts.names_in_text import named_in
from sesskit.artifacts.span import Span
from sesskit.artifacts.tokens_in_text import HINTED, hinted_at, runs_of, tokens_in

__all__ = ["Runs", "direct", "over_lines", "runs_of"]

Runs = list[tuple[int, int]]
Finder = Callable[[str, int], Iterator[Span]]


def _behind_blank(text: str, at: int) -> Iterator[Span]:
    return flag_at(text, at + 1)


_AT: Final[dict[str, Finder]] = {
    "://": url_at,
    " -": _behind_blank,
    '"-': _behind_blank,
    "'-": _behind_blank,
    "earer": words.bearer_at,
    "EARER": words.bearer_at,
    **dict.fromkeys(
        (
            *("assword is", "asswords are", "assword was", "assword for", "assword to"),
            *("assphrase is", "asscode is", "oken is", "oken was", "ecret is", "ecret was"),
            *("key is", "key was", "redentials are", "pwd is"),
        ),
        words.prose_at,
    ),
    "login ": words.netrc_at,
    '",': words.argument_before,
    "',": words.argument_before,
    "</": words.element_before,
    "home": people.home_at,
    "Users": people.home_at,
    "Documents and Settings": people.home_at,
    "rw": people.owner_at,
    "USER": people.account_at,
    "LOGNAME": people.account_at,
    "id=": people.account_at,
    "whoami": people.whoami_at,
    "user.name": people.git_name_at,
    "_NAME": people.git_name_at,
    "@": people.address_at,
    **dict.fromkeys(HINTED, hinted_at),
}
"""By anchor: what to ask at each place where it stands."""

_ONCE: Final[dict[str, Callable[[str], Iterator[Span]]]] = {
    "PRIVATE KEY": keys_in,
    "Static key": keys_in,
    "Private-Lines": keys_in,
    "Secret": manifests_in,
    "kty": web_keys_in,
}
"""By anchor: what to ask once if it stands anywhere."""

_ANCHORS: Final = Anchors([*_AT, *_ONCE])


def direct(text: str, runs: Runs) -> list[Span]:
    """What a text says as it stands, in no order; ``runs`` are its runs of token characters."""
    found: list[Span] = []
    if runs:
        found += tokens_in(text, runs)
        found += words.named_by_blank_in(text, runs)
    if "=" in text or ":" in text:
        found += named_in(text)
    return found + _asked(text, _ANCHORS)


def _asked(text: str, anchors: Anchors) -> list[Span]:
    """What the finders of some anchors find."""
    found: list[Span] = []
    once = set()
    for at, anchor in anchors.found_in(text):
        finder = _AT.get(anchor)
        if finder is None:
            once.add(_ONCE[anchor])
        else:
            found += finder(text, at)
    for whole in once:
        found += whole(text)
    return found


_LINE_ANCHORS: Final = ("@", "login ", "whoami", "PRIVATE KEY", "Private-Lines", "Secret")
"""Anchors of what depends on how a line begins, or on the line before it."""

_OVER_LINES: Final = Anchors(_LINE_ANCHORS)


def over_lines(text: str) -> list[Span]:
    """What can only be seen once the prefixes of lines are taken away."""
    return _asked(text, _OVER_LINES)
