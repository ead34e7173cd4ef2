"""A call and its result, in messages of their own: what was asked for says what was printed."""

from __future__ import annotations

import json

import pytest

from sesskit.artifacts.documents import As, Document, redact
from sesskit.artifacts.redaction import Policy, Redactor

PASSWORD = "Kv6srtB5JLCKw9"


def messages(*calls: tuple[str, str]) -> list[dict[str, object]]:
    asked = [
        {"function": {"name": "Bash", "arguments": json.dumps({"command": command})}}
        for command, _ in calls
    ]
    said: list[dict[str, object]] = [{"role": "assistant", "content": "I look", "calls": asked}]
    said += [{"role": "tool", "content": result} for _, result in calls]
    return said


def scrubbed(text: str, form: As) -> str:
    document = Document.of("x", text.encode(), form)
    redact([document], Redactor(Policy(values=True)))
    return document.result().decode()


PRINTS = [
    "jq -r .password creds.json",
    "printenv DB_PASSWORD",
    "echo $DB_PASSWORD",
    "terraform output -raw db_password",
    "op read op://v/db/password",
    "pass show prod/db",
    "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
    "gh auth token",
]

OTHERS = [
    ("git rev-parse HEAD", PASSWORD),
    ("cat VERSION", PASSWORD),
    ("jq -r .id build.json", PASSWORD),
    ("echo $BUILD_ID", PASSWORD),
    ("terraform output -raw bucket", PASSWORD),
    ("printenv DB_PASSWORD", "unset"),
    ("printenv DB_PASSWORD", "${DB_PASSWORD}"),
    ("gh auth token", "no oauth token found for the host"),
]


@pytest.mark.parametrize("command", PRINTS)
@pytest.mark.parametrize("end", ["", "\n"])
def test_what_a_command_printed(command: str, end: str) -> None:
    said = messages((command, PASSWORD + end))
    assert PASSWORD not in scrubbed(json.dumps(said), "json")
    lines = "".join(json.dumps(one) + "\n" for one in said)
    assert PASSWORD not in scrubbed(lines, "jsonl")


@pytest.mark.parametrize(("command", "result"), OTHERS)
def test_what_other_commands_print_stays(command: str, result: str) -> None:
    text = json.dumps(messages((command, result)))
    assert scrubbed(text, "json") == text


def test_calls_side_by_side() -> None:
    said = messages(("git log -1", "a fix\nof it"), ("printenv DB_PASSWORD", PASSWORD))
    assert PASSWORD not in scrubbed(json.dumps(said), "json")


def test_a_command_that_was_answered_says_nothing_of_later_results() -> None:
    said = messages(("printenv DB_PASSWORD", "unset")) + messages(("git describe", PASSWORD))
    assert PASSWORD in scrubbed(json.dumps(said), "json")
