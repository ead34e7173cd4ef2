"""ochat: the values of its script language, as the moderator and shell extensions keep them.

The same in every version. A value may hold values to any depth.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from sesskit.schemas.binprot_types import Double, Form, Int, Part, Rule, Str
from sesskit.schemas.ochat_ids import PATTERN, is_history_id

HistoryIdText = Annotated[
    str | bytes,
    Rule("history-id", is_history_id, "a history id", PATTERN),
]


class IntValue(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Int"
    form: ClassVar[Form] = "single"
    value: Int


class FloatValue(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Float"
    form: ClassVar[Form] = "single"
    value: Double


class BoolValue(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Bool"
    form: ClassVar[Form] = "single"
    value: bool


class StringValue(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "String"
    form: ClassVar[Form] = "single"
    value: Str


class UnitValue(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Unit"


class ArrayValue(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Array"
    form: ClassVar[Form] = "single"
    items: list[Value]


class RecordValue(Part, frozen=True, gc=False):
    """Names may come twice; order counts."""

    constructor: ClassVar[str] = "Record"
    form: ClassVar[Form] = "single"
    members: list[tuple[Str, Value]]


class VariantValue(Part, frozen=True, gc=False):
    constructor: ClassVar[str] = "Variant"
    form: ClassVar[Form] = "tuple"
    tag: Str
    payload: list[Value]


Value = (
    IntValue
    | FloatValue
    | BoolValue
    | StringValue
    | UnitValue
    | ArrayValue
    | RecordValue
    | VariantValue
)
