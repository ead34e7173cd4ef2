"""Sharing dsh logs of every version, plain and compressed, with the logs of helpers.

A result lies where dsh looks for it: its folders are named after the working folder and the id
that its header says once it is redacted.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any, Final

import orjson

from sesskit.artifacts.documents import Document
from sesskit.artifacts.share_dsh_places import lines
from sesskit.artifacts.share_formats import File, IsSecret, ShareFormat
from sesskit.artifacts.share_places import SCRUBBED, SHARED, WITH_IMAGES
from sesskit.artifacts.share_unread import alike, unread
from sesskit.logs.dsh.decode import examine
from sesskit.logs.dsh.frames import MAGIC
from sesskit.logs.dsh.generations import SEED, generation_of, is_header
from sesskit.logs.dsh.opening import text_of
from sesskit.logs.dsh.paths import encoded_id, log_path, place_of, seed_project_folder
from sesskit.logs.dsh.roots import Root, survey
from sesskit.logs.dsh.writing import stored_lines
from sesskit.records.heads import read_head
from sesskit.records.reading import read_document
from sesskit.schemas.outcomes import Decoded

__all__ = ["LOG"]

_ZSTD: Final = ".zstd"
_TOP: Final = PurePath("/", "sessions")
"""Where names of files are seen from when they are decoded; nothing lies there."""


def opened(data: bytes) -> str:
    """The text of a log, decompressed if it is compressed."""
    return b"".join(text_of(io.BytesIO(data))).decode("utf-8", "surrogateescape")


def closed(text: str, head: bytes) -> bytes:
    """The bytes of a log; in frames where ``head`` is the beginning of one."""
    data = text.encode("utf-8", "surrogateescape")
    if head[: len(MAGIC)] != MAGIC:
        return data
    return b"".join(stored_lines(data.removesuffix(b"\n").split(b"\n"), compressed=True))


def _header(text: str) -> dict[str, Any]:
    """The header of a log; empty where its first line is none."""
    first = text.partition("\n")[0].encode("utf-8", "replace")
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) and is_header(value) else {}


# The files of a session.


def family(path: Path, data: bytes) -> Iterator[File]:
    """The logs of the helpers of a session, and of theirs, called by their place below the root."""
    place = place_of(path.absolute())
    if place.layout != "session":
        return
    root = path.absolute().parents[2]
    session = _header(opened(data)).get("id")
    try:
        sessions = {found.id: found for found in _surveyed(root, _changed(root)).sessions}
    except OSError:
        return
    seen, waiting = {session}, [session]
    while waiting:
        known = sessions.get(str(waiting.pop(0)))
        for helper in known.helpers if known is not None else ():
            if helper in seen or helper not in sessions:
                continue
            seen.add(helper)
            waiting.append(helper)
            logs = sessions[helper].logs
            same = (log for log in logs if log.place.generation == place.generation)
            chosen = next(same, sessions[helper].latest).path.absolute()
            found = read_document(chosen)
            if isinstance(found, bytes):
                yield chosen.relative_to(root).as_posix(), found


def _changed(root: Path) -> tuple[tuple[str, int], ...]:
    """When the project folders of a root changed last: a new session changes one of them."""
    with os.scandir(root) as entries:
        return tuple(sorted((entry.name, entry.stat().st_mtime_ns) for entry in entries))


@lru_cache(maxsize=4)
def _surveyed(root: Path, changed: tuple[tuple[str, int], ...]) -> Root:
    """What lies below a root; looked through once for all of its sessions."""
    return survey(root)


def belongs(path: Path) -> Path | None:
    """The log of the session that started the session of a log as its helper."""
    if place_of(path.absolute()).layout != "session":
        return None
    head = read_head(path)
    header = _header(opened(head)) if isinstance(head, bytes) else {}
    parent = header.get("parentSession")
    if header.get("origin") != "subagent" or not isinstance(parent, str) or not parent:
        return None
    root = path.parent.parent.parent
    found = sorted(root.glob(f"*/{_literal(encoded_id(parent))}/{_literal(path.name)}"))
    return found[0] if found else None


def _literal(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def documents(files: Sequence[File], main: Document, is_secret: IsSecret) -> Sequence[Document]:
    """All logs, read alike."""
    made = [main]
    for name, data in files[1:]:
        head = data[: len(MAGIC)]
        made.append(Document(name, opened(data), "jsonl", main.place, head=head))
    return made


def settled(documents: Sequence[Document], name: str) -> Sequence[Document]:
    """Each log gets the name of its place; a name that was asked for says how it is written."""
    for number, document in enumerate(documents):
        if number == 0 and name:
            document.name = name
            if name.endswith((_ZSTD, ".jsonl")):
                document.head = MAGIC if name.endswith(_ZSTD) else b""
        else:
            document.name = _placed(document)
    return documents


def _placed(document: Document) -> str:
    """Where a log belongs below a root, by its header as it is now."""
    header = _header(document.result_text())
    session, cwd = header.get("id"), header.get("cwd")
    if not isinstance(session, str) or not session or not (cwd is None or isinstance(cwd, str)):
        return document.name
    if generation_of(header) is SEED:
        document.head = b""
        return f"{seed_project_folder(cwd)}/{encoded_id(session)}.jsonl"
    compressed = document.head[: len(MAGIC)] == MAGIC
    version = int(header["version"])
    return os.fspath(log_path(session, cwd or None, version=version, compressed=compressed))


def decoded(files: Sequence[File]) -> tuple[str, Decoded]:
    """What the decoder says of all logs at their places: of the first that is not valid, else of
    the main one, the first."""
    answers = []
    for name, data in files:
        outcome = examine(io.BytesIO(data), _TOP / name, keep=False, thorough=True)
        if outcome.status != "valid":
            return name, outcome
        answers.append(outcome)
    return files[0][0], answers[0]


LOG: Final = ShareFormat(
    "jsonl",
    lines(SCRUBBED),
    lines(SHARED),
    lines(WITH_IMAGES),
    opened=opened,
    closed=closed,
    family=family,
    belongs=belongs,
    documents=documents,
    settled=settled,
    decoded=decoded,
    unread=unread,
    alike=alike,
    foldered=True,
    rooted=True,
)
