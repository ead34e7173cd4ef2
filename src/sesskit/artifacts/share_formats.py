"""How sessions of each format are redacted: the adapter of a format, and the table of them.

A format that can be shared is one `ShareFormat` in a module of its own and one line in `HOMES`. It
names what is kept, blanked and dropped (`sesskit.artifacts.treatments`), how its bytes become text
and back, and which other files belong to the same session. What it does not name is scanned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from sesskit.artifacts.documents import As, Document, Place
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.schemas.outcomes import Decoded, Outcome

__all__ = ["HOMES", "File", "ShareFormat", "share_format"]

File = tuple[str, bytes]
"""A file of a session: its name, from the folder of the main file on, and its bytes."""

IsSecret = Callable[[str], bool]


class NotClosed(ValueError):
    """Text that is no session of its format any more; ``outcome`` says where and why."""

    def __init__(self, outcome: Decoded) -> None:
        super().__init__("the text is no session of its format")
        self.outcome = outcome


def as_text(data: bytes) -> str:
    """Bytes as text; those that are no UTF-8 come back as they were."""
    return data.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """What `as_text` was made from."""
    return text.encode("utf-8", "surrogateescape")


def alone(path: Path, data: bytes) -> Iterable[File]:
    """A session that is one file."""
    return ()


def any_text(name: str) -> tuple[As, Treatment]:
    """A file of which nothing is known but its name."""
    return (
        "jsonl" if name.endswith(".jsonl") else "json" if name.endswith(".json") else "text"
    ), TEXT


def side_by_side(files: Sequence[File], main: Document, is_secret: IsSecret) -> Sequence[Document]:
    """Documents of which none says how another one is to be read."""
    documents = [main]
    for name, data in files[1:]:
        form, place = any_text(name)
        documents.append(Document(name, as_text(data), form, place))
    return documents


def unchanged(documents: Sequence[Document], name: str) -> Sequence[Document]:
    """Documents that do not depend on each other's bytes, nor on their names."""
    documents[0].name = name or documents[0].name
    return documents


def as_it_is(data: bytes) -> bytes:
    """A format without a canonical form."""
    return data


def nowhere(path: Path) -> Path | None:
    """A file that belongs to no other."""
    return None


def as_called(text: str) -> str | None:
    """A session that may lie anywhere, under any name."""
    return None


class ShareFormat(NamedTuple):
    """One format: what is kept, blanked and dropped in it, and which files belong together.

    ``scrubbed`` is its treatment where only keys are scrubbed, ``shared`` in a share,
    ``with_images`` in one that keeps images; of a format of lines it may depend on the line.
    ``opened`` gives the text of a file's bytes (decompressed, or a binary form as JSON), ``closed``
    the bytes again, for a file that began with the bytes it is given; it may raise `NotClosed`.
    ``canonical`` takes the redacted bytes, which decode, to the form that is published.

    A session of several files: ``family`` finds the other files of the session of a path with its
    bytes, ``belongs`` the main file of a path that is one of those. ``documents`` makes documents
    of all files, the main one first and made already. Once they have their edits ``settled`` gets
    them, and the name that the main one is to get, if one was asked for; it may add edits
    (`Document.add`), change names, where one file is named by the digest of its content and others
    refer to it, and leave out files that nothing refers to any more. ``decoded`` says of all files
    together whether they are valid, and which is not; without it the main file is decoded.

    ``unread`` says of an outcome and the text of the main file whether it is a session that is
    redacted although it cannot be decoded; ``alike`` then proves the text of each result.
    A file of many sessions: ``sessions`` gives each as a file of the format ``sessions_of``.
    ``foldered`` says that a share is rather a folder than a file, ``rooted`` that names are to be
    seen from the top of that folder on, as the system that owns the format finds sessions by them.
    """

    form: As
    scrubbed: Place
    shared: Place
    with_images: Place
    opened: Callable[[bytes], str] = as_text
    closed: Callable[[str, bytes], bytes] = lambda text, _: as_bytes(text)
    canonical: Callable[[bytes], bytes] = as_it_is
    family: Callable[[Path, bytes], Iterable[File]] = alone
    belongs: Callable[[Path], Path | None] = nowhere
    documents: Callable[[Sequence[File], Document, IsSecret], Sequence[Document]] = side_by_side
    settled: Callable[[Sequence[Document], str], Sequence[Document]] = unchanged
    decoded: Callable[[Sequence[File]], tuple[str, Decoded]] | None = None
    unread: Callable[[Outcome, str], bool] = lambda outcome, text: False
    alike: Callable[[str, str], bool] = lambda before, after: False
    sessions: Callable[[bytes], Iterable[File]] | None = None
    sessions_of: str = ""
    foldered: bool = False
    rooted: bool = False


HOMES: Final = {
    "robota-record": "sesskit.artifacts.share_robota:ENVELOPED",
    "robota-record-bare": "sesskit.artifacts.share_robota:BARE",
    "robota-log": "sesskit.artifacts.share_robota_log:LOG",
    "dsh-log": "sesskit.artifacts.share_dsh:LOG",
    "dsh-sqlite": "sesskit.artifacts.share_dsh_store:STORE",
    "ochat-record": "sesskit.artifacts.share_ochat:RECORD",
}
"""Where the adapter of each format is."""


def share_format(name: str | None) -> ShareFormat | None:
    """The adapter of a format of that name; None if it has none."""
    home = HOMES.get(name or "")
    if home is None:
        return None
    module, _, attribute = home.partition(":")
    found = getattr(import_module(module), attribute)
    return found if isinstance(found, ShareFormat) else None
