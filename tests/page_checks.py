"""What every page has to keep, whatever it was made of: asked of its bytes, without a browser."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html.parser import HTMLParser

from sesskit.artifacts.page import PAGE_BYTES, Page

VOID = {"meta", "br", "hr", "img", "input"}
_ELEMENTS = """
html head title style body a header h1 h2 h3 dl div dt dd label button span nav ul ol li
details summary table thead tbody tr th td main section article small i b time p pre
code em strong s blockquote footer dialog kbd script"""
_ATTRIBUTES = """
aria-haspopup aria-label aria-labelledby alt autocomplete charset checked class
content for href http-equiv id lang name open rel role scope spellcheck src start tabindex type"""
ELEMENTS = VOID | set(_ELEMENTS.split())
ATTRIBUTES = set(_ATTRIBUTES.split())
TARGET = re.compile(r"(?:index\.html|page-[0-9]+\.html)?(?:#[a-z0-9-]+)?")
PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+")


class Reader(HTMLParser):
    """Reads a page; ``wrong`` says what it must not have."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.policy = ""
        self.first_in_head = ""
        self.raw: dict[str, str] = {}
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.open[-1:] == ["head"] and not self.first_in_head:
            self.first_in_head = dict(attrs).get("http-equiv") or tag
        if tag not in ELEMENTS:
            self.wrong.append(f"element {tag}")
        if tag in ("tr", "td", "th"):
            self.close_cells(tag)
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        for name, value in attrs:
            self.wrong += [f"attribute {name}"] if name not in ATTRIBUTES else []
            if name == "id":
                self.ids.append(value or "")
            elif name == "href":
                self.links.append(value or "")
            elif name == "src" and not PICTURE.fullmatch(value or ""):
                self.wrong.append("src")
            elif name == "content" and dict(attrs).get("http-equiv") == "Content-Security-Policy":
                self.policy = value or ""

    def close_cells(self, tag: str) -> None:
        """What a cell or row that begins ends without saying so."""
        ended = ("td", "th", "tr") if tag == "tr" else ("td", "th")
        while self.open[-1:] and self.open[-1] in ended:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if tag in ("tbody", "thead"):
            self.close_cells("tr")
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            self.wrong.append(f"</{tag}> in {self.open[-1:]}")

    def handle_data(self, data: str) -> None:
        if self.open[-1:] in (["style"], ["script"]):
            self.raw[self.open[-1]] = data
        elif "main" in self.open:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.wrong.append("comment")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append("declaration")


def read(page: Page) -> Reader:
    """The page, read to its end."""
    reader = Reader()
    reader.feed(page.data.decode())
    reader.close()
    return reader


def text_of(pages: Sequence[Page]) -> str:
    """What is in the talk of all pages."""
    return "".join("".join(read(page).text) for page in pages)


def problems(pages: Sequence[Page]) -> list[str]:
    """What is wrong with pages; nothing, it is hoped."""
    return [f"{page.name}: {wrong}" for page in pages for wrong in _problems(page, pages)]


def _problems(page: Page, pages: Sequence[Page]) -> Iterator[str]:
    reader = read(page)
    yield from reader.wrong
    if len(page.data) > PAGE_BYTES:
        yield f"{len(page.data)} bytes"
    if reader.open:
        yield f"open at the end: {reader.open}"
    if reader.first_in_head != "Content-Security-Policy":
        yield f"{reader.first_in_head} is first in head"
    yield from _policy(reader)
    if len(set(reader.ids)) < len(reader.ids):
        yield "an id is there twice"
    names = {other.name for other in pages}
    for link in reader.links:
        file, _, anchor = link.partition("#")
        if not TARGET.fullmatch(link) or (file and file not in names):
            yield "link"
        if not file and anchor and anchor not in reader.ids:
            yield f"nothing is called {anchor}"
    steps = zip([0, *reader.headings], reader.headings, strict=False)
    if any(after > before + 1 for before, after in steps):
        yield f"headings {reader.headings}"
    if reader.headings.count(1) != 1:
        yield "not one h1"


def _policy(reader: Reader) -> Iterator[str]:
    parts = dict(part.split(" ", 1) for part in reader.policy.split("; "))
    allowed = {"default-src", "style-src", "script-src", "base-uri", "form-action", "img-src"}
    if set(parts) - allowed or parts.get("default-src") != "'none'":
        yield f"policy {reader.policy}"
    if parts.get("img-src", "data:") != "data:":
        yield "pictures from elsewhere"
    for name, text in reader.raw.items():
        digest = b64encode(sha256(text.encode()).digest()).decode()
        if parts.get(f"{name}-src") != f"'sha256-{digest}'":
            yield f"the digest of {name} is another one"
