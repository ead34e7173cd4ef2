"""What a share does with the lines of Robota session logs and their sidecars (robota-log 4 and 6).

Each event has its own places. A sidecar is read as what its reference stands for; once its text
has changed it is named by its new digest, and the references follow. The logs of subagents belong
to the session, as ordinary logs in a folder of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

import orjson

from sesskit.artifacts.share_formats import ShareFormat
from sesskit.artifacts.share_log_files import belongs, decoded, family
from sesskit.artifacts.share_places import (
    SCRUBBED,
    SHARED,
    WITH_IMAGES,
    Kept,
    metadata,
    parts,
    provider_payload,
    schema,
)
from sesskit.artifacts.share_robota import GROUP, MESSAGE, TASK
from sesskit.artifacts.share_sidecars import documents, settled
from sesskit.artifacts.treatments import Treatment, treatments

__all__ = ["LOG"]

_EVENT: Final = re.compile(r"\"event\"\s*:\s*\"([a-z_]+)\"\s*\}\s*\Z")
_ENVELOPE: Final = "{schemaVersion,timestamp,sessionId,event}"
_ROUND: Final = "{executionId,conversationId,batchId}"
_TASK_EVENT: Final = ("{type,taskId,requestId}", *(f"task.{path}" for path in TASK))
_GROUP_EVENT: Final = ("type", *(f"group.{path}" for path in GROUP))
_MEMORY: Final = ("type", "at", "candidateId")


def _under(name: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}.{path}" for path in paths)


def _either(name: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The same under the member of an event and under ``data``, where old lines have it."""
    return (*_under(name, paths), *_under("data", paths))


_KEPT: Final[dict[str, tuple[str, ...]]] = {
    "history_mutation": ("{usageObservationId,mutation}",),
    "provider_native_raw_payload": ("payloadKind",),
    "structured_output_transport": ("{mechanism,provenance}",),
    "tool_execution_request": ("toolCallId", "ownerPath[].{type,id}"),
    "tool_execution_result": ("toolCallId",),
    "tool_batch_started": ("mode",),
    "background_task_event": (
        "{backgroundEventType,taskId,originToolCallId}",
        *_either("backgroundEvent", _TASK_EVENT),
    ),
    "background_job_group_event": _either("backgroundJobGroupEvent", _GROUP_EVENT),
    "memory_event": _either("memoryEvent", _MEMORY),
    "assistant": ("historyStructure[].role",),
}
"""What stays in the events that have more to keep than the envelope and the key of a round."""

_MESSAGES: Final = {
    "history_mutation": "message",
    "provider_request": "messages[]",
    "provider_response_raw": "response",
    "provider_response_normalized": "response",
    "assistant_message_committed": "message",
    "tool_message_committed": "message",
    "pre_run": "history[]",
    "assistant": "history[]",
}
"""Where the messages of an event stand."""

_STREAMS: Final[dict[str, tuple[str, ...]]] = {
    "text_delta": ("sessionId",),
    "provider_stream_raw_delta": ("executionId", "round"),
}
_SCHEMAS: Final = {"session_init": "toolSchemas[]", "provider_request": "tools[]"}
_NATIVE: Final = "provider_native_raw_payload"
_STREAM_EVENT: Final = re.compile(r"\"payloadKind\"\s*:\s*\"stream_event\"")
_PROVIDERS: Final = {
    _NATIVE: "{payload,metadata}",
    "tool_execution_result": "{result,metadata}",
}


def _line(event: str, kept: Kept, *, streamed: bool = False) -> Treatment:
    """The treatment of the lines of one event. What is ``streamed`` is a piece of a longer text,
    cut by a provider wherever it likes."""
    message, tool = _message(kept), _tool()
    special: dict[str, Treatment] = {}
    for table, place in ((_MESSAGES, message), (_SCHEMAS, tool)):
        if event in table:
            special[table[event]] = place
    if event in _PROVIDERS:
        special[_PROVIDERS[event]] = provider_payload(kept)
    if streamed:
        special["payload"] = provider_payload(kept)
        special["payload"].events = True
    stays = [_ENVELOPE, *_KEPT.get(event, ())]
    if event != "server_tool":  # whose other members may be called anything
        stays.append(_ROUND)
    root = treatments(keep=stays, special=special)
    if streamed:
        root.scope = ("executionId", "round", "provider", "apiSurface")
    if event in _STREAMS:
        root.streams(["delta"], *_STREAMS[event])
    if event == "background_task_event":
        for name in ("backgroundEvent", "data"):
            root.member(name).streams(["delta"], "taskId")
    return root


@cache
def _message(kept: Kept) -> Treatment:
    special = {"parts[]": parts(kept), "metadata": metadata(kept)}
    return treatments(keep=MESSAGE, special=special)


@cache
def _tool() -> Treatment:
    return treatments(special={"{parameters,outputSchema}": schema()})


def _lines(kept: Kept) -> Callable[[str], Treatment]:
    """Says of each line how it is treated, by its event."""
    made: dict[tuple[str, bool], Treatment] = {}

    def of(line: str) -> Treatment:
        event = _event(line)
        streamed = event == _NATIVE and _STREAM_EVENT.search(line) is not None
        if (event, streamed) not in made:
            made[event, streamed] = _line(event, kept, streamed=streamed)
        return made[event, streamed]

    return of


def _event(line: str) -> str:
    """The event of a line; it stands at the end where a logger wrote it."""
    found = _EVENT.search(line)
    if found:
        return _known(found[1])
    try:
        value = orjson.loads(line.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return ""
    return _known(value.get("event")) if isinstance(value, dict) else ""


def _known(event: object) -> str:
    """An event that has places of its own; all others are one to us."""
    named = (_KEPT, _MESSAGES, _STREAMS, _SCHEMAS, _PROVIDERS)
    if isinstance(event, str) and (event == "server_tool" or any(event in t for t in named)):
        return event
    return ""


LOG: Final = ShareFormat(
    "jsonl",
    _lines(SCRUBBED),
    _lines(SHARED),
    _lines(WITH_IMAGES),
    family=family,
    belongs=belongs,
    documents=documents,
    settled=settled,
    decoded=decoded,
    foldered=True,
)
