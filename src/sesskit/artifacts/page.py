"""Pages to read: a session as HTML files that ask for nothing and run nothing but their own script.

`pages` takes the session view, so it is the same for every format. It shows what it is given: give
it a session that was redacted. No page is bigger than `PAGE_BYTES`; a session that needs several
has an index of them. Needs the extra ``sesskit[page]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from sesskit._version import __version__
from sesskit.artifacts.page_facts import Facts, together
from sesskit.artifacts.page_layout import Leaf, Pager, TurnHead
from sesskit.artifacts.page_markup import PageExtraMissing, frame, trusted
from sesskit.artifacts.page_session import Source, about, title_of, write_session
from sesskit.artifacts.page_words import plural

__all__ = ["INDEX", "PAGE_BYTES", "Page", "PageExtraMissing", "Source", "pages"]

PAGE_BYTES: Final = 500_000
"""No page has more bytes."""
INDEX: Final = "index.html"

_SPARE: Final = 4_000
"""Bytes of a page that its frame may have beyond that of an empty one: links and counts."""
_STEP: Final = 10_000
"""Pages are filled up to a multiple of this, so that they end where they did if counts grow."""
_OPEN_ROWS: Final = 40
"""Turns of a page whose timeline is open: of more it would hide the talk."""
_AGENTS: Final = 60
"""Subagents that every page links to."""
_ROWS: Final = 800
"""Lines of the index: of more pages several share one."""


class Page(NamedTuple):
    """A finished page: the name of its file and its bytes."""

    name: str
    data: bytes


class _Step(NamedTuple):
    target: str
    rel: str
    words: str


class _Agent(NamedTuple):
    anchor: str
    target: str
    title: str


def pages(main: Source, agents: Sequence[Source] = (), *, images: bool = False) -> list[Page]:
    """The pages of a session and of its subagents, the first one is `INDEX`.

    Total and linear in the session's size. ``images`` says whether pictures are shown. Raises
    `PageExtraMissing` where the packages for it are not installed.
    """
    return _Making(main, agents, images=images).pages()


class _Making:
    """The pages of one session being made."""

    def __init__(self, main: Source, agents: Sequence[Source], *, images: bool) -> None:
        self.sources = (main, *agents)
        self.images = images
        self.name = title_of(main.session)
        self.about = tuple(about(main.session))
        self.titles = [title_of(agent.session) for agent in agents[:_AGENTS]]
        self.links = dict(_links(main, agents[:_AGENTS], self.titles))
        self.starts = [1] * len(self.sources)

    def pages(self) -> list[Page]:
        """All of them. Where one is enough it is the index."""
        room = PAGE_BYTES - len(self._framed(Leaf(), 1, 1)) - _SPARE
        pager = Pager(room - room % _STEP)
        for number, source in enumerate(self.sources):
            links = {} if number else self.links
            self.starts[number] = write_session(
                source, pager, number, agents=links, images=self.images
            )
        leaves = pager.leaves
        if len(leaves) == 1:
            return [Page(INDEX, self._framed(leaves[0], 0, 0))]
        count = len(leaves)
        made = [Page(_file(n), self._framed(leaf, n, count)) for n, leaf in enumerate(leaves, 1)]
        return [Page(INDEX, self._index(leaves)), *made]

    def _framed(self, leaf: Leaf, number: int, count: int) -> bytes:
        """A page of its leaf, one of ``count``; 0 where it is the only one."""
        return self._frame(
            number,
            count,
            tuple(self._steps(number, count)) if count else (),
            rows="".join(leaf.rows),
            rows_title="turn",
            rows_words=plural(len(leaf.rows), "turn"),
            rows_open=len(leaf.rows) <= _OPEN_ROWS,
            body="".join(leaf.body) or "<p>Nothing was said.</p>",
        )

    def _index(self, leaves: Sequence[Leaf]) -> bytes:
        """The page that lists the others."""
        step = -(-len(leaves) // _ROWS)
        groups = [range(at, min(at + step, len(leaves))) for at in range(0, len(leaves), step)]
        facts = [together(_facts(leaves[n] for n in group)) for group in groups]
        longest = max((one.seconds or 0 for one in facts), default=0)
        rows = (
            _group_row([leaves[n] for n in group], group.start + 1, one, longest)
            for group, one in zip(groups, facts, strict=True)
        )
        count = len(leaves)
        return self._frame(
            0,
            count,
            (_Step(_file(1), "next", "first page"), _Step(_file(count), "", "last page")),
            rows="".join(rows),
            rows_title="page",
            rows_words=plural(count, "page"),
            rows_open=True,
            body='<p>The talk begins on the <a href="page-1.html">first page</a>.</p>',
        )

    def _frame(
        self, number: int, count: int, steps: Sequence[_Step], *, rows: str, body: str, **words: Any
    ) -> bytes:
        return frame(
            images=self.images,
            version=__version__,
            name=self.name,
            number=number,
            count=count,
            about=self.about if number <= 1 else (),
            steps=steps,
            rows=trusted(rows),
            body=trusted(body),
            agents=list(self._agents(count)),
            **words,
        ).encode()

    def _steps(self, number: int, count: int) -> Iterator[_Step]:
        yield _Step(INDEX, "", "all pages")
        if number > 1:
            yield _Step(_file(number - 1), "prev", "previous page")
        if number < count:
            yield _Step(_file(number + 1), "next", "next page")

    def _agents(self, count: int) -> Iterator[_Agent]:
        for number, title in enumerate(self.titles, 1):
            file = _file(self.starts[number]) if count else ""
            yield _Agent(f"a{number}", f"{file}#s{number}", title)


def _file(number: int) -> str:
    return f"page-{number}.html"


def _links(main: Source, agents: Sequence[Source], titles: Sequence[str]) -> Iterator[Any]:
    """Which subagent a call started: by its id, and by the call where the session says that."""
    for number, (agent, title) in enumerate(zip(agents, titles, strict=True), 1):
        link = (f"a{number}", title)
        stem = PurePath(agent.name).name.partition(".")[0]
        names = {agent.session.id, stem} - {None, ""}
        yield from ((name, link) for name in names)
        for child in main.session.children:
            if child.call is not None and (
                child.id in names
                or PurePath(child.path or "").name == PurePath(agent.name).name != ""
            ):
                yield f"call {child.call}", link


def _facts(leaves: Iterable[Leaf]) -> Iterator[Facts]:
    return (turn.facts for leaf in leaves for turn in leaf.turns if turn.facts is not None)


def _group_row(leaves: Sequence[Leaf], first: int, facts: Facts, longest: float) -> str:
    turns: list[TurnHead] = [turn for leaf in leaves for turn in leaf.turns]
    last = first + len(leaves) - 1
    title = f"page {first}" if last == first else f"pages {first}-{last}"
    opening = f"{turns[0].title}: {turns[0].opening}".rstrip(": ") if turns else "goes on"
    bar = facts.bar(longest)
    return facts.row(_file(first), title, opening, bar)
