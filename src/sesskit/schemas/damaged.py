"""The mark for a value whose text is damaged and already reported."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Damaged(Enum):
    """Stands where no value could be read; nothing more is said about it."""

    DAMAGED = "damaged"


DAMAGED: Final = Damaged.DAMAGED
