"""What `.env` files beside a session give away."""

from __future__ import annotations

from pathlib import Path

import pytest

from sesskit.artifacts.local_identity import environment_secrets, identity_spans, secrets_beside

ENV = """\
# a comment
TOK=Qz93kfKd82mmXw
export THING='n7VhT2kq-Lw93Xm2b'
DB=postgres://app:Lw93Xm2bQz@db.example.org/app
DB_PASSWORD=winterfalke
"""


def test_values_whatever_they_are_called(tmp_path: Path) -> None:
    (tmp_path / ".env.local").write_text(ENV)
    found = {span.value for span in secrets_beside(tmp_path)}
    assert found == {"Qz93kfKd82mmXw", "n7VhT2kq-Lw93Xm2b", "Lw93Xm2bQz", "winterfalke"}


@pytest.mark.parametrize(
    "line",
    ["MODE=production", "PORT=12345678", "APP=/srv/app/bin9x", "API=https://api.example.org/v1",
     "MODEL=gpt-4o-mini-2031-07-18", "LLM=sonnet-3-5-20311022", "ZONE=eu-central-1",
     "RUN=0b7e4d3c-9f58-4a61-8c2d-1e5f6a7b8c9d", "COMMIT_SHA=d41d8cd98f00b204e9800998ecf8427e",
     "IMAGE=postgres:15-alpine", "DAY=2031-03-04", "SHORT=k9", "FLAG=max_things=100", "EMPTY="],
)  # fmt: skip
def test_what_could_be_anything_is_left_out(line: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(line + "\n")
    assert not list(secrets_beside(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "EXTRA=Dv5nRr8wQq1 # where it is from\n",
        "#EXTRA=Dv5nRr8wQq1\n",
        "# EXTRA = 'Dv5nRr8wQq1'\n",
        'EXTRA="Dv5nRr8wQq1" # in quotes\n',
        "export EXTRA='Dv5nRr8wQq1'\n",
    ],
)
def test_lines_as_people_write_them(text: str, tmp_path: Path) -> None:
    (tmp_path / "prod.env").write_text(text)
    assert {span.value for span in secrets_beside(tmp_path)} == {"Dv5nRr8wQq1"}


def test_quoted_values_with_blanks_and_lines(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        'A="Hq8 kk2 Zt4p"\nDB_PASSWORD="Hq8kk2\nZt4p9x"\n# a note = none\n'
    )
    assert "Hq8 kk2 Zt4p" in {span.value for span in secrets_beside(tmp_path)}


INSIDE = {
    "postgres://app:Qz7envdbPw9x@db.acme.io/x": {"Qz7envdbPw9x"},
    "http://u:Pz7proxyPw@p:80": {"Pz7proxyPw"},
    '{"password":"Jz7jsonPw9x"}': {"Jz7jsonPw9x"},
    "https://api.acme.io/v1": set(),
    '{"host":"web7Bx2aQ9"}': set(),
    "/usr/bin:/home/demo/.local/bin": set(),
}


@pytest.mark.parametrize("value", INSIDE)
def test_secrets_inside_of_values_of_the_environment(value: str) -> None:
    assert {span.value for span in environment_secrets({"A_URL": value})} == INSIDE[value]


def test_a_passphrase_of_the_environment() -> None:
    found = environment_secrets({"MULTI_SECRET": "a b Kz7 c"})
    assert {span.value for span in found} == {"a b Kz7 c"}
    assert not list(environment_secrets({"MULTI_SECRET": "see the vault"}))


def test_lines_of_a_value_and_names_that_come_twice(tmp_path: Path) -> None:
    text = 'A="line1Xq7\nline2Zz9kk"\nB=Cv5nRr8wQq1\n#B=Dv5nRr8wQq1\nC="the path is src/a1 now"\n'
    (tmp_path / ".env").write_text(text)
    found = {span.value for span in secrets_beside(tmp_path)}
    assert found == {"line1Xq7", "line2Zz9kk", "Cv5nRr8wQq1", "Dv5nRr8wQq1"}


def test_a_name_in_other_ways() -> None:
    spans = identity_spans({}, git_config="[user]\n name = Takeshi Kurosawa\n")
    found = {span.value for span in spans}
    assert {"Takeshi Kurosawa", "Kurosawa, Takeshi", "takeshi_kurosawa", "t.kurosawa"} <= found
    assert not found & {"Takeshi", "Kurosawa", "takeshi", "kurosawa"}
