"""Totality: whatever the bytes are, one of the outcomes, with places inside the file."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ochat_values import values
from ochat_vectors import INDEX, raw
from sesskit.records.ochat import decode, encode, export_json, import_json, migrate_snapshot
from sesskit.records.ochat_inspect import summary
from sesskit.records.ochat_recognition import recognize
from sesskit.records.ochat_rules import broken_rules
from sesskit.records.ochat_view import view
from sesskit.schemas.binprot import MAX_BINARY_FAULTS
from sesskit.schemas.ochat_sessions import SessionV5, layouts_of, type_of
from sesskit.schemas.outcomes import Corrupt, Unsupported, Valid

SEEDS = [data for row in INDEX if len(data := raw(f"{row['name']}.bin")) < 10_000]


def held(data: bytes) -> None:
    """Everything that must hold for any bytes."""
    outcome = decode(data)
    errors = [issue for issue in outcome.issues if issue.severity == "error"]
    assert isinstance(outcome, Valid | Corrupt | Unsupported)
    assert bool(errors) == isinstance(outcome, Corrupt)
    for issue in outcome.issues:
        assert issue.offset is not None
        assert 0 <= issue.offset <= len(data)
        assert issue.path is not None
    if isinstance(outcome, Valid):
        migration = migrate_snapshot(data)
        assert (migration.data is None) == (outcome.value.refusal is not None)
        again = encode(outcome.value.session, outcome.value.layout)
        overlong = {issue.code for issue in outcome.issues} & {"number-overlong"}
        assert overlong or again == data[: outcome.value.end]


def looked_at(data: bytes) -> None:
    """The rest of what reads bytes."""
    recognize(data, "x.bin")
    seen = view(data)
    assert all(mark.ref.end <= len(data) for mark in seen.marks)
    outcome = decode(data)
    if isinstance(outcome, Valid):
        told = summary(data)
        assert told is not None
        assert told.version == outcome.version
        back = import_json(export_json(outcome.value))
        assert isinstance(back, Valid)
        assert back.value.session == outcome.value.session


def mutated(chance: random.Random) -> bytes:
    """A snapshot with a few bytes flipped, cut, doubled, moved or set to odd codes."""
    data = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data)) if data else 0
        kind = chance.randrange(7)
        if kind == 0 and data:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at : at + 1] = bytes(
                [chance.choice((0, 1, 5, 0x7F, 0x80, 0xFC, 0xFD, 0xFE, 0xFF))]
            )
        elif kind == 2:
            del data[at : at + chance.randrange(1, 9)]
        elif kind == 3:
            data[at:at] = data[at : at + chance.randrange(1, 20)]
        elif kind == 4:
            data[at:at] = chance.randbytes(chance.randrange(1, 9))
        elif kind == 5:
            del data[at:]
        else:
            data[8:9] = bytes([chance.randrange(8)])
    if chance.random() < 0.7 and len(data) >= 8:  # so that the frame does not hide the rest
        data[:8] = struct.pack("<q", len(data) - 8)
    return bytes(data)


def many(seed: int, count: int) -> Iterator[bytes]:
    chance = random.Random(seed)
    return (mutated(chance) for _ in range(count))


def test_a_share_of_mutated_snapshots() -> None:
    for data in many(1, 2_000):
        held(data)
    for data in many(2, 300):
        looked_at(data)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_thousand_mutated_snapshots(seed: int) -> None:
    for data in many(100 + seed, 10_000):
        held(data)
    for data in many(200 + seed, 1_000):
        looked_at(data)


@pytest.mark.parametrize("name", ["v5/chat", "v3/mod_min", "v2/r1_chat", "v0/chat", "v4/empty"])
def test_cut_at_every_byte_and_every_byte_changed(name: str) -> None:
    data = raw(f"{name}.bin")
    for at in range(len(data)):
        held(data[:at])
        held(data[:8] + data[9 : at + 9])
        for byte in (data[at] ^ 0x01, data[at] ^ 0x80, 0xFE, 0x00):
            held(data[:at] + bytes([byte]) + data[at + 1 :])


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    held(data)
    held(struct.pack("<q", len(data)) + data)
    held(struct.pack("<q", len(data) + 1) + b"\5" + data)
    looked_at(data)


@given(values(type_of(layouts_of(5)[0])))
def test_version_5_values(made: SessionV5) -> None:
    made = SessionV5(5, *[getattr(made, name) for name in made.__struct_fields__[1:]])
    data = encode(made)
    outcome = decode(data)
    if broken_rules(made):
        assert isinstance(outcome, Corrupt)
    else:
        assert isinstance(outcome, Valid)
        assert outcome.value.session == made
        assert encode(outcome.value.session) == data
        assert migrate_snapshot(data).data == data


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"\5\1a\1p\0" + b"\xfc" + b"\xff" * 7 + b"\x3f", id="history of 2^62-1"),
        pytest.param(b"\5\1a\xfc" + b"\xff" * 6 + b"\0\1", id="text of 2^56"),
        pytest.param(b"\5\1a\1p\0\0\0\0\0\0\1\1k" + b"\5\1" * 100_000, id="100,000 levels"),
        pytest.param(b"\5\1a\1p\0\0\0\0\0\0\1\1k" + b"\6\1\1k" * 100_000, id="100,000 names"),
        pytest.param(b"\5" * 1_000_000, id="a million fives"),
        pytest.param(bytes(1_000_000), id="a million zeros"),
    ],
)
def test_hostile_claims_cost_nothing(payload: bytes) -> None:
    held(struct.pack("<q", len(payload)) + payload)
    view(struct.pack("<q", len(payload)) + payload)


def test_faults_without_end_are_bounded() -> None:
    texts = b"\xfe\0\0" * (MAX_BINARY_FAULTS + 9)
    count = b"\xfd" + struct.pack("<I", MAX_BINARY_FAULTS + 9)
    search = b"\7\x10file_search_call\0\0" + count + texts + b"\0"
    payload = b"\5\4demo\1p\0" + b"\2" + b"\x08" + b"4:demo:0" + search
    payload += b"\x08" + b"4:demo-0" + b"\6\x0fweb_search_call\0\0"
    payload += b"\2\0" + bytes(3) + bytes(5) + b"\0\3vfs"
    outcome = decode(struct.pack("<q", len(payload)) + payload)
    assert isinstance(outcome, Corrupt)
    codes = Counter(issue.code for issue in outcome.issues)
    assert codes == {"number-overlong": MAX_BINARY_FAULTS, "history-id": 1, "faults-unlisted": 1}
