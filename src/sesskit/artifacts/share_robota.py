"""What a share does with the places of Robota session records (robota-record section 4).

Ids, links, instants and words of the format stay. Tool schemas keep their nodes: a parameter that
is called ``password`` is no secret, but its default and its choices are. Images go by default.
"""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.envelopes import export_artifact, import_artifact
from sesskit.artifacts.share_formats import ShareFormat
from sesskit.artifacts.treatments import Treatment, treatments

__all__ = ["BARE", "ENVELOPED", "IMAGE_REMOVED", "bare_record", "enveloped_record"]

IMAGE_REMOVED: Final = '{"type": "text", "text": "[image removed]"}'
"""What becomes of the part of a message that is an image."""

_TASK: Final = (
    "{id,kind,status,mode,isolation,timeoutReason,parentSessionId,parentTaskId,resumeSessionId}",
    "{updatedAt,startedAt,lastActivityAt,completedAt,nextFireAt}",
    "result.{taskId,kind}",
    "error.category",
)
_GROUP: Final = (
    "{id,parentSessionId,waitPolicy,taskIds,status,createdAt,updatedAt,completedAt}",
    "results[].{taskId,status,startedAt,completedAt}",
    "results[].error.category",
)
_KEPT: Final = (
    "{id,createdAt,updatedAt}",
    "messages[].{id,timestamp,state,role,toolCallId}",
    "messages[].toolCalls[].{id,type}",
    "history[].{id,timestamp}",
    *(f"backgroundTasks[].{path}" for path in _TASK),
    "backgroundTaskEvents[].{type,taskId,requestId}",
    *(f"backgroundTaskEvents[].task.{path}" for path in _TASK),
    *(f"backgroundJobGroups[].{path}" for path in _GROUP),
    "backgroundJobGroupEvents[].type",
    *(f"backgroundJobGroupEvents[].group.{path}" for path in _GROUP),
    "sessionLoops[].{loopId,createdAt,expiresAt,phase,nextAllowedAt}",
    "skillActivationEvents[].{type,source,invocation,mode,status,timestamp}",
    "memoryEvents[].{type,at,candidateId}",
    "contextReferences[].{id,loadType,status,loadedAt,lastUsedAt}",
    "goal.{id,status,startedAt,stopReason}",
    "goal.progress[].signal",
    "plan.{id,phase,createdAt,approvedAt}",
    "plan.steps[].{id,status}",
    "activeBranch.{branchId,checkpointId}",
)


def bare_record(*, images: bool = False) -> Treatment:
    """The treatment of a record without its envelope; ``images`` says that they stay."""
    return _record("", images=images)


def enveloped_record(*, images: bool = False) -> Treatment:
    """The treatment of a stored file or an artifact."""
    return _record("record.", images=images)


def _record(prefix: str, *, images: bool) -> Treatment:
    parts = Treatment()
    parts.members["type"] = Treatment("keep")
    if not images:
        parts.neutral = dict.fromkeys(("image_inline", "image_uri"), IMAGE_REMOVED)
    metadata = Treatment()
    metadata.others = numbers = Treatment(fill="0")
    metadata.elements = numbers
    special = {
        "messages[].parts[]": parts,
        "messages[].metadata": metadata,
        "toolSchemas[].{parameters,outputSchema}": _schema(),
    }
    root = treatments(
        keep=[prefix + path for path in _KEPT],
        special={prefix + path: place for path, place in special.items()},
    )
    record = root.member("record") if prefix else root
    record.member("backgroundTaskEvents").elements.stream = ("delta", "taskId")
    return root


def _schema() -> Treatment:
    """A node of a schema and all nodes below it."""
    node, properties = Treatment(names=False), Treatment(names=False)
    _grow(node, node, properties)
    node_of_secret = Treatment(names=False)
    _grow(node_of_secret, node, properties)
    hidden = Treatment("secret")
    listed = Treatment(names=False)
    listed.elements = hidden
    node_of_secret.members |= {"default": hidden, "enum": listed}
    properties.others = node
    properties.named_secret = node_of_secret
    return node


def _grow(node: Treatment, inner: Treatment, properties: Treatment) -> None:
    words, nodes, text = Treatment("keep"), Treatment(names=False), Treatment(names=False)
    nodes.elements = inner
    node.others = node.elements = text
    node.members = {
        **dict.fromkeys(("type", "required", "format"), words),
        "properties": properties,
        "items": inner,
        "anyOf": nodes,
        "additionalProperties": inner,
    }


def _canonical(data: bytes) -> bytes:
    return export_artifact(import_artifact(data).value)


ENVELOPED: Final = ShareFormat(
    "json",
    enveloped_record(images=True),
    enveloped_record(),
    enveloped_record(images=True),
    canonical=_canonical,
)
BARE: Final = ShareFormat("json", bare_record(images=True), bare_record(), bare_record(images=True))
