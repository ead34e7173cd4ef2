"""Sharing: a session without its secrets, proven, or a refusal.

What comes in has to decode, what goes out is decoded again by the strict decoder and verified; if
either fails there are no bytes. Nothing here writes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from sesskit.artifacts.documents import Document, Found, redact
from sesskit.artifacts.envelopes import export_artifact, import_artifact
from sesskit.artifacts.known_values import KnownValues
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.share_formats import HOMES, ShareFormat, share_format
from sesskit.artifacts.span import Span
from sesskit.artifacts.treatments import Treatment
from sesskit.artifacts.verify import refuses, remaining
from sesskit.logs.formats import by_name
from sesskit.records.format import Options
from sesskit.records.robota_writing import AnyRecord
from sesskit.schemas.outcomes import Outcome, Valid
from sesskit.schemas.robota_record import Record

__all__ = ["Share", "Shared", "Wishes", "share_data", "share_record", "verify_data"]

SHAREABLE: Final = tuple(name for name in HOMES if not name.endswith("-bare"))
"""Formats whose sessions can be shared as they are."""


class Wishes(NamedTuple):
    """How to share. ``known`` are values from elsewhere (the environment, who shares) to go.

    ``keys_only`` replaces the values of sensitive members and nothing else, and proves nothing.
    """

    keys_only: bool = False
    images: bool = False
    known: tuple[Span, ...] = ()
    deny: tuple[str, ...] = ()
    allow: frozenset[str] = frozenset()


class Shared(NamedTuple):
    """A file of the result: its name, its bytes, and what was replaced in it."""

    name: str
    data: bytes
    found: tuple[Found, ...]


@dataclass(slots=True)
class Share:
    """What became of a session: ``files``, or none of them and why.

    ``outcome`` is what the decoder says: of the session if it is not valid, else of the result.
    ``left`` is what verification found, sure or not; ``refused`` says that it is too much.
    """

    outcome: Outcome
    files: tuple[Shared, ...] = ()
    left: tuple[tuple[str, Found], ...] = ()
    refused: bool = False
    why: str = ""
    kept: int = 0
    """Texts that look like placeholders and were in the session before."""
    known: KnownValues | None = field(default=None, repr=False)
    """The values that went: what else is made of the result must not hold them either."""


def share_data(
    name: str,
    data: bytes,
    session: str,
    wishes: Wishes,
    others: Sequence[tuple[str, bytes]] = (),
) -> Share:
    """Share a session whose (main) file has these bytes, of the format called ``session``.

    ``name`` is the name of the file; it is published with it, so it is verified too. ``others`` are
    the names and bytes of the other files of the session, as `ShareFormat.family` finds them.
    """
    adapter = share_format(session)
    decode = by_name(session).load().decode
    if adapter is None or session not in SHAREABLE:
        outcome = decode(data, Options(keep=False))
        return Share(outcome, why=f"a {session} cannot be shared as it is")
    before = decode(data, Options(thorough=True, keep=False))
    if not isinstance(before, Valid):
        return Share(before, why="only a valid session is shared")
    redactor = _redactor(wishes, values=not wishes.keys_only)
    documents = [
        Document(name, adapter.opened(data), adapter.form, _place(adapter, wishes)),
        *(_member(adapter, *other) for other in others),
    ]
    kept = sum(redactor.placeholders.reserve(document.text) for document in documents)
    redact(documents, redactor)
    adapter.settled(documents)
    written = [adapter.closed(document.result_text()) for document in documents]
    after = decode(written[0], Options(thorough=True, keep=False))
    if not isinstance(after, Valid):
        return Share(after, why="the result would not be a valid session; nothing is written")
    written[0] = adapter.canonical(written[0])
    shown = [
        Document(document.name, adapter.opened(bytes_), document.form)
        for document, bytes_ in zip(documents, written, strict=True)
    ]
    left = () if wishes.keys_only else tuple(remaining(shown, redactor.known, wishes.allow))
    if refuses(left):
        return Share(after, left=left, refused=True, why="something secret is left", kept=kept)
    files = tuple(
        Shared(document.name, bytes_, tuple(document.found()))
        for document, bytes_ in zip(documents, written, strict=True)
    )
    return Share(after, files, left, kept=kept, known=redactor.known)


def _redactor(wishes: Wishes, *, values: bool) -> Redactor:
    redactor = Redactor(Policy(values=values, deny=wishes.deny, allow=wishes.allow))
    redactor.known.add(wishes.known)
    return redactor


def _place(adapter: ShareFormat, wishes: Wishes) -> Treatment:
    if wishes.keys_only:
        return adapter.scrubbed
    return adapter.with_images if wishes.images else adapter.shared


def _member(adapter: ShareFormat, name: str, data: bytes) -> Document:
    form, place = adapter.member(name)
    return Document(name, adapter.opened(data), form, place)


def verify_data(name: str, data: bytes, wishes: Wishes) -> Share:
    """Verify a file of any kind, made elsewhere: what is left in it, and whether too much."""
    document = Document.of(name, data)
    redactor = _redactor(wishes, values=True)
    left = tuple(remaining([document], redactor.known, wishes.allow))
    return Share(Valid(None), left=left, refused=refuses(left))


R = TypeVar("R", Record, dict[str, Any])


def share_record(record: R, redact: Callable[[R], AnyRecord]) -> bytes:
    """An artifact of what an application's own ``redact`` makes of a record.

    ``redact`` gets the record (decoded, or its plain JSON value) and gives one back; what it takes
    out is its own affair. Its result is decoded before it is handed out: `ImportRefused` names
    every place that is no record any more. Optional members may be left out, required ones need a
    value that the decoder takes (an instant stays an instant).
    """
    data = export_artifact(record, redact)
    import_artifact(data)
    return data
