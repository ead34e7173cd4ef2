"""The base of every declared object, and what a rule between its members is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import msgspec

from sesskit.schemas.issues import Keys


class Broken(NamedTuple):
    """What a rule found: the keys below the object it looked at, a code and a sentence."""

    keys: Keys
    code: str
    message: str
    expected: str | None = None
    found: str | None = None
    at_key: bool = False


Rule = Callable[[Mapping[str, Any], Mapping[str, Any]], Iterator[Broken]]
"""Looks at one object: the members that are sound by themselves, and all members as parsed."""


class Closed(
    msgspec.Struct,
    forbid_unknown_fields=True,
    rename="camel",
    gc=False,
    omit_defaults=True,
):
    """The base of every declared object: closed, camelCase on the wire, in encode order.

    ``__rules__`` are the rules between its members; ``__schema__`` says in JSON Schema what can be
    said of them there.
    """

    __rules__: ClassVar[tuple[Rule, ...]] = ()
