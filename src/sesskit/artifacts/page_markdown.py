"""Markdown of a session as HTML that can do nothing: no raw HTML, no links, no pictures.

Links are shown as their text with the address behind it. A text that Markdown would lose some of,
or that would take long, is not read as Markdown: `markdown` gives None, and it is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any, Final

from sesskit.artifacts.page_text import PIECE, escaped

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict
    from nh3 import Cleaner

__all__ = ["MARKDOWN_LENGTH", "markdown"]

MARKDOWN_LENGTH: Final = 40_000
"""Characters of a text that is read as Markdown at most."""
_DEEPEST: Final = 20
"""Levels of lists and quotations. What lies deeper would be left out."""
_BRACKETS: Final = 1_000
_COLUMNS: Final = 24
_GROWTH: Final = 3
_TEXT_TAGS: Final = ("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "span")
_TAGS: Final = {*_TEXT_TAGS, "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"}
_ATTRIBUTES: Final = {"ol": {"start"}, "p": {"class"}, "span": {"class"}}
_WIDE: Final = re.compile(rf"^(?:[^|\n]*\|){{{_COLUMNS}}}", re.MULTILINE)
_MARKED: Final = re.compile(r"[|&<\[\\]")
_WORD: Final = re.compile(r"[^\W_]+")
_TAG: Final = re.compile(r"<[^<>]*>")
_NUMBER: Final = re.compile(r"^[ \t>*+-]{0,40}[0-9]{1,9}[.)](?=\s|$)", re.MULTILINE)
"""What counts an element of a list. The list counts itself."""


def markdown(text: str) -> str | None:
    """The text as HTML; None where it is better shown as it is. Takes `visible` text."""
    if len(text) > MARKDOWN_LENGTH or text.count("[") > _BRACKETS or _WIDE.search(text):
        return None
    reader = _reader()
    tokens = reader.parse(text)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return None
    html = _cleaner().clean(str(reader.renderer.render(tokens, reader.options, {})))
    grown = len(html) > _GROWTH * len(text) + 500
    return None if grown or len(html.encode()) > 2 * PIECE or _loses(text, html) else html


def _loses(text: str, html: str) -> bool:
    """Whether a word is not shown: in a cell too many of a table, or written as an entity."""
    if not _MARKED.search(text):
        return False
    apart = set(_WORD.findall(unescape(_TAG.sub(" ", html))))
    missing = set(_WORD.findall(_NUMBER.sub("", text))) - apart
    return bool(missing)


@cache
def _cleaner() -> Cleaner:
    from nh3 import Cleaner

    return Cleaner(tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None)


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": _DEEPEST})
    # A definition of a reference shows nothing where it stands: it stays text.
    reader.enable(["table", "strikethrough"]).disable(["reference"])
    for name, rule in _RULES.items():
        reader.add_render_rule(name, rule)
    return reader


Rule = Any
"""How a token is written: what `RendererHTML` calls with itself first."""


def _fence(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    token = tokens[at]
    word = f'<p class="u">{escaped(token.info.strip())}</p>' if token.info.strip() else ""
    return f"{word}<pre>{escaped(token.content)}</pre>\n"


def _heading(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    """A heading of the text is none of the page, whose own ones are in order."""
    return '<p class="h">' if tokens[at].nesting > 0 else "</p>\n"


def _link_open(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    waiting = env["addresses"] = env.get("addresses") or []
    waiting.append(_address(tokens[at], "href"))
    return "<span>"


def _link_close(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    address = env["addresses"].pop()
    shown = tokens[at - 1].content if tokens[at - 2].type == "link_open" else None
    return "</span>" if shown == address else f'</span> <span class="u">({escaped(address)})</span>'


def _image(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env
) -> str:
    token = tokens[at]
    said, address = escaped(token.content), escaped(_address(token, "src"))
    return f'<span class="u">[image: {said}]({address})</span>'


def _address(token: Token, name: str) -> str:
    title = token.attrGet("title")
    return str(token.attrGet(name) or "") + (f' "{title}"' if title else "")


Env = MutableMapping[str, Any]
_RULES: Final[dict[str, Rule]] = {
    "fence": _fence,
    "code_block": _fence,
    "heading_open": _heading,
    "heading_close": _heading,
    "link_open": _link_open,
    "link_close": _link_close,
    "image": _image,
}
