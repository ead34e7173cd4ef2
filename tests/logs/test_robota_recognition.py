"""Recognising Robota logs and prompt histories, and checking a history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robota_log_cases import VECTORS
from sesskit.logs.formats import examine, recognize
from sesskit.logs.prompt_history import Prompt
from sesskit.logs.prompt_history_check import check_history, read_history_file
from sesskit.records.format import Options
from sesskit.schemas.outcomes import Corrupt, Missing, Unreadable, Valid

LOGS = sorted([*VECTORS.rglob("audit/**/*.jsonl"), *VECTORS.rglob("valid/*/log/**/*.jsonl")])
TABLES = ("broken.jsonl", "accepted.jsonl")
OLD = b'{"timestamp":"2026-08-01T00:00:00.000Z","sessionId":"s","event":"user","content":"x"}\n'
PROMPT = b'{"at":"2026-01-01T00:00:00Z","sessionId":"s","project":"/p","text":"t"}\n'


@pytest.mark.parametrize(
    "log", [log for log in LOGS if log.name not in TABLES], ids=lambda log: log.stem
)
def test_logs_are_recognised(log: Path) -> None:
    found = examine(log)
    assert (found.format, found.status) == ("robota-log", "valid")
    assert found.recognition is not None
    assert found.recognition.sure == "certain"
    cut = recognize(log.read_bytes()[:4000], "")
    assert cut is not None
    assert cut.entry.name == "robota-log"


@pytest.mark.parametrize(
    ("head", "name", "expected", "sure"),
    [
        (OLD, "", "robota-log", "likely"),
        (b"{broken\n\0\0\n" + OLD, "", "robota-log", "likely"),
        (b'{"cwd":"/x","systemPromptLength":5,"systemPrompt":"xxx', "", "robota-log", "likely"),
        (OLD.replace(b"user", b"future"), "", None, ""),
        (OLD.replace(b"user", b"new", 1).replace(b"{", b'{"schemaVersion":1,', 1), "",
         "robota-log", "likely"),
        (b"", "/x/s.jsonl", "robota-log", "guess"),
        (b"\0" * 100, "/x/s.jsonl", "robota-log", "guess"),
        (b"", "/x/s.txt", None, ""),
        (PROMPT, "", "robota-history", "certain"),
        (b"broken\n" + PROMPT * 2, "", "robota-history", "certain"),
        (b"[1]\n[2]\n" + PROMPT, "", "robota-history", "likely"),
        (b'{"a":1}\n', "/x/s.jsonl", None, ""),
        (b"plain text\n", "", None, ""),
    ],
)  # fmt: skip
def test_beginnings(head: bytes, name: str, expected: str | None, sure: str) -> None:
    found = recognize(head, name)
    assert (found.entry.name if found else None) == expected
    assert found is None or found.recognition.sure == sure


def test_a_history_is_checked_line_by_line(tmp_path: Path) -> None:
    data = PROMPT + b"\n" + b"{}\n" + b"  \n" + b"[1]\n" + b'{"at":1}\n' + PROMPT
    outcome = check_history(data)
    assert isinstance(outcome, Corrupt)
    assert {(i.line, i.path, i.code) for i in outcome.issues} == {
        *((3, name, "member-missing") for name in ("at", "sessionId", "project", "text")),
        (4, "", "json-empty"),
        (5, "", "type"),
        (6, "at", "type"),
        *((6, name, "member-missing") for name in ("sessionId", "project", "text")),
    }
    assert outcome.original is not None
    assert outcome.original.verdict == "accept-with-repair"
    (tmp_path / "h.jsonl").write_bytes(data)
    assert read_history_file(tmp_path / "h.jsonl") == outcome
    assert examine(tmp_path / "h.jsonl").outcome.issues == outcome.issues


def test_a_sound_history() -> None:
    data = PROMPT + PROMPT.replace(b"{", b'{"more":[1],', 1)
    outcome = check_history(data)
    assert isinstance(outcome, Valid)
    assert outcome.value == [Prompt("2026-01-01T00:00:00Z", "s", "/p", "t")] * 2
    assert check_history(data, Options(keep=False)).status == "valid"
    doubled = PROMPT.replace(b"{", b'{"text":"a",', 1)
    assert [i.code for i in check_history(doubled, Options(thorough=True)).issues] == [
        "duplicate-member"
    ]


@pytest.mark.parametrize("tail", [b"{", b"\0" * 9, bytes(3 * 1024 * 1024)])
def test_a_cut_history(tail: bytes) -> None:
    outcome = check_history(PROMPT + tail)
    assert isinstance(outcome, Corrupt)
    assert [i.line for i in outcome.issues] == [2]


def test_histories_that_cannot_be_read(tmp_path: Path) -> None:
    assert isinstance(read_history_file(tmp_path / "none"), Missing)
    assert isinstance(read_history_file(tmp_path), Unreadable)
    assert isinstance(read_history_file(tmp_path / "a\0b"), Unreadable)


@pytest.mark.parametrize("ending", [b"\n", b"\n{}\n", b""])
def test_a_first_line_longer_than_what_is_looked_at(tmp_path: Path, ending: bytes) -> None:
    messages = [{"role": "user", "content": "x" * 200} for _ in range(1000)]
    line = json.dumps(
        {
            "executionId": "e",
            "round": 1,
            "messages": messages,
            "schemaVersion": 1,
            "timestamp": "2026-10-04T09:15:00.000Z",
            "sessionId": "s",
            "event": "provider_request",
        },
        separators=(",", ":"),
    ).encode()
    path = tmp_path / "s.jsonl"
    path.write_bytes(line + ending)
    assert examine(path).format == "robota-log"
    assert examine(line + ending).format == "robota-log"
    path.write_bytes(b"[" + line)
    assert examine(path).status == "unrecognized"
