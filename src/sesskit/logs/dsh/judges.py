"""The rules for the events of each generation: what is wrong, and what the original minds.

A judge is fed the accepted events in order, folds them, and says every issue. Whether an issue is
an error or a warning follows from the original: what it refuses is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.closers import BOUNDARIES, OpenTurn
from sesskit.logs.dsh.doubts import Doubts
from sesskit.logs.dsh.envelopes import check_envelope
from sesskit.logs.dsh.generations import Generation, seed_mark_faults
from sesskit.logs.dsh.legacy import Malformed, Upgrader, retired
from sesskit.logs.dsh.messages import check_message, check_request_header
from sesskit.logs.dsh.native import SystemHead, hard_refusal, no_object
from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.relational import RELATED as RULES_OF_OLD
from sesskit.logs.dsh.relational import Relations
from sesskit.logs.dsh.released import RELATED as RELEASED_RULES
from sesskit.logs.dsh.released import Released
from sesskit.logs.dsh.ruling import (
    CORRUPTION,
    CRASH,
    FORMAT,
    MIGRATION,
    UNSUPPORTED,
    Ruling,
    Stage,
)
from sesskit.logs.dsh.surface import Surface, forbidden_fields
from sesskit.logs.dsh.vocabulary import KNOWN_V2, RELEASED_V0
from sesskit.schemas.dsh_payloads import SURFACE
from sesskit.schemas.issues import Issue

Json = dict[str, Any]


@dataclass(slots=True)
class Judge:
    """The fold of one log. ``events`` holds the accepted events as they are today, if kept.

    With ``resync`` a fault is said once: what follows from a lost or wrong event is not.
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
    _upgrader: Upgrader = field(init=False)
    head: SystemHead = field(default_factory=SystemHead)
    _accepting: bool = True
    _settled: list[Issue] | None = None
    _turn_lost: bool = False

    def __post_init__(self) -> None:
        self.surface = Surface(min(self.generation.version, 3), keep=self.keep)
        self.open_turn = OpenTurn(seed=self.generation.seed)
        if self.generation.relational:
            version = self.generation.version
            self.relations = Released(self.surface.is_span, version, self.header)
        else:
            self.relations = Relations()
        self.doubts = Doubts(self.relations, self.resync)
        self._upgrader = Upgrader(str(self.header.get("id", "")))

    @property
    def minds(self) -> bool:
        """v0 checks messages whenever it loads; later formats do not."""
        return self.generation.version == 0

    def see(self, event: Json, *, accepted: bool = True, sound: bool = False) -> list[Issue]:
        """Every issue of one event, keys from the event; folds it in if it is ``accepted``.

        ``sound`` says that the event decoder took it, so that only the folds can find something.
        """
        self._accepting = accepted
        today, issues = (event, []) if sound else self._looked_at(event)
        if sound and self.minds and event["type"] == "tool/result":
            self._upgrader.remember(event)
        if any(issue.severity == "error" for issue in issues):
            self._misled(today, issues)
        if not accepted:
            return issues + self._behind(today)
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
            self._turn_lost &= today["type"] != "turn/start"
            issues += self._folded(today)
        if self.keep:
            self.events.append(today)
        return issues

    def lose(self, *, placed: bool = False) -> None:
        """An event could not be taken in; ``placed`` where its type and place are known."""
        self.doubts.lose(placed=placed)
        self._turn_lost |= not placed

    def admit(self, event: Json) -> list[Issue]:
        """What v3 refuses on whatever line it stands, accepted or not."""
        found = hard_refusal(event) if self.generation.version == 3 else None
        if found is None:
            return []
        issue, code = found
        self.ruling.refuse(Stage.SCAN, code, "unsupported" if code == MIGRATION else "reject")
        return [issue]

    def row(self, events: Iterable[Json], *, accepted: bool = True) -> list[Issue]:
        """The same for the events of a chunk row: an issue is said of the first one only."""
        found: list[Issue] = []
        for event in events:
            issues = self.see(event, accepted=accepted)
            if issues and not found:
                found = [replace(issue, keys=()) for issue in issues]
        return found

    def remember_result(self, seq: int, message: str) -> None:
        """Keep the id of a tool result, for old ones that rewrite it."""
        self._upgrader.result_ids[seq] = message

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
        self._accepting = True  # what is said now is of the events that were
        if self.generation.version == 1 and not self.generation.seed:
            seeded = self.header.get("seedLength", 0)
            if isinstance(seeded, int | float) and seeded > self.count:
                self.ruling.refuse(Stage.MARKED, FORMAT)
                message = "more events are said to be inherited than there are"
                issues.append(Issue("seed-length", message, keys=("seedLength",)))
        if self.generation.version >= 2:
            marked = seed_mark_faults(self.header, marked=self.inherited is not None)
            issues += self._asked(Stage.MARKED, marked)
        if isinstance(self.relations, Released):
            issues += self._asked(Stage.FULL, self._settle())
        if self.open_turn.in_turn:
            self.ruling.closed = True
            wrong = any(check_message(closer) for closer in self.open_turn.closers())
            if self.minds and (wrong or self.open_turn.nameless):
                self.ruling.refuse(Stage.FULL, CORRUPTION)
            # What a refused log goes on with may have ended the turn, and cannot be read.
            if not (self.resync and self._turn_lost and self.ruling.stage is not None):
                message = "a turn is open at the end: it broke off, or is still being written"
                issues.append(Issue("turn-open", message, "warning"))
        return issues

    def closers(self) -> list[Json]:
        """What the original would add because a turn is open; unknown for v4."""
        return [] if self.generation.listed else self.open_turn.closers()

    # One event.

    def _looked_at(self, event: Json) -> tuple[Json, list[Issue]]:
        """The event as it is today, and what is wrong with it by itself."""
        if self.generation.seed:
            kind = event.get("type")
            known = isinstance(kind, str) and kind in self.generation.known
            message = "no event type of this format version"
            return event, [] if known else [Issue("type-unknown", message, "info", ("type",))]
        if self.generation.strict:
            return event, self._later_issues(event)
        issues = self._asked(Stage.FULL, check_envelope(event))
        kind = event.get("type")
        if "data" not in event or not isinstance(kind, str):
            if self._accepting and isinstance(kind, str) and kind in SURFACE[0]:
                self.ruling.refuse(Stage.MESSAGE, CORRUPTION)
            return event, [*issues, *self._unknown(event)]
        if (old := retired(event)) is not None:
            return event, [*issues, *self._asked(Stage.RETIRED, [old])]
        try:
            today = self._upgrader.upgrade(event)
        except Malformed as malformed:
            return event, [*issues, *self._asked(Stage.LEGACY, [malformed.issue])]
        if today["type"] in SURFACE[0]:
            issues += self._asked(Stage.MESSAGE, check_message(today))
        issues += self._unknown(today)
        if today["type"] == "request/header":
            issues += self._asked(Stage.FULL, check_request_header(today))
        return today, [*issues, *self._payload(event, today, issues)]

    def _later_issues(self, event: Json) -> list[Issue]:
        """The same from v1 on, where nothing is old and loading looks at no message."""
        version, kind = self.generation.version, event.get("type")
        issues = self._unknown(event) if isinstance(kind, str) else []
        if version == 1:
            issues += self._asked(Stage.UNKNOWN, check_envelope(event, later=True))
        elif version == 2 and isinstance(kind, str) and kind in _LOGGED_V2:
            issues += self._asked(Stage.UNKNOWN, forbidden_fields(event))
        if "data" not in event or not isinstance(kind, str) or self.generation.listed:
            return issues
        if version == 3 and hard_refusal(event) is not None:
            return issues  # said when the line was admitted
        looked_into = self.generation.relational and self._is_related(kind)
        if looked_into and not isinstance(event["data"], dict):
            issues += self._asked(Stage.FULL, [no_object("data")])
        issues += self._asked(Stage.MESSAGE, check_message(event), minded=False)
        if kind == "request/header":
            issues += self._asked(Stage.FULL, check_request_header(event), minded=False)
        return [*issues, *self._payload(event, event, issues)]

    def _is_related(self, kind: str) -> bool:
        """Whether the rules between events look at a type."""
        unasked = kind.startswith("feedback/message-")
        return (kind in self.generation.known and not unasked) or kind == "assistant/chunk"

    def _payload(self, event: Json, today: Json, issues: list[Issue]) -> Iterator[Issue]:
        """Faults of the payload, which no load minds; not those said already in other words."""
        said = {issue.keys for issue in issues}
        for issue in check_payload(self.generation.version, today):
            if issue.keys not in said:
                yield replace(issue, severity="warning", keys=issue.keys if today is event else ())

    def _unknown(self, event: Json) -> list[Issue]:
        kind = event.get("type")
        if isinstance(kind, str) and kind in self.generation.known:
            return []
        if self.generation.listed:
            message = "an event type that is not known; carried whole"
            return [Issue("type-unknown", message, "info", ("type",))]
        if event.get("ignorable") is True:
            message = "an unknown event type that says it may be ignored; kept as it is"
            return [Issue("type-unknown-ignorable", message, "info", ("type",))]
        code = MIGRATION if self.generation.strict else UNSUPPORTED
        if self._accepting:
            self.ruling.refuse(Stage.UNKNOWN, code, "unsupported")
        message = "no event type of this format version, and not marked as one to ignore"
        if isinstance(kind, str) and self.generation.version == 0 and kind in RELEASED_V0:
            message = "an event type of 0.1.2 and later; up to 0.1.1 the program refuses it"
        return [Issue("type-unknown", message, keys=("type",))]

    # What is not certain.

    def _misled(self, event: Json, issues: list[Issue]) -> None:
        """An event is wrong by itself, so what belongs to it may look wrong as well."""
        unknown = any(issue.code == "type-unknown" for issue in issues)
        self.lose(placed=not unknown and self._sound(event))

    def _behind(self, event: Json) -> list[Issue]:
        """What an event breaks that stands behind the place where the original stops."""
        if not self.resync or self.generation.seed or self.generation.listed:
            return []
        if not self._sound(event):
            return []
        self._settle()
        minded = self.generation.version != 1
        issues = self._asked(Stage.FULL, self.surface.look(event), minded=minded)
        if not self.generation.relational:
            return issues + self._asked(Stage.FULL, self.doubts.see(event), minded=False)
        if self._is_related(event["type"]):
            issues += self._asked(Stage.FULL, self.doubts.see(event))
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
            return self._asked(Stage.FULL, self.surface.take(event), minded=False)
        minded = self.generation.version == 0
        issues = self._asked(Stage.FULL, self.surface.take(event), minded=minded)
        issues = self._unless_lost(issues)
        return issues + self._asked(Stage.FULL, self.doubts.see(event), minded=False)

    def _related(self, event: Json) -> list[Issue]:
        issues: list[Issue] = []
        if self.generation.version >= 3:
            issues = self._asked(Stage.HEAD, self.head.see(event))
        if self._is_related(event["type"]):
            issues += self._asked(Stage.FULL, self.surface.take(event))
        issues = self._unless_lost(issues)
        if self._is_related(event["type"]):
            issues += self._asked(Stage.FULL, self.doubts.see(event))
        return issues

    def _unless_lost(self, issues: list[Issue]) -> list[Issue]:
        """The issues that do not follow from an event that was lost; wrong ones may be missed."""
        found = self.doubts.believable(issues)
        if self.resync and any(issue.severity == "error" for issue in found):
            self.lose(placed=True)
        return found

    def _mark(self, event: Json) -> None:
        data = event["data"]
        if event["type"] != "session/end-seed":
            return
        if isinstance(data, dict) and data.get("inherited") is True:
            self.inherited = int(event["seq"])
        elif not isinstance(data, dict) and self.generation.relational:
            self.ruling.refuse(Stage.SCAN, FORMAT)

    def _asked(self, stage: Stage, issues: Iterable[Issue], *, minded: bool = True) -> list[Issue]:
        """The issues with the severity that they have for the original."""
        found = list(issues)
        if not minded:
            return [replace(issue, severity="warning") for issue in found]
        first = next((issue for issue in found if issue.severity == "error"), None)
        if self._accepting and first is not None:
            code = FORMAT if self.generation.strict else CORRUPTION
            self.ruling.refuse(stage, CRASH if first.code == "program-crash" else code)
        return found


_LOGGED_V2 = KNOWN_V2 - SURFACE[2] - {"feedback/message-put", "feedback/message-delete"}
