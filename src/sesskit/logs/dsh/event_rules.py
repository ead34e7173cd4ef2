"""What is wrong with an event by itself, and what the original minds of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.envelopes import check_envelope
from sesskit.logs.dsh.generations import Generation
from sesskit.logs.dsh.legacy import Malformed, Upgrader, retired
from sesskit.logs.dsh.messages import check_message, check_request_header
from sesskit.logs.dsh.native import hard_refusal, no_object
from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.ruling import (
    CORRUPTION,
    CRASH,
    FORMAT,
    MIGRATION,
    UNSUPPORTED,
    Ruling,
    Stage,
)
from sesskit.logs.dsh.surface import forbidden_fields
from sesskit.logs.dsh.vocabulary import KNOWN_V2, RELEASED_V0
from sesskit.schemas.dsh_surface import SURFACE
from sesskit.schemas.issues import Issue

Json = dict[str, Any]


@dataclass(slots=True, eq=False, repr=False)
class EventRules:
    """The rules for single events of one log; what they mean goes to ``ruling``.

    ``accepting`` says whether the original takes the events that are looked at now: what is wrong
    with others decides nothing.
    """

    generation: Generation
    ruling: Ruling
    session: str = ""
    accepting: bool = True
    upgrader: Upgrader = field(init=False)

    def __post_init__(self) -> None:
        self.upgrader = Upgrader(self.session)

    def asked(self, stage: Stage, issues: Iterable[Issue], *, minded: bool = True) -> list[Issue]:
        """The issues with the severity that they have for the original."""
        found = list(issues)
        if not minded:
            return [replace(issue, severity="warning") for issue in found]
        first = next((issue for issue in found if issue.severity == "error"), None)
        if self.accepting and first is not None:
            code = FORMAT if self.generation.strict else CORRUPTION
            self.ruling.refuse(stage, CRASH if first.code == "program-crash" else code)
        return found

    def look(self, event: Json) -> tuple[Json, list[Issue]]:
        """The event as it is today, and what is wrong with it by itself."""
        if self.generation.seed:
            kind = event.get("type")
            known = isinstance(kind, str) and kind in self.generation.known
            message = "no event type of this format version"
            return event, [] if known else [Issue("type-unknown", message, "info", ("type",))]
        if self.generation.strict:
            return event, self._later_issues(event)
        issues = self.asked(Stage.FULL, check_envelope(event))
        kind = event.get("type")
        if isinstance(kind, str) and (old := retired(event)) is not None:
            return event, [*issues, *self.asked(Stage.RETIRED, [old])]
        if kind == "request/header" and event.get("data") is None and self.accepting:
            # The original looks for a reason in it, and dies of that.
            self.ruling.refuse(Stage.RETIRED, CORRUPTION)
        lacking = "data" not in event and kind != "steering/message"
        if lacking or not isinstance(kind, str):
            if self.accepting and isinstance(kind, str) and kind in SURFACE[0]:
                self.ruling.refuse(Stage.MESSAGE, CORRUPTION)
            return event, [*issues, *self._unknown(event)]
        try:
            today = self.upgrader.upgrade(event)
        except Malformed as malformed:
            found = self.asked(Stage.LEGACY, [malformed.issue])
            return event, [*issues, *(found if "data" in event else ())]
        if today["type"] in SURFACE[0]:
            issues += self.asked(Stage.MESSAGE, check_message(today))
        issues += self._unknown(today)
        if today["type"] == "request/header":
            issues += self.asked(Stage.FULL, check_request_header(today))
        return today, [*issues, *self._payload(event, today, issues)]

    def _later_issues(self, event: Json) -> list[Issue]:
        """The same from v1 on, where nothing is old and loading looks at no message."""
        version, kind = self.generation.version, event.get("type")
        issues = self._unknown(event) if isinstance(kind, str) else []
        if version == 1:
            issues += self.asked(Stage.UNKNOWN, check_envelope(event, later=True))
        elif version == 2 and isinstance(kind, str) and kind in _LOGGED_V2:
            issues += self.asked(Stage.UNKNOWN, forbidden_fields(event))
        if "data" not in event or not isinstance(kind, str) or self.generation.listed:
            return issues
        if version == 3 and hard_refusal(event) is not None:
            return issues  # said when the line was admitted
        looked_into = self.generation.relational and self.is_related(kind)
        if looked_into and not isinstance(event["data"], dict):
            issues += self.asked(Stage.FULL, [no_object("data")])
        issues += self.asked(Stage.MESSAGE, check_message(event), minded=False)
        if kind == "request/header":
            issues += self.asked(Stage.FULL, check_request_header(event), minded=False)
        return [*issues, *self._payload(event, event, issues)]

    def is_related(self, kind: str) -> bool:
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
        if self.accepting:
            self.ruling.refuse(Stage.UNKNOWN, code, "unsupported")
        message = "no event type of this format version, and not marked as one to ignore"
        if isinstance(kind, str) and self.generation.version == 0 and kind in RELEASED_V0:
            message = "an event type of 0.1.2 and later; up to 0.1.1 the program refuses it"
        return [Issue("type-unknown", message, keys=("type",))]


_LOGGED_V2 = KNOWN_V2 - SURFACE[2] - {"feedback/message-put", "feedback/message-delete"}
