"""ochat: a snapshot that was read, and the bytes of a session record."""

from __future__ import annotations

from dataclasses import dataclass

from sesskit.records.ochat_rules import Broken
from sesskit.schemas.binprot import frame
from sesskit.schemas.binprot_write import writer
from sesskit.schemas.ochat_sessions import LATEST, Layout, Session, layouts_of, type_of


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot that was read: its record, how it is laid out, and where its frame ends.

    ``refusal`` is why its upgrade to the latest version is refused, if it is.
    """

    session: Session
    layout: Layout
    end: int
    refusal: Broken | None = None

    @property
    def version(self) -> int:
        return self.layout.version


def encode(session: Session, layout: Layout | None = None) -> bytes:
    """The file that holds this record: a frame, everything in its shortest form.

    Without ``layout`` the record must be of the latest version. Raises `ValueError` for a value
    that the format cannot hold (an integer beyond 63 bits, a text with a lone surrogate).
    """
    out = bytearray()
    writer(type_of(layout or layouts_of(LATEST)[0]))(out, session)
    return frame(out)
