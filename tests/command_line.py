"""What running a command gives: for the annotations of the tests of the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]
