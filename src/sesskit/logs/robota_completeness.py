"""Is a Robota log complete enough to be replayed? What was asked and never answered.

Source: robota-log section 8. The order of lines does not matter; a request that is repeated counts
where it stands last.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from msgspec import UNSET

from sesskit.logs.sidecar_references import is_reference_like, read_reference
from sesskit.schemas.issues import Issue
from sesskit.schemas.robota_log_envelope import LogEvent

CODES = {
    "PAYLOAD_REFERENCE_INVALID": "replay-reference",
    "UNRESOLVED_REPLAY_PAYLOAD": "replay-unresolved",
    "PROVIDER_NATIVE_RAW_PAYLOAD_MISSING": "replay-no-native",
    "PROVIDER_RESPONSE_RAW_MISSING": "replay-no-raw",
    "PROVIDER_RESPONSE_NORMALIZED_MISSING": "replay-no-normalized",
    "TOOL_RESULT_MISSING": "replay-no-result",
}
"""The original's code -> the code of our issue."""

_MESSAGES = {
    "PAYLOAD_REFERENCE_INVALID": "a value of kind external-payload is no reference",
    "UNRESOLVED_REPLAY_PAYLOAD": "a message still holds a reference to a sidecar",
    "PROVIDER_NATIVE_RAW_PAYLOAD_MISSING": "no native payload answers this request",
    "PROVIDER_RESPONSE_RAW_MISSING": "no raw response answers this request",
    "PROVIDER_RESPONSE_NORMALIZED_MISSING": "no normalized response answers this request",
    "TOOL_RESULT_MISSING": "no result answers this tool request",
}


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Something a replay would miss. ``code`` is the original's; ``event_index`` counts entries
    from 0."""

    code: str
    event_index: int
    line: int | None = None
    execution_id: str | None = None
    round: int | None = None
    tool_call_id: str | None = None

    def issue(self) -> Issue:
        """The same as an issue at its line."""
        return Issue(CODES[self.code], _MESSAGES[self.code], line=self.line)


Round = tuple[str, int]


@dataclass(slots=True)
class Completeness:
    """Watches the events of a log; memory holds one entry for each round and call."""

    entries: int = 0
    _early: list[Incomplete] = field(default_factory=list)
    requests: dict[Round, Incomplete] = field(default_factory=dict)
    tools: dict[tuple[str, str], Incomplete] = field(default_factory=dict)
    native: set[Round] = field(default_factory=set)
    raw: set[Round] = field(default_factory=set)
    normalized: set[Round] = field(default_factory=set)
    results: set[tuple[str, str]] = field(default_factory=set)

    def add(self, event: LogEvent, entry: Any = None, line: int | None = None) -> None:
        """Take in the next event, or a twin of it; ``entry`` is its line as parsed, if references
        may be left."""
        index = self.entries
        self.entries += 1
        waiting = False
        if entry is not None:
            waiting = self._look_for_references(event, entry, index, line)
        step = _STEPS.get(str(event.__struct_config__.tag))
        if step is not None and not waiting:
            step(self, event, Incomplete("", index, line))

    def _look_for_references(
        self, event: LogEvent, entry: Any, index: int, line: int | None
    ) -> bool:
        """References left in an entry; gives whether its response or message holds one."""
        if any(read_reference(found) is None for found in _references(entry)):
            self._early.append(Incomplete("PAYLOAD_REFERENCE_INVALID", index, line))
        name = _HOLDERS.get(str(event.__struct_config__.tag))
        if name is None or not _references(entry.get(name)):
            return False
        execution, number = getattr(event, "execution_id", UNSET), getattr(event, "round", UNSET)
        self._early.append(
            Incomplete(
                "UNRESOLVED_REPLAY_PAYLOAD",
                index,
                line,
                None if execution is UNSET else execution,
                None if number is UNSET else number,
            )
        )
        return True

    def found(self) -> list[Incomplete]:
        """What is missing, in the order of the original."""
        missing = list(self._early)
        kinds = (
            ("PROVIDER_NATIVE_RAW_PAYLOAD_MISSING", self.native),
            ("PROVIDER_RESPONSE_RAW_MISSING", self.raw),
            ("PROVIDER_RESPONSE_NORMALIZED_MISSING", self.normalized),
        )
        for key, request in self.requests.items():
            missing += [_as(code, request) for code, there in kinds if key not in there]
        missing += [
            _as("TOOL_RESULT_MISSING", tool)
            for call, tool in self.tools.items()
            if call not in self.results
        ]
        return missing


def _request(seen: Completeness, event: Any, at: Incomplete) -> None:
    key = (event.execution_id, event.round)
    seen.requests[key] = replace(at, execution_id=key[0], round=key[1])


def _native(seen: Completeness, event: Any, at: Incomplete) -> None:
    if event.payload_kind != "request":
        seen.native.add((event.execution_id, event.round))


def _raw(seen: Completeness, event: Any, at: Incomplete) -> None:
    seen.raw.add((event.execution_id, event.round))


def _normalized(seen: Completeness, event: Any, at: Incomplete) -> None:
    seen.normalized.add((event.execution_id, event.round))


def _tool(seen: Completeness, event: Any, at: Incomplete) -> None:
    if event.tool_call_id:
        call = (event.execution_id, event.tool_call_id)
        seen.tools[call] = replace(at, execution_id=call[0], tool_call_id=call[1])


def _result(seen: Completeness, event: Any, at: Incomplete) -> None:
    if event.tool_call_id is not UNSET:
        seen.results.add((event.execution_id, event.tool_call_id))


_STEPS: Final = {
    "provider_request": _request,
    "provider_native_raw_payload": _native,
    "provider_response_raw": _raw,
    "provider_response_normalized": _normalized,
    "tool_execution_request": _tool,
    "tool_execution_result": _result,
}
_HOLDERS: Final = {"history_mutation": "message", "provider_response_normalized": "response"}


def _as(code: str, at: Incomplete) -> Incomplete:
    return Incomplete(code, at.event_index, at.line, at.execution_id, at.round, at.tool_call_id)


def _references(value: Any) -> list[dict[str, Any]]:
    """Every object below a value that says it is a reference."""
    found: list[dict[str, Any]] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if is_reference_like(item):
                found.append(item)
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return found
