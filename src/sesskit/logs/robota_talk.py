"""The conversation of a log, one thing said or done after the other, in flat memory.

Calls end in the words of the session view: answered, failed, denied; what a turn leaves without a
result is open where the log ends, and interrupted where another turn follows. A turn without an
end whose last message is an answer without calls is complete: a parked turn that is resumed has no
line for its end. Text that was streamed for an answer which was never committed is told as such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from sesskit.logs.robota_moments import Moment, task_event
from sesskit.logs.robota_origins import PEER
from sesskit.schemas.robota_log import BackgroundTaskEvent
from sesskit.schemas.robota_log_turns import (
    Assistant,
    ContextCompact,
    Error,
    HistoryMutation,
    ProviderRequest,
    SessionInit,
    TextDelta,
    ToolBatchStarted,
    ToolBlocked,
    ToolDenied,
    ToolExecutionResult,
)
from sesskit.schemas.robota_messages import AssistantMessage, Message, ToolMessage

_ABORTED = "Aborted"
MOST_STREAMED = 1 << 20
"""Characters of an answer under way that are held in case it breaks off."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something of the conversation, and the moment it stands at."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class Began(Item):
    """A process began, or went on with, the session."""

    session: str
    cwd: str
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class TurnBegan(Item):
    number: int


@dataclass(frozen=True, slots=True)
class Said(Item):
    """A message: ``text`` is its content, ``parts`` the kinds of its parts that are no text.

    ``streamed``: no message of the log, but the text of an answer that broke off.
    """

    role: str
    text: str
    peer: str | None = None
    parts: tuple[str, ...] = ()
    interrupted: bool = False
    streamed: bool = False


@dataclass(frozen=True, slots=True)
class Called(Item):
    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Answered(Item):
    """How a call ended; ``state`` is answered, failed, denied or orphan."""

    id: str
    name: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Compacted(Item):
    """What stood before was replaced by a summary: tokens before and after."""

    trigger: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Helper(Item):
    """A subagent began; ``path`` is where its log is said to be, ``call`` the call that asked."""

    id: str
    path: str
    call: str | None = None


@dataclass(frozen=True, slots=True)
class TurnEnded(Item):
    """How a turn ended: complete, error, interrupted or open; ``left`` names calls without end."""

    number: int
    state: str
    reason: str | None = None
    left: tuple[str, ...] = ()


class _Streamed:
    """The text of the answer under way, as far as it is held."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = self._more = 0
        self._last: Moment | None = None

    def add(self, moment: Moment, text: str) -> None:
        kept = text[: MOST_STREAMED - self._held]
        self._held += len(kept)
        self._more += len(text) - len(kept)
        self._last = moment
        if kept:
            self._pieces.append(kept)

    def clear(self) -> None:
        """It was committed, or another answer begins."""
        self._pieces.clear()
        self._held = self._more = 0

    def said(self) -> Iterator[Said]:
        """What was said of it, once."""
        text = "".join(self._pieces)
        text += f" ... {self._more:,} more characters" if self._more else ""
        self.clear()
        if text.strip() and self._last is not None:
            yield Said(self._last, "assistant", text, streamed=True)


@dataclass(slots=True)
class _Teller:
    number: int = 0
    ended: bool = True
    answered: bool = False
    """Whether the last message of the turn is an answer without calls."""
    streamed: _Streamed = field(default_factory=_Streamed)
    waiting: dict[str, str] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    results: dict[str, str] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    last: Moment | None = None

    def tell(self, moment: Moment) -> Iterator[Item]:
        event = moment.event
        if isinstance(event, HistoryMutation):
            if moment.turn != self.number:
                yield from self.end(moment, "interrupted")
                self.number, self.ended = moment.turn, False
                yield TurnBegan(moment, moment.turn)
            yield from self._message(moment, event.message)
        elif isinstance(event, TextDelta):
            self.streamed.add(moment, event.delta)
        elif isinstance(event, ProviderRequest):
            self.streamed.clear()
        elif isinstance(event, Assistant):
            yield from self.end(moment, "complete")
        elif isinstance(event, Error):
            state = "interrupted" if event.message == _ABORTED else "error"
            yield from self.end(moment, state, event.message)
        elif isinstance(event, ToolBatchStarted):
            self.refusals.clear()
        elif isinstance(event, ToolDenied | ToolBlocked):
            self.refusals[event.tool] += 1
        elif isinstance(event, ToolExecutionResult):
            self._result(event)
        elif isinstance(event, ContextCompact):
            before, after = event.before.used_tokens, event.after.used_tokens
            yield Compacted(moment, event.trigger, before, after)
        elif isinstance(event, SessionInit):
            yield from self.end(moment, "interrupted")
            yield Began(moment, event.session_id, event.cwd, event.provider, event.model)
        elif isinstance(event, BackgroundTaskEvent):
            yield from self._helper(moment, event)
        self.last = moment

    def _helper(self, moment: Moment, event: BackgroundTaskEvent) -> Iterator[Item]:
        task = getattr(task_event(event), "task", None)
        if task is None or task.kind != "agent" or task.id in self.helpers:
            return
        path = _text(task.transcript_path)
        if path:
            self.helpers.add(task.id)
            yield Helper(moment, task.id, path, _text(event.origin_tool_call_id) or None)

    def end(self, moment: Moment, state: str, reason: str | None = None) -> Iterator[Item]:
        """End the open turn, if there is one."""
        if not self.ended:
            for call, ended in self.results.items():  # the turn ended before they became messages
                name = self.waiting.pop(call, None)
                if name is not None:
                    yield Answered(moment, call, name, ended, "")
            if state != "complete":
                yield from self.streamed.said()
            left = tuple(self.waiting.values())
            done = self.answered and reason is None and not left
            yield TurnEnded(moment, self.number, "complete" if done else state, reason, left)
        self.ended = True
        self.answered = False
        self.streamed.clear()
        self.waiting.clear()
        self.results.clear()

    def _result(self, event: ToolExecutionResult) -> None:
        """The gate logs names only: of failed results of a tool, the first ones were refused."""
        call, name = _text(event.tool_call_id), _text(event.tool_name)
        state = "answered" if event.success else "failed"
        if not event.success and self.refusals[name] > 0:
            self.refusals[name] -= 1
            state = "denied"
        self.results[call] = state

    def _message(self, moment: Moment, message: Message) -> Iterator[Item]:
        if isinstance(message, ToolMessage):
            yield self._answer(moment, message)
            return
        driver = _metadata(message).get("driverId")
        peer = driver if isinstance(driver, str) and driver.startswith(PEER) else None
        parts = () if message.parts is UNSET else message.parts
        kinds = tuple(kind for part in parts if (kind := str(_tag(part))) != "text")
        interrupted = message.state == "interrupted"
        yield Said(moment, message.role, message.content or "", peer, kinds, interrupted)
        self.answered = False
        if not isinstance(message, AssistantMessage):
            return
        self.streamed.clear()
        calls = () if message.tool_calls is UNSET else message.tool_calls
        self.answered = not calls and not interrupted
        for call in calls:
            self.waiting[call.id] = call.function.name
            yield Called(moment, call.id, call.function.name, call.function.arguments)

    def _answer(self, moment: Moment, message: ToolMessage) -> Answered:
        call = message.tool_call_id
        asked = self.waiting.pop(call, None)
        state = self.results.pop(call, "answered")
        if state == "answered" and _metadata(message).get("success") is False:
            state = "failed"
        name = asked or _text(message.name)
        return Answered(moment, call, name, "orphan" if asked is None else state, message.content)


def talk_of(moments: Iterable[Moment]) -> Iterator[Item]:
    """The conversation in order. Memory holds the calls of one turn."""
    teller = _Teller()
    for moment in moments:
        yield from teller.tell(moment)
    if teller.last is not None:
        yield from teller.end(teller.last, "open")


def _metadata(message: Message) -> dict[str, Any]:
    found: Any = message.metadata
    return {} if found is UNSET else found


def _tag(part: Any) -> Any:
    return part.__struct_config__.tag


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
