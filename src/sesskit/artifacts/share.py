"""Sharing: a session without its secrets, proven, or a refusal.

What comes in has to decode, what goes out is decoded again by the strict decoder and verified; if
either fails there are no bytes. Nothing here writes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from sesskit.artifacts.documents import Document, Found, Place, redact
from sesskit.artifacts.envelopes import export_artifact, import_artifact
from sesskit.artifacts.known_values import KnownValues
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.share_denied import why_denied
from sesskit.artifacts.share_formats import File, IsSecret, NotClosed, ShareFormat, share_format
from sesskit.artifacts.share_people import left_of_people, people_in, put_back
from sesskit.artifacts.span import Span
from sesskit.artifacts.unpacking import Sealed, documents_in
from sesskit.artifacts.verify import each_once, refuses, remaining
from sesskit.logs.formats import by_name
from sesskit.records.format import Options
from sesskit.records.robota_writing import AnyRecord
from sesskit.schemas.masking import mask_text, printable
from sesskit.schemas.outcomes import Decoded, Outcome, Unreadable, Unsupported, Valid
from sesskit.schemas.robota_record import Record

HEAD_BYTES: Final = 64
"""Of a file, what tells how it has to be written again."""

_BROKEN: Final = "the result would not be a valid session; nothing is written"
_LEFT_OVER: Final = "something secret is left"
_PERSON_LEFT: Final = "personal data is left, in a name or an id"
_PERSON_KEPT: Final = "personal data stands where the format needs what is there"

__all__ = ["Share", "Shared", "Wishes", "share_data", "share_record", "verify_data"]


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
    others: Sequence[File] = (),
    called: str = "",
) -> Share:
    """Share a session whose (main) file has these bytes, of the format called ``session``.

    ``name`` is the name of the file, ``called`` the one that it is to get, which is the format's
    choice where it is empty; it is published with it, so it is verified too. ``others`` are the
    names and bytes of the other files of the session, as `ShareFormat.family` finds them.
    """
    adapter = share_format(session)
    if adapter is None or session.endswith("-bare"):
        return unshareable(session, data)
    if adapter.sessions is not None:
        return _each(adapter, session, data, wishes, called)
    files = ((name, data), *others)
    invalid, outcome = _outcome(adapter, session, files)
    if not isinstance(outcome, Valid) and not _is_unread(adapter, outcome, data):
        return _undecoded("only a valid session is shared", invalid, files, outcome)
    redactor = _redactor(wishes, values=not wishes.keys_only, samples=not wishes.keys_only)
    documents = documents_of(adapter, files, _place(adapter, wishes), redactor.is_secret)
    kept = sum(redactor.placeholders.reserve(document.text) for document in documents)
    redact(documents, redactor)
    before = [(one.name, list(one.edits)) for one in documents]
    made = put_together(adapter, session, documents, called)
    if isinstance(made, Share):
        denied = why_denied(documents, wishes.deny)
        return Share(outcome, refused=True, why=denied) if denied else made
    left = () if wishes.keys_only else tuple(_left(adapter, made, redactor, wishes))
    if refuses(left):
        return Share(made.outcome, left=left, refused=True, why=_LEFT_OVER)
    if any(found.kind == "personal" for _, found in left):
        put_back(documents, before)
        again = _without_people(adapter, session, documents, called, redactor, wishes)
        if isinstance(again, Share):
            return again
        made, left = again
    return Share(made.outcome, made.files, left, kept=kept, known=redactor.known)


def _without_people(
    adapter: ShareFormat,
    session: str,
    documents: Sequence[Document],
    called: str,
    redactor: Redactor,
    wishes: Wishes,
) -> tuple[Made, tuple[tuple[str, Found], ...]] | Share:
    """The same where personal data also goes from ids and names, or the refusal. If that is no
    session any more, a login that is called like a word of the format may stay."""
    before = [(document.name, list(document.edits)) for document in documents]
    people = people_in(documents, redactor)
    words = sum(person.word for person in people)
    outcome: Outcome = Valid(None)
    for spared in (False, True) if words else (False,):
        put_back(documents, before)
        for document in documents:
            document.add(p.edit for p in people if p.document is document and not (spared & p.word))
        made = put_together(adapter, session, documents, called)
        outcome = made.outcome
        if isinstance(made, Share):
            continue
        left = tuple(_left(adapter, made, redactor, wishes))
        if refuses(left):
            return Share(made.outcome, left=left, refused=True, why=_LEFT_OVER)
        if left_of_people(left) > (words if spared else 0):
            return Share(made.outcome, left=left, refused=True, why=_PERSON_LEFT)
        return made, left
    return Share(outcome, refused=True, why=_PERSON_KEPT)


def _each(adapter: ShareFormat, session: str, data: bytes, wishes: Wishes, called: str) -> Share:
    """Share all sessions of a file; they know nothing of each other, but all go, or none."""
    outcome = by_name(session).load().decode(data, Options(keep=False))
    if not isinstance(outcome, Valid):
        return Share(outcome, why="only a valid session is shared")
    files = tuple(adapter.sessions(data)) if adapter.sessions is not None else ()
    if called and len(files) != 1:
        return Share(outcome, why=f"it holds {len(files):,} sessions; name a folder to write to")
    shares = [share_data(*file, adapter.sessions_of, wishes, (), called) for file in files]
    bad = next((share for share in shares if not share.files), None)
    if bad is not None:
        return bad
    return Share(
        outcome,
        tuple(file for share in shares for file in share.files),
        tuple(left for share in shares for left in share.left),
        kept=sum(share.kept for share in shares),
    )


def unshareable(session: str, data: bytes) -> Share:
    """The refusal of a session of a format that cannot be shared as it is."""
    outcome = by_name(session).load().decode(data, Options(keep=False))
    return Share(outcome, why=f"a {session} cannot be shared as it is")


class Made(NamedTuple):
    """The files of a result that decodes, and the documents they were made of."""

    outcome: Decoded
    files: tuple[Shared, ...]
    documents: tuple[Document, ...]


def documents_of(
    adapter: ShareFormat, files: Sequence[File], place: Place, is_secret: IsSecret
) -> Sequence[Document]:
    """Documents of all files of a session, the main one first."""
    name, data = files[0]
    main = Document(name, adapter.opened(data), adapter.form, place, head=data[:HEAD_BYTES])
    return adapter.documents(files, main, is_secret)


def put_together(
    adapter: ShareFormat, session: str, documents: Sequence[Document], name: str
) -> Made | Share:
    """The files that documents with their edits make, if they are a session; the main one gets
    the name."""
    published = adapter.settled(documents, name)
    try:
        written = [adapter.closed(d.result_text(), d.head) for d in published]
    except NotClosed as error:
        return Share(error.outcome, why=_BROKEN)
    files = [(d.name, data) for d, data in zip(published, written, strict=True)]
    name, outcome = _outcome(adapter, session, files)
    if not isinstance(outcome, Valid) and not _is_proven(adapter, outcome, published):
        return _undecoded(_BROKEN, name, files, outcome)
    written[0] = adapter.canonical(written[0])
    shared = tuple(
        Shared(d.name, data, tuple(found._replace(file=d.name) for found in d.found()))
        for d, data in zip(published, written, strict=True)
    )
    return Made(outcome, shared, tuple(published))


def _is_unread(adapter: ShareFormat, outcome: Decoded, data: bytes) -> bool:
    """Whether a session is redacted although no decoder can say that it is valid."""
    return isinstance(outcome, Unsupported) and adapter.unread(outcome, adapter.opened(data))


def _is_proven(adapter: ShareFormat, outcome: Decoded, documents: Sequence[Document]) -> bool:
    """Whether what such a session became has the structure that it had."""
    if not isinstance(outcome, Unsupported) or not adapter.unread(outcome, documents[0].text):
        return False
    return all(adapter.alike(one.text, one.result_text()) for one in documents)


def _undecoded(why: str, name: str, files: Sequence[File], outcome: Decoded) -> Share:
    """The refusal of files that are no valid session."""
    other = "" if name == files[0][0] else f"; {mask_text(printable(name))} is not valid"
    return Share(outcome, why=why + other)


def _outcome(adapter: ShareFormat, session: str, files: Sequence[File]) -> tuple[str, Decoded]:
    if adapter.decoded is not None:
        return adapter.decoded(files)
    name, data = files[0]
    return name, by_name(session).load().decode(data, Options(thorough=True, keep=False))


def _left(
    adapter: ShareFormat, made: Made, redactor: Redactor, wishes: Wishes
) -> list[tuple[str, Found]]:
    """What verification finds in the bytes about to be published."""
    shown = [
        Document(d.name, adapter.opened(file.data), d.form, streamed=d.place)
        for d, file in zip(made.documents, made.files, strict=True)
    ]
    return remaining(shown, redactor.known, wishes.allow)


def _redactor(wishes: Wishes, *, values: bool, samples: bool = False) -> Redactor:
    redactor = Redactor(
        Policy(values=values, deny=wishes.deny, allow=wishes.allow, samples=samples)
    )
    redactor.known.add(wishes.known)
    return redactor


def _place(adapter: ShareFormat, wishes: Wishes) -> Place:
    if wishes.keys_only:
        return adapter.scrubbed
    return adapter.with_images if wishes.images else adapter.shared


def verify_data(name: str, data: bytes, wishes: Wishes) -> Share:
    """Verify a file of any kind, made elsewhere: what is left in it, and whether too much.

    Archives and compressed files are opened; one that cannot be is `Unreadable`.
    """
    redactor = _redactor(wishes, values=True)
    try:
        documents = list(documents_in(name, data))
    except Sealed as error:
        return Share(Unreadable(str(error)), why=str(error))
    left = tuple(each_once(documents, redactor.known, wishes.allow))
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
