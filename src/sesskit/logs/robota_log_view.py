"""The session view of a Robota session log, from its bytes (robota-log sections 3, 4 and 8).

Messages are those of ``history_mutation``, turns are executions, calls end as the log says. It is
total: damaged lines are marks, a log without committed messages shows what its ``user`` and
``assistant`` lines say. Every line is in the talk or a mark.
"""

from __future__ import annotations

from datetime import UTC, tzinfo

from msgspec.structs import replace

from sesskit.logs.robota_view_lines import Around, Open, log_lines
from sesskit.logs.robota_view_look import LogLook
from sesskit.records.talk import Talk
from sesskit.records.view import FamilyFile, Mark, Ref, Session, Turn, Usage


def view(data: bytes, sidecars: Open | None = None, *, zone: tzinfo = UTC) -> Session:
    """The view of a log with these bytes; its sidecars are refs into files of the family.

    ``sidecars`` gives the bytes of those that hold a message, or a part of one that is looked
    into; without it such messages are not seen. ``zone`` is that of times without one.
    """
    gathered = Gathered()
    looking = LogLook(gathered, zone)
    for line in log_lines(data, Around(sidecars, zone)):
        looking.look(line)
    found = looking.session(Ref(0, len(data), 1, ""))
    turns = gathered.talk.turns() if looking.committed else _without_messages(gathered)
    return replace(
        found,
        turns=turns,
        marks=tuple(gathered.marks),
        family=tuple(gathered.family),
        usage=tuple(gathered.usage.values()),
    )


class Gathered:
    """All of it, held for a view."""

    def __init__(self) -> None:
        self.talk = Talk(marked=True)
        self.spoken = Talk(marked=True)
        self.marks: list[Mark] = []
        self.usage: dict[str, Usage] = {}
        self.family = {FamilyFile("log", ""): None}

    def mark(self, mark: Mark) -> None:
        self.marks.append(mark)

    def placed(self, name: str, ref: Ref) -> None:
        """What a line is for the measure of the file: a view knows by itself."""

    def use(self, usage: Usage) -> None:
        self.usage[usage.key] = usage

    def belongs(self, file: FamilyFile) -> None:
        self.family[file] = None


def _without_messages(gathered: Gathered) -> tuple[Turn, ...]:
    """Without committed messages: what the user and assistant lines say."""
    turns = gathered.talk.turns()
    more = gathered.spoken.turns()
    return (*turns, *(replace(turn, number=turn.number + len(turns)) for turn in more))
