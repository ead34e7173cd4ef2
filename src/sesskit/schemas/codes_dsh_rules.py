"""Codes of dsh session logs: rules between events."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code

_WHY = (
    "Programs before version 2 load such a log and go on from a state that never was; later ones"
    " refuse it."
)
_NEXT = (
    "sesskit inspect shows every event, so nothing is lost. From version 2 on, in"
    " Python, plan_repair takes"
    " out the events that break the rule."
)

DSH_RULES: Final = (
    Code(
        "turn-open",
        "warning",
        "The log ends inside a turn.",
        "The program was stopped, or is still running. dsh closes the turn when it loads the log.",
        "Nothing; in Python, plan_repair writes the same closing events.",
    ),
    Code(
        "turn-nested",
        "error",
        "A turn starts while another is open.",
        _WHY,
        _NEXT,
    ),
    Code(
        "turn-number",
        "error",
        "A turn has not the next number.",
        _WHY,
        _NEXT,
    ),
    Code(
        "turn-not-next",
        "error",
        "Turns do not follow each other, counted from 1.",
        _WHY,
        _NEXT,
    ),
    Code(
        "turn-end-mismatch",
        "error",
        "The end of a turn names another turn than the open one.",
        _WHY,
        _NEXT,
    ),
    Code(
        "turn-end-open-step",
        "error",
        "A turn ends while a step is open.",
        _WHY,
        _NEXT,
    ),
    Code(
        "step-outside-turn",
        "error",
        "A step starts outside the turn that it names.",
        _WHY,
        _NEXT,
    ),
    Code(
        "step-nested",
        "error",
        "A step starts while another is open.",
        _WHY,
        _NEXT,
    ),
    Code(
        "step-number",
        "error",
        "A step has not the next number of its turn.",
        _WHY,
        _NEXT,
    ),
    Code(
        "step-order",
        "error",
        "Steps do not follow each other inside their turn, counted from 1.",
        _WHY,
        _NEXT,
    ),
    Code(
        "step-end-mismatch",
        "error",
        "The end of a step names another step than the open one.",
        _WHY,
        _NEXT,
    ),
    Code(
        "not-the-open-step",
        "error",
        "What a model or tool did names another step than the open one.",
        _WHY,
        _NEXT,
    ),
    Code(
        "not-in-a-turn",
        "error",
        "An event stands outside a turn that may only stand inside one.",
        _WHY,
        _NEXT,
    ),
    Code(
        "result-without-call",
        "error",
        "A tool result answers no call that was recorded in its step.",
        _WHY,
        _NEXT,
    ),
    Code(
        "replacement-outside-turn",
        "error",
        "A tool result is rewritten outside a turn.",
        _WHY,
        _NEXT,
    ),
    Code(
        "call-unanswered",
        "warning",
        "A step ends and a call of it has no result.",
        "dsh does not mind, but most providers refuse a history with an unanswered call.",
        "sesskit inspect shows which call it is.",
    ),
    Code(
        "unresolved-tool-call",
        "error",
        "A step ends and a call of it has no result.",
        _WHY,
        _NEXT,
    ),
    Code(
        "call-repeated",
        "error",
        "The same call is asked for twice.",
        _WHY,
        _NEXT,
    ),
    Code(
        "call-unasked",
        "error",
        "A call is made that the model did not ask for.",
        _WHY,
        _NEXT,
    ),
    Code(
        "retry-place",
        "error",
        "A retry names another step than the open one.",
        _WHY,
        _NEXT,
    ),
    Code(
        "retry-provider",
        "error",
        "A retry names another provider than those before it.",
        _WHY,
        _NEXT,
    ),
    Code(
        "retry-id",
        "error",
        "Retries that belong together have different ids, or others the same.",
        _WHY,
        _NEXT,
    ),
    Code(
        "retry-number",
        "error",
        "Retries are not counted from 1, or are more than there may be.",
        _WHY,
        _NEXT,
    ),
    Code(
        "retry-unscheduled",
        "error",
        "A retry starts that was not scheduled.",
        _WHY,
        _NEXT,
    ),
    Code(
        "retry-repeated",
        "error",
        "A retry starts for the second time.",
        _WHY,
        _NEXT,
    ),
    Code(
        "compaction-open",
        "error",
        "Something happens that must wait until the open compaction ends.",
        _WHY,
        _NEXT,
    ),
    Code(
        "compaction-turn",
        "error",
        "A compaction names another turn than the open one.",
        _WHY,
        _NEXT,
    ),
    Code(
        "compaction-unknown",
        "error",
        "No compaction of that id is open.",
        _WHY,
        _NEXT,
    ),
    Code(
        "compaction-repeated",
        "error",
        "A compaction has two summaries.",
        _WHY,
        _NEXT,
    ),
    Code(
        "compaction-span",
        "error",
        "The events that a compaction hides are not those on the surface.",
        _WHY,
        _NEXT,
    ),
    Code(
        "compaction-end-without-summary",
        "error",
        "A compaction ends well without a summary.",
        _WHY,
        _NEXT,
    ),
    Code(
        "command-repeated",
        "error",
        "Two commands have the same id.",
        _WHY,
        _NEXT,
    ),
    Code(
        "command-unknown",
        "error",
        "A command ends that was not run.",
        _WHY,
        _NEXT,
    ),
    Code(
        "title-messages",
        "error",
        "A title names events that are not the messages it was made from.",
        _WHY,
        _NEXT,
    ),
    Code(
        "dispatch-root",
        "error",
        "A call from inside a tool belongs to another root call.",
        _WHY,
        _NEXT,
    ),
    Code(
        "dispatch-parent",
        "error",
        "A call from inside a tool names a parent that is not open.",
        _WHY,
        _NEXT,
    ),
    Code(
        "dispatch-repeated",
        "error",
        "A call from inside a tool starts for the second time.",
        _WHY,
        _NEXT,
    ),
    Code(
        "dispatch-unknown",
        "error",
        "A call from inside a tool ends that is not open.",
        _WHY,
        _NEXT,
    ),
    Code(
        "dispatch-differs",
        "error",
        "A call from inside a tool ends otherwise than it was started.",
        _WHY,
        _NEXT,
    ),
    Code(
        "title-request",
        "error",
        "A model is asked for a title with other messages than the one that dsh writes.",
        _WHY,
        _NEXT,
    ),
    Code(
        "delivery-session",
        "error",
        "A delivery that is no inherited one names another session.",
        _WHY,
        _NEXT,
    ),
    Code(
        "program-crash",
        "error",
        "An event holds another kind of value than the program of its version takes for granted.",
        "The program looks into the value while it loads the log, and dies of it.",
        _NEXT,
    ),
)
