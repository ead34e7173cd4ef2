"""Which JSON Schemas are published, and what each is made from.

The files under ``schemas/json/`` are written by ``make generate``; a test holds them in sync.
"""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from inspect import isfunction
from typing import Any, NamedTuple

from sesskit.schemas.published import json_schema
from sesskit.schemas.shapes import shape_of


class Source(NamedTuple):
    """``made_from`` is ``module:name`` of a Struct class or of a function that makes it."""

    made_from: str
    title: str


SCHEMAS = {
    "robota-record": Source(
        "sesskit.schemas.robota_record:Envelope",
        "Robota session record, version 1: a stored file or an artifact",
    ),
    "robota-record-bare": Source(
        "sesskit.schemas.robota_record:Record",
        "Robota session record without envelope",
    ),
    "robota-log": Source(
        "sesskit.schemas.robota_log:Event",
        "One line of a Robota session log, version 1, its sidecars resolved",
    ),
    "robota-history": Source(
        "sesskit.schemas.robota_history:history_schema",
        "One line of a Robota prompt history",
    ),
    "ochat-record": Source(
        "sesskit.schemas.ochat_neutral:neutral_schema",
        "ochat session record, versions 0 to 5, as neutral JSON",
    ),
    **{
        f"dsh-log-v{version}": Source(
            f"sesskit.schemas.dsh_schema:v{version}_schema",
            f"dsh session log, version {version}: one line",
        )
        for version in (0, 1, 2, 3)
    },
    "dsh-log-v4": Source(
        "sesskit.schemas.dsh_schema_frames:v4_schema",
        "dsh session log, version 4: the frame of one line",
    ),
    "dsh-log-seed-v1": Source(
        "sesskit.schemas.dsh_schema_frames:seed_schema",
        "dsh session log, builds of June 2026: one line",
    ),
}


def generated(name: str) -> dict[str, Any]:
    """The schema as the shapes say it today."""
    source = SCHEMAS[name]
    module, _, attribute = source.made_from.partition(":")
    found = getattr(import_module(module), attribute)
    if isfunction(found):
        made: dict[str, Any] = found()
        return made
    return json_schema(shape_of(found), name, source.title)


def file_name(name: str) -> str:
    return f"{name}.schema.json"


def published(name: str) -> bytes:
    """The schema as it is shipped."""
    return (files("sesskit.schemas") / "json" / file_name(name)).read_bytes()
