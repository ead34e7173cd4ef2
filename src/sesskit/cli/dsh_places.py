"""Whether a log of dsh would load in the place that it is to get."""

from __future__ import annotations

from pathlib import Path

from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.repair import loads
from sesskit.schemas.issues import Issue


def fault_at(data: bytes, place: str) -> Issue | None:
    """The first thing that keeps the log ``data`` from loading as ``place``; None if it loads.

    Types that only a newer program knows keep nobody from having the log.
    """
    found = decode(data, Path(place).absolute())
    errors = [issue for issue in found.issues if issue.severity == "error"]
    named = next((issue for issue in errors if issue.code == "version-other"), None)
    return named or (None if loads(found) else errors[0])
