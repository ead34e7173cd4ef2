"""What `inspect` tells of the files of one format beside what it tells of any session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from sesskit.cli.rows import Row
from sesskit.logs.formats import Finding
from sesskit.records.overview import Overview


class Details(NamedTuple):
    """``rows`` stand below the counts of the session, ``closing`` ones at the end; ``members``
    become members of the file in the JSON report."""

    rows: tuple[Row, ...] = ()
    closing: tuple[Row, ...] = ()
    members: Mapping[str, Any] = MappingProxyType({})


DETAILS = {"ochat-record": "sesskit.cli.ochat_details:details"}
"""By the name of the format: ``module:function``, from the bytes of a file to `Details`."""

STREAMED = {
    "dsh-log": "sesskit.cli.dsh_details:inspected",
    "dsh-sqlite": "sesskit.cli.database:inspected",
}
"""Formats that are not held, or hold many sessions: from the finding to overview and `Details`."""


def details_of(finding: Finding, data: bytes) -> Details:
    """The details of a file; none for most formats."""
    place = DETAILS.get(finding.format or "")
    if place is None:
        return Details()
    module, _, name = place.partition(":")
    made: Callable[[bytes], Details] = getattr(import_module(module), name)
    return made(data)


def streamed_of(finding: Finding) -> tuple[Overview | None, Details] | None:
    """What is told of a file that is read as a stream; None for formats that are not."""
    place = STREAMED.get(finding.format or "")
    if place is None:
        return None
    module, _, name = place.partition(":")
    made: Callable[[Finding], tuple[Overview | None, Details]]
    made = getattr(import_module(module), name)
    return made(finding)
