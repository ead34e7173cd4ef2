"""Reading what a `Ref` of the session view points at, when somebody asks for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sesskit.records.view import Input, Ref
from sesskit.schemas.json_text import read_json

Read = Callable[[Ref], bytes]
"""Gives the bytes of a ref; empty where there are none."""


def reader(data: bytes, others: Mapping[str, bytes] | None = None) -> Read:
    """A `Read` over the session's own file and, by name, the files of its family."""
    files = {"": data, **(others or {})}

    def read(ref: Ref) -> bytes:
        return files.get(ref.file, b"")[ref.offset : ref.end]

    return read


def text_of(ref: Ref, read: Read) -> str:
    """The text at ``ref``: a JSON text without its quotes and escapes, anything else as written.

    Total: bytes that are not UTF-8 become U+FFFD, a damaged text is given as it stands. Nothing
    is made harmless here; whoever shows it masks it.
    """
    raw = read(ref).decode("utf-8", errors="replace")
    if ref.form == "raw" or not raw.startswith('"'):
        return raw
    try:
        return str(json.loads(raw, strict=False))
    except ValueError:
        return raw


def input_of(asked: Input, read: Read) -> tuple[Any, bool]:
    """The arguments of a call and whether they are sound JSON; else they are the text itself."""
    text = text_of(asked.ref, read) if asked.as_text else None
    raw = read(asked.ref) if text is None else text.encode("utf-8", errors="surrogatepass")
    parsed = read_json(raw, thorough=False)
    if parsed.sound:
        return parsed.value, True
    return (raw.decode("utf-8", errors="replace") if text is None else text), False
