"""From v0 to v1: the same events, but a closed vocabulary and exact payloads.

Old shapes are brought up to date on the way, a few more of them than a load of v0 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.edges import Refused, refuse
from sesskit.logs.dsh.envelopes import check_envelope, check_loose_sources, expand_sources
from sesskit.logs.dsh.generations import V1, check_header
from sesskit.logs.dsh.legacy import Malformed, Upgrader, retired
from sesskit.logs.dsh.lossless import losses
from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.references import references
from sesskit.logs.dsh.vocabulary import COMPACT_NAMES, RELEASED_V0
from sesskit.schemas.dsh_values import is_index

Json = dict[str, Any]


@dataclass(slots=True)
class V0ToV1:
    """The step for one log."""

    header: Json
    inherited: int = 0
    count: int = 0
    _upgrader: Upgrader = field(init=False)
    _compaction: str | None = None
    _retries: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._upgrader = Upgrader(str(self.header["id"]))

    def feed(self, event: Json) -> Iterator[Json]:
        """The event as v1 has it; raises `Refused`."""
        today = checked_as_v1(self._today(event))
        self.count += 1
        yield today

    def finish(self) -> Iterator[Json]:
        """Nothing is held back."""
        if self.inherited > self.count:
            raise refuse("seed-length", "more events are said to be inherited than there are")
        return iter(())

    def _today(self, event: Json) -> Json:
        if not isinstance(event.get("type"), str) or "data" not in event:
            return event
        if (old := retired(event)) is not None:
            raise Refused(replace(old, seq=event["seq"]))
        try:
            today = self._upgrader.upgrade(event)
        except Malformed as malformed:
            raise Refused(replace(malformed.issue, seq=event["seq"])) from None
        today = expanded(today)
        if today["type"] == "session/end-seed":
            self._compaction = None
        if not isinstance(today["data"], dict):
            return today
        return self._identified(self._renamed(today))

    def _renamed(self, event: Json) -> Json:
        kind = COMPACT_NAMES.get(event["type"])
        return event if kind is None else {**event, "type": kind}

    def _identified(self, event: Json) -> Json:
        """With the ids that builds of 0.0.1 did not write."""
        kind, data = event["type"], event["data"]
        if kind.startswith("compaction/") and kind != "compaction/prune":
            return self._compacted(event, data)
        if kind == "user/message" and _is_checkpoint(data) and self._compaction is not None:
            source = {**data["source"], "compactionId": self._compaction}
            return {**event, "data": {**data, "source": source}}
        if kind == "llm/retry":
            chain = tuple(
                repr(data.get(k)) for k in ("turn", "step", "provider", "mode", "policyKey")
            )
            if "retryId" not in data:
                minted = f"legacy-retry:{self.header['id']}:{event['seq']}"
                retry = self._retries.setdefault(chain, minted)
                return {**event, "data": {**data, "retryId": retry}}
            self._retries[chain] = data["retryId"]
        if kind == "request/header":
            return _without_prefix(event, data)
        return event

    def _compacted(self, event: Json, data: Json) -> Json:
        if event["type"] == "compaction/start":
            minted = f"legacy-compaction:{self.header['id']}:{event['seq']}"
            self._compaction = data.get("compactionId", minted)
        if "compactionId" in data or self._compaction is None:
            return event
        identified = {**event, "data": {**data, "compactionId": self._compaction}}
        if event["type"] == "compaction/end":
            self._compaction = None
        return identified


def next_header(header: Json) -> Json:
    """The stored header as v1 has it; raises `Refused` for members that no release wrote."""
    for issue in (*losses(header), *check_header(V1, header)):
        raise Refused(issue)
    return {**header, "version": 1}


def checked_as_v1(event: Json) -> Json:
    """The event, if it is one of v1; raises `Refused` with the first fault."""
    for issue in check_envelope(event, later=True):
        raise Refused(replace(issue, seq=event.get("seq")))
    if event["type"] not in RELEASED_V0:
        message = "no event type of the released vocabulary; it is refused even if ignorable"
        raise refuse("type-unknown", message, event, "type")
    if not isinstance(event["data"], dict):
        raise refuse("type", "expected an object", event, "data")
    # Streamed pieces are looked at by the next step, which takes them apart.
    whole = event["type"] != "assistant/chunk"
    if whole:
        check_lossless(event)
    for issue in check_payload(1, event) if whole else ():
        if issue.severity == "error":
            raise Refused(replace(issue, seq=event["seq"]))
    seen: set[Any] = set()
    for keys, seq in references(event):
        if not is_index(seq) or seq >= event["seq"]:
            raise refuse("reference", "must be the number of an earlier event", event, *keys)
        if isinstance(keys[-1], int):
            if seq in seen:
                raise refuse("reference", "names the same event again", event, *keys)
            seen.add(seq)
    return event


def check_lossless(event: Json) -> None:
    """Refuse an event whose data holds a number that is not kept."""
    for issue in losses(event["data"], ("data",)):
        raise Refused(replace(issue, severity="error", seq=int(event["seq"])))


def expanded(event: Json) -> Json:
    """With its sources number by number; whether they are earlier is not asked here."""
    if "sourceEventSeqs" not in event:
        return event
    for issue in check_loose_sources(event["sourceEventSeqs"], event["seq"]):
        raise Refused(replace(issue, seq=event["seq"]))
    return {**event, "sourceEventSeqs": expand_sources(event["sourceEventSeqs"])}


def _is_checkpoint(data: Json) -> bool:
    """Whether a message is the summary of the plugin `compact`, still without its compaction."""
    source = data.get("source")
    if not isinstance(source, dict) or source.get("plugin") != "compact":
        return False
    return source.get("kind") == "plugin" and "compactionId" not in source


def _without_prefix(event: Json, data: Json) -> Json:
    header = data.get("header")
    if not isinstance(header, dict) or "messagePrefix" not in header:
        return event
    if not isinstance(header["messagePrefix"], list):
        raise refuse("legacy-malformed", "expected an array", event, "data", "header")
    rest = {name: value for name, value in header.items() if name != "messagePrefix"}
    return {**event, "data": {**data, "header": rest}}
