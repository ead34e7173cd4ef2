"""Big damaged records are read in parts; the answer is that of reading them as a whole."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from robota_vectors import BASES, Row, edited, name_of, rows
from sesskit.schemas import check_walk, robota_reading, robota_tolerant
from sesskit.schemas.issues import Issue
from sesskit.schemas.outcomes import Decoded
from sesskit.schemas.robota_decode import decode_bare, decode_envelope

Decode = Callable[[bytes], Decoded]


def in_parts(
    monkeypatch: pytest.MonkeyPatch, decode: Decode, data: bytes
) -> tuple[Decoded, Decoded]:
    """The answers of reading in parts and of reading as a whole."""
    monkeypatch.setattr(robota_tolerant, "CUT_FROM_BYTES", 0)
    parts = decode(data)
    monkeypatch.setattr(robota_tolerant, "CUT_FROM_BYTES", 1 << 60)
    return parts, decode(data)


def told(outcome: Decoded) -> list[tuple[str, str, int | None, int | None, int | None]]:
    def one(issue: Issue) -> tuple[str, str, int | None, int | None, int | None]:
        return issue.code, issue.path, issue.offset, issue.line, issue.column

    return sorted(map(one, (i for i in outcome.issues if i.severity == "error")), key=str)


def same(parts: Decoded, whole: Decoded) -> None:
    assert parts.status == whole.status
    assert parts.version == whole.version
    assert parts.original == whole.original
    assert told(parts) == told(whole)


def enveloped(name: str, indent: int | None = None) -> bytes:
    return json.dumps({"schemaVersion": 1, "record": BASES[name]}, indent=indent).encode()


DAMAGES = [
    pytest.param(lambda d: d[: len(d) * 2 // 3], id="cut"),
    pytest.param(lambda d: d[: len(d) * 2 // 3] + b"\0" * 50, id="zero tail"),
    pytest.param(lambda d: d + d, id="twice"),
    pytest.param(lambda d: d + b" {", id="trailing"),
    pytest.param(lambda d: b"\xef\xbb\xbf" + d, id="BOM"),
    pytest.param(lambda d: d.replace(b'"content": "', b'"content": "\x01', 1), id="control"),
    pytest.param(lambda d: d.replace(b'"content": "', b'"content": "\\ud800', 2), id="surrogate"),
    pytest.param(lambda d: d.replace(b'"content": "', b'"content": "\xff', 1), id="utf-8"),
    pytest.param(lambda d: d.replace(b'"role"', b'"role" "x"', 1), id="two strings"),
    pytest.param(lambda d: d.replace(b'"messages": [', b'"messages": [,', 1), id="comma"),
    pytest.param(lambda d: d.replace(b'"messages"', b'"zz": NaN, "messages"', 1), id="NaN"),
    pytest.param(lambda d: d.replace(b'"id"', b'"id": 1, "id"', 3), id="doubled"),
    pytest.param(lambda d: d.replace(b'"schemaVersion": 1', b'"schemaVersion": 2'), id="version 2"),
    pytest.param(
        lambda d: d.replace(b'"schemaVersion": 1,', b"").replace(b"[", b"[\x01", 1), id="none"
    ),
    pytest.param(
        lambda d: d.replace(b'"record"', b'"records"').replace(b"[", b"[\x01", 1), id="other"
    ),
    pytest.param(lambda d: d.replace(b'"state": "complete"', b'"state": \x0b7'), id="two at once"),
    pytest.param(lambda d: d[:40], id="hardly begun"),
]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["small-chat", "tool-calling", "maximal"])
@pytest.mark.parametrize("indent", [None, 2])
def test_damaged(
    damage: Callable[[bytes], bytes],
    name: str,
    indent: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    same(*in_parts(monkeypatch, decode_envelope, damage(enveloped(name, indent))))


@pytest.mark.parametrize("name", ["tool-calling", "maximal"])
def test_bare(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.dumps(BASES[name]).encode()
    same(*in_parts(monkeypatch, decode_bare, data[:-100]))
    same(*in_parts(monkeypatch, decode_bare, data.replace(b'"content": "', b'"content": "\\udead')))


@pytest.mark.parametrize("row", rows("invalid")[::7], ids=name_of)
def test_with_faults_of_shape_too(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    # The lone surrogate makes every fast parser refuse the document as a whole.
    data = json.dumps(edited(row)).encode().replace(b'"cwd": "', b'"cwd": "\\ud800', 1)
    same(*in_parts(monkeypatch, decode_bare, data))


@pytest.mark.parametrize("seed", range(200))
def test_random_damage(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    data = bytearray(enveloped(rng.choice(["small-chat", "tool-calling", "background-tasks"])))
    for _ in range(rng.randrange(1, 3)):
        at = rng.randrange(len(data))
        data[at : at + rng.randrange(4)] = rng.choice(
            [b"", b"\0", b'"', b"}", b",", b"\\", b"[[", b"x"]
        )
    same(*in_parts(monkeypatch, decode_envelope, bytes(data)))


def test_faults_beyond_a_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_walk, "MAX_ISSUES", 3)
    monkeypatch.setattr(robota_reading, "MAX_ISSUES", 3)
    parts = ",".join("7" * 9)
    message = f'{{"role":"user","parts":[{parts}]}}'
    members = f'"messages":[{message},7,7,7],"zz":1'
    data = f'{{"schemaVersion":1,"record":{{{members}}}}}'.encode()
    for thorough in (False, True):
        outcome = decode_envelope(data, thorough=thorough)
        codes = [i.code for i in outcome.issues]
        assert outcome.status == "corrupt"
        assert codes.count("json-unlisted") == 2
        assert any(i.message.startswith("4 further members or elements") for i in outcome.issues)
        assert len(codes) < 12
