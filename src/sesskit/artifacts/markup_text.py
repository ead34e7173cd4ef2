"""The text of a page as its reader sees it: without tags, which may stand inside of a word."""

from __future__ import annotations

import html
import re
from typing import Final

from sesskit.artifacts.secret_rule import word_set

__all__ = ["seen_text"]

_BEGINS: Final = re.compile(
    r"\s{0,400}(?:<\?xml|<!doctype|<!--|<[A-Za-z][\w:.-]{0,40}[\s>/])", re.I
)
_TAG: Final = re.compile(
    r"<!--.{0,10000}?-->|</?(?P<name>[A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,4000})?/?>|<![^<>]{0,400}>",
    re.DOTALL,
)
_INSIDE: Final = word_set(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q s samp small span"
    " strike strong sub sup tspan tt u var wbr"
)
"""Tags that may stand in the middle of a word."""

_CELLS: Final = word_set("td th")
_OFFICE: Final = ("w:", "a:", "text:")
_OFFICE_ENDS: Final = word_set("w:p w:br w:tab w:cr w:tc w:tr a:p a:br text:p text:h text:tab")


def seen_text(text: str) -> str | None:
    """What is seen of a page or another text with tags; None if it is none, or has no tags.

    Lines stay lines, so that places are still those of the page.
    """
    if not _BEGINS.match(text) and "</" not in text:
        return None
    plain = _TAG.sub(_instead, text)
    if "&" in plain:
        plain = html.unescape(plain)
    return plain if plain != text else None


def _instead(found: re.Match[str]) -> str:
    """What stands for a tag: nothing inside of a word, else what parts words."""
    lines = "\n" * found[0].count("\n")
    if lines:
        return lines
    name = (found["name"] or "").lower()
    if not name or name in _INSIDE:
        return ""
    if name.startswith(_OFFICE):
        return " " if name in _OFFICE_ENDS else ""
    return "\t" if name in _CELLS else " "
