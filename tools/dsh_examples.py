"""Writes ``examples/dsh``: a root of invented dsh sessions, sound and damaged. The same every time.

Run as a program: ``python tools/dsh_examples.py``; a test compares the files with `examples`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sesskit.logs.dsh import SessionStore, migrate_log
from sesskit.logs.dsh.header import SessionHeader
from sesskit.logs.dsh.paths import log_path
from sesskit.logs.dsh.session import Session
from sesskit.logs.dsh.writing import header_line, stored_records
from sesskit.schemas.ecmascript import dumps

Json = dict[str, Any]

FOLDER = Path(__file__).parent.parent / "examples" / "dsh"
CWD = "/srv/harbour"
START = 1_781_244_000_000
ROUTE = {"provider": "example", "model": "example-1"}


class Talk:
    """A session that is being written, turn by turn."""

    def __init__(self, session_id: str, start: int = START) -> None:
        self._time = start
        self.session = SessionStore(clock=self._now).create(session_id, meta={"cwd": CWD})
        self._turn = self._step = self._said = 0

    def _now(self) -> int:
        self._time += 40
        return self._time

    def later(self, milliseconds: int) -> None:
        """Let time pass."""
        self._time += milliseconds

    def turn(self, asked: str, *answers: tuple[str, tuple[str, str] | None]) -> None:
        """A whole turn: what was asked, and the answers, each with the call that it makes."""
        self._turn, self._step = self._turn + 1, 0
        self.session.append("turn/start", {"turn": self._turn})
        for number, (said, call) in enumerate(answers):
            self._step += 1
            here = {"turn": self._turn, "step": self._step}
            self.session.append("step/start", here)
            self.later(1_500)
            if number == 0:
                message = self._message("user", {"kind": "user"}, _text(asked))
                self.session.append("user/message", message, surface_op="append")
            if self._turn == self._step == 1:
                header = {"config": ROUTE, "system": "You keep the notes of a harbour."}
                self.session.append("request/header", {"header": header, "reason": "initial"})
            self._answer(here, said, call)
            self.session.append("step/end", here)
        reason = {"kind": "completed"}
        self.session.append("turn/end", {"turn": self._turn, "reason": reason})

    def _answer(self, here: Json, said: str, call: tuple[str, str] | None) -> None:
        pieces = [self._piece(here, piece) for piece in _pieces(said)]
        content = _text(said)
        name = f"call_{self._turn}_{self._step}"
        if call is not None:
            arguments = {"id": name, "name": "read_file", "arguments": call[0]}
            content.append({"type": "tool-call", **arguments})
        message = self._message("assistant", {"kind": "model", **ROUTE}, content)
        usage = {"inputTokens": 40 + 3 * len(said), "outputTokens": len(said) // 4}
        self.session.append(
            "assistant/message",
            {**here, "message": message, "usage": usage},
            surface_op="append",
            source_event_seqs=pieces,
        )
        if call is not None:
            self._called(here, name, *call)

    def _piece(self, here: Json, text: str) -> int:
        chunk = {"type": "text-delta", "index": 0, "text": text}
        seq: int = self.session.append("assistant/chunk", {**here, "chunk": chunk})["seq"]
        return seq

    def _called(self, here: Json, name: str, arguments: str, result: str) -> None:
        called = {**here, "callId": name, "name": "read_file", "arguments": arguments}
        call = self.session.append("tool/call", called)
        block = {"type": "tool-result", "toolCallId": name, "content": _text(result)}
        message = self._message("user", {"kind": "tool", "callId": name}, [block])
        self.session.append(
            "tool/result",
            {**here, "message": message},
            surface_op="append",
            source_event_seqs=[call["seq"]],
        )

    def _message(self, role: str, source: Json, content: list[Json]) -> Json:
        self._said += 1
        own = f"{self.session.id}-{self._said}"
        return {"id": own, "role": role, "content": content, "source": source}


def _text(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]


def _pieces(text: str) -> Iterator[str]:
    words = text.split(" ")
    for at in range(0, len(words), 3):
        yield " " * bool(at) + " ".join(words[at : at + 3])


def _lines(session: Session, start: int = 0) -> list[bytes]:
    """The stored lines of the events from a number on."""
    events = [dict(event) for event in session.events[start:]]
    return [dumps(record) + b"\n" for record in stored_records(events, 0)]


def _header(header: SessionHeader) -> bytes:
    return dumps(header_line(header.to_json())) + b"\n"


def tide_notes() -> Talk:
    """A sound session of two turns."""
    talk = Talk("tide-notes")
    asked = '{"path":"/srv/harbour/tides.txt"}'
    talk.turn(
        "When is high water today?",
        ("I look that up in the table of tides.", (asked, "high 05:12 and 17:40, low 11:27")),
        ("High water is at 05:12 and again at 17:40.", None),
    )
    talk.later(90_000)
    talk.turn("And low water?", ("Low water is at 11:27, between the two.", None))
    return talk


def quay_lights(turns: Iterable[int], later: int) -> Talk:
    """A session whose second turn two programs wrote, each another one: ``turns`` says which."""
    talk = Talk("quay-lights", START)
    asked = '{"path":"/srv/harbour/lamps.txt"}'
    talk.turn(
        "Which lamps on the quay are out?",
        ("I read the list of lamps.", (asked, "3 out, 7 out, all others lit")),
        ("Lamps 3 and 7 are out, all others are lit.", None),
    )
    for turn in turns:
        talk.later(later)
        talk.session.append("session/end-seed", {})
        talk.turn(*_SECOND_TURNS[turn])
    return talk


_SECOND_TURNS: tuple[Any, ...] = (
    ("Write that on the board.", ("The board now says that lamps 3 and 7 are out.", None)),
    ("Order new bulbs.", ("Two bulbs are on the list for the next order.", None)),
)


def examples() -> dict[str, bytes]:
    """The files by their names below the folder."""
    sound = tide_notes().session
    text = b"".join([_header(sound.header), *_lines(sound)])
    latest = b"".join(migrate_log(text, 3).blocks(compressed=False))
    common = quay_lights((), 0).session
    one = _lines(quay_lights([0], 60_000).session, len(common.events))
    other = _lines(quay_lights([1], 61_000).session, len(common.events))
    # Two programs had the session open; the power went when one of them began the next turn.
    begun = dumps({"type": "turn/start", "seq": len(common.events) + len(other)})[:-1]
    damaged = [_header(common.header), *_lines(common), *one, *other, begun]
    return {
        str(log_path(sound.id, CWD)): text,
        str(log_path(sound.id, CWD, version=3)): latest,
        str(log_path(common.id, CWD)): b"".join(damaged),
    }


def write() -> None:
    """All of them, below `FOLDER`."""
    for name, data in examples().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    write()
