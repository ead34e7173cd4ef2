"""The port for an application's own redaction: its function changes values, sesskit the files.

It is free of any policy: what the function takes out is its own affair, and nothing is looked for
here. What it gives back is decoded as strictly as any file before there are bytes to be written.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from sesskit.artifacts.documents import FOLLOWS, Document
from sesskit.artifacts.edits import Edit
from sesskit.artifacts.share import Share, documents_of, put_together, unshareable
from sesskit.artifacts.share_formats import File, share_format
from sesskit.artifacts.span import Span
from sesskit.artifacts.treatments import TEXT
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.json_text import read_json
from sesskit.schemas.limits import MAX_DEPTH
from sesskit.schemas.ochat_json_text import MAX_JSON_DEPTH
from sesskit.schemas.outcomes import Corrupt

__all__ = ["Text", "share_values"]

_HALF: Final = re.compile("[\ud800-\udfff]")
_NOT_JSON: Final = "the redact function gave back what JSON cannot hold"
_NO_JSON_GIVEN: Final = "the session is not valid: this is no JSON"
_GONE: Final = "the redact function gave back nothing for the whole of a file"


class Text(NamedTuple):
    """Which JSON text of a session a value is: its file, and in a log its line, from 1 on."""

    file: str
    line: int | None = None


Redact = Callable[[Any, Text], Any]
"""Gets the JSON value of a text and gives one back; None leaves the line of a log out."""


def share_values(
    name: str,
    data: bytes,
    session: str,
    redact: Redact,
    others: Sequence[File] = (),
    called: str = "",
) -> Share:
    """A session of any format that can be shared, as an application's ``redact`` leaves it.

    ``redact`` gets every JSON text of the session, in order: the stored envelope of a Robota
    record; each line of a log, the header of a dsh log first; each sidecar of a Robota log, to
    which its line only refers; the neutral JSON of an ochat snapshot, where bytes that are no UTF-8
    are lone surrogates. It may change the value that it is given. Texts that it leaves alone stay
    as they are, byte for byte.

    ``name``, ``data``, ``others`` and ``called`` are those of `sesskit.artifacts.share.share_data`.
    Without ``files`` in the answer ``outcome`` has the places that no decoder would take.
    """
    adapter = share_format(session)
    if adapter is None or adapter.sessions is not None:
        return unshareable(session, data)
    files = ((name, data), *others)
    documents = documents_of(adapter, files, TEXT, lambda _: False)
    for document in documents:
        try:
            document.edits = list(_edits(document, redact))
        except _Refused as error:
            return Share(Corrupt((error.issue,)), why=str(error))
    made = put_together(adapter, session, documents, called)
    return made if isinstance(made, Share) else Share(made.outcome, made.files)


class _Refused(ValueError):
    def __init__(self, message: str, text: Text, keys: Keys = ()) -> None:
        super().__init__(message)
        side = text.file if text.line is None else None
        found = "another value"
        self.issue = Issue(
            "type", message, keys=keys, expected="JSON value", found=found, line=text.line,
            sidecar=side or None,
        )  # fmt: skip


def _edits(document: Document, redact: Redact) -> Iterator[Edit]:
    """An edit for each JSON text that the function changed."""
    for start, end, text in _texts(document):
        read = read_json(document.text[start:end].encode("utf-8", "surrogateescape"))
        if not read.sound:
            raise _Refused(_NO_JSON_GIVEN, text)
        value = read.value
        before = _written(value, text)
        given = redact(value, text)
        if given is None and text.line is not None:
            yield _edit(start, min(end + 1, len(document.text)), "")
            continue
        if given is None:
            raise _Refused(_GONE, text)
        after = _written(given, text)
        if after != before:
            yield _edit(start, end, after)


def _texts(document: Document) -> Iterator[tuple[int, int, Text]]:
    if document.form != "jsonl":
        yield 0, len(document.text), Text(document.name)
        return
    start = 0
    for number, line in enumerate(document.text.split("\n"), 1):
        if line.strip():
            yield start, start + len(line), Text(document.name, number)
        start += len(line) + 1


def _edit(start: int, end: int, text: str) -> Edit:
    return Edit(start, end, text, Span(start, end, FOLLOWS, "", kind="removed", spread=False))


def _written(value: Any, text: Text) -> str:
    keys = _not_json(value)
    if keys is not None:
        raise _Refused(_NOT_JSON, text, keys)
    try:
        made = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError) as error:
        raise _Refused(_NOT_JSON, text) from error
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", made)


def _not_json(value: Any) -> Keys | None:
    """The way to what JSON has no value for, if there is something. One that holds itself ends."""
    waiting: list[tuple[Keys, Any]] = [((), value)]
    while waiting:
        keys, held = waiting.pop()
        if len(keys) > MAX_JSON_DEPTH:
            return keys[:MAX_DEPTH]
        if isinstance(held, dict):
            if not all(isinstance(name, str) for name in held):
                return keys
            waiting += (((*keys, name), one) for name, one in held.items())
        elif isinstance(held, list | tuple):
            waiting += (((*keys, number), one) for number, one in enumerate(held))
        elif not _is_scalar(held):
            return keys
    return None


def _is_scalar(value: Any) -> bool:
    """Whether JSON has a scalar for it."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)
