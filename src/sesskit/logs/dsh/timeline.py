"""What happened in a log of dsh, event by event: a timeline, also of a log that grows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sesskit.logs.dsh.stored import Stored
from sesskit.logs.dsh.view_events import instant
from sesskit.schemas.dsh_values import is_index, is_number
from sesskit.schemas.instants import Instant

Json = Mapping[str, Any]

_WORDS = 400
"""Of a text so many characters are enough to say what it is about."""


class Moment(NamedTuple):
    """A line of the log: its number, the turn that is open there (0 before the first), its time."""

    line: int
    turn: int
    time: Instant | None


class Happened(NamedTuple):
    """``kind`` is a word for what happened, ``words`` say what, ``figures`` hold its numbers;
    ``event`` is the event itself, None for a line that is none."""

    moment: Moment
    kind: str
    words: str
    figures: Mapping[str, float] = MappingProxyType({})
    event: Json | None = None


def happenings(lines: Iterable[Stored]) -> Iterator[Happened]:
    """What happened on each line but the header; pieces of streamed answers are left out."""
    turn = 0
    for stored in lines:
        value = stored.value
        if stored.line.number == 1 or (value is None and stored.events):
            continue
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            codes = ", ".join(dict.fromkeys(issue.code for issue in stored.issues))
            yield Happened(Moment(stored.line.number, turn, None), "damaged", codes)
            continue
        data = value.get("data")
        said = data if isinstance(data, dict) else {}
        if value["type"] == "turn/start" and is_index(said.get("turn")):
            turn = int(said["turn"])
        told = _told(value["type"], said)
        if told is not None:
            moment = Moment(stored.line.number, turn, instant(value.get("time")))
            yield Happened(moment, *told, event=value)


def _told(kind: str, data: Json) -> tuple[str, str, Mapping[str, float]] | None:
    if kind in _PIECES:
        return None
    word, words = _WORDS_OF.get(kind, ("event", lambda _data: kind))
    usage = data.get("usage")
    figures = {
        name: float(value)
        for name, value in (usage.items() if isinstance(usage, dict) else ())
        if is_number(value)
    }
    failed = kind == "turn/end" and _kind_of(data.get("reason")) == "error"
    failed |= kind == "tool/result" and _is_error(data)
    return ("error" if failed else word), words(data), figures


_PIECES = frozenset(["assistant/chunk", "text-chunks", "reasoning-chunks", "tool-call-chunks"])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _kind_of(value: object) -> str:
    return _text(value.get("kind")) if isinstance(value, dict) else ""


def blocks_of(data: Json) -> list[Json]:
    """The blocks of the message of an event."""
    message = data.get("message", data)
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content or () if isinstance(block, dict)] if _is(content) else []


def _is(content: object) -> bool:
    return isinstance(content, list)


def texts_of(blocks: Iterable[Json]) -> str:
    """The texts of blocks, and of results in them."""
    found: list[str] = []
    for block in blocks:
        if block.get("type") == "text":
            found.append(_text(block.get("text")))
        elif block.get("type") == "tool-result" and _is(block.get("content")):
            found.append(texts_of(b for b in block["content"] if isinstance(b, dict)))
    return "\n".join(filter(None, found))


def result_of(data: Json) -> tuple[str, bool]:
    """The call that a result answers, and whether it failed."""
    message = data.get("message")
    source = message.get("source") if isinstance(message, dict) else None
    named = source.get("callId") if isinstance(source, dict) else data.get("callId")
    return _text(named), _is_error(data)


def _is_error(data: Json) -> bool:
    return data.get("isError") is True or any(b.get("isError") is True for b in blocks_of(data))


def _said(data: Json) -> str:
    return texts_of(blocks_of(data))[:_WORDS]


def _answer(data: Json) -> str:
    blocks = blocks_of(data)
    names = [_text(b.get("name")) for b in blocks if b.get("type") == "tool-call"]
    calls = f"calls {', '.join(names)}" if names else ""
    return "; ".join(filter(None, (texts_of(blocks)[:_WORDS], calls)))


def _result(data: Json) -> str:
    call, _ = result_of(data)
    return ": ".join(filter(None, (call, texts_of(blocks_of(data))[:_WORDS])))


def _route(data: Json) -> str:
    header = data.get("header")
    config = header.get("config") if isinstance(header, dict) else data
    named = config if isinstance(config, dict) else {}
    return " ".join(filter(None, (_text(named.get("provider")), _text(named.get("model")))))


def _turn_end(data: Json) -> str:
    reason = data.get("reason")
    error = reason.get("error") if isinstance(reason, dict) else None
    message = _text(error.get("message")) if isinstance(error, dict) else ""
    return ": ".join(filter(None, (f"turn {data.get('turn')} {_kind_of(reason)}", message)))


def _hidden(data: Json) -> str:
    seqs = data.get("shadowedSeqs")
    return f"{len(seqs):,} events" if isinstance(seqs, list) else ""


def _named(*names: str) -> Callable[[Json], str]:
    return lambda data: " ".join(
        str(data[name]) for name in names if isinstance(data.get(name), str | int | float)
    )


_WORDS_OF: dict[str, tuple[str, Callable[[Json], str]]] = {
    "turn/start": ("turn", lambda data: f"turn {data.get('turn')} begins"),
    "turn/end": ("turn", _turn_end),
    "step/start": ("step", lambda data: f"step {data.get('step')} begins"),
    "step/end": ("step", lambda data: f"step {data.get('step')} ends"),
    "user/message": ("user", _said),
    "context/message": ("context", _said),
    "steering/message": ("user", _said),
    "system/message": ("system", _said),
    "assistant/message": ("answer", _answer),
    "assistant/attempt": ("attempt", lambda _data: "an answer that was not finished"),
    "tool/call": ("call", _named("name", "callId")),
    "tool/result": ("result", _result),
    "request/header": ("request", _route),
    "request/context": ("route", _route),
    "llm/retry": ("retry", _named("retry", "provider", "mode")),
    "llm/retry-started": ("retry", _named("retry")),
    "compaction/start": ("compaction", lambda _data: "begins"),
    "compaction/summary": ("compaction", _hidden),
    "compaction/prune": ("prune", _hidden),
    "compaction/end": ("compaction", lambda _data: "ends"),
    "session/title": ("title", _named("title")),
    "session/end-seed": ("resumed", lambda _data: ""),
    "command/run": ("command", _named("name", "args")),
    "command/done": ("command", _named("kind", "text")),
    "approval/asked": ("approval", _named("toolName", "reason")),
    "approval/decided": ("approval", _named("outcome")),
    "tool/code-dispatch-start": ("call", _named("name", "subCallId")),
    "tool/ptc-dispatch-start": ("call", _named("name", "subCallId")),
    "usage": ("usage", lambda _data: ""),
    "error": ("error", _named("message")),
}
"""By the type of an event: a word, and what there is to say of its data."""

KINDS = ("damaged", "event", *dict.fromkeys(word for word, _ in _WORDS_OF.values()))
"""Words for what happened."""
