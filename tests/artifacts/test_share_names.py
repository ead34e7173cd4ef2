"""JSON inside of a string: an exact name decides there, and what it names goes elsewhere too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.share import Wishes, share_data

SOURCE = Path(__file__).parents[1] / "data" / "robota-record" / "vectors" / "reencoded"
PHRASES = (
    "Summer 2031!",
    "right donkey button paper",
    "$up3r$ecret",
    "MyCatTom",
    "our-office-prod",
    'q"a\\ß&é;9',
)


def redacted(value: Any) -> str:
    document = Document.of("", json.dumps(value).encode(), "json")
    redact([document], Redactor(Policy(values=True)))
    return document.result().decode()


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_phrase_goes_and_is_known(phrase: str, depth: int) -> None:
    held: Any = {"user": "root", "password": phrase}
    for _ in range(depth):
        held = json.dumps(held)
    after = json.loads(redacted({"arguments": held, "content": f"it is {phrase} now"}))
    assert after["content"] == "it is [password-1] now"
    inside = after["arguments"]
    for _ in range(depth):
        inside = json.loads(inside)
    assert inside == {"user": "root", "password": "[password-1]"}


@pytest.mark.parametrize(
    "value",
    ["", "${DB_PASSWORD}", "$DB_PASSWORD", "string", "********", "<password>", "vault:db/x",
     "process.env.DB_PASSWORD", "{{ password }}", "[password-1]", "changeme", "FAKE-NOT-REAL"],
)  # fmt: skip
def test_what_is_no_value_stays(value: str) -> None:
    given = {"arguments": json.dumps({"password": value})}
    assert json.loads(redacted(given)) == given


def test_a_plain_word_goes_from_its_place_alone() -> None:
    given = {"arguments": json.dumps({"password": "river"}), "content": "a river"}
    after = json.loads(redacted(given))
    assert after["content"] == "a river"
    assert json.loads(after["arguments"]) == {"password": "[password-1]"}


def test_a_share_without_a_phrase() -> None:
    value = json.loads((SOURCE / "small-chat.json").read_bytes())
    said = json.dumps({"user": "root", "password": PHRASES[0]})
    value["record"]["messages"][0]["content"] = said
    value["record"]["messages"][1]["content"] = f"in with {PHRASES[0]}"
    share = share_data("s.json", json.dumps(value).encode(), "robota-record", Wishes())
    assert share.files
    assert PHRASES[0].encode() not in share.files[0].data
