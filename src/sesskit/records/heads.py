"""The beginning of a file: enough to recognise it by, without reading it all."""

from __future__ import annotations

import os
from pathlib import Path

from sesskit.records.reading import StrPath, open_regular, reason_for
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Unreadable


def read_head(path: StrPath, size: int = RECOGNITION_BYTES) -> bytes | Missing | Unreadable:
    """The first ``size`` bytes of a regular file, fewer if it is shorter.

    Links are followed. Whatever is no readable regular file gets the answer that `read_document`
    would give, and is not opened.
    """
    try:
        descriptor = open_regular(Path(path))
        try:
            return os.read(descriptor, size)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error))
    except ValueError:
        return Unreadable("its name cannot be the name of a file")
