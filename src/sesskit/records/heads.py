"""The beginning of a file: enough to recognise it by, without reading it all."""

from __future__ import annotations

import os

from sesskit.records.reading import StrPath, reason_for, unreadable_kind
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Missing, Unreadable

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_head(path: StrPath, size: int = RECOGNITION_BYTES) -> bytes | Missing | Unreadable:
    """The first ``size`` bytes of a regular file, fewer if it is shorter.

    Links are followed. Whatever is no readable regular file gets the answer that `read_document`
    would give, and is not opened.
    """
    try:
        if kind := unreadable_kind(os.stat(path).st_mode):
            return Unreadable(kind)
        descriptor = os.open(path, _FLAGS)
        try:
            if kind := unreadable_kind(os.fstat(descriptor).st_mode):
                return Unreadable(kind)
            return os.read(descriptor, size)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Unreadable(reason_for(error))
    except ValueError:
        return Unreadable("its name cannot be the name of a file")
