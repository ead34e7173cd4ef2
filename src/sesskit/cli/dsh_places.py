"""Whether a log of dsh would load in the place that it is to get."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from sesskit.logs.dsh.decode import decode
from sesskit.logs.dsh.repair import loads
from sesskit.schemas.issues import Issue


def fault_at(data: bytes, place: str, known: Collection[Issue] = ()) -> Issue | None:
    """The first thing that keeps the log ``data`` from loading as ``place``; None if it loads.

    Types that only a newer program knows keep nobody from having the log. ``known`` are faults that
    it has anywhere, which are told elsewhere.
    """
    found = decode(data, Path(place).absolute())
    everywhere = {issue.code for issue in known}
    errors = [i for i in found.issues if i.severity == "error" and i.code not in everywhere]
    named = next((issue for issue in errors if issue.code == "version-other"), None)
    return named or (None if loads(found) or not errors else errors[0])
