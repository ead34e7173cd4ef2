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


LINES = {
    "A=Dv5nRr8wQq1 # of the staging server": {"Dv5nRr8wQq1"},
    'A="Hq8 kk2 Zt4p"': {"Hq8 kk2 Zt4p"},
    "#A=Cv5nRr8wQq1": {"Cv5nRr8wQq1"},
    'A="line1Xq7\nline2Zz9kk"': {"line1Xq7", "line2Zz9kk"},
    'A="the path is src/a1 now"': set(),
    "# see https://docs.example.org/a1B2c3D4": set(),
    "# A = the name of the host": set(),
    "A=1.2.3 # v2": set(),
}


@pytest.mark.parametrize("line", LINES)
def test_lines_as_they_are_written(line: str, tmp_path: Path) -> None:
    (tmp_path / "prod.env").write_text(f"B=on\n{line}\nC=off\n")
    assert {span.value for span in secrets_beside(tmp_path)} == LINES[line]


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


def test_a_name_in_other_ways() -> None:
    spans = identity_spans({}, git_config="[user]\n name = Takeshi Kurosawa\n")
    found = {span.value for span in spans}
    assert {"Takeshi Kurosawa", "Kurosawa, Takeshi", "takeshi_kurosawa", "t.kurosawa"} <= found
    assert not found & {"Takeshi", "Kurosawa", "takeshi", "kurosawa"}
