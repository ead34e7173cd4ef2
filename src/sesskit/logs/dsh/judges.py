"""The rules for the events of each generation: what is wrong, and what the original minds.

A judge is fed the accepted events in order, folds them, and says every issue. Whether an issue is
an error or a warning follows from the original: what it refuses is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.closers import BOUNDARIES, OpenTurn
from sesskit.logs.dsh.doubts import Doubts, is_placed
from sesskit.logs.dsh.envelopes import check_envelope
from sesskit.logs.dsh.event_rules import EventRules
from sesskit.logs.dsh.generations import Generation, seed_mark_faults
from sesskit.logs.dsh.messages import check_message
from sesskit.logs.dsh.native import SystemHead, hard_refusal
from sesskit.logs.dsh.one_cause import confuses, one_cause
from sesskit.logs.dsh.relational import RELATED as RULES_OF_OLD
from sesskit.logs.dsh.relational import Relations
from sesskit.logs.dsh.released import RELATED as RELEASED_RULES
from sesskit.logs.dsh.released import Released
from sesskit.logs.dsh.ruling import (
    CORRUPTION,
    FORMAT,
    MIGRATION,
    Ruling,
    Stage,
)
from sesskit.logs.dsh.surface import Surface
from sesskit.logs.dsh.wrong_results import WrongResults
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.issues import Issue

Json = dict[str, Any]


@dataclass(slots=True, eq=False, repr=False)
class Judge:
    """The fold of one log. ``events`` holds the accepted events as they are today, if kept. With
    ``resync`` a fault is said once: what follows from a lost or wrong event is not.
    """

    generation: Generation
    header: Json
    ruling: Ruling
    keep: bool = True
    resync: bool = False
    events: list[Json] = field(default_factory=list)
    surface: Surface = field(init=False)
    open_turn: OpenTurn = field(init=False)
    relations: Relations | Released = field(init=False)
    doubts: Doubts = field(init=False)
    count: int = 0
    inherited: int | None = None
    """How many events came from a seed, by the last marker that says so (v2 and later)."""
    _rules: EventRules = field(init=False)
    head: SystemHead = field(default_factory=SystemHead)
    _settled: list[Issue] | None = None
    _wrong_results: WrongResults = field(default_factory=WrongResults)

    def __post_init__(self) -> None:
        self.surface = Surface(min(self.generation.version, 3), keep=self.keep)
        self.open_turn = OpenTurn(seed=self.generation.seed)
        if self.generation.relational:
            version = self.generation.version
            self.relations = Released(self.surface.is_span, version, self.header)
        else:
            self.relations = Relations()
        self.doubts = Doubts(self.relations, self.resync)
        self._rules = EventRules(self.generation, self.ruling, str(self.header.get("id", "")))

    @property
    def minds(self) -> bool:
        """v0 checks messages whenever it loads; later formats do not."""
        return self.generation.version == 0

    def see(
        self, event: Json, *, accepted: bool = True, sound: bool = False, stray: bool = False
    ) -> list[Issue]:
        """Every issue of one event, keys from the event; folds it in if it is ``accepted``.

        ``sound`` says that the event decoder took it, so that only the folds can find something;
        ``stray`` that its number is not the next one, so that where it stands says nothing.
        """
        self._rules.accepting = accepted
        today, issues = (event, []) if sound else self._rules.look(event)
        if sound and self.minds and event["type"] == "tool/result":
            self._rules.upgrader.remember(event)
        if today is not event:  # an old shape: a rewritten result has the id of the one before
            issues = self._wrong_results.rest(today, issues, lossy=self.doubts.lossy)
        if not sound and self.doubts.blinded(today, self.related_types):
            self.open_turn.doubtful |= self.resync
        elif any(issue.severity == "error" for issue in issues):
            self._misled(today, issues)
        if not accepted:
            return self._said(today, issues + self._behind(today, stray=stray))
        self.count += 1
        if sound or self._sound(today):
            self._mark(today)
            if (
                self.minds
                and today["data"] is None
                and today["type"] in ("turn/start", "step/start")
            ):
                # The original looks for the turn in it, and dies of that.
                self.ruling.refuse(Stage.CLOSERS, CORRUPTION)
                issues.append(Issue("type", "expected the turn", keys=("data",), found="null"))
            self.open_turn.see(today)
            issues += self._folded(today)
        else:
            issues += self._behind(today)
            self.open_turn.doubtful |= self.resync
        if self.keep:
            self.events.append(today)
        return self._said(today, issues)

    def lose(self, kind: str | None = None) -> None:
        """An event could not be taken in; ``kind`` is its type where its place is known as well."""
        self.doubts.lose(kind)
        self.open_turn.doubtful |= self.resync and kind is None

    def admit(self, event: Json) -> list[Issue]:
        """What v3 refuses on whatever line it stands, accepted or not."""
        found = hard_refusal(event) if self.generation.version == 3 else None
        if found is None:
            return []
        issue, code = found
        self.ruling.refuse(Stage.SCAN, code, "unsupported" if code == MIGRATION else "reject")
        return [issue]

    def row(
        self, events: Iterable[Json], *, accepted: bool = True, stray: bool = False
    ) -> list[Issue]:
        """The same for the events of a chunk row: an issue is said of the first one only."""
        found: list[Issue] = []
        for event in events:
            issues = self.see(event, accepted=accepted, stray=stray)
            if not found:
                # A number that is too large is said of the row itself.
                issues = [issue for issue in issues if issue.code != "number-overflow"]
                found = [replace(issue, keys=()) for issue in issues]
        return found

    def remember_result(self, seq: int, message: str) -> None:
        """Keep the id of a tool result, for old ones that rewrite it."""
        self._rules.upgrader.result_ids[seq] = message

    @property
    def related_types(self) -> frozenset[str]:
        """The types that any fold looks at; the others only count."""
        rules = RELEASED_RULES if self.generation.relational else RULES_OF_OLD
        return rules | SURFACE[3] | BOUNDARIES | {"session/end-seed"}

    def took(self, seq: int, count: int, time: int) -> None:
        """Count sound events that are folded in already, or change nothing."""
        self.count += count
        self.open_turn.next_seq = seq + count
        self.open_turn.time = time

    def finish(self) -> list[Issue]:
        """What is to be said of the log as a whole; the closers are asked for separately."""
        issues: list[Issue] = []
        self._rules.accepting = True  # what is said now is of the events that were
        # Where lines are lost and the log is refused for it, they may be what is missing.
        follows = self.doubts.lost and self.ruling.stage is not None
        if self.generation.version == 1 and not self.generation.seed:
            seeded = self.header.get("seedLength", 0)
            if isinstance(seeded, int | float) and seeded > self.count:
                self.ruling.refuse(Stage.MARKED, FORMAT)
                message = "more events are said to be inherited than there are"
                issues.append(Issue("seed-length", message, keys=("seedLength",)))
        if self.generation.version >= 2:
            marked = seed_mark_faults(self.header, marked=self.inherited is not None)
            issues += self._rules.asked(Stage.MARKED, marked)
        issues = [] if follows else issues
        if isinstance(self.relations, Released):
            issues += self._rules.asked(Stage.FULL, self._settle())
        if self.open_turn.in_turn:
            self.ruling.closed = True
            wrong = any(check_message(closer) for closer in self.open_turn.closers())
            if self.minds and (wrong or self.open_turn.nameless):
                self.ruling.refuse(Stage.FULL, CORRUPTION)
            # What is cut, or what a refused log goes on with, may have ended the turn.
            doubtful = self.open_turn.doubtful and self.ruling.stage is not None
            if not (doubtful or (self.ruling.cut and self.resync)):
                message = "a turn is open at the end: it broke off, or is still being written"
                issues.append(Issue("turn-open", message, "warning"))
        return issues

    def closers(self) -> list[Json]:
        """What the original would add because a turn is open; unknown for v4."""
        return [] if self.generation.listed else self.open_turn.closers()

    # What is not certain.

    def _said(self, event: Json, issues: list[Issue]) -> list[Issue]:
        """The issues of an event, each fault once; what belongs to it may look wrong as well."""
        if not issues:
            return issues
        found = one_cause(issues)
        if self.resync and any(issue.severity == "error" for issue in found):
            self.doubts.lose(str(event.get("type")))
        elif self.resync and not self.generation.relational and any(map(confuses, found)):
            # No program minds what v1 may break between events: nothing is hidden wrongly.
            first = self.generation.version == 1
            (self.doubts.lose if first else self.doubts.confuse)(str(event.get("type")))
        self._wrong_results.note(event, found)
        return found

    def _misled(self, event: Json, issues: list[Issue]) -> None:
        """An event is wrong by itself, so what belongs to it may look wrong as well."""
        unknown = any(issue.code == "type-unknown" for issue in issues)
        self.lose(None if unknown or not is_placed(event) else event["type"])

    def _behind(self, event: Json, *, stray: bool = False) -> list[Issue]:
        """What an event breaks that is folded in nowhere: it stands where the original has stopped,
        or its number or time is none."""
        if not self.resync or self.generation.seed or self.generation.listed:
            return []
        if not is_placed(event):
            return []
        self._settle()
        minded = self.generation.version != 1
        issues = self._rules.asked(Stage.FULL, self.surface.look(event), minded=minded)
        if stray:
            return issues
        if not self.generation.relational:
            return issues + self._rules.asked(Stage.FULL, self.doubts.see(event), minded=False)
        if self._rules.is_related(event["type"]):
            # The surface is not known here, so nothing is said of spans of it.
            found = [i for i in self.doubts.see(event) if i.code != "compaction-span"]
            issues += self._rules.asked(Stage.FULL, found)
        return issues

    def _settle(self) -> list[Issue]:
        """What is known only at the end of the events that the original takes; said once."""
        if self._settled is None:
            rules = self.relations
            ended = rules.finish(self.inherited or 0) if isinstance(rules, Released) else []
            self._settled = self.doubts.believable(ended)
        return self._settled

    # The folds.

    def _sound(self, event: Json) -> bool:
        """Whether the folds can take an event in."""
        return (
            "data" in event
            and isinstance(event.get("type"), str)
            and not any(issue.keys in (("seq",), ("time",)) for issue in check_envelope(event))
        )

    def _folded(self, event: Json) -> list[Issue]:
        if self.generation.seed:
            return []
        if self.generation.relational:
            return self._related(event)
        opaque = self.generation.strict and event["type"] not in self.generation.known
        if opaque:
            return []
        if self.generation.listed:
            return self._rules.asked(Stage.FULL, self.surface.take(event), minded=False)
        minded = self.generation.version == 0
        issues = self._rules.asked(Stage.FULL, self.surface.take(event), minded=minded)
        issues = self._unless_lost(issues, event)
        return issues + self._rules.asked(Stage.FULL, self.doubts.see(event), minded=False)

    def _related(self, event: Json) -> list[Issue]:
        issues: list[Issue] = []
        if self.generation.version >= 3:
            issues = self._rules.asked(Stage.HEAD, self.head.see(event))
        if self._rules.is_related(event["type"]):
            issues += self._rules.asked(Stage.FULL, self.surface.take(event))
        issues = self._unless_lost(issues, event)
        if self._rules.is_related(event["type"]):
            issues += self._rules.asked(Stage.FULL, self.doubts.see(event))
        return issues

    def _unless_lost(self, issues: list[Issue], event: Json) -> list[Issue]:
        """The issues that do not follow from an event that was lost; wrong ones may be missed."""
        found = self.doubts.believable(issues)
        found = self._wrong_results.rest(event, found, lossy=self.doubts.lossy)
        if issues and not found:
            found = self._rules.asked(Stage.FULL, self.surface.look(event))
        if self.resync and any(issue.severity == "error" for issue in found):
            self.lose(event["type"])
        return found

    def _mark(self, event: Json) -> None:
        data = event["data"]
        if event["type"] != "session/end-seed":
            return
        if isinstance(data, dict) and data.get("inherited") is True:
            self.inherited = int(event["seq"])
        elif not isinstance(data, dict) and self.generation.relational:
            self.ruling.refuse(Stage.SCAN, FORMAT)
