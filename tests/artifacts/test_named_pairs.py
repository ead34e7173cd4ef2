"""Names and values in members of their own: what is named goes, what only looks so stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor

PASSWORD = "Kv6srtB5JLCKw9"


def scrubbed(value: Any) -> str:
    document = Document.of("x.json", json.dumps(value, ensure_ascii=False).encode(), "json")
    redact([document], Redactor(Policy(values=True)))
    return document.result().decode()


NAMED: list[dict[str, Any]] = [
    {"Name": "DB_PASSWORD", "Value": PASSWORD},
    {"k": "password", "v": PASSWORD},
    {"ParameterKey": "DBPassword", "ParameterValue": PASSWORD},
    {"OutputKey": "AdminPassword", "OutputValue": PASSWORD},
    {"secret_name": "db_password", "secret_value": PASSWORD},
    {"variable": "DB_PASSWORD", "content": PASSWORD},
    {"label": "Password", "value": PASSWORD},
    {"field": "password", "new_value": PASSWORD},
    {"selector": "#password", "value": PASSWORD},
    {"selector": "input[type=password]", "text": PASSWORD},
    {"element": "Password field", "ref": "e12", "text": PASSWORD},
    {"prompt": "Password:", "input": PASSWORD},
    {"question": "What is the DB password?", "answer": PASSWORD},
    {"path": "/run/secrets/db_password", "content": PASSWORD},
    {"name": "db_password", "label": "the database", "value": PASSWORD},
    {"value": PASSWORD, "text": "of the database", "name": "db_password"},
    *({name: PASSWORD} for name in ("pass", "pwd", "pw", "psw", "pswd", "userpass", "wifi_key")),
    *({name: PASSWORD} for name in ("mot_de_passe", "contraseña", "пароль", "密码", "unlock_code")),
]

INNOCENT: list[dict[str, Any]] = [
    {"Name": "DB_HOST", "Value": "db7.internal.acme9"},
    {"k": "password", "v": "${DB_PASSWORD}"},
    {"ParameterKey": "InstanceType", "ParameterValue": "t3a2xlargeB7"},
    {"OutputKey": "BucketName", "OutputValue": "logs7bA9c2xY"},
    {"secret_name": "db_password", "secret_value": "[REDACTED]"},
    {"variable": "BUILD", "content": PASSWORD},
    {"type": "text", "value": PASSWORD},
    {"type": "token", "value": "ident7Value2x"},
    {"label": "Password", "value": "Enter your password"},
    {"title": "Reset password", "content": "A link was sent to the address that you gave."},
    {"field": "password", "new_value": "********"},
    {"selector": "#username", "value": PASSWORD},
    {"selector": "input[type=password]", "text": "visible"},
    {"element": "Password field", "ref": "e12Ab9x7Qz"},
    {"prompt": "Continue?", "input": PASSWORD},
    {"question": "Where is the password?", "answer": "in the keychain"},
    {"question": "Should passwords be hashed?", "answer": "sha256"},
    {"path": "src/password.py", "content": "def check(value: str) -> bool: ..."},
    {"path": "/etc/hostname", "content": "web7Bx2aQ9"},
    {"name": "count_tokens", "value": "1234567"},
    *({"pwd": folder} for folder in ("/home/demo/a1B2c3D4", "C:\\\\work\\\\a1B2c3", "~/x9Y8z7Q6")),
    *({"pass": word} for word in ("true", "first", "4 of 5 tests", "12")),
    *({"pw": word} for word in ("playwright", "", "none", "120px")),
    {"type": "password", "value": "password"},
    {"code": "E1234Ab9x7Q"},
]


@pytest.mark.parametrize("value", NAMED, ids=str)
def test_what_is_named_goes(value: dict[str, Any]) -> None:
    assert PASSWORD not in scrubbed(value)
    assert PASSWORD not in scrubbed({"content": json.dumps(value, ensure_ascii=False)})


@pytest.mark.parametrize("value", INNOCENT, ids=str)
def test_what_only_looks_so_stays(value: dict[str, Any]) -> None:
    assert json.loads(scrubbed(value)) == value
