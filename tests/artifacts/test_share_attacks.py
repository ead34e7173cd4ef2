"""What people do to secrets, in the sessions of every format that can be shared."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_secrets import Fake
from robota_share_logs import ROUND, Log, message, mutation, session_init
from sesskit.artifacts.share import Share, Wishes, share_data
from sesskit.artifacts.share_dsh import opened
from sesskit.artifacts.share_formats import share_format
from sesskit.records.ochat import import_json, snapshot_bytes
from sesskit.schemas.outcomes import Valid

DATA = Path(__file__).parents[1] / "data"


def _texts() -> dict[str, tuple[str, list[str]]]:
    """The texts of the attacks on plain documents."""
    place = Path(__file__).with_name("test_attacks.py")
    spec = importlib.util.spec_from_file_location("attacks_on_texts", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, tuple[str, list[str]]] = module.TEXTS
    return found


TEXTS = _texts()
fake = Fake(81)
TOKEN = fake.github()
PASSWORD = "Zq7" + fake.letters(11)


def shared(kind: str, path: Path, wishes: Wishes | None = None) -> Share:
    adapter = share_format(kind)
    assert adapter is not None
    data = path.read_bytes()
    return share_data(path.name, data, kind, wishes or Wishes(), list(adapter.family(path, data)))


def record(folder: Path, *texts: str) -> Path:
    source = DATA / "robota-record" / "vectors" / "reencoded" / "small-chat.json"
    value = json.loads(source.read_bytes())
    first = value["record"]["messages"][0]
    value["record"]["messages"] = [
        {**first, "id": f"m{number}", "content": text} for number, text in enumerate(texts)
    ]
    path = folder / "s.json"
    path.write_text(json.dumps(value, indent=2))
    return path


def log(folder: Path, *texts: str) -> Path:
    made = session_init(Log(folder))
    for number, text in enumerate(texts):
        said = message("user", text)
        mutation(made, made.spilled(said) if number % 2 else said, number)
    return made.write()


def dsh(folder: Path, *texts: str) -> Path:
    source = DATA / "dsh-log" / "vectors" / "valid" / "chat-small-zstd" / "session.jsonl.zstd"
    lines = [json.loads(line) for line in opened(source.read_bytes()).splitlines()]
    said = [line for line in lines if line["type"] in ("user/message", "tool/result")]
    block = said[0]["data"]["content"]
    block[:] = [{"type": "text", "text": text} for text in texts]
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def snapshot(folder: Path, *texts: str) -> Path:
    source = DATA / "ochat-record" / "vectors" / "v5" / "empty.json"
    value = json.loads(source.read_bytes())["session"]
    value["kv_store"] = [[f"n{number}", text] for number, text in enumerate(texts)]
    outcome = import_json(json.dumps(value).encode())
    assert isinstance(outcome, Valid), outcome
    path = folder / "snapshot.bin"
    path.write_bytes(snapshot_bytes(outcome.value))
    return path


MAKERS: dict[str, Callable[..., Path]] = {
    "robota-record": record,
    "robota-log": log,
    "dsh-log": dsh,
    "ochat-record": snapshot,
}


def strings_of(kind: str, share: Share) -> list[str]:
    """All names and strings of the result, as a reader has them."""
    assert share.files, (share.why, share.left, share.outcome)
    adapter = share_format(kind)
    assert adapter is not None
    found: list[str] = []
    for file in share.files:
        text = adapter.opened(file.data) if file is share.files[0] else file.data.decode()
        found.append(text)
        lines = text.splitlines() if file.name.endswith(("jsonl", "zstd")) else [text]
        waiting: list[Any] = [json.loads(line) for line in lines]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                found += value
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
            elif isinstance(value, str):
                found.append(value)
    return found


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("case", TEXTS)
def test_nothing_survives(kind: str, case: str, tmp_path: Path) -> None:
    text, gone = TEXTS[case]
    share = shared(kind, MAKERS[kind](tmp_path, "calm", text, "calm"))
    strings = strings_of(kind, share)
    for value in gone:
        assert not [one for one in strings if value in one]
    # Once more changes nothing.
    again = tmp_path / "again"
    for file in share.files:
        place = again / Path(file.name).name if len(share.files) == 1 else again / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
    twice = shared(kind, again / Path(share.files[0].name).name)
    assert [file.data for file in twice.files] == [file.data for file in share.files]
    assert twice.kept > 0


@pytest.mark.parametrize("kind", MAKERS)
def test_a_password_again_in_prose_and_in_another_place(kind: str, tmp_path: Path) -> None:
    path = MAKERS[kind](tmp_path, f"I typed {PASSWORD}!", f"DB_PASSWORD={PASSWORD}", "x")
    strings = strings_of(kind, shared(kind, path))
    assert not [one for one in strings if PASSWORD in one]
    assert [one for one in strings if one == "I typed [password-1]!"]


@pytest.mark.parametrize("kind", MAKERS)
def test_forged_placeholders_keep_their_numbers(kind: str, tmp_path: Path) -> None:
    path = MAKERS[kind](tmp_path, f"[github-token-1] and {TOKEN}", "y")
    share = shared(kind, path)
    assert "[github-token-1] and [github-token-2]" in strings_of(kind, share)
    assert share.kept == 1


def test_names_that_come_twice(tmp_path: Path) -> None:
    path = log(tmp_path)
    text = path.read_text().replace('"systemPrompt":"hi"',
                                    f'"systemPrompt":"{TOKEN}","systemPrompt":"hi"')  # fmt: skip
    path.write_text(text)
    share = shared("robota-log", path)
    assert TOKEN.encode() not in share.files[0].data
    assert share.files[0].data.count(b'systemPrompt"') == 2


@pytest.mark.parametrize("kind", ["robota-log", "dsh-log"])
def test_lines_that_are_broken_or_cut(kind: str, tmp_path: Path) -> None:
    path = MAKERS[kind](tmp_path, f"see {TOKEN}", "y")
    for harm in (b'{"a":\n', b'{"note":"' + TOKEN.encode()):
        place = tmp_path / f"broken{path.suffix}"
        place.write_bytes(path.read_bytes() + harm)
        share = shared(kind, place)
        assert not share.files
        assert share.outcome.status == "corrupt"


def test_secrets_as_names_and_in_escapes(tmp_path: Path) -> None:
    made = session_init(Log(tmp_path))
    made.add("tool_execution_request", **ROUND, toolName="t", toolCallId="c",
             parameters={TOKEN: {"x": [TOKEN]}, "h": [["X-Api-Key", PASSWORD]],
                         "a": ["--api-key", PASSWORD]})  # fmt: skip
    path = made.write()
    escape = re.compile(re.escape(TOKEN[8:12]))
    text = escape.sub(lambda m: "".join(f"\\u{ord(c):04x}" for c in m[0]), path.read_text())
    path.write_text(text)
    strings = strings_of("robota-log", shared("robota-log", path))
    for gone in (TOKEN, TOKEN[12:], PASSWORD):
        assert not [one for one in strings if gone in one]
