"""The files of a Robota log: what refers to what, which files there are, and whether they decode.

References are found in the text that they stand in. Files are named from the folder of the log on.
"""

from __future__ import annotations

import hashlib
import io
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from sesskit.artifacts.documents import Document
from sesskit.logs.robota_log import LogReading
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import (
    PayloadFault,
    Reference,
    is_reference_like,
    may_hold_reference,
    path_segments,
    read_reference,
)
from sesskit.logs.sidecars import MAX_TOTAL_BYTES
from sesskit.records.format import Options
from sesskit.records.reading import read_document
from sesskit.schemas.issues import Keys
from sesskit.schemas.json_text import read_json
from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.places import Places

__all__ = [
    "LOGS",
    "Referred",
    "all_references",
    "belongs",
    "decoded",
    "family",
    "references",
    "text_of_bytes",
]

LOGS: Final = ".jsonl"
_SUBAGENTS: Final = "subagents"
_MOST_LOGS: Final = 10_000
File = tuple[str, bytes]


class Referred(NamedTuple):
    """A reference: the way to it, its place in the text, and the name of the file it leads to."""

    keys: Keys
    start: int
    end: int
    reference: Reference
    name: str


def references(text: str, folder: str, base: int = 0) -> Iterator[Referred]:
    """The references in one JSON text, in order. ``folder`` is that of the log, ``base`` where the
    text begins in its file."""
    data = text.encode("utf-8", "surrogateescape")
    if not may_hold_reference(data):
        return
    found = list(_reference_keys(_value(data)))
    places = Places(data) if found else None
    at, letters = 0, 0  # how far the text was counted, in bytes and in characters
    for keys, reference in found:
        span = places.span(keys) if places else None
        segments = path_segments(reference.relative_path)
        if span is None or segments is None:
            continue
        if span[0] < at:
            at, letters = 0, 0
        start = letters + len(text_of_bytes(data[at : span[0]]))
        end = start + len(text_of_bytes(data[span[0] : span[1]]))
        at, letters = span[1], end
        yield Referred(keys, base + start, base + end, reference, posixpath.join(folder, *segments))


def text_of_bytes(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _value(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return read_json(data).value


def _reference_keys(value: Any) -> Iterator[tuple[Keys, Reference]]:
    """The ways to all references in a value, in the order of the text."""
    waiting: list[tuple[Keys, Any]] = [((), value)]
    while waiting:
        keys, held = waiting.pop()
        if is_reference_like(held):
            reference = read_reference(held)
            if reference is not None:
                yield keys, reference
            continue
        inner: Iterable[tuple[Any, Any]] = ()
        if isinstance(held, dict):
            inner = held.items()
        elif isinstance(held, list):
            inner = enumerate(held)
        waiting += reversed(
            [((*keys, key), one) for key, one in inner if isinstance(one, dict | list)]
        )


def all_references(document: Document, folder: str) -> Iterator[Referred]:
    """The references of a whole file, line by line if it is a log."""
    text = document.text
    if document.form != "jsonl":
        yield from references(text, folder)
        return
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield from references(text[start:end], folder, start)
        start = end + 1


def family(path: Path, data: bytes) -> Iterator[File]:
    """The sidecars of a log and the logs of its subagents with theirs; what is missing is left
    out, decoding says so."""
    yield from _sidecars(path, data, "")
    folders = [(path.with_suffix(""), path.stem)]
    count = 0
    while folders and count < _MOST_LOGS:
        folder, name = folders.pop()
        for log in sorted((folder / _SUBAGENTS).glob(f"*{LOGS}")):
            found = read_document(log)
            if isinstance(found, bytes):
                count += 1
                inside = posixpath.join(name, _SUBAGENTS)
                yield posixpath.join(inside, log.name), found
                yield from _sidecars(log, found, inside)
                folders.append((log.with_suffix(""), posixpath.join(inside, log.stem)))


def _sidecars(log: Path, data: bytes, inside: str) -> Iterator[File]:
    """The sidecars that a log refers to, directly or through others."""
    document = Document(log.name, text_of_bytes(data), "jsonl")
    waiting = [document]
    seen: set[str] = set()
    left = MAX_TOTAL_BYTES
    with PayloadDirectory(log.parent) as directory:
        while waiting:
            for referred in all_references(waiting.pop(), ""):
                if referred.name in seen:
                    continue
                seen.add(referred.name)
                read = directory.read(referred.reference.relative_path, left)
                if isinstance(read, PayloadBytes):
                    left -= len(read.data)
                    yield posixpath.join(inside, referred.name), read.data
                    waiting.append(Document(referred.name, text_of_bytes(read.data), "json"))


def belongs(path: Path) -> Path | None:
    """The log of the session that a log is the log of a subagent of."""
    folder = path.parent
    if folder.name != _SUBAGENTS or path.suffix != LOGS:
        return None
    return folder.parent.with_name(folder.parent.name + LOGS)


class _Held:
    """Sidecars in memory; ``folder`` is that of their log."""

    def __init__(self, files: dict[str, bytes], folder: str) -> None:
        self.files = files
        self.folder = folder

    def read(self, relative_path: str, budget: int) -> PayloadBytes | PayloadFault:
        segments = path_segments(relative_path)
        if segments is None:
            return PayloadFault("OUTSIDE_ROOT")
        data = self.files.get(posixpath.join(self.folder, *segments))
        if data is None:
            return PayloadFault("PAYLOAD_NOT_FOUND")
        if len(data) > budget:
            return PayloadFault("MAX_TOTAL_BYTES_EXCEEDED", {"expected": budget})
        return PayloadBytes(data, hashlib.sha256(data).hexdigest())


def decoded(files: Sequence[File]) -> tuple[str, Decoded]:
    """What the decoder says of all logs with their sidecars: of the first that is not valid, else
    of the main one, the first."""
    held = dict(files[1:])
    answer: Decoded | None = None
    for number, (name, data) in enumerate(files):
        if number and not name.endswith(LOGS):
            continue
        folder = posixpath.dirname(name) if number else ""
        reading = LogReading(
            io.BytesIO(data), _Held(held, folder), options=Options(thorough=True, keep=False)
        )
        reading.check()
        outcome = reading.outcome()
        if outcome.status != "valid":
            return name, outcome
        answer = answer or outcome
    if answer is None:
        raise ValueError("a session has a log")
    return files[0][0], answer
