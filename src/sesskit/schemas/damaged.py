"""The mark for a value whose text is damaged and already reported."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Damaged(Enum):
    """Stands where no value could be read; nothing more is said about it."""

    DAMAGED = "damaged"


DAMAGED: Final = Damaged.DAMAGED


class BrokenText(str):
    """A string or name whose own text had errors, already reported: what it should say is unknown.

    As the name of a member it stands for any member that may be missing beside it.
    """

    __slots__ = ()


LOST: Final = BrokenText("(lost)")
"""Names what a run of NULs took from an object; its value is `DAMAGED`."""
