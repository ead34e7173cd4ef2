"""The fast check of lines: what it takes, the collecting path finds no fault in."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest

from robota_log_cases import VECTORS
from sesskit.logs.line_blocks import may_overflow
from sesskit.logs.plain_values import is_plain
from sesskit.logs.robota_checking import unsure_lines
from sesskit.logs.robota_line_answer import LineAnswer
from sesskit.logs.robota_line_faults import check_line, converted
from sesskit.logs.robota_lines import LineReader
from sesskit.logs.sidecars import Resolver
from sesskit.schemas.items import REFUSED
from sesskit.schemas.json_position import START
from sesskit.schemas.limits import MAX_DEPTH

LINES = [
    line
    for folder in ("valid", "audit")
    for log in sorted((VECTORS / folder).rglob("*.jsonl"))
    if log.name not in ("input.jsonl", "broken.jsonl", "accepted.jsonl")
    for line in log.read_bytes().split(b"\n")
    if line
]
ODD: list[Any] = [
    None, True, 0, -1, 1.5, 2**63, 10**400, "", "x", "2026-02-30T00:00:00Z", "2026-10-04",
    "2026-10-04T09:15:00", "\ud800", [], {}, [1, "a"], {"kind": "external-payload"},
    {"kind": 1}, {"a": None}, {"a": {"b": "c"}}, "assistant", "future",
]  # fmt: skip


def collected(line: bytes) -> list[str]:
    answer = LineReader(Resolver(None)).collect(line, START)
    return [issue.code for issue in answer.issues]


def is_sure(line: bytes) -> bool:
    return not unsure_lines([line + b"\n"])


def test_sound_lines_are_mostly_sure() -> None:
    assert sum(map(is_sure, LINES)) > 0.9 * len(LINES)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_sure_has_no_fault(seed: int) -> None:
    """Every line with one value swapped, added or removed, or cut, or with a byte flipped."""
    chance = random.Random(seed)
    for line in chance.sample(LINES, 150):
        for bad in (*changed(line, chance), *damaged(line, chance)):
            if is_sure(bad):
                assert collected(bad) == [], bad


@pytest.mark.parametrize("seed", range(4))
def test_what_is_converted_has_no_fault(seed: int) -> None:
    """A line whose sidecars were resolved takes this way past the collecting one."""
    chance = random.Random(seed)
    for line in chance.sample(LINES, 150):
        for bad in (line, *changed(line, chance)):
            value = parsed(bad)
            if Resolver(None).resolve(value)[1]:
                continue
            event = converted(value)
            if event is not REFUSED:
                answer = LineAnswer()
                collected_event, issues = check_line(value, answer)
                assert (collected_event, issues, answer.version) == (event, [], 1), bad


def test_sound_lines_are_mostly_converted() -> None:
    found = [converted(parsed(line)) for line in LINES if b"external-payload" not in line]
    assert sum(event is not REFUSED for event in found) > 0.9 * len(found)


def parsed(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, ValueError):
        return None


def changed(line: bytes, chance: random.Random) -> list[bytes]:
    found = []
    for _ in range(6):
        value = json.loads(line)
        holders = [(value, key) for key in value]
        for holder, key in holders:
            inner = holder[key]
            if isinstance(inner, dict):
                holders += [(inner, name) for name in inner]
            elif isinstance(inner, list):
                holders += [(inner, place) for place in range(len(inner))]
        holder, key = chance.choice(holders)
        match chance.randrange(4):
            case 0 if isinstance(holder, dict):
                del holder[key]
            case 1 if isinstance(holder, dict):
                name = chance.choice(["more", "kind", "sequence", "data", "round", "error"])
                holder[name] = chance.choice(ODD)
            case _:
                holder[key] = chance.choice(ODD)
        text = json.dumps(value, separators=(",", ":"))
        found.append(text.encode("utf-8", "surrogatepass"))
    return found


def damaged(line: bytes, chance: random.Random) -> list[bytes]:
    place = chance.randrange(len(line))
    flipped = bytearray(line)
    flipped[place] ^= 1 << chance.randrange(8)
    tail = b',"event":"user"}'
    return [line[:place], bytes(flipped), line[:place] + tail, line[:-1] + tail, b"{" + tail[1:]]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"x":{"event":"user"},"content":"","event":"user"}', id="unknown member"),
        pytest.param(b'{"content":"","data":",\\"event\\":\\"user\\"}"}', id="tail in a text"),
        pytest.param(b'{"content":"x","event":"user"}', id="no envelope"),
        pytest.param(b'[1,"event":"user"}', id="array"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_the_tail_is_no_proof(line: bytes) -> None:
    assert not is_sure(line)


def event(text: str, name: str) -> bytes:
    envelope = '"schemaVersion":1,"timestamp":"2026-10-04T09:15:00Z","sessionId":"s"'
    return f'{{{text},{envelope},"event":"{name}"}}'.encode()


DEEP = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)


def schema(levels: int) -> str:
    return '{"items":' * levels + "{}" + "}" * levels


def tools(levels: int) -> str:
    nested = schema(levels)
    parameters = f'{{"type":"object","properties":{{"a":{nested}}}}}'
    return f'[{{"name":"t","description":"","parameters":{parameters}}}]'


REFERENCE = '{"kind":"external-payload"}'
INIT = '"cwd":"","systemPromptLength":0,"systemPrompt":"","model":"","provider":"","toolSchemas":'


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (event(f'"tool":"t","args":{{"a":{DEEP}}}', "tool_call"), ["json-depth"]),
        (event(f'"tool":"t","args":{{"a":{DEEP[1:-1]}}}', "tool_call"), []),
        (event(f'"tool":"t","args":{{"a":{"1" * 400}}}', "tool_call"), ["number-overflow"]),
        (event(f'"tool":"t","more":{"1" * 400}', "server_tool"), ["number-overflow"]),
        (event('"tool":"t","more":1e400', "server_tool"), ["number-overflow"]),
        (event(f'"tool":"t","more":{REFERENCE}', "server_tool"), ["payload-reference"]),
        (event(f'{INIT}{tools(40)}', "session_init"), []),
        (event(f'{INIT}{tools(MAX_DEPTH)}', "session_init"), ["json-depth"]),
    ],
)  # fmt: skip
def test_what_msgspec_does_not_look_at(line: bytes, codes: list[str]) -> None:
    assert collected(line) == codes
    if codes:
        assert not is_sure(line)


@pytest.mark.parametrize("shift", [0, 1, 7, 49])
def test_long_numbers(shift: int) -> None:
    for length, answer in ((308, False), (309, True), (5000, True)):
        text = b"x" * (1000 + shift) + b"7" * length + b"y" * 500
        assert may_overflow(text) is answer


def test_plain_values() -> None:
    assert is_plain({"a": [1, {"kind": "other"}, None]})
    assert not is_plain({"a": [{"kind": "external-payload"}]})
    assert not is_plain([10**400])
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    assert not is_plain(deep), "too deep to be sure"
