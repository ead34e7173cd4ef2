"""ochat: the rules that a record of version 4 or 5 is checked by when it is loaded.

Each is named by its code. The original stops at the first one broken; here all are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from sesskit.schemas.binprot import MAX_BINARY_FAULTS
from sesskit.schemas.issues import Keys
from sesskit.schemas.ochat_ids import parse_history_id
from sesskit.schemas.ochat_sessions import Entry, Session, SessionV4, SessionV5


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold, and where."""

    code: str
    keys: Keys
    message: str
    expected: str
    found: str


def broken_rules(session: SessionV4 | SessionV5) -> tuple[Broken, ...]:
    """Every rule that the record breaks, in the order of the original's checks.

    Not looked at, here as there: targets of replacements and tombstones, change ids, tasks,
    names of the key/value store, the shell state. Version 4 also checks the entries that its
    moderator inserted, together with the history; version 5 does not.
    """
    return (*_allocator(session), *islice(_history(session), MAX_BINARY_FAULTS))


def types_match(session: Session) -> bool:
    """Whether each item says the type that its constructor has."""
    return next(mismatched(session), None) is None


def mismatched(session: Session) -> Iterator[int]:
    """The positions in the history of items whose ``_type`` is not their constructor's word.

    At most `MAX_BINARY_FAULTS`.
    """
    return islice(_mismatched(session), MAX_BINARY_FAULTS)


def _mismatched(session: Session) -> Iterator[int]:
    for index, held in enumerate(session.history):
        item = held.item if type(held) is Entry else held
        if item.type_ != item.word:
            yield index


def _allocator(session: SessionV4 | SessionV5) -> Iterator[Broken]:
    if not session.id:
        message = "a session without an id cannot give ids to its history"
        yield Broken("session-id-empty", ("id",), message, "at least one byte", "an empty text")
    if session.next_history_sequence < 0:
        yield Broken(
            "high-water-negative",
            ("next_history_sequence",),
            "the next history number is below zero",
            "0 or more",
            "a negative number",
        )


def _history(session: SessionV4 | SessionV5) -> Iterator[Broken]:
    inserted = list(_inserted(session)) if isinstance(session, SessionV4) else []
    if not inserted and _in_order(session):
        return
    entries: Iterable[tuple[Keys, str | bytes]] = (
        (("history", index, "id"), entry.id) for index, entry in enumerate(session.history)
    )
    seen: set[str | bytes] = set()
    for keys, text in (*entries, *inserted):
        parsed = parse_history_id(text)
        if text in seen:
            message = "another entry before this one has the same id"
            yield Broken("history-id-duplicate", keys, message, "an id of its own", "a repetition")
        elif (
            parsed is not None
            and parsed.namespace == session.id
            and parsed.sequence >= session.next_history_sequence
        ):
            message = "an id of this session that its allocator has not given out yet"
            expected = "a number below next_history_sequence"
            yield Broken("history-id-high-water", keys, message, expected, "that number or more")
        seen.add(text)


def _in_order(session: SessionV4 | SessionV5) -> bool:
    """The usual case, without a set of all ids: own ids only, ascending, below the mark."""
    if not isinstance(session.id, str):
        return False
    prefix = f"{len(session.id.encode())}:{session.id}:"
    start, last = len(prefix), -1
    for entry in session.history:
        text = entry.id
        if not isinstance(text, str) or not text.startswith(prefix):
            return False
        number = int(text[start:])
        if number <= last:
            return False
        last = number
    return last < session.next_history_sequence or last < 0


def _inserted(session: SessionV4) -> Iterator[tuple[Keys, str | bytes]]:
    snapshot = session.moderator_state.identity_snapshot
    if snapshot is None:
        return
    for name, items in (
        ("prepended_items", snapshot.prepended_items),
        ("appended_items", snapshot.appended_items),
    ):
        for index, item in enumerate(items):
            keys = ("moderator_state", "identity_snapshot", name, index, "entry_id")
            yield keys, item.entry_id
