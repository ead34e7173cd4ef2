"""Where a look at a Robota log puts what it finds."""

from __future__ import annotations

from typing import Protocol

from sesskit.records.talk import Talking
from sesskit.records.view import FamilyFile, Mark, Ref, Usage


class Gathering(Protocol):
    """Where a look at a log puts what it finds: held as a view, or only counted.

    ``spoken`` is what ``user`` and ``assistant`` lines say: it counts in logs without messages.
    """

    @property
    def talk(self) -> Talking: ...

    @property
    def spoken(self) -> Talking: ...

    def mark(self, mark: Mark) -> None: ...

    def placed(self, name: str, ref: Ref) -> None: ...

    def use(self, usage: Usage) -> None: ...

    def belongs(self, file: FamilyFile) -> None: ...
