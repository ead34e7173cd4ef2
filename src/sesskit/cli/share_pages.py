"""`sesskit share --html`: where pages go, and what is told about them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sesskit.artifacts.documents import Document, Found
from sesskit.artifacts.share import Share, Wishes
from sesskit.artifacts.share_people import left_of_people
from sesskit.artifacts.verify import refuses, remaining
from sesskit.cli.checking import Wanted
from sesskit.cli.rows import Row
from sesskit.cli.targets import make_folder
from sesskit.cli.usage import BadUsage, refuse_name
from sesskit.cli.writes import writing
from sesskit.logs.formats import STDIN
from sesskit.logs.walking import is_folder

Html = Annotated[
    str | None,
    typer.Option(
        "--html",
        metavar="FILE|DIR",
        help="Write pages to read: a folder of them, or one file if one is enough.",
    ),
]
SUFFIXES = (".html", ".htm")


class Pages(NamedTuple):
    """The pages of one session, verified, and where they go: a folder, or a file."""

    place: str
    made: Sequence[Any]
    single: bool

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(len(page.data) for page in self.made)

    def row(self) -> Row:
        """What is said of them."""
        files = "1 file" if len(self.made) == 1 else f"{len(self.made):,} files"
        return "page", f"in {self.place} ({files}, {self.size:,} bytes)"

    def member(self) -> dict[str, Any]:
        """The same in JSON."""
        return {"page": {"path": self.place, "files": len(self.made), "bytes": self.size}}

    @contextlib.contextmanager
    def staged(self, *, force: bool) -> Iterator[Callable[[], None]]:
        """Write them beside their place, if they are a folder; what it gives puts them there."""
        from sesskit.artifacts.page_folder import staged
        from sesskit.records.files import write_atomic

        with contextlib.ExitStack() as stack:
            with writing(self.place):
                make_folder(self.place)
                if not self.single:
                    publish = stack.enter_context(staged(self.place, self.made, overwrite=force))

            def put() -> None:
                with writing(self.place):
                    if self.single:
                        write_atomic(self.place, self.made[0].data, overwrite=force)
                    else:
                        publish()

            yield put


class Asked(NamedTuple):
    """What ``--html`` asks for: the place of each session's pages by its path."""

    places: dict[str, str]
    single: bool = False
    above: str = ""
    """The folder that all places are in: what follows it in their names is published too."""

    def of(self, path: str, share: Share, session: str, wishes: Wishes) -> tuple[Any, Pages | None]:
        """What was left in the pages of a session, and the pages; raises `BadUsage`."""
        from sesskit.artifacts.page_share import shared_pages

        result = shared_pages(share, session, wishes)
        left = (*result.left, *self._left_in_name(path, share, wishes))
        if left:
            return left, None
        if not result.pages:
            raise BadUsage(f"there are no pages of {session}")
        pages = Pages(self.places[path], result.pages, self.single)
        if self.single and len(pages.made) > 1:
            raise BadUsage(
                f"the pages of {path} need {len(pages.made):,} files; name a folder:"
                f" --html {self.places[path].rsplit('.', 1)[0]}/"
            )
        return (), pages

    def _left_in_name(self, path: str, share: Share, wishes: Wishes) -> list[tuple[str, Found]]:
        """What is left in the names of the file or folders that pages go to."""
        name = os.path.relpath(self.places[path], self.above or None)
        left = remaining([Document(name, "", "text")], share.known, wishes.allow)
        return left if refuses(left) or left_of_people(left) else []


def asked(
    html: str, wanted: Sequence[Wanted], paths: Iterable[str], taken: Iterable[str], *, force: bool
) -> Asked:
    """Where the pages of each of ``paths`` go. ``taken`` are files that are read or written too.

    Raises `BadUsage` before anything is written: for a place that is taken, and without the
    packages that pages need.
    """
    from sesskit.artifacts.page_markup import PageExtraMissing, ensure_extra

    try:
        ensure_extra()
    except PageExtraMissing as error:
        raise BadUsage(str(error)) from error
    refuse_name("--html", html)
    if html in ("", STDIN):
        raise BadUsage("--html takes the name of a file or folder")
    single = html.endswith(SUFFIXES) and not is_folder(html)
    several = len(wanted) != 1 or wanted[0].folder
    if single and several:
        raise BadUsage(f"--html {html} is one file; for several sessions name a folder")
    places = {path: _below(html, wanted, path) if several else html for path in paths}
    _refuse(places, taken, force=force)
    return Asked(places, single, str(Path(html).parent))


def _below(html: str, wanted: Sequence[Wanted], path: str) -> str:
    """The folder of one session among several."""
    root = next((one.path for one in wanted if one.folder and _is_in(path, one)), None)
    name = os.path.relpath(path, root) if root else Path(path).name
    return str(Path(html, name))


def _is_in(path: str, wanted: Wanted) -> bool:
    return any(source.path == path for source in wanted.sources)


def _refuse(places: dict[str, str], taken: Iterable[str], *, force: bool) -> None:
    from sesskit.artifacts.page_folder import holds_pages

    others = [os.path.realpath(path) for path in taken if path != STDIN and "\0" not in path]
    seen: dict[str, str] = {}
    for path, place in places.items():
        real = os.path.realpath(place)
        if any(other == real or other.startswith(real + os.sep) for other in others):
            raise BadUsage(f"--html {place} is, or holds, a file that is read or written as well")
        if place in seen:
            raise BadUsage(f"{seen[place]} and {path} would both become {place}")
        seen[place] = path
        if not os.path.lexists(place):
            continue
        if not force:
            raise BadUsage(f"there is {place} already; --force replaces it")
        if is_folder(place) and not holds_pages(Path(place)):
            raise BadUsage(f"{place} holds more than pages made here; it is not replaced")
