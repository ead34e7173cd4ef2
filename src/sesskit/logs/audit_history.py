"""The history a log implies, and how what was sent or started with compares to it.

Two versions may be kept: after a finding either the earlier or the later line was wrong, and what
follows tells which. So one cause gives one finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sesskit.logs import robota_origins
from sesskit.logs.audit_lines import Json, calls_in, content_of, mapping_in, text_in
from sesskit.logs.robota_origins import unmarked

View = Literal["sent", "kept"]
"""``sent`` is what a request holds (origins marked), ``kept`` what a run starts or ends with
(without parts, and without the names of users and systems)."""

_ABSENT = object()
_LONGEST = 100_000
"""A history that begins in the middle is not believed to be longer."""


@dataclass(frozen=True, slots=True)
class Known:
    """A message of the history. ``bare``: only known without parts and name; ``sent``: only known
    as a request held it. ``message`` is None
    for one that must be there and has not been seen yet, of that ``role`` ("" for any): the system
    message that was put in front, an input that no line commits."""

    message: Json | None
    bare: bool = False
    role: str = "system"
    sent: bool = False


class Difference(NamedTuple):
    """Where two rows of messages part: the position, and the member or what happened to it."""

    position: int
    what: str

    def __str__(self) -> str:
        return f"message {self.position}: {self.what}"


def marked(message: Json) -> str:
    """The text of a message as requests hold it, its origin marked."""
    metadata = mapping_in(message, "metadata")
    return robota_origins.marked(str(message.get("role")), content_of(message), metadata)


def is_only_unmarked(known: Known, seen: Json) -> bool:
    """Whether a message in a request is the known one but for the marks of its origin."""
    message = known.message
    if message is None or marked(message) == content_of(message):
        return False
    return unmarked(content_of(seen)) == content_of(message) and not _differs(
        known, seen | {"content": message.get("content")}, "kept"
    )


def _differs(known: Known, seen: Json, view: View) -> str:
    """The members in which a seen message differs, in words; empty if it is the same."""
    message = known.message
    if message is None:
        return "" if known.role in ("", seen.get("role")) else "role"
    as_it_is = known.sent == (view == "sent")
    if message == seen and (as_it_is or marked(seen) == content_of(seen)):
        return ""  # most are the same; what follows takes its time
    left_out = {"parts"} if view == "kept" or known.bare else set()
    if left_out and message.get("role") in ("user", "system"):
        left_out.add("name")
    expected: dict[str, Any] = message
    if known.sent:
        seen = seen | {"content": marked(seen)} if view == "kept" else seen
    elif view == "sent" and marked(message) != content_of(message):
        expected = message | {"content": marked(message)}
    names = [n for n in expected.keys() | seen.keys() if n not in left_out]
    return ", ".join(sorted(n for n in names if expected.get(n, _ABSENT) != seen.get(n, _ABSENT)))


def compare(known: list[Known], seen: list[Json], view: View) -> list[Difference]:
    """Every difference; a message that is missing or too many is named as that once."""
    ids = [k.message.get("id") if k.message else None for k in known]
    found: list[Difference] = []
    for n, message in enumerate(seen[: len(known)]):
        what = _differs(known[n], message, view)
        if not what:
            continue
        if message.get("id") != ids[n] and ids[n] is not None:
            moved = message.get("id") in ids
            found.append(Difference(n, "out of place" if moved else "not committed"))
            if len(seen) != len(known):
                return found
        else:
            found.append(Difference(n, f"another {what}"))
    if len(seen) < len(known):
        found.append(Difference(len(seen), "missing"))
    found += [Difference(n, "not committed") for n in range(len(known), len(seen))]
    return found


class History:
    """The implied history of one process; ``None`` where it is not known yet."""

    __slots__ = ("_last_index", "_loose", "_other", "_presumed", "_system_may_come", "known")

    def __init__(self) -> None:
        self.known: list[Known] | None = None
        self._other: list[Known] | None = None
        self._last_index: int | None = None
        self._system_may_come = False
        self._presumed: int | None = None
        self._loose = False

    def __len__(self) -> int:
        return len(self.known or ())

    def messages(self) -> list[Json]:
        """The messages that have been seen."""
        return [k.message for k in self.known or () if k.message is not None]

    def has_talk(self) -> bool:
        """Whether anything but a system message is in it."""
        return any((k.message or {}).get("role", k.role) != "system" for k in self.known or ())

    def is_sure(self) -> bool:
        """Whether its length is known."""
        return self.known is not None and not self._loose

    def forget(self) -> None:
        """What was known of it may not be true any more."""
        self.known = self._other = self._last_index = self._presumed = None

    def start(self, history: list[Json], *, with_system: bool | None) -> None:
        """A run starts with this history; an empty one gets the system message in front.

        ``with_system`` is None where it is not known whether there is one.
        """
        old = self.known or []
        kept = [
            old[n] if n < len(old) and old[n].message and not _differs(old[n], m, "kept")
            else Known(m, bare=True)
            for n, m in enumerate(history)
        ]  # fmt: skip
        if with_system and not history:
            kept = [Known(None)]
        self._system_may_come = with_system is None and not history
        self.known, self._last_index, self._loose = kept, None, False

    def start_with_request(self, messages: list[Json]) -> None:
        """A request shows the history; what stands at its end may be of the request alone."""
        self.known = [Known(message, bare=True, sent=True) for message in messages]
        self._last_index, self._system_may_come, self._loose = None, False, True

    def unknown_before(self, length: int) -> None:
        """There is a history of this length, and no line says what it holds."""
        self._last_index = length - 1

    def keep_other(self, other: list[Known] | list[Json] | None) -> None:
        """What the history is if the line just seen was wrong, or the lines before it."""
        self._other = None if other is None else [_known(item) for item in other]

    def keep_sent(self, messages: list[Json]) -> None:
        """The same, of the messages of a request."""
        self._other = [Known(message, bare=True, sent=True) for message in messages]

    def index_fits(self, index: int) -> bool:
        """Whether a message may be committed at an index; the index is remembered."""
        lengths = {len(self), len(self._other) if self._other is not None else len(self)}
        if self._last_index is not None:
            lengths.add(self._last_index + 1)
        self._last_index = index
        if self.known is None:
            return self._told(index)
        if self._loose and index <= len(self):
            self._trim(index)
            return True
        if index in lengths:
            return True
        if self._system_may_come and index == len(self) + 1:
            self.known.insert(0, Known(None))
            self._system_may_come = False
            return True
        return False

    def _told(self, index: int) -> bool:
        """Nothing is known but where the next message comes."""
        if index <= _LONGEST:
            self.known = [Known(None, role="")] * index
        return True

    def _trim(self, length: int) -> None:
        if self.known is not None:
            del self.known[length:]
        self._loose = False

    def head_may_change(self) -> None:
        """A run that nobody saw may have put another system message in front."""
        if self.known and (self.known[0].message or {}).get("role") == "system":
            self.known[0] = Known(None)

    def replace_head(self, message: Json) -> None:
        """A run may start with another system message than the last one ended with."""
        for known in (self.known, self._other):
            if known and (known[0].message or {}).get("role") == "system":
                known[0] = Known(message, bare=True)

    def system_may_come(self) -> None:
        """The system message may be in front without a line that says so."""
        first = self.known[0].message if self.known else None
        self._system_may_come = first is None or first.get("role") != "system"

    def append(self, message: Json) -> None:
        if self.known is not None:
            self.known.append(Known(message))
        if self._other is not None:
            self._other.append(Known(message))

    def compare(self, seen: list[Json], view: View, length: int | None = None) -> list[Difference]:
        """How the beginning of ``seen`` differs from the history; settles which version is right.

        ``length`` is how many of the seen messages count; all by default.
        """
        if self._loose and len(seen) < len(self):
            self._trim(len(seen))
        known = self.known or []
        counted = seen if length is None else seen[:length]
        differences = compare(known, counted, view)
        if differences and self._other is not None:
            other = seen if length is None else seen[: len(self._other)]
            if not compare(self._other, other, view):
                self.known, self._other, differences = self._other, None, []
        elif not differences:
            self._other = None
        if not differences:
            self._fill(counted, view)
        return differences

    def _fill(self, seen: list[Json], view: View) -> None:
        for n, known in enumerate(self.known or ()):
            again = known.message is None or (known.sent and view == "kept")
            if again and self.known is not None and n < len(seen):
                self.known[n] = Known(seen[n], bare=True, role=known.role, sent=view == "sent")

    def presume(self, role: str) -> None:
        """A message of that role is in the history, although no line committed it."""
        if self.known is not None:
            self.known.append(Known(None, role=role))
            self._presumed = len(self.known) - 1

    def was_presumed(self, message: Json) -> bool:
        """Whether a message is the input that was presumed before."""
        if self._presumed is None or self.known is None or self._presumed >= len(self.known):
            return False
        known = self.known[self._presumed].message
        role = self.known[self._presumed].role == message.get("role")
        return role and (known is None or known.get("id") == message.get("id"))

    def known_now(self, message: Json) -> None:
        """The presumed input is committed after all."""
        if self.known is not None and self._presumed is not None:
            self.known[self._presumed] = Known(message)
        self._presumed = None

    def open_calls(self) -> dict[str, int]:
        """The calls after the last input not answered exactly once, and how often they are."""
        answers: dict[str, int] = {}
        for known in reversed(self.known or ()):
            message = known.message
            if message is None and known.role in ("tool", ""):
                return {}  # it may answer any
            if message is None:
                continue
            role = message.get("role")
            if role == "tool":
                identity = text_in(message, "toolCallId") or ""
                answers[identity] = answers.get(identity, 0) + 1
            elif role == "assistant" and calls_in(message):
                ids = {text_in(call, "id") or "" for call in calls_in(message)}
                return {i: answers.get(i, 0) for i in ids if answers.get(i, 0) != 1}
            elif role != "system":
                break
        return {}


def _known(item: Known | Json) -> Known:
    return item if isinstance(item, Known) else Known(item, bare=True)
