"""Codes of dsh session logs: what single events hold."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code

_LOAD = "dsh refuses the whole log for it."
_SURFACE = (
    "The surface decides what the model is sent; dsh refuses a log whose surface cannot be told."
)
_LEADS_NOWHERE = (
    "The log can stay as it is where its own program loads it. Correct the number in a copy, or"
    " take it out, to migrate: --tolerant does not guess what was meant either."
)
_WRITER = (
    "sesskit repair takes the event out, numbers the others anew and keeps it apart. Programs of"
    " dsh do not write such an event: report it to whoever wrote the log."
)

DSH_EVENTS: Final = (
    Code(
        "negative-zero",
        "warning",
        "The number -0, which JSON can hold and a session of dsh cannot.",
        "Programs of dsh load such a log, but open no session from it and do not migrate it. As the"
        " time of an event or in a header it can be an error of its own.",
        "Write 0 in a copy. Programs of dsh do not write -0: report it to whoever wrote the log.",
        '{"type": "tool/result", "data": {"meta": -0}}',
    ),
    Code(
        "surface-op-missing",
        "error",
        "An event that the model sees does not say how it changes the surface.",
        _SURFACE,
        _WRITER,
    ),
    Code(
        "surface-op-forbidden",
        "error",
        "An event that the model never sees says that it changes the surface.",
        _SURFACE,
        _WRITER,
    ),
    Code(
        "surface-op-unknown",
        "error",
        "A surface operation that is neither append nor replace.",
        _SURFACE,
        _WRITER,
    ),
    Code(
        "surface-replace-invalid",
        "error",
        "A replacement does not name its first and last event with numbers.",
        _SURFACE,
        _WRITER,
    ),
    Code(
        "replace-not-on-surface",
        "error",
        "A replacement names an event that is not on the surface, or no longer.",
        _SURFACE,
        _WRITER,
    ),
    Code(
        "replace-order",
        "error",
        "The last event of a replacement stands before the first.",
        _SURFACE,
        _WRITER,
    ),
    Code(
        "system-head-missing",
        "error",
        "A system message comes after something else was shown to the model.",
        "Version 3 keeps the system prompt first; a log where it is not is refused.",
        _WRITER,
    ),
    Code(
        "replace-system-head",
        "error",
        "Something other than a system message replaces the system head.",
        "The system prompt is protected from version 3 on; such a log is refused.",
        _WRITER,
    ),
    Code(
        "prune-not-one-node",
        "error",
        "A tool result replaces more than one event.",
        "Results are pruned one by one, so that every call keeps its answer.",
        _WRITER,
    ),
    Code(
        "prune-not-a-result",
        "error",
        "A tool result replaces something that is no tool result.",
        "Results are pruned one by one, so that every call keeps its answer.",
        _WRITER,
    ),
    Code(
        "prune-changes-more-than-content",
        "error",
        "A pruned tool result differs from the first in more than its content.",
        "The answer to a call would change its meaning.",
        _WRITER,
    ),
    Code(
        "sources-forbidden",
        "error",
        "An event of a type that cites nothing cites other events.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "sources-kind",
        "error",
        "The list of cited events does not hold numbers of events.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "sources-empty",
        "error",
        "The list of cited events is empty.",
        "An event that cites nothing leaves the member out.",
        "Remove the member.",
    ),
    Code(
        "sources-duplicate",
        "error",
        "An event is cited twice.",
        _LOAD,
        "Remove the second number.",
    ),
    Code(
        "sources-order",
        "error",
        "A list of cited events that has pairs does not rise.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "sources-not-earlier",
        "error",
        "An event cites itself or a later event.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "sources-miss-shadowed",
        "error",
        "A replacement does not cite every event that it hides.",
        "What was hidden could no longer be found from what hides it.",
        _WRITER,
    ),
    Code(
        "reference",
        "error",
        "A number in an event names no earlier event.",
        "References are renumbered when a log is migrated; one that leads nowhere cannot be.",
        _LEADS_NOWHERE,
    ),
    Code(
        "reference-to-chunk",
        "error",
        "A number names a piece of a stream, which the next version no longer has as an event.",
        "The migration refuses, because the reference would lead nowhere.",
        _LEADS_NOWHERE,
    ),
    Code(
        "message-missing",
        "error",
        "An event holds no message where there must be one.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "message-no-id",
        "error",
        "A message has no id.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "message-role",
        "error",
        "The role of a message does not fit the type of its event.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "message-no-source",
        "error",
        "A message does not say where it came from.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "message-no-content",
        "error",
        "The content of a message is no array of blocks.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "message-not-model-source",
        "error",
        "A message of the assistant does not say which model wrote it.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "message-not-tool-source",
        "error",
        "A tool result does not say which call it answers.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "not-one-tool-result-block",
        "error",
        "The message of a tool result does not hold exactly one tool-result block.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "tool-call-id-mismatch",
        "error",
        "The block of a tool result names another call than its source.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "request-header-no-config",
        "error",
        "A request header has no settings of the model.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "request-header-no-route",
        "error",
        "A request header does not say which model of which provider.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "request-header-bad-effort",
        "error",
        "The reasoning effort of a request header is no text.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "request-header-bad-defaults",
        "error",
        "The adapter defaults of a request header are not what they may be.",
        _LOAD,
        _WRITER,
    ),
    Code(
        "retired-header-system",
        "error",
        "A request header of version 3 holds the system prompt.",
        "Version 3 keeps it in system messages; a log that has both is refused.",
        "sesskit migrate writes it as the version has it.",
    ),
    Code(
        "empty-header-field",
        "error",
        "A request header holds an empty list or object that version 3 leaves out.",
        _LOAD,
        "Remove the member.",
    ),
)
