"""The bytes round a place of a snapshot: numbers, lengths and tags, never what a text says."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ochat_builders import answered, called, file_of, said, session
from ochat_vectors import DAMAGED, Row, data_of, name_of, raw
from sesskit.records.lookup import Window
from sesskit.records.ochat import decode, encode
from sesskit.records.ochat_bytes import AFTER, BEFORE, windows
from sesskit.schemas.ochat_sessions import SessionV5

EVERYTHING = raw("v5/everything.bin")
SECRET = "SWORDFISH" * 3


def hexadecimal(window: Window) -> str:
    return " ".join(".." if cell is None else f"{cell:02x}" for cell in window.cells)


def around(data: bytes, offset: int) -> str:
    return hexadecimal(windows(data, [offset])[offset])


def test_a_number_with_texts_hidden() -> None:
    data = file_of(said("hi"))
    assert around(data, 8) == "00 00 00 00 00 00 05 04 .. .. .. .."


def test_the_header_is_shown_as_one() -> None:
    window = windows(EVERYTHING, [0])[0]
    assert (window.start, window.size) == (0, 8)
    assert hexadecimal(window) == "e7 1f 00 00 00 00 00 00"


def test_a_long_form_is_shown_whole() -> None:
    data = file_of(said("x" * 300))
    at = data.index(b"\xfe\x2c\x01xxx")
    window = windows(data, [at])[at]
    assert window.size == 3
    assert hexadecimal(window) == ".. .. 00 00 01 00 fe 2c 01 .. .. .."


def test_several_offsets_at_once() -> None:
    data = file_of(said("hi"), answered())
    offsets = [len(data) - 1, 8, 40]
    assert set(windows(data, offsets)) <= set(offsets)
    assert windows(data, []) == {}


@pytest.mark.parametrize("data", [b"", b"abc", b'{"api_key": "hunter2"}', b"\0" * 64])
def test_of_what_is_no_snapshot_no_text_is_shown(data: bytes) -> None:
    for window in windows(data, [0, 3, len(data)]).values():
        assert set(window.cells) <= {None, 0}


def test_where_the_data_ends() -> None:
    data = file_of(called())
    cut = data[:60]
    window = windows(cut, [60]).get(60)
    assert window is None or window.start + len(window.cells) == 60


@pytest.mark.parametrize("row", DAMAGED, ids=name_of)
def test_of_every_damaged_snapshot(row: Row) -> None:
    data = data_of(row)
    offsets = [i.offset for i in decode(data).issues if i.offset is not None]
    for offset, window in windows(data, offsets).items():
        assert max(offset - BEFORE, 0) == window.start
        assert len(window.cells) <= BEFORE + max(AFTER, 9)
        for at, cell in enumerate(window.cells, window.start):
            assert cell in (None, data[at])


def secretive() -> SessionV5:
    """A session whose every long text is the same secret."""
    return session(said(SECRET), answered(SECRET), called(SECRET), name="demo")


def mutated(data: bytes) -> Iterator[bytes]:
    rng = random.Random(5)
    for at in range(8, len(data)):
        yield data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        yield data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        yield data[:at] + data[at + 1 :]


def test_of_a_secret_at_most_a_few_bytes_are_ever_seen() -> None:
    """Damage can turn text into what looks like numbers, but reading soon stops there."""
    data = encode(secretive())
    most = 0
    for bad in mutated(data):
        outcome = decode(bad)
        offsets = [i.offset for i in outcome.issues if i.offset is not None]
        for window in windows(bad, offsets).values():
            run = 0
            for at, cell in enumerate(window.cells, window.start):
                inside = cell is not None and chr(cell) in SECRET and bad[at - 2 : at + 3].isalpha()
                run = run + 1 if inside else 0
                most = max(most, run)
    assert most <= 3
