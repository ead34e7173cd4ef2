"""What a share does with the places of the lines of dsh logs, of any version (dsh 3 to 8, 11).

A line is a header, an event, or a row of pieces. Numbers, ids, references and words of the format
stay, and so does how many pieces a row has; what a provider alone can read goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

import orjson

from sesskit.artifacts.share_places import IMAGE_REMOVED, Kept, schema, without_seals
from sesskit.artifacts.treatments import TEXT, Treatment, treatments

__all__ = ["lines"]

_TYPE: Final = re.compile(r"\{\"type\":\"([a-z/-]+)\",\"(?:seq|seq0|version)\"")
_HEADER: Final = ("{type,id,parentSession,origin}",)
_REPLAYED: Final = "replayState"
"""What an adapter keeps for its provider; nobody else can read it."""

_FAILURE: Final = "{code,requestId}"
_MESSAGE: Final = "{id,role,toolCallId}"
_SOURCE: Final = (
    "{kind,form,plugin,rpcId,callId,messageId,senderId,teamId,senderSessionId}",
    "{goalId,deliveryId,ruleId,compactionId,sourceCommandId,baselineIdentity}",
    "changes[].{action,digest}",
    "references[].sessionId",
)
_ENDS: Final = ("trigger.kind", "reason.kind", "reason.reason.kind", f"reason.error.{_FAILURE}")
_TEAM: Final = (
    "{teamId,messageId,targetId}",
    "member.{id,context,phase}",
    "task.{id,status,blockedBy,ownerId}",
    "message.{id,senderId,targetId,delivery}",
)
_WORKFLOW: Final = "{runId,stopReason,childId,outcome}"
_DISPATCH: Final = "{rootCallId,parentCallId,subCallId}"
_COMPACTION: Final = "{compactionId,sourceCommandId}"

_KEPT: Final[dict[str, tuple[str, ...]]] = {
    "turn/start": _ENDS,
    "turn/end": _ENDS,
    "tool/call": ("callId",),
    "tool/result": ("callId", "error.code"),
    "request/header": ("reason",),
    "session/title": ("source.kind",),
    "agent/inbox/spliced": ("{target,outcome}",),
    "approval/asked": ("{id,callId}",),
    "approval/decided": ("{id,outcome}",),
    "approval/policy": ("{policy,source}",),
    "sandbox/mode": ("{mode,source}",),
    "permission/preset": ("origin",),
    "command/run": ("commandId", "source.kind"),
    "command/done": ("{commandId,kind}",),
    "compaction/start": (_COMPACTION,),
    "compaction/end": (_COMPACTION,),
    "compaction/summary": (_COMPACTION,),
    "goal/change": (
        "{kind,operation}",
        "goal.{id,phase}",
        "goal.blockedReason.code",
        "cleared.id",
    ),
    "hook/invoked": ("{point,dialect,handlerId}",),
    "hook/result": ("{point,handlerId,decision}",),
    "llm/retry": ("{retryId,mode,policyKey}", f"failure.{_FAILURE}"),
    "llm/retry-started": ("retryId",),
    "schedule/change": ("{operation,id,acceptedAt}", "schedule.{id,kind,scheduledAt}"),
    "subagent/descriptor": ("mode",),
    "team/member": _TEAM,
    "team/task": _TEAM,
    "team/message/queued": _TEAM,
    "team/message/delivered": _TEAM,
    "todo/write": ("todos[].status",),
    "tool/code-dispatch-start": (_DISPATCH,),
    "tool/code-dispatch": (_DISPATCH,),
    "tool/ptc-dispatch-start": (_DISPATCH,),
    "tool/ptc-dispatch": (_DISPATCH,),
    "tool-workflow/run-start": (_WORKFLOW,),
    "tool-workflow/run-end": (_WORKFLOW,),
    "tool-workflow/agent-start": (_WORKFLOW,),
    "tool-workflow/agent-end": (_WORKFLOW,),
    "web/deepseek-search-llm-request": (
        "body.messages[].role",
        "body.messages[].content[].type",
        "body.tools",
    ),
    "feedback/message-put": ("sessionId", "item.{messageId,rating}"),
    "feedback/message-delete": ("{sessionId,messageId}",),
    "session-log-deepseek/delivery-accepted": ("sessionId",),
}
"""What stays in the data of an event."""

_MESSAGES: Final = {
    "assistant/message": "message",
    "system/message": "message",
    "steering/message": "message",
    "tool/result": "message",
    "session/title-llm-request": "messages[]",
    "agent/inbox/spliced": "inserted[]",
}
_BLOCKS: Final = {
    "compaction/summary": "{summary[],rawOutput[]}",
    "team/message/queued": "message.content[]",
    "tool/code-dispatch": "content[]",
    "tool/ptc-dispatch": "content[]",
    **dict.fromkeys(
        ("assistant/message", "tool/result", "steering/message", "context/message"), "content[]"
    ),
}
_SOURCES: Final = {
    "assistant/message": "provenance",
    "steering/message": "source",
    "context/message": "source",
}
"""Where the messages, blocks and sources of an event stand; older builds left out the message."""

_STREAMED: Final = ("assistant/message", "assistant/attempt")
_ROWS: Final = ("text-chunks", "reasoning-chunks", "tool-call-chunks")
_ALL: Final = (_KEPT, _MESSAGES, _BLOCKS, _SOURCES)
_KNOWN: Final = frozenset().union(
    *_ALL, _STREAMED, _ROWS, ("session", "assistant/chunk", "user/message")
)


@cache
def _block(kept: Kept) -> Treatment:
    place = without_seals(Treatment(), kept)
    place.members |= dict.fromkeys(("type", "id", "toolCallId"), Treatment("keep"))
    place.members["attachment"] = treatments(keep=["{attachmentId,mediaType}"])
    place.others = TEXT
    blocks = Treatment()
    blocks.elements = place
    place.members["content"] = blocks
    if not kept.images:
        place.neutral = {"image": IMAGE_REMOVED}
    return place


@cache
def _source(kept: Kept) -> Treatment:
    return treatments(keep=_SOURCE, drop=[] if kept.seals else [_REPLAYED])


@cache
def _message(kept: Kept) -> Treatment:
    special = {"content[]": _block(kept), "source": _source(kept)}
    return treatments(keep=[_MESSAGE], special=special)


@cache
def _chunk(kept: Kept) -> Treatment:
    place = treatments(
        keep=["{type,id,blockType}", "reason.kind", f"reason.failure.{_FAILURE}"],
        drop=[] if kept.seals else [_REPLAYED],
        special={"block": _block(kept)},
    )
    return place.streams(["text", "argumentsDelta"], "index")


@cache
def _record(kept: Kept) -> Treatment:
    """One record of a stream: a row of pieces, or one chunk."""
    place = treatments(keep=["{type,id}"], special={"chunk": _chunk(kept)})
    return place.streams(["texts", "args"], "index")


def _data(kind: str, kept: Kept) -> Treatment:
    """The treatment of the data of an event."""
    if kind == "user/message":
        return _message(kept)
    special: dict[str, Treatment] = {}
    shapes = (
        (_MESSAGES, _message(kept)),
        (_BLOCKS, _block(kept)),
        (_SOURCES, _source(kept)),
    )
    for table, place in shapes:
        if kind in table:
            special[table[kind]] = place
    if kind == "assistant/chunk":
        special["chunk"] = _chunk(kept)
    if kind in _STREAMED:
        special["stream[]"] = _record(kept)
    if kind == "request/header":
        special["header.tools[].parameters"] = schema()
    data = treatments(keep=_KEPT.get(kind, ()), special=special)
    data.scope = ("turn", "step")
    return data


def _line(kind: str, kept: Kept) -> Treatment:
    """The treatment of the lines of one type."""
    if kind == "session":
        return treatments(keep=_HEADER)
    if kind in _ROWS:
        data = treatments(keep=["id"]).streams(["texts", "args"], "index", "turn", "step")
    else:
        data = _data(kind, kept)
    return treatments(keep=["{type,surfaceOp}"], special={"data": data})


def lines(kept: Kept) -> Callable[[str], Treatment]:
    """Says of each line how it is treated, by its type."""
    made: dict[str, Treatment] = {}

    def of(line: str) -> Treatment:
        kind = _kind(line)
        if kind not in made:
            made[kind] = _line(kind, kept)
        return made[kind]

    return of


def _kind(line: str) -> str:
    """The type of a line; it stands at the beginning where the program wrote it. All types that
    nobody knows are one."""
    found = _TYPE.match(line)
    kind = found[1] if found else _parsed_kind(line)
    return kind if isinstance(kind, str) and kind in _KNOWN else ""


def _parsed_kind(line: str) -> object:
    try:
        value = orjson.loads(line.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None
    return value.get("type") if isinstance(value, dict) else None
