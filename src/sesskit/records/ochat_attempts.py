"""ochat: reading a snapshot in every layout that it may have, and choosing among them.

The version number does not say how items are laid out, and version 0 has no number at all, so
layouts are tried; a layout counts only if it reads to the very end of the frame, has the right
number, and each item says the type that its constructor has. `choose` names the rule.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from sesskit.records.ochat_rules import Broken, broken_rules, types_match
from sesskit.records.ochat_snapshot import encode
from sesskit.records.ochat_upgrade import refusal, upgrade
from sesskit.schemas.binprot import (
    HEADER_BYTES,
    OVERLONG,
    BinaryError,
    Notes,
    declared_length,
    read_int,
    read_string,
)
from sesskit.schemas.binprot_read import reader
from sesskit.schemas.ochat_sessions import (
    LATEST,
    VERSIONS,
    Items,
    Layout,
    Session,
    SessionV0,
    SessionV4,
    SessionV5,
    layouts_of,
    type_of,
)

_ONE_LAYOUT = (4, 5)


@dataclass(slots=True)
class Attempt:
    """What came of reading the payload in one layout.

    ``end`` is where the value ends, or where reading stopped. ``broken`` are the rules that keep
    the original from loading what was read.
    """

    layout: Layout
    end: int
    session: Session | None = None
    fault: BinaryError | None = None
    notes: Notes = field(default_factory=list)
    sound: bool = False
    matching: bool = False
    broken: tuple[Broken, ...] = ()

    @property
    def number(self) -> int:
        """The version number that the record itself says; that of the layout where it cannot."""
        session = self.session
        if session is None or isinstance(session, SessionV0):
            return self.layout.version
        return session.version

    @property
    def loads(self) -> bool:
        """Whether a reader of this layout would load it."""
        return self.sound and not self.broken


def attempt(data: bytes, layout: Layout, end: int, start: int = HEADER_BYTES) -> Attempt:
    """Read ``data`` from ``start`` in a layout; sound if the value ends exactly at ``end``.

    Like the original, the reader sees the whole file and may run over the end of the frame.
    """
    made = Attempt(layout, start)
    try:
        made.session, made.end = reader(type_of(layout))(data, start, made.notes)
    except BinaryError as fault:
        made.fault, made.end = fault, fault.offset
        return made
    errors = any(note.code != OVERLONG for note in made.notes)
    made.sound = made.end == end and not errors and made.number == layout.version
    return made


def judged(made: Attempt) -> Attempt:
    """The same attempt, and whether its record keeps the rules."""
    session = made.session
    if not made.sound or session is None:
        return made
    if isinstance(session, SessionV4 | SessionV5):
        # One layout only, so nothing has to be told apart by the types of items.
        made.matching = True
        made.broken = broken_rules(session)
        return made
    made.matching = types_match(session)
    broken = refusal(session)
    made.broken = () if broken is None else (broken,)
    return made


def first_number(data: bytes) -> int | None:
    """The first integer of the payload: the version, except in version 0."""
    try:
        return read_int(data, HEADER_BYTES, [])[0]
    except BinaryError:
        return None


def attempts(data: bytes, end: int, version: int | None = None) -> list[Attempt]:
    """The attempts worth making, in the original's order: by falling version.

    A version with a number is tried only where the payload begins with it; version 0 always. A
    version's further layouts are tried only until one of them is beyond doubt.
    """
    number = first_number(data)
    versions = [number, 0] if number in VERSIONS[1:] else [0]
    made: list[Attempt] = []
    for tried in versions if version is None else [version]:
        for layout in layouts_of(tried or 0):
            one = judged(attempt(data, layout, end))
            made.append(one)
            if one.loads and one.matching:
                break
    return made


def choose(made: Iterable[Attempt]) -> Attempt | None:
    """The attempt that says what the file is; None if none is sound.

    Types that match count more than being loadable, because a wrong layout can read without a
    fault. Where no types match, today's layout is what the original would take.
    """
    sound = [one for one in made if one.sound]
    ranks = (
        [one for one in sound if one.matching and one.loads],
        [one for one in sound if one.matching],
        [one for one in sound if one.loads and one.layout.current],
        sound,
    )
    return next((rank[0] for rank in ranks if rank), None)


def loaded_by_original(made: Iterable[Attempt]) -> Attempt | None:
    """The attempt that today's ochat would take: it knows one layout of each version."""
    return next((one for one in made if one.loads and one.layout.current), None)


def same_meaning(one: Attempt, other: Attempt) -> bool:
    """Whether two loadable attempts come to the same record of the latest version."""
    if one is other:
        return True
    if one.session is None or other.session is None or not (one.loads and other.loads):
        return False
    # By their bytes, because comparing values recurses as deep as they are nested.
    return encode(upgrade(one.session)) == encode(upgrade(other.session))


def wrong_number(data: bytes, end: int, version: int | None = None) -> Attempt | None:
    """An attempt that fits a version in all but its number, the latest version first."""
    versions = VERSIONS[:0:-1] if version is None else (version,)
    for tried in versions:
        for layout in layouts_of(tried):
            one = attempt(data, layout, end)
            fits = one.session is not None and one.end == end
            if fits and one.number != tried and all(n.code == OVERLONG for n in one.notes):
                return one
    return None


def to_report(data: bytes, made: list[Attempt], end: int) -> Attempt:
    """Of attempts that all failed, the one whose fault is worth telling.

    A later version begins with its number, then an id and a path; version 0 begins with the id.
    Texts that read well decide between the two, then which came further: a text whose length is
    wrong can swallow much, so how far alone says little.
    """
    number = first_number(data)
    old = [one for one in made if one.layout.version == 0]
    new = [one for one in made if one.layout.version > 0]
    if old and not new:
        new = [attempt(data, layout, end) for layout in layouts_of(LATEST)]
    if not new or not old or number == 0 or not reads_well(data, after_number=False):
        return _furthest(new or old)
    if not reads_well(data, after_number=True):
        return _furthest(old)
    return max(_furthest(new), _furthest(old), key=lambda one: one.end)


def likely_layout(data: bytes) -> Layout | None:
    """The layout of a snapshot, also of a damaged one; None for what has no frame at all."""
    length = declared_length(data)
    if length is None or length < 0:
        return None
    end = min(HEADER_BYTES + length, len(data))
    made = attempts(data, end)
    return (choose(made) or to_report(data, made, end)).layout


def _furthest(made: list[Attempt]) -> Attempt:
    """Of the layouts of one version, the one that read most parts; of equals the first.

    Counted are members and, in a list, elements: a wrong layout soon takes a text for a length
    and swallows bytes, but no parts.
    """
    return max(made, key=_parts_read)


def _parts_read(made: Attempt) -> tuple[bool, int, int]:
    if made.fault is None:
        return True, 0, 0
    keys = made.fault.keys
    names = [member.name for member in type_of(made.layout).members]
    element = keys[1] if len(keys) > 1 and isinstance(keys[1], int) else 0
    return False, names.index(str(keys[0])), element


def reads_well(data: bytes, *, after_number: bool) -> bool:
    """Whether the payload goes on with two texts that people could have written."""
    position = HEADER_BYTES
    try:
        if after_number:
            _, position = read_int(data, position, [])
        first, position = read_string(data, position, [])
        second, _ = read_string(data, position, [])
    except BinaryError:
        return False
    return all(
        isinstance(text, str) and text.isprintable() and text.strip() for text in (first, second)
    )


def same_bytes(layout: Layout, constructors: Collection[str]) -> tuple[Items, ...]:
    """The layouts of items in which a history of these constructors has the same bytes.

    The first is that of ``layout``; further ones are older.
    """
    made: list[Items] = [layout.items]
    if layout.version in _ONE_LAYOUT:
        return tuple(made)
    if layout.items == "R3" and "Output_message" not in constructors:
        made.append("R2")
    unchanged = {"Input_message", "Function_call"}
    if layout.items == "R2":
        unchanged.add("Output_message")
    if layout.items != "R1" and unchanged.issuperset(constructors):
        made.append("R1")
    return tuple(made)
