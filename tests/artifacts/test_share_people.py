"""Personal data in ids and names: it goes there as well, the same everywhere, or all stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robota_share_logs import Log, message, mutation, session_init
from sesskit.artifacts.share import Share, Wishes, share_data
from sesskit.schemas.outcomes import Valid

SOURCE = Path(__file__).parents[1] / "data" / "robota-record" / "vectors" / "reencoded"
MAIL = "noor@ikeda.dev"


def record(**members: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((SOURCE / "small-chat.json").read_bytes())
    value["record"] |= {"cwd": "/home/ikeda/x", **members}
    return value


def shared(value: Any) -> Share:
    return share_data("s.json", json.dumps(value).encode(), "robota-record", Wishes())


@pytest.mark.parametrize(
    ("given", "after"),
    [(MAIL, "[email-1]"), (f"chat of {MAIL}", "chat of [email-1]"), ("ikeda-7", "[user-1]-7")],
)
def test_an_id_with_a_person_in_it(given: str, after: str) -> None:
    share = shared(record(id=given))
    assert share.files, share.why
    assert json.loads(share.files[0].data)["record"]["id"] == after
    assert share.left == ()
    assert any(found.pointer == "/record/id" for found in share.files[0].found)


def test_links_still_agree(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path))
    call = {"id": f"call {MAIL}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    mutation(log, message("assistant", "", toolCalls=[call]))
    mutation(log, message("tool", "done", toolCallId=f"call {MAIL}"), 1)
    path = log.write()
    share = share_data(path.name, path.read_bytes(), "robota-log", Wishes())
    assert isinstance(share.outcome, Valid)
    data = share.files[0].data.decode()
    assert data.count("call [email-1]") == 2
    assert MAIL not in data


def test_a_login_that_is_a_word_of_the_format_refuses_nothing() -> None:
    share = shared(record(cwd="/home/complete/x"))
    assert share.files, share.why
    assert json.loads(share.files[0].data)["record"]["cwd"] == "/home/[user-1]/x"


def test_a_person_whom_the_format_needs(tmp_path: Path) -> None:
    log = session_init(Log(tmp_path, session=f"session_{MAIL}"))
    path = log.write()
    share = share_data(path.name, path.read_bytes(), "robota-log", Wishes())
    assert not share.files
    assert share.refused
    assert "personal data" in share.why


def test_the_name_of_the_file_that_was_asked_for() -> None:
    data = json.dumps(record()).encode()
    share = share_data("s.json", data, "robota-record", Wishes(), (), "of-ikeda.json")
    assert not share.files
    assert share.refused
