"""Events that belong together by an id: retries, commands, titles, calls from inside tools.

Each kind is a small book that is fed its events and says what does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sesskit.schemas.dsh_values import digest
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]


def broken(code: str, message: str, *keys: str) -> Issue:
    """A rule that is broken; keys lead from the event."""
    return Issue(code, message, keys=keys)


def as_key(value: Any) -> Any:
    """A value that a dict takes as key: ids are text, whatever else stands there is a mark."""
    return value if isinstance(value, str | int | float) or value is None else repr(type(value))


@dataclass(slots=True)
class _Chain:
    """Retries of one request with one policy."""

    id: Any
    last: int = 0
    scheduled: dict[int, bool] = field(default_factory=dict)


@dataclass(slots=True)
class Retries:
    """The retries of a log."""

    _chains: dict[tuple[Any, ...], _Chain] = field(default_factory=dict)
    _by_id: dict[Any, _Chain] = field(default_factory=dict)

    def schedule(self, data: Json) -> Iterator[Issue]:
        """A retry was announced."""
        place = tuple(as_key(data.get(n)) for n in ("turn", "step", "provider", "policyKey"))
        retry_id = as_key(data.get("retryId"))
        chain = self._chains.get(place)
        if chain is None:
            if retry_id in self._by_id:
                yield broken("retry-id", "the id belongs to other retries", "data", "retryId")
            chain = self._chains[place] = self._by_id[retry_id] = _Chain(retry_id)
        elif chain.id != retry_id and data.get("retry") == chain.last + 1:
            yield broken("retry-id", "retries of one kind keep their id", "data", "retryId")
        if data.get("retry") != chain.last + 1:
            yield broken("retry-number", "retries count from 1", "data", "retry")
        limit = data.get("maxRetries")
        if isinstance(limit, int | float) and chain.last + 1 > limit:
            yield broken("retry-number", "more retries than there may be", "data", "retry")
        chain.last += 1
        chain.scheduled[chain.last] = False

    def start(self, data: Json) -> Iterator[Issue]:
        """A retry was begun."""
        chain = self._by_id.get(as_key(data.get("retryId")))
        number = data.get("retry")
        if chain is None or not isinstance(number, int) or number not in chain.scheduled:
            yield broken("retry-unscheduled", "no such retry was scheduled", "data", "retry")
        elif chain.scheduled[number]:
            yield broken("retry-repeated", "this retry was started before", "data", "retry")
        else:
            chain.scheduled[number] = True


@dataclass(slots=True)
class Commands:
    """The commands of a log: the event in which each was run."""

    _ran: dict[Any, int] = field(default_factory=dict)

    def run(self, seq: int, data: Json) -> Iterator[Issue]:
        """A command was run."""
        command = as_key(data.get("commandId"))
        if command in self._ran:
            yield broken("command-repeated", "a command of this id was run before", "data")
        self._ran.setdefault(command, seq)

    def done(self, data: Json) -> Iterator[Issue]:
        """A command ended."""
        ran = self._ran.get(as_key(data.get("commandId")))
        if ran is None:
            yield broken("command-unknown", "no command of this id was run", "data")
        elif data.get("sourceEventSeq") == ran:
            message = "must name the event that the command made, not the command"
            yield broken("reference", message, "data", "sourceEventSeq")


@dataclass(slots=True)
class Titles:
    """Titles, and what people said that they may be made from (``said``, by number)."""

    said: set[int] = field(default_factory=set)

    def given(self, data: Json) -> Iterator[Issue]:
        """A title was given or asked for."""
        source, seqs = data.get("source"), data.get("messageSeqs")
        if not isinstance(seqs, list):
            return
        kind = source.get("kind") if isinstance(source, Mapping) else None
        if kind is not None and (kind == "user") != (not seqs):
            message = "must be empty exactly for a title that a person gave"
            yield broken("title-messages", message, "data", "messageSeqs")
        if any(as_key(seq) not in self.said for seq in seqs):
            message = "must name messages of a person"
            yield broken("title-messages", message, "data", "messageSeqs")


@dataclass(slots=True)
class Dispatches:
    """Calls from inside tools: the root call of each, and what it was started with."""

    _started: dict[Any, tuple[Any, bytes | None]] = field(default_factory=dict)

    def start(self, data: Json) -> Iterator[Issue]:
        """A call was made."""
        root, parent, sub = (
            as_key(data.get(n)) for n in ("rootCallId", "parentCallId", "subCallId")
        )
        known = self._started.get(sub)
        if known is not None:
            code, text = "dispatch-root", "the call belongs to another root call"
            if known[0] == root:
                code, text = "dispatch-repeated", "a call of this id was started before"
            yield broken(code, text, "data", "subCallId")
            return
        if parent != root and self._started.get(parent, (None, None))[0] != root:
            message = "the parent does not belong to the root call"
            yield broken("dispatch-parent", message, "data", "parentCallId")
        self._started[sub] = (root, _identity(data))

    def end(self, data: Json) -> Iterator[Issue]:
        """A call ended."""
        root, sub = as_key(data.get("rootCallId")), as_key(data.get("subCallId"))
        started = self._started.get(sub)
        if started is None or started[1] is None:
            yield broken("dispatch-unknown", "no call of this id is open", "data", "subCallId")
            return
        if started[0] != root:
            yield broken("dispatch-root", "the call belongs to another root call", "data")
        elif started[1] != _identity(data):
            yield broken("dispatch-differs", "differs from how the call was started", "data")
        self._started[sub] = (started[0], None)


def _identity(data: Json) -> bytes:
    """What a call and its end have in common."""
    return digest([data.get("parentCallId"), data.get("name"), data.get("arguments")])
