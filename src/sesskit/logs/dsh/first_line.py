"""The header line of a log: which generation wrote it, and what is wrong with it."""

from __future__ import annotations

from typing import Any

from sesskit.logs.dsh.generations import (
    RETIRED_FIELDS,
    Foreign,
    Generation,
    check_header,
    generation_of,
    is_header,
)
from sesskit.logs.dsh.identity import identity_faults
from sesskit.logs.dsh.line_faults import cut_line, other_version
from sesskit.logs.dsh.paths import NO_CWD, Place
from sesskit.logs.dsh.ruling import CORRUPTION, FORMAT, PLAIN, UNSUPPORTED, Ruling, Stage
from sesskit.logs.dsh.stored import Stored
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.dsh_values import is_number
from sesskit.schemas.issues import Issue

Json = dict[str, Any]

GATE = ("type", "version", "id", "createdAt", "delegationDepth", "origin", "agentPreset")
"""Members of a v0 header that the original checks before it takes the line for a header."""


def read_first(
    stored: Stored, place: Place, ruling: Ruling
) -> tuple[Json | None, Generation | Foreign | None]:
    """The header and its generation; issues go to ``stored``, what they mean to ``ruling``."""
    if not stored.line.ended:
        stored.issues.append(stored.whole(cut_line(alone=True)))
        ruling.refuse(Stage.FRAMES, PLAIN)  # no program looks into it, not even for a version
    value = stored.value
    if not is_header(value):
        _no_header(stored, place, ruling)
        return None, None
    found = generation_of(value, place.generation)
    _check_selected(stored, place, ruling, found)
    if isinstance(found, Foreign):
        stored.add([Issue("version-unsupported", found.reason, keys=("version",))])
    else:
        if found.listed:
            message = "a newer version: shown as far as it is known, not judged"
            stored.add([Issue("version-unsupported", message, keys=("version",))])
        _check_members(stored, place, ruling, found)
    return value, found


def _no_header(stored: Stored, place: Place, ruling: Ruling) -> None:
    ruling.refuse(Stage.HEADER, FORMAT if place.generation else PLAIN)
    if stored.value is DAMAGED:
        return
    version = stored.value.get("version") if isinstance(stored.value, dict) else None
    if place.generation == 0 and is_number(version) and version:
        # Up to 0.1.1 that is looked at before anything else, on whatever line this is.
        ruling.refuse(Stage.VERSION, UNSUPPORTED, "unsupported")
        stored.add([other_version(place.generation, version)])
    if isinstance(stored.value, dict) and stored.value.get("type") == "session":
        message = "a header needs a version number"
        stored.add([Issue("header-field", message, keys=("version",), expected="number")])
    else:
        message = "the first line is no header of a session log"
        stored.add([Issue("header-missing", message, keys=("type",))])


def _check_selected(
    stored: Stored, place: Place, ruling: Ruling, found: Generation | Foreign
) -> None:
    """Whether the program that the file's name or folder selects is the one of the version."""
    selected, version = place.generation, stored.value["version"]
    if selected is not None and selected != version:
        ruling.refuse(Stage.VERSION, UNSUPPORTED, "unsupported")
        stored.add([other_version(selected, version)])
    seed = isinstance(found, Generation) and found.seed
    if place.layout == "seed" and place.project != NO_CWD and not seed:
        ruling.refuse(Stage.VERSION, PLAIN, "unsupported")
        message = "the old folder layout selects the program of June 2026, which refuses it"
        stored.add([Issue("version-other", message, keys=("version",), expected="1")])


def _check_members(stored: Stored, place: Place, ruling: Ruling, generation: Generation) -> None:
    issues = list(check_header(generation, stored.value))
    for issue in issues:
        if issue.severity != "error":
            continue
        gate = generation.seed or issue.keys[0] in (*GATE, *RETIRED_FIELDS)
        if generation.version == 0 and not gate:
            ruling.refuse(Stage.FULL, CORRUPTION)
        else:
            ruling.refuse(Stage.HEADER, FORMAT if generation.strict else PLAIN)
    for issue in identity_faults(place, stored.value, generation):
        ruling.refuse(Stage.HEADER, PLAIN)
        issues.append(issue)
    stored.add(issues)
