"""The session view of a dsh log.

The talk is what was appended, as the reader saw it; replacements only change what the next request
holds. Refs are into the text of the log, after decompression.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

from sesskit.logs.dsh.decode import open_log
from sesskit.logs.dsh.frame_headers import MAGIC
from sesskit.logs.dsh.opening import text_of
from sesskit.logs.dsh.reader import LogReader
from sesskit.logs.dsh.stored import Stored
from sesskit.logs.dsh.view_events import Gathered, instant
from sesskit.logs.dsh.view_lines import EventLine, text_or_none
from sesskit.records.view import Agent, Origin, Ref, Session, Version
from sesskit.schemas.dsh_values import is_safe_integer

Json = dict[str, Any]


def text_of_log(data: bytes) -> bytes:
    """The text that the refs of a view point into: the file, decompressed if it was compressed."""
    return b"".join(text_of(io.BytesIO(data))) if data.startswith(MAGIC) else data


def view(data: bytes) -> Session | None:
    """The session in a log, damaged or not; None where there is no header."""
    reader = open_log(io.BytesIO(data), keep=False)
    work = Viewing(reader)
    for stored in reader:
        work.take(stored)
    return work.session() if reader.header is not None else None


@dataclass(slots=True)
class Viewing:
    """A view under way: feed it every line of the reader, then ask for the session.

    ``rough`` leaves out where in a line things stand that are only counted.
    """

    reader: LogReader
    rough: bool = False
    gathered: Gathered = field(default_factory=Gathered)
    head: Ref | None = None
    size: int = 0

    def take(self, stored: Stored) -> None:
        """One line of the log."""
        line = stored.line
        self.size = line.offset + len(line.data) + line.ended
        ref = Ref(line.offset, len(line.data), line.number, "")
        value = stored.value
        if line.number == 1:
            self.head = ref
        elif isinstance(value, dict) and isinstance(value.get("type"), str) and "data" in value:
            self.gathered.event(EventLine(stored, value, ref, self.rough))
        elif stored.events:
            self.gathered.mark("assistant/chunk", ref, None)
        else:
            self.gathered.mark("damaged", ref, None)

    def session(self) -> Session:
        """What was taken in, as a view."""
        header, got = self.reader.header or {}, self.gathered
        judge = self.reader.judge
        nodes = [int(seq) for seq in judge.surface.nodes()] if judge is not None else []
        generation = self.reader.generation
        version = generation.name if generation else header.get("version")
        # Before there was a surface, everything that was said went into the next request.
        surfaced = generation is None or not generation.seed
        return Session(
            "dsh-log",
            Ref(0, self.size),
            version=Version(str(version), "certain", self.head),
            id=text_or_none(header.get("id")),
            title=got.title,
            cwd=text_or_none(header.get("cwd")),
            agent=Agent("dsh"),
            models=tuple(got.models),
            started=instant(header.get("createdAt")),
            ended=got.ended,
            system=tuple(got.system),
            tools=tuple(got.tools),
            origin=_origin(header),
            turns=got.talk.turns(),
            model=got.for_model(nodes) if surfaced else None,
            marks=tuple(got.marks),
            children=tuple(got.children),
            usage=tuple(got.usage),
        )


def _origin(header: Json) -> Origin:
    parent = text_or_none(header.get("parentSession"))
    if parent is None:
        return Origin()
    if header.get("origin") == "subagent":
        return Origin("helper", of=parent)
    length = header.get("seedLength")
    up_to = f"event {int(length) - 1}" if is_safe_integer(length) and length > 0 else None
    return Origin("fork", of=parent, up_to=up_to, by="copy")
