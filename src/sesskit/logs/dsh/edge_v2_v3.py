"""From v2 to v3: the system prompt becomes a message, and some things get other names.

Events that are put in number the later ones anew, and every reference follows. Nothing else
changes; what the step does not know it refuses, because it might hold a reference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sesskit.logs.dsh.content import foreign_content, messages
from sesskit.logs.dsh.edge_v0_v1 import check_lossless
from sesskit.logs.dsh.edges import Refused, refuse
from sesskit.logs.dsh.envelopes import check_envelope
from sesskit.logs.dsh.generations import V2, check_header
from sesskit.logs.dsh.payloads import check_payload
from sesskit.logs.dsh.references import remapped
from sesskit.logs.dsh.vocabulary import KNOWN_V2
from sesskit.schemas.dsh_values import is_negative_zero
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]

PLUGIN = "@deepseek-ai/dsh-system-prompt"
_RENAMED = {
    "tool/code-dispatch-start": "tool/ptc-dispatch-start",
    "tool/code-dispatch": "tool/ptc-dispatch",
}
_PRESETS = {"code": "ptc"}
_PLUGINS = {"tools-code-mode": "tools-ptc"}
_SURFACE = frozenset(["user/message", "assistant/message", "tool/result"])


def next_header(header: Json) -> Json:
    """The stored header as v3 has it."""
    for issue in check_header(V2, header):
        raise Refused(issue)
    changed = {**header, "version": 3}
    if header.get("agentPreset") in _PRESETS:
        changed["agentPreset"] = _PRESETS[header["agentPreset"]]
    return changed


@dataclass(slots=True)
class V2ToV3:
    """The step for one log."""

    header: Json
    seed: int = 0
    inherited: int = 0
    _next: int = 0
    _new: list[int] = field(default_factory=list)
    _head: int | None = None
    _prompt: str = ""
    _turn: Any = None
    _step: Any = None
    _ids: set[str] = field(default_factory=set)
    _minted: set[str] = field(default_factory=set)
    _marked: bool = False

    def feed(self, event: Json) -> Iterator[Json]:
        """The events of v3 for one of v2; raises `Refused`."""
        self._check(event)
        kind, data = event["type"], event["data"]
        if kind == "request/header":
            yield from self._prompted(event)
        yield from self._moved(event)
        if kind == "step/start":
            self._turn, self._step = data["turn"], data["step"]
            if self._head is None:
                yield self._system(event, "")
        elif kind in ("step/end", "turn/end"):
            self._step = None

    def finish(self) -> Iterator[Json]:
        """Nothing is held back; the mark of the seed must have come."""
        if self.header.get("isSeeded") is True and not self._marked:
            raise refuse("seed-marker-missing", "no end-seed event marks what was inherited")
        return iter(())

    # Checks.

    def _check(self, event: Json) -> None:
        for issue in check_envelope(event):
            raise Refused(replace(issue, seq=event.get("seq")))
        if is_negative_zero(event["seq"]):
            raise refuse("envelope", "must be: count", event, "seq")
        kind = event["type"]
        if kind not in KNOWN_V2:
            message = "no event type of the released vocabulary; it is refused even if ignorable"
            raise refuse("type-unknown", message, event, "type")
        data = event["data"]
        if isinstance(data, dict):  # streams are carried as they are
            data = {name: value for name, value in data.items() if name != "stream"}
        check_lossless({**event, "data": data})
        for issue in [*check_payload(2, event), *foreign_content(event)]:
            if issue.severity == "error":
                raise Refused(replace(issue, seq=event["seq"]))
        if kind in _SURFACE and self._head is None:
            message = "a message before the first step cannot stand behind a system message"
            raise refuse("surface-before-step", message, event)
        self._check_sources(event)
        data = event["data"]
        if kind == "tool/result" and "error" in data:
            block = data["message"]["content"][0]
            if block.get("isError") is not True:
                message = "has an error, but its result says that there was none"
                raise refuse("result-not-an-error", message, event, "data", "error")
        self._collect_ids(event)

    def _check_sources(self, event: Json) -> None:
        sources = event.get("sourceEventSeqs")
        if sources is None:
            return
        if event["type"] not in _SURFACE or event["type"] == "assistant/message":
            message = "an event of this type may not have it"
            raise refuse("sources-forbidden", message, event, "sourceEventSeqs")
        early = all(source < event["seq"] for source in sources)
        if not sources or len(set(sources)) != len(sources) or not early:
            message = "must name earlier events, each once"
            raise refuse("sources-not-earlier", message, event, "sourceEventSeqs")

    def _collect_ids(self, event: Json) -> None:
        for _, message in messages(event):
            if message["id"] in self._minted:
                raise refuse("message-id-taken", "the id of a system message", event)
            self._ids.add(message["id"])

    # System messages.

    def _prompted(self, event: Json) -> Iterator[Json]:
        prompt = event["data"]["header"].get("system", "")
        if prompt == self._prompt:
            return
        if self._step is None:
            message = "the system prompt changes outside a step"
            raise refuse("prompt-outside-step", message, event, "data", "header", "system")
        yield self._system(event, prompt)

    def _system(self, anchor: Json, prompt: str) -> Json:
        named = ["session-format-v2-to-v3", self.header["id"], anchor["seq"], anchor["type"]]
        own = f"v2-to-v3-system-{hashlib.sha256(dumps(named)).hexdigest()}"
        if own in self._ids:
            raise refuse("message-id-taken", "the id of a system message", anchor)
        self._minted.add(own)
        message = {
            "id": own,
            "role": "system",
            "source": {"kind": "plugin", "plugin": PLUGIN},
            "content": [{"type": "text", "text": prompt}] if prompt else [],
        }
        data = {"turn": self._turn, "step": self._step, "message": message}
        event: Json = {"type": "system/message", "seq": self._next, "time": anchor["time"]}
        event["data"] = data
        if self._head is None:
            event["surfaceOp"] = "append"
        else:
            event["surfaceOp"] = {"op": "replace", "startSeq": self._head, "endSeq": self._head}
            event["sourceEventSeqs"] = [self._head]
        self._head, self._prompt = self._next, prompt
        self._next += 1
        return event

    # Events of the source.

    def _moved(self, event: Json) -> Iterator[Json]:
        def new(seq: int) -> int:
            if seq >= len(self._new):
                raise refuse("reference", "must be the number of an earlier event", event)
            return self._new[seq]

        changed = remapped(_renamed(event), self._next, new)
        operation = changed.get("surfaceOp")
        if isinstance(operation, dict):
            span = {"startSeq": operation.get("start"), "endSeq": operation.get("end")}
            changed["surfaceOp"] = {"op": "replace", **span}
        self._new.append(self._next)
        data = event["data"]
        if event["type"] == "session/end-seed" and data.get("inherited") is True:
            self._marked, self.inherited = True, self._next
        self._next += 1
        yield changed


def _renamed(event: Json) -> Json:
    """An event under the names of v3, and with the header members that v3 leaves out gone."""
    kind, data = event["type"], event["data"]
    changed = {**event, "type": _RENAMED.get(kind, kind)}
    if kind == "request/header":
        header = {k: v for k, v in data["header"].items() if k != "system"}
        for name in ("tools", "adapterDefaults"):
            if name in header and not header[name]:
                del header[name]
        changed["data"] = {**data, "header": header}
    elif kind == "agent-preset/selected":
        preset = data["agentPreset"]
        changed["data"] = {**data, "agentPreset": _PRESETS.get(preset, preset)}
    elif kind == "user/message":
        changed["data"] = _attributed(data)
    elif kind == "agent/inbox/spliced":
        changed["data"] = {**data, "inserted": [_attributed(m) for m in data["inserted"]]}
    elif kind == "session/title-llm-request":
        changed["data"] = {**data, "messages": [_attributed(m) for m in data["messages"]]}
    return changed


def _attributed(message: Json) -> Json:
    source = message["source"]
    if source.get("kind") != "plugin" or source.get("plugin") not in _PLUGINS:
        return message
    return {**message, "source": {**source, "plugin": _PLUGINS[source["plugin"]]}}
