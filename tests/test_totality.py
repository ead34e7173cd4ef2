"""Whatever the bytes, the decoder answers, the same each time, with true places."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robota_vectors import BASES, VECTORS
from sesskit.schemas.outcomes import Corrupt, Decoded, Unsupported, Valid
from sesskit.schemas.places import Places
from sesskit.schemas.robota_decode import decode_bare, decode_envelope

SMALL = ("empty", "small-chat", "tool-calling", "loop-goal-plan")
KINDS: list[Any] = [None, True, 0, 1.5, "", "text", [], [1], {}, {"a": 1}]


def holds(data: bytes, *, enveloped: bool = True) -> Decoded:
    """One answer, checked: an outcome, the same again, every place inside the text and true."""
    decode = decode_envelope if enveloped else decode_bare
    outcome = decode(data, thorough=True)
    assert isinstance(outcome, Valid | Corrupt | Unsupported)
    assert decode(data, thorough=True).issues == outcome.issues
    plain = decode(data, keep=False)
    assert plain.status == outcome.status
    assert {i for i in plain.issues if i.severity == "error"} == {
        i for i in outcome.issues if i.severity == "error"
    }
    places = Places(data)
    for issue in outcome.issues:
        assert issue.offset is not None
        assert 0 <= issue.offset <= len(data)
        assert places.position(issue.offset) == (issue.line, issue.column)
    errors = any(issue.severity == "error" for issue in outcome.issues)
    assert errors == isinstance(outcome, Corrupt)
    return outcome


def sample(name: str) -> bytes:
    return (VECTORS / "reencoded" / f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", SMALL)
def test_cut_at_every_byte(name: str) -> None:
    data = sample(name)
    for end in range(len(data)):
        outcome = holds(data[:end])
        assert isinstance(outcome, Corrupt)


@pytest.mark.parametrize("name", SMALL)
def test_every_byte_flipped(name: str) -> None:
    data = sample(name)
    rng = random.Random(7)
    for at in range(len(data)):
        holds(data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :])


def disturbed(value: Any) -> Iterator[Any]:
    """Every node as every kind; every member dropped, doubled under another name, renamed."""
    waiting: list[tuple[Any, Any]] = [(value, key) for key in list(value)]
    while waiting:
        holder, key = waiting.pop()
        inner = holder[key]
        if isinstance(inner, dict):
            waiting.extend((inner, k) for k in inner)
        elif isinstance(inner, list):
            waiting.extend((inner, k) for k in range(len(inner)))
        for kind in KINDS:
            holder[key] = kind
            yield value
        holder[key] = inner
        if isinstance(holder, dict):
            before = dict(holder)
            del holder[key]
            yield value
            holder[key + "_"] = inner
            yield value
            holder[key] = inner
            yield value
            holder.clear()
            holder.update(before)


@pytest.mark.parametrize("name", BASES)
def test_every_node_disturbed(name: str) -> None:
    record = {"schemaVersion": 1, "record": json.loads(json.dumps(BASES[name]))}
    rng = random.Random(3)
    for value in disturbed(record):
        if name == "maximal" and rng.random() > 0.15:  # a seeded share; `make soak` takes all
            continue
        outcome = decode_envelope(json.dumps(value).encode())
        assert isinstance(outcome, Valid | Corrupt | Unsupported)


@pytest.mark.parametrize("name", SMALL)
def test_every_member_doubled_is_said(name: str) -> None:
    text = sample(name).decode()
    lines = text.splitlines()
    doubled = 0
    for n, line in enumerate(lines):
        if line.endswith(",") and '": ' in line and not line.endswith(("{,", "[,")):
            data = "\n".join([*lines[: n + 1], line, *lines[n + 1 :]]).encode()
            outcome = holds(data)
            assert [i.code for i in outcome.issues] == ["duplicate-member"]
            assert outcome.issues[0].line == n + 2
            doubled += 1
    assert doubled > 2


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    holds(data)
    holds(data, enveloped=False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["schemaVersion", "record", "messages", "id", "role", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_any_json(value: Any, enveloped: bool) -> None:
    data = json.dumps({"schemaVersion": 1, "record": value} if enveloped else value).encode()
    holds(data)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"[" * 100_000, id="open"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="closed"),
        pytest.param(b'{"schemaVersion":1,"record":' * 50_000, id="objects"),
        pytest.param(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, id="closed objects"),
    ],
)
def test_deep_nesting(data: bytes) -> None:
    outcome = decode_envelope(data)
    assert isinstance(outcome, Corrupt | Unsupported)


@pytest.mark.parametrize("levels", [512, 600])
@pytest.mark.parametrize("frames", [0, 700])
def test_512_levels_pass_from_any_stack(levels: int, frames: int) -> None:
    record = json.loads(json.dumps(BASES["small-chat"]))
    text = json.dumps({"schemaVersion": 1, "record": record})
    deep = '{"a":' * levels + "1" + "}" * levels
    entry = f'{{"id":"h","timestamp":"2026","category":"c","type":"t","data":{deep}}}'
    data = (text[:-2] + f', "history": [{entry}]}}}}').encode()

    def call(left: int) -> Decoded:
        return call(left - 1) if left else decode_envelope(data)

    assert isinstance(call(frames), Valid)


def test_too_deep_inside_a_record_is_located() -> None:
    text = json.dumps({"schemaVersion": 1, "record": BASES["empty"]})
    deep = "[" * 5_000 + "]" * 5_000
    entry = f'{{"id":"h","timestamp":"2026","category":"c","type":"t","data":{deep}}}'
    outcome = decode_envelope((text[:-2] + f', "history": [{entry}]}}}}').encode())
    assert isinstance(outcome, Corrupt)
    assert [i.code for i in outcome.issues] == ["json-depth"]
    assert outcome.original is None


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'"' + b"x" * 5_000_000 + b'"', id="one string"),
        pytest.param(b'"' * 1_000_000, id="quotes"),
        pytest.param(b"9" * 5_000, id="digits"),
        pytest.param(b"\x00" * 5_000_000, id="NUL"),
        pytest.param(b"\\" * 1_000_000, id="backslashes"),
        pytest.param(
            b'{"schemaVersion":1,"record":{"messages":[' + b"7," * 300_000 + b"7]}}", id="faults"
        ),
    ],
)
def test_long_lines(line: bytes) -> None:
    outcome = decode_envelope(line)
    assert isinstance(outcome, Corrupt | Unsupported)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_fuzzed_for_long(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(5_000):
        data = bytearray(sample(rng.choice(list(BASES))))
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            act = rng.randrange(4)
            if act == 0:
                data[at] ^= 1 << rng.randrange(8)
            elif act == 1:
                del data[at : at + rng.randrange(1, 40)]
            elif act == 2:
                data[at:at] = data[rng.randrange(len(data)) :][: rng.randrange(1, 60)]
            else:
                data[at : at + rng.randrange(1, 30)] = rng.randbytes(rng.randrange(1, 30))
            data = data or bytearray(b" ")
        holds(bytes(data))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["maximal"])
def test_every_byte_of_the_biggest(name: str) -> None:
    data = sample(name)
    for end in range(len(data)):
        holds(data[:end])
        holds(data[:end] + bytes([data[end] ^ 0x20]) + data[end + 1 :])
