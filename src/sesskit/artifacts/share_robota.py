"""What a share does with the places of Robota session records (robota-record section 4).

Ids, links, instants and words of the format stay. Tool schemas keep their nodes: a parameter that
is called ``password`` is no secret, but its default and its choices are. Images go by default.
"""

from __future__ import annotations

from typing import Final

from sesskit.artifacts.envelopes import export_artifact, import_artifact
from sesskit.artifacts.share_formats import ShareFormat
from sesskit.artifacts.share_places import (
    SCRUBBED,
    SHARED,
    WITH_IMAGES,
    Kept,
    metadata,
    parts,
    schema,
)
from sesskit.artifacts.treatments import Treatment, treatments

__all__ = ["BARE", "ENVELOPED", "GROUP", "MESSAGE", "TASK", "bare_record", "enveloped_record"]

TASK: Final = (
    "{id,kind,status,mode,isolation,timeoutReason,parentSessionId,parentTaskId,resumeSessionId}",
    "{updatedAt,startedAt,lastActivityAt,completedAt,nextFireAt}",
    "result.{taskId,kind}",
    "error.category",
)
"""What is kept of a task, a group of them, and a message."""

GROUP: Final = (
    "{id,parentSessionId,waitPolicy,taskIds,status,createdAt,updatedAt,completedAt}",
    "results[].{taskId,status,startedAt,completedAt}",
    "results[].error.category",
)
MESSAGE: Final = ("{id,timestamp,state,role,toolCallId}", "toolCalls[].{id,type}")
_KEPT: Final = (
    "{id,createdAt,updatedAt}",
    *(f"messages[].{path}" for path in MESSAGE),
    "history[].{id,timestamp}",
    *(f"backgroundTasks[].{path}" for path in TASK),
    "backgroundTaskEvents[].{type,taskId,requestId}",
    *(f"backgroundTaskEvents[].task.{path}" for path in TASK),
    *(f"backgroundJobGroups[].{path}" for path in GROUP),
    "backgroundJobGroupEvents[].type",
    *(f"backgroundJobGroupEvents[].group.{path}" for path in GROUP),
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


def bare_record(kept: Kept) -> Treatment:
    """The treatment of a record without its envelope; ``images`` says that they stay."""
    return _record("", kept)


def enveloped_record(kept: Kept) -> Treatment:
    """The treatment of a stored file or an artifact."""
    return _record("record.", kept)


def _record(prefix: str, kept: Kept) -> Treatment:
    special = {
        "messages[].parts[]": parts(kept),
        "messages[].metadata": metadata(kept),
        "toolSchemas[].{parameters,outputSchema}": schema(),
    }
    root = treatments(
        keep=[prefix + path for path in _KEPT],
        special={prefix + path: place for path, place in special.items()},
    )
    record = root.member("record") if prefix else root
    record.member("backgroundTaskEvents").elements.streams(["delta"], "taskId")
    return root


def _canonical(data: bytes) -> bytes:
    return export_artifact(import_artifact(data).value)


ENVELOPED: Final = ShareFormat(
    "json",
    enveloped_record(SCRUBBED),
    enveloped_record(SHARED),
    enveloped_record(WITH_IMAGES),
    canonical=_canonical,
)
BARE: Final = ShareFormat(
    "json", bare_record(SCRUBBED), bare_record(SHARED), bare_record(WITH_IMAGES)
)
