"""Events that belong together by an id: retries, commands, titles, calls from inside tools.

Each kind is a small book that is fed its events and says what does not fit. Some rules are about
events that may still come; those are said when they come, or at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from sesskit.logs.dsh.script_values import UNDEFINED, as_key, as_place, broken, crash, member, same
from sesskit.schemas.dsh_values import digest
from sesskit.schemas.issues import Issue

Json = Mapping[str, Any]


class _Chain(Struct):
    """Retries of one request with one policy."""

    id: Any
    last: int = 0


class Retries(Struct):
    """The retries of a log."""

    _chains: dict[tuple[Any, ...], _Chain] = field(default_factory=dict)
    _ids: set[Any] = field(default_factory=set)
    _scheduled: dict[tuple[Any, Any], tuple[Any, Any, bool]] = field(default_factory=dict)

    def schedule(self, data: Json) -> Iterator[Issue]:
        """A retry was announced."""
        names = ("turn", "step", "provider", "policyKey")
        place = tuple(as_key(member(data, name)) for name in names)
        retry_id, number = as_key(member(data, "retryId")), member(data, "retry")
        chain = self._chains.get(place)
        if not same(number, (chain.last if chain else 0) + 1):
            yield broken("retry-number", "retries count from 1", "data", "retry")
        if chain is None:
            if retry_id in self._ids:
                yield broken("retry-id", "the id belongs to other retries", "data", "retryId")
            chain = self._chains[place] = _Chain(retry_id)
        elif chain.id != retry_id:
            yield broken("retry-id", "retries of one kind keep their id", "data", "retryId")
        self._ids.add(retry_id)
        chain.last += 1
        here = (member(data, "turn"), member(data, "step"))
        self._scheduled.setdefault((retry_id, as_key(number)), (*here, False))

    def start(self, data: Json) -> Iterator[Issue]:
        """A retry was begun."""
        name = (as_key(member(data, "retryId")), as_key(member(data, "retry")))
        scheduled = self._scheduled.get(name)
        if scheduled is None:
            yield broken("retry-unscheduled", "no such retry was scheduled", "data", "retry")
            return
        turn, step, begun = scheduled
        if not same(turn, member(data, "turn")) or not same(step, member(data, "step")):
            yield broken("retry-place", "a retry is begun where it was scheduled", "data")
        if begun:
            yield broken("retry-repeated", "this retry was started before", "data", "retry")
        self._scheduled[name] = (turn, step, True)


class Commands(Struct):
    """The commands of a log, and the events that are about them."""

    _ran: set[Any] = field(default_factory=set)
    _events: set[int] = field(default_factory=set)
    _awaited: set[int] = field(default_factory=set)

    def run(self, seq: int, data: Json) -> Iterator[Issue]:
        """A command was run."""
        yield from self._came(seq)
        command = as_key(member(data, "commandId"))
        if command in self._ran:
            yield broken("command-repeated", "a command of this id was run before", "data")
        self._ran.add(command)

    def done(self, seq: int, data: Json) -> Iterator[Issue]:
        """A command ended."""
        yield from self._came(seq)
        if as_key(member(data, "commandId")) not in self._ran:
            yield broken("command-unknown", "no command of this id was run", "data")
        if "sourceEventSeq" not in data:
            return
        named = as_place(data["sourceEventSeq"])
        if named in self._events:
            yield _names_command()
        elif member(data, "kind") != "success":
            message = "only a command that succeeded names the event that it made"
            yield broken("reference", message, "data", "sourceEventSeq")
        if named is not None and named > seq:
            self._awaited.add(named)

    def _came(self, seq: int) -> Iterator[Issue]:
        self._events.add(seq)
        if seq in self._awaited:
            yield _names_command()


def _names_command() -> Issue:
    message = "must name the event that the command made, not the command"
    return broken("reference", message, "data", "sourceEventSeq")


class Titles(Struct):
    """Titles, and the messages that they may be made from."""

    _said: dict[int, bool] = field(default_factory=dict)
    _awaited: set[int] = field(default_factory=set)

    def said(self, seq: int, data: Json) -> None:
        """A person said something."""
        content = member(data, "content")
        self.heard(seq, sound=isinstance(content, list) and None not in content)

    def heard(self, seq: int, *, sound: bool) -> None:
        """The same for a message that was looked at: whether its content can be read."""
        self._said[seq] = sound
        self._awaited.discard(seq)

    def given(self, seq: int, data: Json) -> Iterator[Issue]:
        """A title was given."""
        source, seqs = member(data, "source"), member(data, "messageSeqs")
        if not isinstance(source, Mapping):
            yield broken("title-messages", "a title needs a source", "data", "source")
        elif seqs in (None, UNDEFINED):
            yield crash("data", "messageSeqs")
        elif (member(source, "kind") == "user") != (seqs in ("", [])):
            message = "must be empty exactly for a title that a person gave"
            yield broken("title-messages", message, "data", "messageSeqs")
        else:
            yield from self._cited(seq, seqs)

    def asked(self, seq: int, data: Json) -> Iterator[Issue]:
        """A model was asked for a title."""
        yield from self._cited(seq, member(data, "messageSeqs"))
        yield from _request(member(data, "messages"))

    def finish(self) -> list[Issue]:
        """The log ends; what was cited has not come."""
        return [_uncited() for _ in self._awaited][:1]

    def _cited(self, seq: int, seqs: Any) -> Iterator[Issue]:
        if not isinstance(seqs, list | str):
            yield crash("data", "messageSeqs")
            return
        for cited in map(as_place, seqs):
            if cited is not None and cited > seq:
                self._awaited.add(cited)
            elif cited is None or cited not in self._said:
                yield _uncited()
                return
            elif not self._said[cited]:
                yield crash("data", "messageSeqs")
                return


def _uncited() -> Issue:
    return broken("title-messages", "must name messages of a person", "data", "messageSeqs")


def _request(messages: Any) -> Iterator[Issue]:
    """The one message that asks for a title; not its text, which may be of an older release."""
    at = ("data", "messages")
    if messages in (None, UNDEFINED):
        yield crash(*at)
        return
    first = messages[0] if isinstance(messages, list | str) and messages else UNDEFINED
    if first is None:
        yield crash(*at)
        return
    source, content = member(first, "source"), member(first, "content")
    framed = content[0] if isinstance(content, list) and len(content) == 1 else UNDEFINED
    by_plugin = member(source, "kind") == "plugin"
    by_plugin = by_plugin and member(source, "plugin") == "dsh-session-title-llm"
    sound = isinstance(messages, list) and len(messages) == 1 and member(first, "role") == "user"
    if sound and by_plugin and framed is None:
        yield crash(*at)
    elif not (sound and by_plugin and member(framed, "type") == "text"):
        yield broken("title-request", "must be the one message that asks for a title", *at)


class Dispatches(Struct):
    """Calls from inside tools: the root call of each, and what it was started with."""

    _roots: dict[Any, Any] = field(default_factory=dict)
    _started: dict[Any, bytes | None] = field(default_factory=dict)

    def start(self, data: Json) -> Iterator[Issue]:
        """A call was made."""
        root, sub = as_key(member(data, "rootCallId")), as_key(member(data, "subCallId"))
        yield from self._rooted(data, root, sub)
        if sub in self._started:
            message = "a call of this id was started before"
            yield broken("dispatch-repeated", message, "data", "subCallId")
        self._started[sub] = _identity(data)
        self._roots[sub] = root

    def end(self, data: Json) -> Iterator[Issue]:
        """A call ended."""
        root, sub = as_key(member(data, "rootCallId")), as_key(member(data, "subCallId"))
        yield from self._rooted(data, root, sub)
        started = self._started.get(sub)
        if started is None:
            yield broken("dispatch-unknown", "no call of this id is open", "data", "subCallId")
        elif started != _identity(data):
            yield broken("dispatch-differs", "differs from how the call was started", "data")
        self._started[sub] = None
        self._roots[sub] = root

    def _rooted(self, data: Json, root: Any, sub: Any) -> Iterator[Issue]:
        if sub in self._roots and self._roots[sub] != root:
            yield broken("dispatch-root", "the call belongs to another root call", "data")
        named, parent = member(data, "rootCallId"), member(data, "parentCallId")
        missing = object()
        if not same(parent, named) and self._roots.get(as_key(parent), missing) != root:
            message = "the parent does not belong to the root call"
            yield broken("dispatch-parent", message, "data", "parentCallId")


def _identity(data: Json) -> bytes:
    """What a call and its end have in common; what is absent is spelled apart from null."""
    named = [member(data, name) for name in ("parentCallId", "name", "arguments")]
    return digest([[] if value is UNDEFINED else [value] for value in named])


class Deliveries(Struct):
    """Marks that a log was delivered, in the session that it names."""

    session: Any
    forked: bool
    _strangers: list[int] = field(default_factory=list)

    def accepted(self, seq: int, data: Json) -> None:
        """A delivery was accepted."""
        version = data.get("sessionFormatVersion")
        here = same(0 if version is None else version, 2)
        if here and not same(member(data, "sessionId"), self.session):
            self._strangers.append(seq)

    def finish(self, inherited: int) -> list[Issue]:
        """The log ends; only what was inherited may be about another session."""
        alien = [seq for seq in self._strangers if not (self.forked and seq < inherited)]
        message = "a delivery names the session of its own log"
        return [Issue("delivery-session", message, seq=seq) for seq in alien]
