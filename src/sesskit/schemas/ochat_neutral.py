"""ochat: a session record as neutral JSON, and back, without any loss.

The document is the record itself (`binprot_to_json` says how values are written). Its version is
its member ``version``; version 0 has none. Of the layouts of a version it is in the first one that
fits; where that is not the one it had, a member ``$layout`` names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sesskit.schemas.binprot_from_json import loader
from sesskit.schemas.binprot_json_checks import Issues, whole, wrong_kind
from sesskit.schemas.binprot_schema import Schema, SchemaWriter
from sesskit.schemas.binprot_to_json import json_of
from sesskit.schemas.issues import Issue
from sesskit.schemas.ochat_sessions import (
    LATEST,
    VERSIONS,
    Layout,
    Session,
    layouts_of,
    type_of,
)

LAYOUT = "$layout"
TITLE = "ochat session record, versions 0 to 5, as neutral JSON"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A record made from neutral JSON; ``session`` is None with an error among the issues.

    ``version`` is the number that the JSON says, if it says one.
    """

    session: Session | None
    layout: Layout | None
    issues: tuple[Issue, ...]
    version: int | None


def to_neutral(session: Session, layout: Layout) -> dict[str, Any]:
    """The neutral JSON of a record that is laid out like this."""
    made: dict[str, Any] = json_of(type_of(layout))(session)
    usual = layouts_of(layout.version)[0]
    if layout != usual and next(_fitting(made, layout.version), layout) != layout:
        made[LAYOUT] = _layout_json(layout)
    return made


def from_neutral(value: Any) -> Loaded:
    """The record that this parsed JSON says, and everything that is wrong with it."""
    issues: Issues = []
    if type(value) is not dict:
        wrong_kind(value, "an object", None, issues)
        return Loaded(None, None, tuple(issues), None)
    number = whole(value.get("version", 0))
    if type(number) is not int or number not in VERSIONS or (number == 0 and "version" in value):
        return _wrong_version(number)
    named = value.get(LAYOUT)
    record = {name: member for name, member in value.items() if name != LAYOUT}
    if LAYOUT in value:
        layout = _layout_of(named, number, issues)
        if layout is None:
            return Loaded(None, None, tuple(issues), number)
        return _loaded(record, layout)
    first = next(_fitting(record, number), layouts_of(number)[0])
    return _loaded(record, first)


def neutral_schema() -> Schema:
    """The JSON Schema of neutral JSON, for all versions and layouts."""
    writer = SchemaWriter()
    by_version: list[Schema] = []
    for version in VERSIONS:
        forms = [_layout_schema(writer, layout) for layout in layouts_of(version)]
        then = forms[0] if len(forms) == 1 else {"anyOf": forms}
        by_version.append({"if": _says(version), "then": then})
    head = {
        "$schema": _DIALECT,
        "$id": "urn:sesskit:schema:ochat-record",
        "title": TITLE,
        "type": "object",
        "properties": {"version": {"enum": list(VERSIONS[1:])}},
    }
    return {**head, "allOf": by_version, "$defs": dict(sorted(writer.definitions.items()))}


def _fitting(record: dict[str, Any], version: int) -> Iterator[Layout]:
    """The layouts of a version that this JSON is without fault in."""
    for layout in layouts_of(version):
        issues: Issues = []
        loader(type_of(layout))(record, None, issues)
        if all(issue.severity != "error" for issue in issues):
            yield layout


def _loaded(record: dict[str, Any], layout: Layout) -> Loaded:
    issues: Issues = []
    made = loader(type_of(layout))(record, None, issues)
    failed = any(issue.severity == "error" for issue in issues)
    return Loaded(None if failed else made, layout, tuple(issues), layout.version)


def _wrong_version(number: Any) -> Loaded:
    issues: Issues = []
    known = ", ".join(str(version) for version in VERSIONS[1:])
    if type(number) is not int:
        wrong_kind(number, f"a version ({known})", (None, "version"), issues)
        return Loaded(None, None, tuple(issues), None)
    if number <= LATEST:
        message = f"expected one of {known}; version 0 has no such member"
        issues.append(Issue("choice", message, "error", ("version",), known))
    return Loaded(None, None, tuple(issues), number)


def _layout_json(layout: Layout) -> dict[str, str]:
    made: dict[str, str] = {"items": layout.items}
    if layout.moderator is not None:
        made["moderator"] = layout.moderator
    return made


def _layout_of(named: Any, version: int, issues: Issues) -> Layout | None:
    """The layout that a document names."""
    for layout in layouts_of(version):
        if named == _layout_json(layout):
            return layout
    message = "no layout that files of this version have"
    issues.append(Issue("choice", message, "error", (LAYOUT,), "items R1, R2 or R3"))
    return None


def _says(version: int) -> Schema:
    if version == 0:
        return {"not": {"required": ["version"]}}
    return {"properties": {"version": {"const": version}}, "required": ["version"]}


def _layout_schema(writer: SchemaWriter, layout: Layout) -> Schema:
    """The schema of one layout, which may be named."""
    reference = writer.schema(type_of(layout))
    name = str(reference["$ref"]).rpartition("/")[2]
    definition = writer.definitions[name]
    definition["properties"].setdefault(LAYOUT, {"const": _layout_json(layout)})
    return reference
