"""Searching the prompt history, and writing it anew."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sesskit.logs.prompt_history import Prompt, prompt_line, read_history
from sesskit.logs.prompt_search import (
    Wanted,
    rebuild_history,
    search_history,
    summarize_history,
)
from sesskit.schemas.instants import parse_instant

PROMPTS = [
    Prompt("2026-01-01T00:00:00.000Z", "s1", "/srv/harbour", "When does the Ferry leave?"),
    Prompt("2026-01-02T00:00:00.000Z", "s2", "/srv/harbour/docks", 'a "quoted" path\\to/it'),
    Prompt("2026-01-03T00:00:00.000Z", "s1", "/srv/harbour-two", "300 \u212a and \u0130stanbul"),
    Prompt("yesterday", "s3", "/srv/harbour", "gr\u00fc\u00dfe, ferry"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    lines = [prompt_line(prompt) for prompt in PROMPTS]
    escaped = b'{"at":"","sessionId":"s9","project":"/x","text":"\\u0066erry \\u2028"}\n'
    path.write_bytes(b"".join([*lines[:2], b"broken\n", *lines[2:], escaped]))
    return path


def found(path: Path, **wanted: Any) -> list[str]:
    blocks = list(search_history(path, Wanted(**wanted)))
    assert sum(block.skipped for block in blocks) == 1, "bad lines are counted by every search"
    return [prompt.session_id for block in blocks for prompt in block.prompts]


@pytest.mark.parametrize(
    ("wanted", "sessions"),
    [
        ({}, ["s9", "s3", "s1", "s2", "s1"]),
        ({"text": "ferry"}, ["s9", "s3", "s1"]),
        ({"text": "FERRY"}, ["s9", "s3", "s1"]),
        ({"text": "Ferry", "exact_case": True}, ["s1"]),
        ({"text": "f.rry", "pattern": True}, ["s9", "s3", "s1"]),
        ({"text": "f.rry", "pattern": True, "exact_case": True}, ["s9", "s3"]),
        ({"text": '"quoted"'}, ["s2"]),
        ({"text": "path\\to/it"}, ["s2"]),
        ({"text": "300 k"}, ["s1"]),
        ({"text": "i\u0307stan"}, ["s1"]),
        ({"text": "GR\u00dc\u00dfE"}, ["s3"]),
        ({"text": "\u2028"}, ["s9"]),
        ({"text": "nowhere"}, []),
        ({"session": "s1"}, ["s1", "s1"]),
        ({"project": "/srv/harbour"}, ["s3", "s2", "s1"]),
        ({"project": "/srv/harbour/"}, ["s2"]),
        ({"since": parse_instant("2026-01-02T00:00:00Z")}, ["s1", "s2"]),
        ({"until": parse_instant("2026-01-02T00:00:00Z")}, ["s1"]),
    ],
)
def test_what_is_wanted(path: Path, wanted: dict[str, Any], sessions: list[str]) -> None:
    assert found(path, **wanted) == sessions


@given(
    text=st.text(alphabet='aAkKzZ "\\/\u212a\u0130\u017f\u00e9\u00c9\x07', max_size=8),
    needle=st.text(alphabet='aAkKzZ "\\/i\u0307\u212a\u00e9\x07', max_size=3),
    exact=st.booleans(),
    ascii_only=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_the_quick_look_is_never_a_false_no(
    text: str, needle: str, exact: bool, ascii_only: bool
) -> None:
    wanted = Wanted(text=needle, exact_case=exact)
    line = json.dumps({"text": text}, ensure_ascii=ascii_only).encode()
    if wanted.fits(Prompt("", "", "", text)):
        assert wanted.may_fit(line)


def test_a_bad_pattern(path: Path) -> None:
    with pytest.raises(re.error):
        found(path, text="(", pattern=True)


def test_missing_is_empty(tmp_path: Path) -> None:
    assert list(search_history(tmp_path / "none", Wanted())) == []
    assert summarize_history(tmp_path / "none", "project") == ([], 0)


def test_summaries(path: Path) -> None:
    projects, skipped = summarize_history(path, "project")
    assert skipped == 1
    assert [(s.name, s.count) for s in projects] == [
        ("/x", 1),
        ("/srv/harbour", 2),
        ("/srv/harbour-two", 1),
        ("/srv/harbour/docks", 1),
    ]
    sessions, _ = summarize_history(path, "session_id")
    assert [(s.name, s.first, s.last) for s in sessions][2] == (
        "s1",
        "2026-01-01T00:00:00.000Z",
        "2026-01-03T00:00:00.000Z",
    )


def test_rebuilding(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    assert rebuild_history(path, [*reversed(PROMPTS), PROMPTS[0]]) == 4
    (block,) = read_history(path)
    assert list(block.prompts) == [PROMPTS[2], PROMPTS[1], PROMPTS[0], PROMPTS[3]]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
