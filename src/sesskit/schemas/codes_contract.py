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

_NEXT: Final = (
    "See the line in the log. An older build may break the rule, a changed file too; if this build"
    " wrote it, the session did not keep its promise."
)


def _sentence(holds: str) -> str:
    return f"It must hold that {holds}." if " " in holds else holds


CONTRACT: Final = tuple(
    Code(name, rule.severity, _sentence(rule.holds), _WHY[rule.source], _NEXT)
    for name, rule in RULES.items()
)
