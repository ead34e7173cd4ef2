"""A session in numbers: counted and measured from its view, the same way for all formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import nlargest

from sesskit.records.view import Call, Mark, Ref, Session, Usage, is_orphan
from sesskit.schemas.instants import Instant
from sesskit.schemas.issues import dotted

LARGEST = 5
"""How many of the largest elements are named."""
TROUBLED = 5
"""How many of the calls that were not answered are named."""
MAX_TOKENS = 2**53 - 1
"""More tokens than this, or fewer than none, were never used: such usage is not summed."""
ROLES = ("user", "assistant", "system", "tool")
NAMED_APART = frozenset({"robota-log"})
"""Formats in which events are called like roles, so that messages need another name."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")
_GROUP = re.compile(r"(.*?)/\d+(?:/|\Z)")


@dataclass(frozen=True, slots=True)
class Group:
    """Marks of one type: how many, and how many of each state that was named."""

    total: int
    states: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """Something that takes space: one element, or all ``count`` of a member or record type.

    ``place`` is a JSON Pointer, or a name where the format has none; ``ref`` is that of the first.
    """

    name: str
    place: str
    size: int
    ref: Ref
    count: int = 1

    @property
    def path(self) -> str:
        """The place as a dotted path."""
        return dotted_of(self.place)


@dataclass(frozen=True, slots=True)
class Overview:
    """A session in numbers. Sizes are bytes of the (decompressed) file.

    ``messages`` counts by role, results of tools as ``tool``; ``first`` and ``last`` are the
    earliest and latest instant of the talk; ``parts`` are the members or record types of the file
    by size, ``largest`` the biggest elements of those that have several; what no part covers is
    ``rest``. ``whole`` is False where not all could be read, so that what is absent may be lost;
    ``unknown`` counts the marks that nothing here reads.
    """

    session: Session
    messages: dict[str, int]
    turns: dict[str, int]
    calls: dict[str, int]
    troubled: tuple[Call, ...]
    marks: dict[str, Group]
    first: Instant | None
    last: Instant | None
    usage: Usage | None
    parts: tuple[Part, ...]
    largest: tuple[Part, ...]
    rest: int
    whole: bool
    unknown: int = 0


def overview(session: Session) -> Overview:
    """Count and measure a session. The work is linear in the number of its elements."""
    calls = list(session.calls())
    elements = list(_outermost(session))
    parts = _parts(elements)
    single = {part.place for part in parts if part.count == 1}
    several = [element for element in elements if _home(element) not in single]
    return Overview(
        session,
        _roles(session, calls),
        dict(Counter(turn.state for turn in session.turns)),
        dict(Counter(call.state for call in calls)),
        tuple(call for call in calls if call.state not in ("answered", "failed"))[:TROUBLED],
        _groups(session.marks),
        min(_times(session), default=None),
        max(_times(session), default=None),
        summed(session.usage),
        parts,
        tuple(nlargest(LARGEST, several, key=lambda part: part.size)),
        session.total.length - sum(part.size for part in parts),
        all(loss.kind != "unread" for loss in session.losses),
        sum(1 for mark in session.marks if mark.class_ == "unknown"),
    )


def dotted_of(place: str, shown: Callable[[str], str] = str) -> str:
    """A JSON Pointer as a dotted path, each name as ``shown``; what is no pointer is one name."""
    if not place.startswith("/"):
        return shown(place)
    tokens = (token.replace("~1", "/").replace("~0", "~") for token in place[1:].split("/"))
    return dotted(tuple(int(t) if _INDEX.fullmatch(t) else shown(t) for t in tokens))


def _roles(session: Session, calls: Iterable[Call]) -> dict[str, int]:
    """Messages by role. An orphan's message is made up by the view: only its result counts."""
    roles: Counter[str] = Counter(m.role for m in session.messages() if not is_orphan(m))
    roles["tool"] = sum(len(call.refs.results) for call in calls)
    return {role: roles[role] for role in ROLES if roles[role]}


def _groups(marks: Iterable[Mark]) -> dict[str, Group]:
    totals: Counter[str] = Counter()
    states: dict[str, Counter[str]] = {}
    for mark in marks:
        totals[mark.type] += 1
        if mark.state is not None:
            states.setdefault(mark.type, Counter())[mark.state] += 1
    return {name: Group(total, dict(states.get(name, {}))) for name, total in totals.items()}


def _times(session: Session) -> Iterator[Instant]:
    for turn in session.turns:
        yield from (time for time in (turn.started, turn.ended) if time is not None)


def summed(usages: Iterable[Usage]) -> Usage | None:
    """All usage together, each key once; None where there is none that could be true."""
    once = {usage.key: usage for usage in usages if _is_count(usage)}
    if not once:
        return None
    found = list(once.values())
    return Usage(
        "",
        sum(usage.prompt for usage in found),
        sum(usage.output for usage in found),
        found[0].ref,
        cached=sum(usage.cached for usage in found),
    )


def _is_count(usage: Usage) -> bool:
    return all(0 <= n <= MAX_TOKENS for n in (usage.prompt, usage.cached, usage.output))


def _outermost(session: Session) -> Iterator[Part]:
    """The elements of the session's own file, in order, without those that lie inside others."""
    end = 0
    found: Iterable[tuple[str, Ref]] = session.in_file_order()
    for name, ref in _apart(session, found) if session.format in NAMED_APART else found:
        if ref.file == "" and ref.end > end:
            yield Part(name, ref.pointer or name, ref.length, ref)
            end = ref.end


def _apart(session: Session, found: Iterable[tuple[str, Ref]]) -> Iterator[tuple[str, Ref]]:
    """Marks by their type, what else there is as the message that it is."""
    marks = {(mark.ref.file, mark.ref.offset): mark.type for mark in session.marks}
    for name, ref in found:
        yield marks.get((ref.file, ref.offset)) or message_element(name), ref


def message_element(role: str) -> str:
    """The name of a message among elements, where events of the format are called like roles."""
    return f"{role} message"


def _home(element: Part) -> str:
    """The place of the member that holds an element; its own where none does."""
    array = _GROUP.match(element.place) if element.ref.pointer else None
    return array[1] if array else element.place


def _parts(elements: Iterable[Part]) -> tuple[Part, ...]:
    """The elements by the member that holds them (else by name), the largest first."""
    groups: dict[str, Part] = {}
    for element in elements:
        place = _home(element)
        known = groups.get(place)
        groups[place] = Part(
            known.name if known else element.name,
            place,
            element.size + (known.size if known else 0),
            known.ref if known else element.ref,
            known.count + 1 if known else 1,
        )
    return tuple(sorted(groups.values(), key=lambda part: -part.size))
