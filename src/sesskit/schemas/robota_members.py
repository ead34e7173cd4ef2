"""The members of a Robota record as the decoder takes them apart."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Raw, UnsetType

from sesskit.schemas.items import Item
from sesskit.schemas.robota_record import Record

OPEN_DEPTH: Final = frozenset({"history", "toolSchemas", "memoryEvents"})
"""Members whose elements may nest without end."""


class RecordMember(NamedTuple):
    """One member of the record; ``item`` decodes it, or one element of it where it is a list."""

    name: str
    attribute: str
    item: Item
    is_list: bool
    required: bool
    kind: str


def _member(info: msgspec.structs.FieldInfo, hint: Any) -> RecordMember:
    kinds = [kind for kind in get_args(hint) if kind is not UnsetType]
    kind = kinds[0] if len(kinds) == 1 and UnsetType in get_args(hint) else hint
    is_list = get_origin(kind) is list
    item = Item(get_args(kind)[0] if is_list else kind, open_depth=info.encode_name in OPEN_DEPTH)
    word = "array" if is_list else "string"  # no required member is anything else
    return RecordMember(info.encode_name, info.name, item, is_list, info.required, word)


def _members() -> dict[str, RecordMember]:
    hints = get_type_hints(Record, include_extras=True)
    fields = msgspec.structs.fields(Record)
    return {info.encode_name: _member(info, hints[info.name]) for info in fields}


MEMBERS: Final = _members()

RecordSkeleton: Any = msgspec.defstruct(
    "RecordSkeleton",
    [(m.attribute, (list[Raw] if m.is_list else Raw) | UnsetType, UNSET) for m in MEMBERS.values()],
    forbid_unknown_fields=True,
    rename={m.attribute: m.name for m in MEMBERS.values()},
    gc=False,
)
EnvelopeSkeleton: Any = msgspec.defstruct(
    "EnvelopeSkeleton",
    [("schemaVersion", Raw), ("record", RecordSkeleton)],
    forbid_unknown_fields=True,
    gc=False,
)
