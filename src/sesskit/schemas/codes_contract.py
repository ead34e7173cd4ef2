"""Codes of the contract audit: one for each rule."""

from __future__ import annotations

from typing import Final

from sesskit.schemas.code import Code
from sesskit.schemas.robota_contract import RULES

_WHY: Final = {
    "LG": "A log is meant to be enough to tell what was sent to the model and what came back.",
    "TI": "A session runs one turn at a time; what breaks this mixes two answers.",
    "RO": "Hosts act on these figures: they warn, compact and stop by them.",
    "HK": "Hooks and shutdown steps have a fixed place; out of it they miss their moment.",
    "PE": "No tool runs unless the permission gate saw it.",
    "CO": "A summary that loses or keeps the wrong messages changes what the model knows.",
    "AB": "What was answered before an abort stays in the conversation, marked.",
    "ET": "Every tool call has its result; a call without one corrupts the conversation.",
    "": "Sessions behave so; a log that says otherwise was written by something else.",
}

_NEXT: Final = {
    "LG": "See the line: one may be missing, doubled or altered there. If nobody changed the"
    " file, the build that wrote it logged something else than it did.",
    "TI": "See which turn the line belongs to: a turn that never ended, or two writers in one"
    " file. A process that was killed leaves a turn open.",
    "RO": "Compare the figure with the history it counts; where the figures are wrong, hosts"
    " compact and warn too early or too late.",
    "HK": "See what stands round the shutdown or the prompt: an older build does not drain a turn"
    " before it says that it shuts down.",
    "PE": "See what the tool did and who let it: it ran, or was recorded as done, without being"
    " asked for. Look at the permissions of that build.",
    "CO": "Compare what the next request sends with what was said before: the model may have been"
    " asked without its prompt, or with a history that nobody had.",
    "AB": "See what was streamed before the error and what the next run starts with.",
    "ET": "Count calls and answers of the batch: an older build records refused and crashed calls"
    " as successes.",
    "": "See which program wrote the line, and the task it speaks of.",
}


def _sentence(holds: str) -> str:
    return f"It must hold that {holds}." if " " in holds else holds


CONTRACT: Final = tuple(
    Code(name, rule.severity, _sentence(rule.holds), _WHY[rule.source], _NEXT[rule.source])
    for name, rule in RULES.items()
)
