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

from sesskit.artifacts.documents import As, Document
from sesskit.artifacts.treatments import TEXT, Treatment

__all__ = ["HOMES", "ShareFormat", "share_format"]


def as_text(data: bytes) -> str:
    """Bytes as text; those that are no UTF-8 come back as they were."""
    return data.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """What `as_text` was made from."""
    return text.encode("utf-8", "surrogateescape")


def alone(path: Path) -> Iterable[Path]:
    """A session that is one file."""
    return ()


def any_text(name: str) -> tuple[As, Treatment]:
    """A file of which nothing is known but its name."""
    return (
        "jsonl" if name.endswith(".jsonl") else "json" if name.endswith(".json") else "text"
    ), TEXT


def unchanged(documents: Sequence[Document]) -> None:
    """Documents that do not depend on each other's bytes."""


def as_it_is(data: bytes) -> bytes:
    """A format without a canonical form."""
    return data


class ShareFormat(NamedTuple):
    """One format: what is kept, blanked and dropped in it, and which files belong together.

    ``scrubbed`` is its treatment where only keys are scrubbed, ``shared`` in a share,
    ``with_images`` in one that keeps images. ``opened`` gives the text of a file's bytes
    (decompressed, or a binary form as JSON), ``closed`` the bytes again. ``canonical`` takes the
    redacted bytes, which decode, to the form that is published.

    A session of several files: ``family`` names the other files of the session of a path,
    ``member`` says of each by its name how it is read and treated. ``settled`` gets the documents
    of all files, the main one first, once they have their edits; it may add edits (`Document.add`)
    and change names, where one file is named by the digest of its content and others refer to it.
    """

    form: As
    scrubbed: Treatment
    shared: Treatment
    with_images: Treatment
    opened: Callable[[bytes], str] = as_text
    closed: Callable[[str], bytes] = as_bytes
    canonical: Callable[[bytes], bytes] = as_it_is
    family: Callable[[Path], Iterable[Path]] = alone
    member: Callable[[str], tuple[As, Treatment]] = any_text
    settled: Callable[[Sequence[Document]], None] = unchanged


HOMES: Final = {
    "robota-record": "sesskit.artifacts.share_robota:ENVELOPED",
    "robota-record-bare": "sesskit.artifacts.share_robota:BARE",
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
