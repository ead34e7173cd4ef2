"""Opening files to read: only regular ones, never hanging, with an outcome instead of an error."""

from __future__ import annotations

from pathlib import Path

from sesskit.records.reading import open_regular, reason_for
from sesskit.schemas.outcomes import Missing, Unreadable

_BAD_NAME = "its name cannot be the name of a file"


def opened(path: Path) -> int | Missing | Unreadable:
    """A descriptor to read a regular file from, or why there is none."""
    try:
        return open_regular(path)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error))
    except ValueError:
        return Unreadable(_BAD_NAME)
