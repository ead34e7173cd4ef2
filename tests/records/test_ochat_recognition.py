"""Which files are taken for snapshots, and how surely."""

from __future__ import annotations

import struct

import pytest

from ochat_builders import file_of, said
from ochat_vectors import INDEX, name_of, raw
from sesskit.records.format import Options
from sesskit.records.ochat import RECORD, decode
from sesskit.records.ochat_recognition import recognize
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Valid

SOUND = file_of(said())


def _sure(head: bytes, name: str) -> str | None:
    found = recognize(head, name)
    return None if found is None else found.sure


@pytest.mark.parametrize("row", INDEX, ids=name_of)
def test_every_version_is_recognised(row: dict[str, str]) -> None:
    head = raw(f"{row['name']}.bin")[:RECOGNITION_BYTES]
    odd = {"v0/ambiguous_v1", "v1/empty_id"}  # ids of one byte that no person wrote
    assert _sure(head, "/s/a/snapshot.bin") in ("certain", "likely")
    sure = _sure(head, "")
    assert sure is None if row["name"] in odd else sure in ("certain", "likely")


@pytest.mark.parametrize(
    ("head", "name", "sure"),
    [
        pytest.param(SOUND, "", "certain", id="by content"),
        pytest.param(SOUND[:40], "x.bin", "certain", id="cut"),
        pytest.param(SOUND[:20], "x.bin", "guess", id="cut in its prompt"),
        pytest.param(b"", "/s/snapshot.bin", "likely", id="by name"),
        pytest.param(b"?" * 99, "/s/archive/20260304-0900.snapshot.bin", "likely", id="archived"),
        pytest.param(b"?" * 99, "/s/archive/20260304-0900-2.snapshot.bin", "likely", id="again"),
        pytest.param(b"", "a.bin", "guess", id="empty"),
        pytest.param(bytes(64), "a.bin", "guess", id="zeros"),
        pytest.param(b"\x40" + bytes(7) + b"\xff\xfe\xfd", "a.bin", "guess", id="damaged"),
        pytest.param(b"some text that is no snapshot", "a.bin", None, id="text"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(64), "a.bin", None, id="another format"),
        pytest.param(b'{"id": "s-1"}', "a.json", None, id="json"),
        pytest.param(b"", "", None, id="nothing"),
        pytest.param(bytes(64), "a.json", None, id="zeros of another name"),
        pytest.param(SOUND[:8], "", None, id="a header alone"),
    ],
)
def test_recognition(head: bytes, name: str, sure: str | None) -> None:
    assert _sure(head, name) == sure


@pytest.mark.parametrize(
    ("payload", "sure"),
    [
        (b"\x06\x04demo\x01p", "likely"),
        (b"\x06\x04\x00\x01\x02\x03\x01p", None),
        (b"\x04demo\xfe\x03\x00abc", "likely"),
        (b"\x04demo\xfd\x03\x00\x00\x00abc", "likely"),
        (b"\x04demo\xfc" + bytes(9), None),
        (b"\x04demo\x02\xff\xff", None),
    ],
)
def test_by_two_texts(payload: bytes, sure: str | None) -> None:
    assert _sure(struct.pack("<q", len(payload)) + payload, "") == sure


def test_each_answer_says_why() -> None:
    for name in ("snapshot.bin", "a.bin"):
        for head in (SOUND, b""):
            found = recognize(head, name)
            assert found is not None
            assert found.why


def test_the_registry_entry_decodes() -> None:
    assert (RECORD.name, RECORD.versions) == ("ochat-record", (0, 1, 2, 3, 4, 5))
    assert RECORD.decode(SOUND, Options()) == decode(SOUND)
    dropped = RECORD.decode(SOUND, Options(keep=False))
    assert isinstance(dropped, Valid)
    assert (dropped.value, dropped.version) == (None, 5)
    assert RECORD.decode(b"", Options(keep=False)) == decode(b"")
