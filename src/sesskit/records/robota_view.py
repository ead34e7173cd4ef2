"""The session view of a Robota session record, from its bytes (robota-record section 4).

`enveloped` and `bare` are total: they work from the outline of the bytes, so a sound record gives
all of its talk and a damaged one whatever lies before the damage. Every member of the record is in
the talk, in the system text, among the tools, or a mark.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, tzinfo
from typing import Final

from msgspec.structs import replace

from sesskit.records.outline import Span, children, kind, members, root, scalar
from sesskit.records.robota_marks import MARKED, Known, Marking
from sesskit.records.talk import Asked, Talk
from sesskit.records.view import (
    Agent,
    Blob,
    Block,
    By,
    CallState,
    Child,
    FamilyFile,
    Input,
    Loss,
    Mark,
    Message,
    Opaque,
    Ref,
    Result,
    Role,
    Session,
    Text,
    Uri,
    Usage,
    Version,
)
from sesskit.schemas.instants import Instant, parse_instant
from sesskit.schemas.issues import Keys, pointer

AGENT: Final = Agent("Robota")
SPEAKERS: Final[dict[str, tuple[Role, By]]] = {
    "user": ("user", "person"),
    "assistant": ("assistant", "model"),
    "system": ("system", "machine"),
}
NEVER_STORED: Final = ("response-usage", "response-model", "reasoning")
"""What a record does not say of an answer of the model, whatever happened."""

Parts = dict[str, Span]


def enveloped(data: bytes, zone: tzinfo = UTC) -> Session:
    """The view of a stored file or artifact: `{schemaVersion, record}`."""
    return _Record(data, "robota-record", zone).session()


def bare(data: bytes, zone: tzinfo = UTC) -> Session:
    """The view of a record from before the envelope."""
    return _Record(data, "robota-record-bare", zone).session()


class _Record:
    """One record being looked at."""

    def __init__(self, data: bytes, name: str, zone: tzinfo) -> None:
        self.data = data
        self.zone = zone
        self.format = name
        self.prefix: Keys = ("record",) if name == "robota-record" else ()
        self.talk = Talk()
        self.marks: list[Mark] = []
        self.answers: list[Ref] = []
        self.unplaced: list[Ref] = []
        self.unread: list[Ref] = []
        self._line, self._line_at = 1, 0

    def session(self) -> Session:
        data, whole = self.data, Ref(0, len(self.data), 1, "")
        outer = root(data)
        if outer is None:
            return Session(
                self.format, whole, agent=AGENT, marks=(Mark("bytes", "unknown", whole),)
            )
        version, record = self._opened(outer)
        found = members(data, record)
        end = record.start + 1
        for span in children(data, record):
            self._member(span, found)
            end = span.end
        self._unread(record, end)
        self._unread(Span("", outer.end, len(data)), outer.end)
        return self._session(whole, version, found)

    def ref(self, span: Span, keys: Keys | None) -> Ref:
        """Where a value is, with its line; cheap as long as the steps from ref to ref are short."""
        low, high = sorted((self._line_at, span.start))
        lines = self.data.count(b"\n", low, high)
        self._line += lines if span.start >= self._line_at else -lines
        self._line_at = span.start
        place = None if keys is None else pointer(keys)
        return Ref(span.start, span.end - span.start, self._line, place)

    def word(self, span: Span | None) -> str | None:
        """A short text; None for anything else."""
        value = scalar(self.data, span)
        return value if isinstance(value, str) else None

    def time(self, span: Span | None) -> Instant | None:
        text = self.word(span)
        return None if text is None else parse_instant(text, self.zone)

    def _opened(self, outer: Span) -> tuple[Version | None, Span]:
        """The version, and the value that holds the record; other members become marks."""
        if not self.prefix:
            return None, outer
        version, record = None, Span("", outer.start, outer.start)
        for span in children(self.data, outer):
            key = str(span.key)
            if key == "schemaVersion":
                word = scalar(self.data, span)
                sure = type(word) in (int, float)
                ref = self.ref(span, (key,))
                version = Version(str(word), "certain" if sure else "guess", ref)
            elif key == "record":
                if record.end > record.start:  # doubled: the last one counts
                    self._mark(key, self.ref(record, (key,)))
                record = span
            else:
                self._mark(key, self.ref(span, (key,)))
        return version, record

    def _member(self, span: Span, found: Parts) -> None:
        """One member of the record: its messages, or marks for everything else."""
        name = str(span.key)
        keys = (*self.prefix, name)
        if found.get(name) != span or name not in MARKED:  # doubled, or of no known name
            self._mark(name, self.ref(span, keys))
        elif name == "messages" and kind(self.data, span) == "array":
            end = span.start + 1
            for element in children(self.data, span):
                self._message(element, (*keys, element.key))
                end = element.end
            self._unread(span, end)
        elif name != "systemPrompt":
            self.marks += Marking(self, name, MARKED[name]).marks(span, keys)

    def _unread(self, span: Span, start: int) -> None:
        """Mark what of a value could not be read: its end is missing, or it stops being JSON."""
        rest = self.data[start : span.end].rstrip(b" \t\r\n,")
        text = rest.lstrip(b" \t\r\n,")
        gap = len(rest) - len(text)
        if span.whole and text in (b"", b"}", b"]"):
            return
        ref = self.ref(Span("", start + gap, start + gap + len(text)), None)
        self.unread.append(ref)
        if text:
            self._mark("bytes", ref)

    def _mark(self, name: str, ref: Ref) -> None:
        self.marks.append(Mark(name, "unknown", ref))

    def _message(self, span: Span, keys: Keys) -> None:
        found = members(self.data, span)
        ref = self.ref(span, keys)
        role = self.word(found.get("role")) or ""
        time, name = self.time(found.get("timestamp")), self.word(found.get("id"))
        broken = self.word(found.get("state")) == "interrupted"
        blocks = list(self._blocks(found, keys))
        if role == "tool":
            state: CallState = "interrupted" if broken else "answered"
            asked, tool = self.word(found.get("toolCallId")), self.word(found.get("name"))
            self.talk.answer(asked, Result(tuple(blocks)), ref, state=state, name=tool, time=time)
        elif role in SPEAKERS:
            calls = self._calls(found.get("toolCalls"), (*keys, "toolCalls"))
            ids = () if name is None else (name,)
            message = Message(*SPEAKERS[role], (), (ref,), id=name, ids=ids, time=time)
            self.talk.say(message, [*blocks, *calls])
        else:
            self.unplaced.append(ref)
            self._mark("messages", ref)
            return
        if role == "assistant":
            self.answers.append(ref)
        if broken:
            self.talk.end("interrupted")

    def _blocks(self, found: Parts, keys: Keys) -> Iterator[Block]:
        """The content, unless one of the parts repeats it byte for byte, and the parts."""
        content, listed = found.get("content"), found.get("parts")
        parts = [] if listed is None else list(children(self.data, listed))
        own = b"null" if content is None else self.data[content.start : content.end]
        texts = [members(self.data, part).get("text") for part in parts]
        repeated = any(text and self.data[text.start : text.end] == own for text in texts)
        if content is not None and own != b"null" and not repeated:
            ref = self.ref(content, (*keys, "content"))
            yield Text(ref) if own.startswith(b'"') else Opaque("content", ref)
        for part in parts:
            yield self._part(part, (*keys, "parts", part.key))

    def _part(self, span: Span, keys: Keys) -> Block:
        found = members(self.data, span)
        word = self.word(found.get("type")) or ""
        media = self.word(found.get("mimeType"))
        if word == "text" and "text" in found:
            return Text(self.ref(found["text"], (*keys, "text")))
        if word == "image_inline" and "data" in found:
            return Blob(self.ref(found["data"], (*keys, "data")), media)
        if word == "image_uri" and "uri" in found:
            return Uri(self.ref(found["uri"], (*keys, "uri")), media)
        return Opaque(word, self.ref(span, keys))

    def _calls(self, listed: Span | None, keys: Keys) -> Iterator[Asked]:
        for span in children(self.data, listed) if listed else ():
            here = (*keys, span.key)
            found = members(self.data, span)
            function = found.get("function")
            inner = members(self.data, function) if function else {}
            given = inner.get("arguments")
            place = (*here, "function", "arguments")
            yield Asked(
                self.word(found.get("id")),
                self.word(inner.get("name")) or "",
                self.ref(span, here),
                Input(self.ref(given, place), as_text=True) if given else None,
            )

    def _session(self, whole: Ref, version: Version | None, found: Parts) -> Session:
        turns = self.talk.turns()
        times = [t for turn in turns for t in (turn.started, turn.ended) if t is not None]
        tasks = [*self._tasks(found.get("backgroundTasks"))]
        return Session(
            self.format,
            whole,
            version=version,
            id=self.word(found.get("id")),
            title=self.word(found.get("name")),
            cwd=self.word(found.get("cwd")),
            agent=AGENT,
            started=self.time(found.get("createdAt")) or (times[0] if times else None),
            ended=self.time(found.get("updatedAt")) or (times[-1] if times else None),
            system=self._listed(found, "systemPrompt"),
            tools=self._listed(found, "toolSchemas"),
            turns=turns,
            marks=tuple(self.marks),
            children=tuple(child for child in map(self._child, tasks) if child is not None),
            family=self._family(tasks),
            usage=tuple(usage for usage in map(self._usage, tasks) if usage is not None),
            losses=tuple(self._losses()),
        )

    def _listed(self, found: Parts, name: str) -> tuple[Ref, ...]:
        """The refs of a text, or of each element of an array."""
        span, keys = found.get(name), (*self.prefix, name)
        if span is None:
            return ()
        if kind(self.data, span) != "array":
            return (self.ref(span, keys),)
        return tuple(self.ref(each, (*keys, each.key)) for each in children(self.data, span))

    def _tasks(self, span: Span | None) -> Iterator[Known]:
        for element in children(self.data, span) if span else ():
            ref = self.ref(element, (*self.prefix, "backgroundTasks", element.key))
            yield Known(ref, members(self.data, element))

    def _child(self, task: Known) -> Child | None:
        name = self.word(task.found.get("id"))
        if name is None or self.word(task.found.get("kind")) != "agent":
            return None
        state, path = (self.word(task.found.get(key)) for key in ("status", "transcriptPath"))
        return Child(name, task.ref, state, path)

    def _usage(self, task: Known) -> Usage | None:
        result = task.found.get("result")
        used = members(self.data, result).get("usage") if result else None
        if used is None:
            return None
        found = members(self.data, used)
        counts = [scalar(self.data, found.get(k)) for k in ("promptTokens", "completionTokens")]
        prompt, output = (int(c) if type(c) in (int, float) and c % 1 == 0 else 0 for c in counts)
        place = f"{task.ref.pointer}/result/usage"
        at = replace(self.ref(used, None), pointer=place)
        return Usage(self.word(task.found.get("id")) or place, prompt, output, at)

    def _family(self, tasks: list[Known]) -> tuple[FamilyFile, ...]:
        paths = {FamilyFile("record", ""): None}
        for task in tasks:
            for role, name in (("log", "logPath"), ("transcript", "transcriptPath")):
                path = self.word(task.found.get(name))
                if path:
                    paths[FamilyFile(role, path)] = None
        return tuple(paths)

    def _losses(self) -> Iterator[Loss]:
        if self.answers:
            yield from (Loss(k, len(self.answers), self.answers[0]) for k in NEVER_STORED)
        for kind_, refs in (("unplaced-message", self.unplaced), ("unread", self.unread)):
            if refs:
                yield Loss(kind_, len(refs), refs[0])
