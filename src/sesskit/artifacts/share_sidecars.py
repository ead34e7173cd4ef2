"""The files of a Robota log that is shared: logs, their sidecars, and the logs of subagents.

Every reference is found in the text it stands in. A sidecar whose text changed gets the name of its
new digest, from the innermost outwards; one that nothing refers to any more is left out.
"""

from __future__ import annotations

import hashlib
import io
import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from sesskit.artifacts.documents import FOLLOWS, Document
from sesskit.artifacts.edits import Edit
from sesskit.artifacts.placeholders import REDACTED
from sesskit.artifacts.span import Span
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.logs.robota_log import LogReading
from sesskit.logs.sidecar_files import PayloadBytes, PayloadDirectory
from sesskit.logs.sidecar_references import (
    ENCODING,
    KIND,
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
from sesskit.schemas.issues import Keys, pointer
from sesskit.schemas.json_text import read_json
from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.places import Places

__all__ = ["Referred", "belongs", "decoded", "documents", "family", "references", "settled"]

LOGS: Final = ".jsonl"
_SUBAGENTS: Final = "subagents"
_MOST_LOGS: Final = 10_000
_DIGEST: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_STRONGEST: Final = (9,)
_SECRET: Final = Treatment("secret")
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
    for keys, reference in found:
        span = places.span(keys) if places else None
        segments = path_segments(reference.relative_path)
        if span is not None and segments is not None:
            start, end = (len(_text(data[:offset])) for offset in span)
            name = posixpath.join(folder, *segments)
            yield Referred(keys, base + start, base + end, reference, name)


def _text(data: bytes) -> str:
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


def _all_references(document: Document, folder: str) -> Iterator[Referred]:
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


# Finding the files.


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
    document = Document(log.name, _text(data), "jsonl")
    waiting = [document]
    seen: set[str] = set()
    left = MAX_TOTAL_BYTES
    with PayloadDirectory(log.parent) as directory:
        while waiting:
            for referred in _all_references(waiting.pop(), ""):
                if referred.name in seen:
                    continue
                seen.add(referred.name)
                read = directory.read(referred.reference.relative_path, left)
                if isinstance(read, PayloadBytes):
                    left -= len(read.data)
                    yield posixpath.join(inside, referred.name), read.data
                    waiting.append(Document(referred.name, _text(read.data), "json"))


def belongs(path: Path) -> Path | None:
    """The log of the session that a log is the log of a subagent of."""
    folder = path.parent
    if folder.name != _SUBAGENTS or path.suffix != LOGS:
        return None
    return folder.parent.with_name(folder.parent.name + LOGS)


# Making documents.


def documents(
    files: Sequence[File], main: Document, is_secret: Callable[[str], bool]
) -> Sequence[Document]:
    """Documents of all files, sidecars with the places that their references stand in."""
    made = {main.name: main}
    texts = dict(files[1:])
    for name, data in files[1:]:
        if name.endswith(LOGS):
            made[name] = Document(name, _text(data), "jsonl", main.place)
    waiting = [(document, posixpath.dirname(name)) for name, document in made.items()]
    waiting[0] = (main, "")
    while waiting:
        document, folder = waiting.pop()
        for referred in _all_references(document, folder):
            if referred.name not in texts:
                continue
            place = _place_at(document, referred, is_secret)
            if place is _SECRET:
                document.given.append(_hidden(referred))
            known = made.get(referred.name)
            if known is None:
                text = _text(texts[referred.name])
                made[referred.name] = found = Document(referred.name, text, "json", place)
                waiting.append((found, folder))
            elif known.form == "json" and known.place is not place and known.place is not _SECRET:
                known.place = place if place is _SECRET else TEXT
    return list(made.values())


def _hidden(referred: Referred) -> Edit:
    """The edit of a reference to what has a secret name: nothing of it stays, not even a digest."""
    span = Span(referred.start, referred.end, "named-secret", "", spread=False)
    where = pointer(referred.keys)
    return Edit(referred.start, referred.end, json.dumps(REDACTED), span, where, _STRONGEST)


def _place_at(
    document: Document, referred: Referred, is_secret: Callable[[str], bool]
) -> Treatment:
    """What the format says of the value that a reference stands for."""
    place = document.place
    if not isinstance(place, Treatment):
        begin = document.text.rfind("\n", 0, referred.start) + 1
        end = document.text.find("\n", referred.start)
        place = place(document.text[begin : end if end >= 0 else None])
    for key in referred.keys:
        if isinstance(key, int):
            place = place.elements
            continue
        secret = is_secret(key)
        if secret and place.named_secret is not None:
            place = place.named_secret
        elif secret and place.names and place.member(key).way == "text":
            return _SECRET
        else:
            place = place.member(key)
    return place


# Putting the files together again.


def settled(documents: Sequence[Document], name: str) -> Sequence[Document]:
    """References follow their sidecars; those that nothing refers to any more are left out.

    Where the log gets another name, so do the folders that are called after it.
    """
    return _Settling(documents, name).documents()


class _Settling:
    def __init__(self, documents: Sequence[Document], name: str) -> None:
        self.given = documents
        self.name = name
        old = documents[0].name
        self.stems = (old.removesuffix(LOGS), (name or old).removesuffix(LOGS))
        self.by_name = {document.name: document for document in documents[1:]}
        self.folders = {
            id(document): posixpath.dirname(document.name) if number else ""
            for number, document in enumerate(documents)
            if document.form == "jsonl"
        }
        self.done: dict[int, tuple[str, int]] = {}
        self.published: dict[str, Document] = {}
        self.renamed: dict[str, str] = {}

    def documents(self) -> list[Document]:
        logs = [document for document in self.given if document.form == "jsonl"]
        for log in logs:
            self.settle(log, self.folders[id(log)])
        for log in logs if self.renamed else ():
            log.add(self.elsewhere(log))
        for document in logs:
            document.name = self.moved(document.name)
        logs[0].name = self.name or logs[0].name
        return [*logs, *self.published.values()]

    def moved(self, name: str) -> str:
        """The name of a file beside the log, once the log has its new name."""
        old, new = self.stems
        for tail in (LOGS, ".payloads/", "/"):
            if name.startswith(old + tail):
                return new + name[len(old) :]
        return name

    def settle(self, document: Document, folder: str) -> None:
        """Make the references of a document agree; those of what it refers to first.

        Recurses as deep as references are nested, which the decoder has bounded.
        """
        found = list(_all_references(document, folder))
        if not found:
            return
        covered = _covered(document.edits)
        document.edits = _outside(document.edits, found)
        following = []
        for referred in found:
            target = self.by_name.get(referred.name)
            if target is None or covered(referred):
                continue
            new = self.named(target, folder)
            text = _written(referred, self.moved(folder + "/")[:-1], target.name, *new)
            if text != document.text[referred.start : referred.end]:
                span = Span(referred.start, referred.end, FOLLOWS, "", kind="removed", spread=False)
                following.append(Edit(referred.start, referred.end, text, span, "", _STRONGEST))
        document.add(following)

    def elsewhere(self, log: Document) -> Iterator[Edit]:
        """Old digests where no reference counts, as in a member that comes twice."""
        starts = [edit.start for edit in log.edits]
        for found in _DIGEST.finditer(log.text):
            number = bisect_left(starts, found.end()) - 1
            free = number < 0 or log.edits[number].end <= found.start()
            if free and found[0] in self.renamed:
                span = Span(*found.span(), FOLLOWS, "", kind="removed", spread=False)
                yield Edit(*found.span(), self.renamed[found[0]], span, "", _STRONGEST)

    def named(self, sidecar: Document, folder: str) -> tuple[str, int]:
        """The digest and length of a sidecar, which gets its name from them."""
        known = self.done.get(id(sidecar))
        if known is not None:
            return known
        self.settle(sidecar, folder)
        if sidecar.edits:
            old = hashlib.sha256(sidecar.text.encode("utf-8", "surrogateescape")).hexdigest()
        data = sidecar.result()
        self.done[id(sidecar)] = new = (hashlib.sha256(data).hexdigest(), len(data))
        if sidecar.edits:
            self.renamed[old] = new[0]
        folder = posixpath.dirname(self.moved(sidecar.name))
        sidecar.name = posixpath.join(folder, f"{new[0]}.json")
        self.published.setdefault(sidecar.name, sidecar)
        return new


def _covered(edits: list[Edit]) -> Callable[[Referred], bool]:
    """Says whether an edit takes a reference away as a whole."""
    starts = [edit.start for edit in edits]

    def covered(referred: Referred) -> bool:
        number = bisect_left(starts, referred.start + 1) - 1
        return number >= 0 and edits[number].end >= referred.end

    return covered


def _outside(edits: list[Edit], found: Sequence[Referred]) -> list[Edit]:
    """The edits without those inside of references: a digest is no secret."""
    starts = [referred.start for referred in found]
    kept = []
    for edit in edits:
        number = bisect_left(starts, edit.start + 1) - 1
        inside = number >= 0 and edit.end <= found[number].end
        whole = inside and (edit.start, edit.end) == (found[number].start, found[number].end)
        if not inside or whole:
            kept.append(edit)
    return kept


def _written(referred: Referred, folder: str, name: str, digest: str, length: int) -> str:
    """A reference as a logger writes it."""
    path = posixpath.relpath(name, folder) if folder else name
    members = {
        "kind": KIND,
        "encoding": ENCODING,
        "sha256": digest,
        "byteLength": length,
        "relativePath": path,
    }
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


# Decoding the files as they are held.


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
