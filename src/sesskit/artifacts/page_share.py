"""The page of a share: made of the redacted files alone, and verified once more as it is published.

What a page puts together, leaves out or unescapes could bring back what was apart before: so what
a reader sees is scanned by every layer, and the bytes as they stand for tokens and known values.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from os.path import relpath
from pathlib import PurePath
from typing import Final, NamedTuple

from sesskit.artifacts.documents import Document, Found
from sesskit.artifacts.page import Page, Source, pages
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.share import Share, Shared, Wishes
from sesskit.artifacts.span import merged
from sesskit.artifacts.tokens_in_text import runs_of, tokens_in
from sesskit.artifacts.verify import refuses, remaining
from sesskit.logs.formats import by_name, recognize
from sesskit.records.refs import reader
from sesskit.records.view import Session
from sesskit.schemas.limits import RECOGNITION_BYTES

__all__ = ["SharedPages", "shared_pages"]

_INLINE: Final = re.compile(r"</?(?:em|strong|s|code|span|b|i)(?: [^<>]*)?>")
_TAG: Final = re.compile(r"<[^<>]*>")
_BODY: Final = "<body"
_SCRIPT: Final = "<script"


class SharedPages(NamedTuple):
    """The pages of a session; none where something secret is in them: ``left`` says what."""

    pages: tuple[Page, ...] = ()
    left: tuple[tuple[str, Found], ...] = ()


def shared_pages(share: Share, session: str, wishes: Wishes) -> SharedPages:
    """The pages of what was shared, which is of the format called ``session``.

    Raises `PageExtraMissing` where the packages for it are not installed.
    """
    main, *others = share.files
    seen = _source(main, session, others)
    if seen is None:
        return SharedPages()
    agents = [
        source
        for file in others
        if _is_session(file, session)
        for source in (_source(file, session, others),)
        if source is not None
    ]
    made = pages(seen, agents, images=wishes.images)
    left = tuple(_left(made, share, wishes))
    return SharedPages((), left) if left else SharedPages(tuple(made))


def _source(file: Shared, session: str, others: Sequence[Shared]) -> Source | None:
    """A session with what its refs read: its own text, and the files beside it by their names."""
    view: Session | None = by_name(session).view(file.data)
    if view is None:
        return None
    folder = PurePath(file.name).parent
    beside = {relpath(other.name, folder): other.data for other in others}
    return Source(view, reader(_text(session, file.data), beside), file.name)


def _is_session(file: Shared, session: str) -> bool:
    found = recognize(file.data[:RECOGNITION_BYTES], file.name)
    return found is not None and found.entry.name == session


def _text(session: str, data: bytes) -> bytes:
    """What the refs of a view point into: the file, decompressed if it was compressed."""
    if session != "dsh-log":
        return data
    from sesskit.logs.dsh.view import text_of_log

    return text_of_log(data)


def _left(made: Sequence[Page], share: Share, wishes: Wishes) -> Iterator[tuple[str, Found]]:
    """What may not be published in pages, with the names of their files.

    Every layer looks at the text; the markup round it is ours, and is looked at for tokens and
    values that are known. Pictures are markup too.
    """
    for page in made:
        text = page.data.decode()
        left = remaining([Document(page.name, _seen(text), "text")], share.known, wishes.allow)
        if wishes.images:
            left += remaining([Document(page.name, text, "text")], share.known, wishes.allow)
        left += ((page.name, found) for found in _in_bytes(page.name, text, share, wishes))
        yield from (one for one in left if refuses([one]))


def _in_bytes(name: str, text: str, share: Share, wishes: Wishes) -> Iterator[Found]:
    spans = tokens_in(text, runs_of(text))
    if share.known is not None:
        spans += (span._replace(confidence="high") for span in share.known.spans_in(text))
    document = Document(name, text, "text")
    document.edits = list(Redactor(Policy(values=True, allow=wishes.allow)).edits(merged(spans)))
    return document.found()


def _seen(text: str) -> str:
    """The text of a page as it is read: without tags, which may stand in a word."""
    body = text[text.find(_BODY) : text.rfind(_SCRIPT)]
    return html.unescape(_TAG.sub("\n", _INLINE.sub("", body)))
