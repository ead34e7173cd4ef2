"""Writes ``examples/ochat``: invented ochat sessions, sound, old and damaged. The same every time.

Run as a program: ``python tools/ochat_examples.py``; a test compares the files with `examples`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sesskit.records.ochat import encode
from sesskit.records.ochat_session import create
from sesskit.schemas.ochat_items import (
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    InputMessage,
    InputText,
    Item,
    OutputMessage,
    OutputText,
    PlainFunctionCallOutput,
    PlainOutputMessage,
    Reasoning,
    SummaryText,
    TextOutput,
    WebSearchCall,
)
from sesskit.schemas.ochat_moderator import (
    Element,
    IdentitySnapshot,
    ModeratorSnapshot,
    ModeratorState,
    Overlay,
    Replacement,
    Tombstone,
)
from sesskit.schemas.ochat_sessions import (
    Entry,
    Layout,
    SessionV2,
    SessionV3,
    SessionV5,
    Task,
)
from sesskit.schemas.ochat_shell import (
    ApprovalGrant,
    ExactSession,
    InterruptedRequest,
    ManifestGrant,
    PrefixSession,
    Reviewer,
    ShellState,
)
from sesskit.schemas.ochat_values import IntValue, RecordValue, StringValue

FOLDER = Path(__file__).parent.parent / "examples" / "ochat"
PROMPT = "agents/coast.chatmd"
SECOND = 1_000_000_000
CREATED = 1_780_000_000 * SECOND
"""28 May 2026."""
FAR, PAST = 4_070_908_800 * SECOND, 1_780_003_600 * SECOND
"""The year 2099, and an hour after `CREATED`."""


def asked(text: str, role: Any = "User") -> InputMessage:
    return InputMessage(role, [InputText(text, "input_text")], "message")


def told(name: str, text: str) -> OutputMessage:
    content = [OutputText([], text, "output_text")]
    return OutputMessage("Assistant", name, content, "completed", None, "message")


def called(call: str, name: str, arguments: str) -> FunctionCall:
    return FunctionCall(name, arguments, call, "function_call", None, "completed")


def returned(call: str, text: str) -> FunctionCallOutput:
    return FunctionCallOutput(TextOutput(text), call, "function_call_output", None, None)


TALK: list[Item] = [
    asked("You plan trips by train. Write plainly.", "Developer"),
    asked("Plan two days at the coast, from Friday."),
    Reasoning(
        [SummaryText("Trains first, then the tide.", "summary_text")], "reasoning", "rs_1", None
    ),
    called("call_1", "timetable", '{"from":"Hillford","to":"Sandmouth","day":"Friday"}'),
    called("call_2", "tides", '{"place":"Sandmouth","apiKey":"not-a-real-key-0000"}'),
    returned("call_1", "08:12  change at Ashby\n10:40  direct\n15:05  change at Ashby\n"),
    returned("call_2", '{"low":["09:50","22:15"],"high":["03:40","16:05"]}'),
    told("msg_1", "Take the 10:40: it is direct, and the tide is low when you arrive."),
    InputMessage(
        "User",
        [
            InputText("Is this the right hotel?", "input_text"),
            InputImage("https://pictures.example.test/harbour.jpg", "auto", "input_image"),
        ],
        "message",
    ),
    WebSearchCall("web_search_call", "ws_1", "completed"),
    told("msg_2", "Yes, the white house by the harbour. It has rooms for Friday."),
    asked("Book it and put the trains into my calendar."),
    called("call_3", "run", '{"argv":["calendar","add","trains.ics"]}'),
]


def approval(
    name: str, scope: Any, expires: int | None, revoked: int | None = None
) -> ApprovalGrant:
    return ApprovalGrant(
        name, "0" * 64, "shell", "Structured", "1" * 64, "2" * 64, ["calendar", "add"], None,
        "3" * 64, "4" * 64, None, 0, None, scope, None, "demo", None, CREATED, expires, None,
        Reviewer("terminal", None), revoked, None if revoked is None else "no longer needed",
    )  # fmt: skip


SHELL = ShellState(
    [
        ManifestGrant(
            "manifest-1", "0" * 64, "/home/demo/agents", None, "5" * 64, None, None, ["shell"], 1,
            [], [], None, "demo", None, CREATED, FAR, None, None,
        )
    ],
    [
        approval("approval-1", ExactSession(), None),
        approval("approval-2", PrefixSession(["calendar"]), PAST),
        approval("approval-3", ExactSession(), FAR, PAST),
    ],
    [],
    41,
    [
        InterruptedRequest(
            "request-1", "shell", "0" * 64, "Structured", "1" * 64, "calendar add …", "3" * 64,
            ["write"], PAST, "the terminal was closed", 41, True,
        )
    ],
)  # fmt: skip

STATE = RecordValue([("warnings", IntValue(1)), ("mode", StringValue("quiet"))])


def moderated(session_id: str) -> ModeratorState:
    """A script that took the developer's message away."""
    tombstone = Tombstone(f"{len(session_id)}:{session_id}:0", 0)
    return ModeratorState(
        None,
        IdentitySnapshot("quiet", "6" * 32, STATE, [], False, 1, 1, [], [], [], [tombstone], None),
        [],
    )


def coast_trip() -> SessionV5:
    name = "coast-trip"
    history = [Entry(f"{len(name)}:{name}:{n}", item) for n, item in enumerate(TALK)]
    return replace(
        create(PROMPT, session_id=name, local_prompt_copy="prompt.chatmd"),
        history=history,
        next_history_sequence=len(history),
        tasks=[
            Task("task-1", "Choose the train", "Done"),
            Task("task-2", "Book the hotel", "In_progress"),
            Task("task-3", "Pack the tide table", "Pending"),
        ],
        moderator_state=moderated(name),
        shell_state=SHELL,
        kv_store=[("home", "Hillford"), ("api_key", "not-a-real-key-0000")],
    )


def empty(name: str) -> SessionV5:
    return create("agents/choir.chatmd", session_id=name)


def reading_list() -> bytes:
    """A session of autumn 2025: version 2, with the items of that time."""
    content = [OutputText([], "It is on the third shelf.", "output_text")]
    items: list[Any] = [
        asked("Where is the book about moss?"),
        called("call_1", "find", '{"title":"moss"}'),
        PlainFunctionCallOutput("shelf 3, row 2", "call_1", "function_call_output", None, None),
        PlainOutputMessage("Assistant", "msg_1", content, "completed", "message"),
    ]
    tasks = [Task("task-1", "Bring it back", "Pending")]
    old: SessionV2[Any] = SessionV2(
        2, "reading-list", "agents/books.chatmd", None, items, tasks, [("room", "attic")], "vfs"
    )
    return encode(old, Layout(2, "R1"))


def garden() -> bytes:
    """A version 3 whose script changes an item that has a namesake: it cannot be upgraded."""
    replaced = Replacement("msg_1", Element("e1", StringValue("Water the beans.")))
    overlay = Overlay([], [], [replaced], [], None)
    snapshot = ModeratorSnapshot("tidy", "7" * 32, STATE, [], False, overlay)
    items = [asked("What is to do?"), told("msg_1", "Water."), told("msg_1", "Water the beans.")]
    old: SessionV3[Any, Any] = SessionV3(
        3, "garden", "agents/garden.chatmd", None, items, [], snapshot, [], "vfs"
    )
    return encode(old, Layout(3, moderator="M2"))


def wrong_length(data: bytes) -> bytes:
    """The length of a text raised by a flipped bit: it swallows what comes after it."""
    place = data.index(b"timetable") - 1
    return data[:place] + bytes([data[place] ^ 0x40]) + data[place + 1 :]


def doubled_id(session: SessionV5) -> bytes:
    """Two entries under one id, and one that was never given out."""
    history = list(session.history)
    history[3] = replace(history[3], id=history[2].id)
    history[5] = replace(history[5], id="10:coast-trip:99")
    return encode(replace(session, history=history))


def longer_than_needed(data: bytes) -> bytes:
    """A number in a longer form than it needs, and bytes behind the end."""
    length = int.from_bytes(data[:8], "little") + 2
    body = data[8:9].replace(b"\x05", b"\xfe\x05\x00") + data[9:]
    return length.to_bytes(8, "little") + body + b"left over"


def examples() -> dict[str, bytes]:
    """Every file by its path below ``examples/ochat``."""
    sound = encode(coast_trip())
    return {
        "coast-trip.bin": sound,
        "reading-list-v2.bin": reading_list(),
        "garden-v3.bin": garden(),
        "damaged/cut-short.bin": sound[: sound.index(b"10:40  direct")],
        "damaged/wrong-length.bin": wrong_length(sound),
        "damaged/doubled-id.bin": doubled_id(coast_trip()),
        "damaged/left-over.bin": longer_than_needed(sound),
        "store/coast-trip/snapshot.bin": sound,
        "store/choir/snapshot.bin": encode(empty("choir")),
        "store/reading-list/snapshot.bin": reading_list(),
    }


def main() -> None:
    for name, data in examples().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
