"""The prompt history file: read backwards, searched, written."""

from __future__ import annotations

import base64
import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robota_log_cases import VECTORS, rows
from sesskit.logs import prompt_history
from sesskit.logs.prompt_history import (
    Prompt,
    append_prompt,
    prompt_line,
    read_history,
    read_prompt,
)
from sesskit.logs.prompt_history_check import check_history


def set_up(row: dict[str, Any], folder: Path) -> Path:
    path = folder / "history.jsonl"
    data = base64.b64decode(row.get("base64", ""))
    match row["setup"]:
        case "missing-parent":
            return folder / "none" / "history.jsonl"
        case "directory":
            path.mkdir()
        case "symlink":
            (folder / "real").write_bytes(data)
            path.symlink_to("real")
        case "dangling":
            path.symlink_to("none")
        case "parent-file":
            path.write_bytes(b"")
            return path / "history.jsonl"
        case "file":
            path.write_bytes(data)
    return path


def plain(prompt: Prompt) -> dict[str, str]:
    return {
        "at": prompt.at,
        "sessionId": prompt.session_id,
        "project": prompt.project,
        "text": prompt.text,
    }


@pytest.mark.parametrize("row", rows("prompt-history/read.jsonl"), ids=lambda row: row["id"])
def test_answers_of_the_original(row: dict[str, Any], tmp_path: Path) -> None:
    path = set_up(row, tmp_path)
    expect = row["expect"]
    if expect["outcome"] != "ok":
        number = getattr(errno, expect["errno"])
        with pytest.raises(OSError, match=rf"\[Errno {number}\]"):
            list(read_history(path, block_bytes=row["blockBytes"]))
        return
    blocks = list(read_history(path, block_bytes=row["blockBytes"]))
    prompts = [prompt for block in blocks for prompt in block.prompts]
    assert sum(block.skipped for block in blocks) == expect["skippedLines"]
    if "entries" in expect:
        assert [plain(prompt) for prompt in prompts] == expect["entries"]
    else:
        texts = expect["texts"]
        found = [
            p.text if isinstance(t, str) else len(p.text)
            for p, t in zip(prompts, texts, strict=True)
        ]
        assert found == texts


LINE = st.one_of(
    st.builds(
        lambda text: json.dumps({"at": "a", "sessionId": "s", "project": "p", "text": text}),
        st.text(max_size=30),
    ),
    st.sampled_from(
        ["", " ", "{}", "[]", "\r", "{", "}", '{"at":"a"} {"at":"b"}', "\0\0", "1e999"]
    ),
    st.text(alphabet='{}"[],: atx\\\r', max_size=12),
)


@given(lines=st.lists(LINE, max_size=12), ended=st.booleans(), size=st.integers(1, 200))
@settings(max_examples=100, deadline=None)
def test_blocks_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ended: bool, size: int
) -> None:
    """Every block size gives what reading line by line gives."""
    path = tmp_path_factory.mktemp("history") / "h"
    data = "\n".join(lines).encode() + (b"\n" if ended else b"")
    path.write_bytes(data)
    single = [read_prompt(line) for line in data.split(b"\n") if line]
    blocks = list(read_history(path, block_bytes=size))
    assert [p for block in blocks for p in block.prompts] == [p for p in reversed(single) if p]
    assert sum(block.skipped for block in blocks) == single.count(None)


def test_a_line_without_end_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_history, "MAX_LINE_BYTES", 1000)
    path = tmp_path / "h"
    first = b'{"at":"a","sessionId":"s","project":"p","text":"t"}\n'
    path.write_bytes(first + b'{"at":"' + b"x" * 5000 + b'"}\n' + first)
    blocks = list(read_history(path, block_bytes=100))
    assert sum(len(block.prompts) for block in blocks) == 2
    assert sum(block.skipped for block in blocks) == 1


def test_writing(tmp_path: Path) -> None:
    expect = json.loads((VECTORS / "prompt-history" / "write.json").read_text(encoding="utf-8"))
    root = tmp_path / "home"
    root.mkdir(mode=0o755)
    path = root / "inner" / "history.jsonl"
    for entry in expect["appended"]:
        append_prompt(path, entry, owned_root=root)
    assert path.read_bytes() == expect["bytes"].encode()
    for name, found in [("file", path), ("directory", path.parent), ("ownedRoot", root)]:
        assert f"{stat.S_IMODE(found.stat().st_mode):o}" == expect["modes"][name]


def test_writing_after_a_torn_tail(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b'{"at":"torn')
    append_prompt(path, {"at": "a", "sessionId": "s", "project": "p", "text": "t"})
    blocks = list(read_history(path))
    assert [p.text for block in blocks for p in block.prompts] == ["t"]
    assert sum(block.skipped for block in blocks) == 1


def test_a_fifo_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "h")
    with pytest.raises(OSError, match="Invalid"):
        list(read_history(tmp_path / "h"))


WHOLE = prompt_line(Prompt("2026-06-12T05:32:08.000Z", "s", "/p", "t")).rstrip()


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        (b'{"at":"2026', [("line-cut", 2, 12)]),
        (
            b'{"at":"2026-06-12T05:32:08.000Z"}',
            [("member-missing", 2, 1)] * 3 + [("line-unended", 2, 1)],
        ),
        (WHOLE, [("line-unended", 2, 1)]),
    ],
)
def test_the_last_line_is_cut_where_it_ends(tail: bytes, expected: list[Any]) -> None:
    found = check_history(WHOLE + b"\n" + tail).issues
    assert [(i.code, i.line, i.column) for i in found] == expected
