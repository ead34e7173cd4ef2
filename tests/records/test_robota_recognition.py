"""Recognising Robota records by their beginning: whole, in any order, damaged, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robota_vectors import VALID
from sesskit.records.robota_recognition import MENTIONED, bare, enveloped

BARE = json.loads(VALID[0].read_bytes())


def text(value: object) -> bytes:
    return json.dumps(value, indent=2).encode()


ENVELOPED = [
    pytest.param(text({"schemaVersion": 1, "record": BARE}), "certain", id="as-written"),
    pytest.param(text({"record": BARE, "schemaVersion": 1}), "certain", id="other-order"),
    pytest.param(b'{"schemaVersion":99,"record":null}', "certain", id="other-version"),
    pytest.param(b'{"schemaVersion":"1","record":{}}', "certain", id="version-text"),
    pytest.param(b'{"schemaVersion":1,"record":{"id":"a', "certain", id="cut"),
    pytest.param(b'{"schemaVersion":1,"record":{}}{"a":1}', "certain", id="glued"),
    pytest.param(b'\xef\xbb\xbf{"schemaVersion":1,"record":{}}', "likely", id="bom"),
    pytest.param(b'garbage {"schemaVersion":1,"record":{}}', "likely", id="garbage-in-front"),
    pytest.param(b'}{ {"schemaVersion":1,"record":{"id":', "likely", id="braces-in-front"),
    pytest.param(b"\0" * 50 + b'{"schemaVersion":1,"record":{}}', "likely", id="nul-in-front"),
    pytest.param(b'{"record":{"id":"a","cwd":"b","messages":[]}}', "likely", id="no-version"),
    pytest.param(b'{"record":{"name":"a","messages":[{"role":"us', "likely", id="version-beyond"),
    pytest.param(text({"schemaVersion": 1, **BARE}), "likely", id="version-inside"),
    pytest.param(b'{"schemaVersion": 1}', "guess", id="no-record"),
    pytest.param(b'{"schemaVersion": 1,', "guess", id="cut-behind-version"),
    pytest.param(b'{ "schem', "guess", id="cut-in-first-name"),
    pytest.param(b"{", "guess", id="brace"),
    pytest.param(b"", "guess", id="empty"),
    pytest.param(b"\0" * 4096, "guess", id="nul-filled"),
    pytest.param(b" \r\n\t", "guess", id="blanks"),
    pytest.param(b"\xef\xbb\xbf\n", "guess", id="byte-order-mark-and-blanks"),
]


@pytest.mark.parametrize(("head", "sure"), ENVELOPED)
def test_enveloped(head: bytes, sure: str) -> None:
    found = enveloped(head, "/srv/store/a.json")
    assert found is not None
    assert found.sure == sure
    assert found.why


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"{}", id="empty-object"),
        pytest.param(b"[]", id="array"),
        pytest.param(b"hello", id="text"),
        pytest.param(b'{"name":"x","version":"1"}', id="package"),
        pytest.param(b'{"schemaVersion":2,"mediaType":"a","config":{}}', id="image-manifest"),
        pytest.param(b'{"record":{"a":1}}', id="other-record"),
        pytest.param(text(BARE), id="bare"),
        pytest.param(
            b'{"type":"x","schemaVersion":1,"timestamp":"t","sessionId":"s","event":"user"}\n',
            id="log-line",
        ),
    ],
)
def test_not_enveloped(head: bytes) -> None:
    assert enveloped(head, "/srv/store/a.json") is None


MENTIONING = [
    pytest.param(b'# Records\n\nA file is `{"schemaVersion": 1, "record": {"id": ', id="markdown"),
    pytest.param(b'# Records\n\n    {"schemaVersion": 1,\n     "record": {}}\n', id="whole"),
    pytest.param(b'import json\nX = {}\nY = {"schemaVersion": 1, "record": {}}\n', id="python"),
    pytest.param(b'A long introduction. {"record":{"id":"a","cwd":"b","messages":[]}}', id="part"),
]


@pytest.mark.parametrize("head", MENTIONING)
def test_a_text_that_speaks_of_a_record_is_a_guess_at_most(head: bytes) -> None:
    assert enveloped(head, "/srv/a.json") in (None, MENTIONED)
    assert bare(b"A long introduction. " + text(BARE), "/srv/a.json") == MENTIONED


def test_a_list_of_records_is_none() -> None:
    cases = text({"cases": [{"schemaVersion": 1, "record": BARE}] * 300})
    assert enveloped(cases[:50_000], "/srv/a.json") is None
    assert bare(cases[:50_000], "/srv/a.json") is None


@pytest.mark.parametrize("head", [b"", b"\0\0", b" \n\t", b"{", b'{"sch'])
def test_next_to_nothing_counts_by_its_name_only(head: bytes) -> None:
    assert enveloped(head, "/srv/a.txt") is None
    assert enveloped(head, "") is None


def without(*names: str) -> dict[str, object]:
    return {name: value for name, value in BARE.items() if name not in names}


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        pytest.param(text(BARE), "certain", id="as-written"),
        pytest.param(text(dict(reversed(BARE.items()))), "certain", id="other-order"),
        pytest.param(text(without("cwd")), "likely", id="one-missing"),
        pytest.param(text(without("createdAt", "updatedAt")), "likely", id="no-times"),
        pytest.param(text(BARE)[:-20], "certain", id="cut"),
        pytest.param(b'{"messages":[{"role":"user","content":"hello', "guess", id="messages-cut"),
    ],
)
def test_bare(head: bytes, sure: str) -> None:
    found = bare(head, "/srv/a.json")
    assert found is not None
    assert found.sure == sure


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="array"),
        pytest.param(b'{"id":"a","createdAt":"b","updatedAt":"c"}', id="some-other-thing"),
        pytest.param(b'{"model":"m","messages":[]}', id="request"),
        pytest.param(b'{"messages":[]}', id="messages-only"),
        pytest.param(text({"schemaVersion": 1, "record": BARE}), id="enveloped"),
    ],
)
def test_not_bare(head: bytes) -> None:
    assert bare(head, "/srv/a.json") is None


def test_bare_after_a_byte_order_mark() -> None:
    found = bare(b"\xef\xbb\xbf" + text(BARE), "")
    assert found is not None
    assert found.sure == "likely"


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_every_cut_of_a_record_is_recognised(path: Path) -> None:
    record = json.loads(path.read_bytes())
    whole = text({"schemaVersion": 1, "record": record})
    for end in range(0, len(whole), max(1, len(whole) // 200)):
        assert enveloped(whole[:end], "/srv/a.json") is not None
