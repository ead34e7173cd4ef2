"""The format versions, told apart by the structure of the header line, and their header rules.

The number alone does not do: 1 was written by the builds of June 2026 and by released ones, and 4
by the upstream program and by forks of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from sesskit.logs.dsh.header import HEADER_RULES, is_absolute
from sesskit.logs.dsh.vocabulary import KNOWN, KNOWN_SEED, KNOWN_V4
from sesskit.schemas.dsh_limits import MAX_SAFE_INTEGER
from sesskit.schemas.dsh_values import is_count, is_index, is_number
from sesskit.schemas.issues import Issue, Severity

Json = dict[str, Any]

HEADER_TAG = "session"
READ_VERSIONS = (0, 1, 2, 3)
LISTED_VERSIONS = (4,)
"""Versions of which only the frame is known: listed, shown and carried whole, never judged."""

DATABASE_SCHEMAS = (14, 17)
"""Those of databases that some builds of version 0 kept sessions in."""

RETIRED_FIELDS = ("sandboxMode", "approvalPolicy")


class Generation(Struct, frozen=True):
    """One format version as it is read: ``seed`` is version 1 of June 2026.

    ``rows`` says whether chunk rows are stored, ``strict`` whether a wrong envelope makes a line
    no event at all, ``relational`` whether rules between events decide if a log loads, ``listed``
    that only the header and the envelopes are known.
    """

    version: int
    name: str
    known: frozenset[str]
    seed: bool = False
    rows: bool = False
    strict: bool = False
    relational: bool = False
    listed: bool = False


SEED = Generation(1, "seed v1", KNOWN_SEED, seed=True)
V0 = Generation(0, "v0", KNOWN[0], rows=True)
V1 = Generation(1, "v1", KNOWN[1], rows=True, strict=True)
V2 = Generation(2, "v2", KNOWN[2], strict=True, relational=True)
V3 = Generation(3, "v3", KNOWN[3], strict=True, relational=True)
V4 = Generation(4, "v4", KNOWN_V4, strict=True, listed=True)
_BY_VERSION = {0: V0, 1: V1, 2: V2, 3: V3}


class Foreign(Struct, frozen=True):
    """A version that is not read here, and why."""

    version: int | float
    reason: str


def is_header(value: object) -> bool:
    """Whether a parsed line has the tag and the number that make it a header of some version."""
    if not isinstance(value, dict) or value.get("type") != HEADER_TAG:
        return False
    return is_number(value.get("version"))


def whole_version(header: Json | None) -> int | None:
    """The version as a whole number; None where there is no header, or it names no such number."""
    version = header["version"] if header is not None else None
    if not isinstance(version, int | float) or abs(version) > MAX_SAFE_INTEGER:
        return None
    return int(version) if version == int(version) else None


def generation_of(header: Json, selected: int | None = None) -> Generation | Foreign:
    """The generation that wrote a header line, by what the line holds.

    ``selected`` is the version that the name of the file selects: the builds of June 2026 never
    wrote a file under the name of version 1.
    """
    version = header["version"]
    bare = "delegationDepth" not in header and "isSeeded" not in header
    if version == 1 and bare and selected != 1:
        return SEED
    known = _BY_VERSION.get(version)
    if known is not None:
        return known
    if version == 4 and not any(i.severity == "error" for i in check_header(V4, header)):
        return V4
    return Foreign(version, _why_foreign(version, header))


def _why_foreign(version: float, header: Json) -> str:
    if version == 4 and header.get("origin") not in (None, "subagent"):
        return "version 4 with an origin that only a fork of the program writes"
    if version == 4:
        return "version 4 with a header that only a fork of the program writes, or none"
    if version > 4:
        return "written by a newer program or a fork; this build knows no such version"
    return "no program ever wrote this version"


def check_header(generation: Generation, header: Json) -> Iterator[Issue]:
    """Every rule of the stored header that a header line breaks, worst first within a member."""
    if generation.seed:
        yield from _seed_header(header)
        return
    yield from _members(generation, header)
    rules = HEADER_RULES | (_LOOSE if generation.version == 0 else {})
    for name, (rule, expected) in rules.items():
        if name in header and name not in _not_stored(generation) and not rule(header[name]):
            yield _wrong(name, expected)
    if generation.version >= 2 and not isinstance(header.get("isSeeded", True), bool):
        yield _wrong("isSeeded", "true or false")


def _members(generation: Generation, header: Json) -> Iterator[Issue]:
    required = {"id", "createdAt", "delegationDepth"}
    if generation.version >= 2:
        required.add("isSeeded")
    for name in sorted(required - header.keys()):
        yield Issue("member-missing", f"missing; expected {_EXPECTED[name]}", keys=(name,))
    optional = {"type", "version", *HEADER_RULES} - _not_stored(generation)
    for name in header:
        if name in RETIRED_FIELDS and generation.version == 0:
            message = "this member was retired, and no program reads logs that hold it"
            yield Issue("retired-field", message, keys=(name,), at_key=True)
        elif name not in optional and name not in required:
            severity: Severity = "error" if generation.strict else "warning"
            message = "no such member of a header"
            yield Issue("member-unknown", message, severity, keys=(name,), at_key=True)


_LOOSE: dict[str, tuple[Callable[[object], bool], str]] = {"seedLength": (is_index, "count")}
"""What the reader of v0 looks at less closely than a session that is made does."""


def _not_stored(generation: Generation) -> set[str]:
    return {"seedLength"} if generation.version >= 2 else set()


_EXPECTED = {
    "id": "string",
    "createdAt": "milliseconds since 1970",
    "delegationDepth": "count",
    "isSeeded": "true or false",
}


def _wrong(name: str, expected: str) -> Issue:
    return Issue("header-field", f"must be: {expected}", keys=(name,), expected=expected)


_SEED_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "id": (lambda value: isinstance(value, str), "string"),
    "createdAt": (is_count, "milliseconds since 1970"),
    "cwd": (is_absolute, "absolute path"),
    "parentSession": (lambda value: isinstance(value, str), "string"),
}


def _seed_header(header: Json) -> Iterator[Issue]:
    for name, (rule, expected) in _SEED_RULES.items():
        if name in header and not rule(header[name]):
            yield _wrong(name, expected)
        elif name not in header and name in ("id", "createdAt"):
            yield Issue("member-missing", f"missing; expected {expected}", keys=(name,))
    for name in header.keys() - {"type", "version", *_SEED_RULES}:
        message = "no such member of a header"
        yield Issue("member-unknown", message, "warning", keys=(name,), at_key=True)


def seed_mark_faults(header: Json, *, marked: bool) -> Iterator[Issue]:
    """From v2 on: whether an event marks what was inherited exactly where the header says so."""
    if header.get("isSeeded") is True and not marked:
        message = "said to be seeded, but no end-seed event marks what was inherited"
        yield Issue("seed-marker-missing", message, keys=("isSeeded",))
    elif header.get("isSeeded") is False and marked:
        message = "said not to be seeded, but an end-seed event marks inherited events"
        yield Issue("seed-marker-unexpected", message, keys=("isSeeded",))
