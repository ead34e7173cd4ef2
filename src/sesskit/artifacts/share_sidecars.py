"""Sidecars of a Robota log that is shared: read as what they stand for, and put together again.

A sidecar whose text changed gets the name of its new digest, from the innermost outwards; one that
nothing refers to any more is left out.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sesskit.artifacts.documents import FOLLOWS, Document
from sesskit.artifacts.edits import Edit
from sesskit.artifacts.placeholders import REDACTED
from sesskit.artifacts.share_log_files import LOGS, File, Referred, all_references, text_of_bytes
from sesskit.artifacts.span import Span
from sesskit.artifacts.treatments import TEXT, Treatment
from sesskit.logs.sidecar_references import (
    ENCODING,
    KIND,
)

__all__ = ["documents", "settled"]

_DIGEST: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_STRONGEST: Final = (9,)
_SECRET: Final = Treatment("secret")


def documents(
    files: Sequence[File], main: Document, is_secret: Callable[[str], bool]
) -> Sequence[Document]:
    """Documents of all files, sidecars with the places that their references stand in."""
    made = {main.name: main}
    texts = dict(files[1:])
    for name, data in files[1:]:
        if name.endswith(LOGS):
            made[name] = Document(name, text_of_bytes(data), "jsonl", main.place)
    waiting = [(document, posixpath.dirname(name)) for name, document in made.items()]
    waiting[0] = (main, "")
    while waiting:
        document, folder = waiting.pop()
        for referred in all_references(document, folder):
            if referred.name not in texts:
                continue
            place = _place_at(document, referred, is_secret)
            if place is _SECRET:
                document.given.append(_hidden(referred))
            known = made.get(referred.name)
            if known is None:
                text = text_of_bytes(texts[referred.name])
                made[referred.name] = found = Document(referred.name, text, "json", place)
                waiting.append((found, folder))
            elif known.form == "json" and known.place is not place and known.place is not _SECRET:
                known.place = place if place is _SECRET else TEXT
    return list(made.values())


def _hidden(referred: Referred) -> Edit:
    """The edit of a reference to what has a secret name: nothing of it stays, not even a digest."""
    span = Span(referred.start, referred.end, "named-secret", "", spread=False)
    return Edit(referred.start, referred.end, json.dumps(REDACTED), span, "", _STRONGEST)


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
        found = list(all_references(document, folder))
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
