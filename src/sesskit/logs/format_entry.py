"""One line of the registry of formats: `Entry`, which imports what it names only when asked."""

from __future__ import annotations

from datetime import UTC, tzinfo
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from sesskit.records.format import Format, Recognition

if TYPE_CHECKING:
    from sesskit.records.lookup import Lookup
    from sesskit.records.view import Session


class Entry(NamedTuple):
    """A line of the registry: all but its name are ``module:attribute``.

    ``recognizer`` says what a file is, ``home`` is its `Format`, ``viewer`` gives the session view
    of its bytes, ``lookup`` finds single values in them. ``zoned``: its times may lack a zone.
    """

    name: str
    recognizer: str
    home: str
    viewer: str = ""
    lookup: str = "sesskit.records.lookup:JSON"
    zoned: bool = False
    unpacker: str = ""
    """From the bytes of a file to the text that its refs and offsets mean, where they differ."""

    def load(self) -> Format:
        """The format itself; imports its decoder."""
        found = _attribute(self.home)
        if not isinstance(found, Format):
            raise TypeError(f"{self.home} is not a Format")
        return found

    def recognize(self, head: bytes, name: str) -> Recognition | None:
        """What its recogniser says of a file that begins like this and is called so."""
        answer = _attribute(self.recognizer)(head, name)
        return answer if isinstance(answer, Recognition) else None

    def view(self, data: bytes, zone: tzinfo = UTC) -> Session | None:
        """The session view of a file with these bytes, damaged or not; None without a viewer.

        ``zone`` is that of times without one.
        """
        if not self.viewer:
            return None
        from sesskit.records.view import Session

        zoned = {"zone": zone} if self.zoned else {}
        seen = _attribute(self.viewer)(data, **zoned)
        return seen if isinstance(seen, Session) else None

    def text_of(self, data: bytes) -> bytes:
        """The text that refs of the view of a file with these bytes point into."""
        text: bytes = _attribute(self.unpacker)(data) if self.unpacker else data
        return text

    def looks_up(self) -> Lookup:
        """How values are found in its files."""
        from sesskit.records.lookup import Lookup

        found = _attribute(self.lookup)
        if not isinstance(found, Lookup):
            raise TypeError(f"{self.lookup} is not a Lookup")
        return found


@cache  # asked for every file of a folder
def _attribute(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
