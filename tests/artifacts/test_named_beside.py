"""Names and values side by side in JSON, events of streams made elsewhere, disguised values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from fake_secrets import Fake
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.share import Wishes, verify_data

fake = Fake(61)
PW = "Zq7" + fake.letters(9)
TOKEN = fake.github()


def redacted(text: str, form: str = "text") -> str:
    document = Document.of("", text.encode("utf-8", "surrogatepass"), "text")
    document.form = "json" if form == "json" else "text"
    redact([document], Redactor(Policy(values=True)))
    return document.result_text()


PAIRS = (
    {"db": {"user": "x", "pass": PW}},
    {"pwd": PW},
    {"Name": "DB_PASSWORD", "Value": PW},
    {"ParameterKey": "DBPassword", "ParameterValue": PW},
    {"OutputKey": "DbPassword", "OutputValue": PW},
    {"k": "password", "v": PW},
    {"label": "Password", "value": PW},
    {"element": "Password field", "ref": "e12", "text": PW},
    {"selector": "#password", "value": PW},
    {"prompt": "Password:", "input": PW},
    {"question": "What is the DB password?", "answer": PW},
    {"path": "/run/secrets/db_password", "content": PW},
    {"file_path": "config/master.key", "content": fake.hex(32)},
    {"name": "/prod/db/password", "value": PW},
    {"field": "password", "new_value": PW},
    {"mot_de_passe": PW},
    {"contrase\u00f1a": PW},
    {"\u043f\u0430\u0440\u043e\u043b\u044c": PW},
    {"userpass": PW, "pswd": PW},
)


@pytest.mark.parametrize("value", PAIRS, ids="-".join)
def test_what_a_member_beside_it_names_goes(value: dict[str, object]) -> None:
    for text in (json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1)):
        left = redacted(text, "json")
        assert PW not in left
        assert "-1]" in left


KEPT = (
    {"element": "Password field", "text": "hello world"},
    {"path": "src/token.py", "content": "import x"},
    {"path": "a/commit.txt", "content": PW},
    {"label": "Forgot password?", "value": PW},
    {"name": "token_count", "value": PW},
    {"name": "password", "type": "string", "value": "string"},
    {"type": "text", "text": "the password is kept in a vault"},
    {"prompt": "Password:", "input": "required"},
    {"question": "Which branch?", "answer": PW},
    {"selector": "#password", "value": "********"},
    {"pass": 12, "pwd": "/srv/app", "pw": "none"},
    {"key": "ArrowDown", "text": PW},
)


@pytest.mark.parametrize("value", KEPT, ids="-".join)
def test_other_pairs_stay(value: dict[str, object]) -> None:
    text = json.dumps(value)
    assert redacted(text, "json") == text


def events(kind: str) -> str:
    pieces = ["the token ", TOKEN[:15], TOKEN[15:20], TOKEN[20:], " ok"]
    made: Callable[[str], Any] = {
        "messages": lambda p: {"type": "content_block_delta", "delta": {"text": p}},
        "completions": lambda p: {"choices": [{"index": 0, "delta": {"content": p}}]},
        "responses": lambda p: {"type": "response.output_text.delta", "delta": p},
    }[kind]
    return "\n".join(json.dumps(made(piece)) for piece in pieces) + "\n"


@pytest.mark.parametrize("kind", ["messages", "completions", "responses"])
def test_events_made_elsewhere(kind: str) -> None:
    lines = events(kind)
    served = "".join(f"event: x\ndata: {line}\n\n" for line in lines.splitlines())
    for name, text in (("a.jsonl", lines), ("a.txt", served), ("a.json", json.dumps([served]))):
        assert verify_data(name, text.encode(), Wishes()).refused, name
        document = Document.of(name, text.encode())
        redact([document], Redactor(Policy(values=True)))
        assert TOKEN[20:] not in document.result_text(), name
        assert not verify_data(name, document.result(), Wishes()).refused, name


def test_events_that_say_nothing_stay() -> None:
    text = "".join(f'data: {{"delta":"word{n} "}}\n\n' for n in range(9))
    assert redacted(text) == text


DISGUISED = (
    "DB_PASSWORD=[REDACTED]{v}",
    "DB_PASSWORD=[secret-1]{v}",
    "DB_PASSWORD=[password-{v}]",
    "DB_PASSWORD=***{v}***",
    "password=redacted-{v}",
    "password: &anchor {v}",
    'parser.add_argument("--password", default="{v}")',
    "mysql -uroot -p{v} orders",
    "mysql -uroot -pKv3u9I5KKg{v}Pw9 orders && ls",
)


@pytest.mark.parametrize("place", DISGUISED)
def test_a_value_that_is_disguised_goes(place: str) -> None:
    assert PW not in redacted(place.replace("{v}", PW))


@pytest.mark.parametrize("value", ["Kv6 tB5 JLC9x", "Kv6(tB5)JLC9x", "Kv6{tB5}JLC9x"])
def test_blanks_and_brackets_in_quotes(value: str) -> None:
    for place in ("DB_PASSWORD='{v}'", 'password: "{v}"', "mysql -u root -p'{v}' x"):
        assert value not in redacted(place.replace("{v}", value))


STAYS = (
    'parser.add_argument("--password", type=str, help="The password")\nf(x, type=str)\n',
    'parser.add_argument("-p", "--password", action="store_true", required=True)\n',
    "@click.option('--password', prompt=True, envvar='X')\nf(prompt=True)\n",
    'parser.add_argument("--user", default="Zq7aB3WzjRc2")\n',
    "DB_PASSWORD=[REDACTED] password=[redacted-value] password=*** pw=[secret-12]",
    "password: 'SHA256 with RSA2048'",
    'password: "v2 (beta1)"',
    "password = foo(bar1)",
    "password = '[a-z0-9]{8}'",
    "password: &default\n",
    '{"resources":[{"type":"random_password","result":"[password-1]"}]}',
)


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_value_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize("odd", [chr(0xDCE9), chr(0xD800)])
def test_values_that_are_no_text(odd: str) -> None:
    value = f"Kv6srtB{odd}JLCKw9"
    document = Document("", f"password={value}\n{value}\n", "text")
    redact([document], Redactor(Policy(values=True)))
    assert "JLCKw9" not in document.result_text()
    raw = f"password={value}\n".encode(
        "utf-8", "surrogateescape" if odd > "\udc80" else "surrogatepass"
    )
    assert verify_data("x", raw, Wishes()).outcome.status == "valid"
