"""What a logger makes of an event's members before a line is written: redacted, split, in bytes.

Children go first, so a sidecar can refer to sidecars; the text is put together on the way up, as
ECMAScript would print it, because the name of a sidecar is the digest of its text.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from sesskit.logs.sidecar_references import ENCODING, KIND
from sesskit.schemas.ecmascript import dumps
from sesskit.schemas.instants import Instant
from sesskit.schemas.limits import MAX_DEPTH
from sesskit.schemas.sensitive import is_sensitive_key

REDACTED = "[REDACTED]"

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_ARRAY_INDEX = 2**32 - 2


class Undefined:
    """A member that is there and has no value: it vanishes, in an array it becomes null."""


UNDEFINED: Final = Undefined()


class TooDeep(ValueError):
    """A value nests deeper than any reader would follow."""


class BigInt(int):
    """A whole number that is written as text, as a logger writes ECMAScript's big integers."""


Spill = Callable[[bytes], bytes]
"""The size rule: the text of a value in, the same text or that of a reference out."""


@dataclass(slots=True)
class _Frame:
    """A container on the way down; ``parts`` are its members in bytes, as far as they are done."""

    closing: bytes
    items: Iterator[tuple[bytes, str, Any]]
    parts: list[bytes] = field(default_factory=list)
    prefix: bytes = b""

    def add(self, text: bytes | None) -> None:
        if text is not None:
            self.parts.append(self.prefix + text)
        elif self.closing == b"]":
            self.parts.append(b"null")

    def text(self) -> bytes:
        opening = b"[" if self.closing == b"]" else b"{"
        return opening + b",".join(self.parts) + self.closing


def member_texts(
    data: Mapping[str, Any], spill: Spill, *, redacted: str = REDACTED
) -> Iterator[tuple[str, bytes]]:
    """The members of an event as (name, JSON text), in ECMAScript's member order.

    Raises `TooDeep` where a value is nested deeper than `limits.MAX_DEPTH`.
    """
    fill = dumps(redacted)
    for name, value in javascript_order(data.items()):
        text = fill if is_sensitive_key(name) else _text(value, spill, fill)
        if text is not None:
            yield name, text


def javascript_order(items: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Members as an ECMAScript object holds them: array indexes first, ascending."""
    listed = [(str(name), value) for name, value in items]
    indexes = [item for item in listed if _is_index(item[0])]
    if not indexes:
        return listed
    indexes.sort(key=lambda item: int(item[0]))
    return indexes + [item for item in listed if not _is_index(item[0])]


def reference_text(session_id: str, data: bytes) -> tuple[str, bytes]:
    """The digest of a sidecar's text and the reference that stands in its place."""
    digest = hashlib.sha256(data).hexdigest()
    reference = {
        "kind": KIND,
        "encoding": ENCODING,
        "sha256": digest,
        "byteLength": len(data),
        "relativePath": f"{session_id}.payloads/{digest}.json",
    }
    return digest, dumps(reference)


def _is_index(name: str) -> bool:
    return _ARRAY_INDEX.fullmatch(name) is not None and int(name) <= _MAX_ARRAY_INDEX


def _text(value: Any, spill: Spill, fill: bytes) -> bytes | None:
    bottom = _Frame(b"]", iter(()))
    stack = [bottom]
    _begin(value, stack, spill, fill)
    while len(stack) > 1:
        frame = stack[-1]
        step = next(frame.items, None)
        if step is None:
            stack.pop()
            stack[-1].add(spill(frame.text()))
            continue
        frame.prefix, name, child = step
        if name and is_sensitive_key(name):
            frame.add(fill)
        else:
            _begin(child, stack, spill, fill)
    return None if isinstance(value, Undefined) else bottom.parts[0]


def _begin(value: Any, stack: list[_Frame], spill: Spill, fill: bytes) -> None:
    """A scalar is done at once; a container becomes a frame."""
    frame = _frame(value)
    if frame is None:
        stack[-1].add(_scalar(value, spill))
        return
    if len(stack) > MAX_DEPTH:
        raise TooDeep(f"a value is nested deeper than {MAX_DEPTH} levels")
    stack.append(frame)


def _frame(value: Any) -> _Frame | None:
    if isinstance(value, list | tuple):
        return _Frame(b"]", ((b"", "", item) for item in value))
    members = _members(value)
    if members is None:
        return None
    ordered = javascript_order(members)
    return _Frame(b"}", ((dumps(name) + b":", name, child) for name, child in ordered))


def _members(value: Any) -> Iterable[tuple[str, Any]] | None:
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, msgspec.Struct):
        return _struct_members(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type | Instant):
        return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
    return None


def _struct_members(value: msgspec.Struct) -> list[tuple[str, Any]]:
    names = value.__struct_encode_fields__
    members = [(n, getattr(value, f)) for n, f in zip(names, value.__struct_fields__, strict=True)]
    tag = value.__struct_config__
    if tag.tag_field is not None:
        members.insert(0, (tag.tag_field, tag.tag))
    return [(name, child) for name, child in members if child is not msgspec.UNSET]


def _scalar(value: Any, spill: Spill) -> bytes | None:
    if isinstance(value, Undefined):
        return None
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, datetime):
        return dumps(iso_text(value))
    if isinstance(value, Instant | BigInt):
        return dumps(str(value))
    if value is None or isinstance(value, str | int | float):
        return spill(dumps(value))
    return dumps(f"[{type(value).__name__}]")  # its own text might hold anything


def iso_text(moment: datetime) -> str:
    """UTC with milliseconds and ``Z``; a moment without a zone is taken as UTC."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
