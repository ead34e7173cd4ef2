"""Columns of secrets: their cells go, those of columns that only sound so stay."""

from __future__ import annotations

import pytest

from fake_secrets import Fake
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.tables_in_text import tables_in

fake = Fake(31)
PW = "Zq7" + fake.letters(9)
TOKEN = fake.letters(24)


def redacted(text: str) -> str:
    document = Document.of("", text.encode(), "text")
    redact([document], Redactor(Policy(values=True)))
    return document.result_text()


TABLES = {
    "CSV": "user,password\nann,{v}\n",
    "CSV, first column": "password,user\n{v},ann\n",
    "CSV of a browser": '"name","url","username","password"\n"x","https://x.io","bo","{v}"\n',
    "CSV with blanks": "user, password, role\nann, {v}, admin\n",
    "semicolons": "user;passwort;rolle\nbo;{v};admin\n",
    "tabs": "user\tpassword\trole\nbo\t{v}\tadmin\n",
    "a comma in quotes": 'note,password\n"a, b",{v}\n',
    "Markdown": "| Service | User | Password |\n|---|:--|---|\n| db | app | `{v}` |\n",
    "Markdown without rims": "User | Password\n--- | ---\nann | {v}\n",
    "Markdown, one column": "| Password |\n|---|\n| {v} |\n",
    "psql": " id | username |   password   \n----+----------+--------------\n"
    "  1 | bo       | {v}\n(1 row)\n",
    "psql, one column": " password\n----------\n {v}\n(1 row)\n",
    "mysql": "+----+----------+\n| id | password |\n+----+----------+\n|  1 | {v} |\n"
    "+----+----------+\n",
    "boxes": "\u250c\u2500\u2500\u252c\u2500\u2500\u2510\n\u2502 id \u2502 password \u2502\n"
    "\u251c\u2500\u2500\u253c\u2500\u2500\u2524\n\u2502 1 \u2502 {v} \u2502\n",
    "columns of blanks": "NAME   PASSWORD        ROLE\nbo     {v}  admin\n",
    "several": "password,x,api_token\nnone,1,{v}{v}\n",
    "a cut row": "user,password,role\nann,{v}",
    "later rows": "user,password\nann,secret\nbo,token\ncy,{v}\n",
    "a dump": "COPY public.users (id, name, password) FROM stdin;\n1\tbo\t{v}\n\\.\n",
}
PREFIXES = {
    "none": "",
    "cat -n": "{n:6}\t",
    "an arrow": "{n:6}\u2192",
    "grep": "a/users.csv:{n}:",
    "a diff": "+",
    "a quotation": "> ",
    "a service": "web-1  | ",
    "a time": "2026-05-01T10:00:00.1234567Z ",
    "a job": "build\tRun x\t2026-05-01T10:00:00.1234567Z ",
    "a comment": "# ",
}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("name", TABLES)
def test_cells_of_secret_columns_go(name: str, prefix: str) -> None:
    text = TABLES[name].replace("{v}", PW)
    lines = [PREFIXES[prefix].format(n=n) + ln for n, ln in enumerate(text.split("\n"), 1)]
    if (name, prefix) == ("psql, one column", "a job"):
        return  # a column of a table of its own
    assert PW not in redacted("\n".join(lines) if prefix != "none" else text)


@pytest.mark.parametrize("end", ["\r\n", "\\n"])
@pytest.mark.parametrize("name", sorted(set(TABLES) - {"columns of blanks", "psql, one column"}))
def test_lines_that_end_otherwise(name: str, end: str) -> None:
    text = TABLES[name].replace("{v}", PW)
    written = text.replace('"', '\\"').replace("\t", "\\t") if end == "\\n" else text
    assert PW not in redacted('"' + written.replace("\n", end) + '"')


STAYS = (
    f"user,password_policy\nann,{PW}\n",
    f"user,password_hash\nann,{PW}\n",
    f"user,token_count,password\nann,{PW},\n",
    f"user,max_tokens\nann,{PW}\n",
    f"| Name | Public key |\n|---|---|\n| a | {TOKEN} |\n",
    "| password | string | required |\n| oauth2_client | string | optional |\n",
    "| Parameter | Type |\n|---|---|\n| password | string |\n| api_key2 | string |\n",
    "name,password\nann,****\nbo,<password>\ncy,${DB_PASSWORD}\nd,{{ v.password }}\ne,changeme\n",
    "name,password\nann,required\nbo,string\ncy,hunter2\n",
    "field;password\nminimum;12\nmaximum;128\n",
    "env,secret\nDB_URL,prod-db-credentials\n",
    "NAME      READY   SECRET           AGE\nweb-tls   True    web-tls-4f8k2a   5d\n",
    "NAME          SECRET\nweb           registry-7f9c4d-pull\n",
    "token,count\nhello,5\nworld,12\n",
    "token\tlogprob\n the\t-0.12\n",
    " id | password_reset_at\n----+---------\n  1 | 2026-03-01 10:00\n",
    " id | token_type\n----+-----------\n  1 | bearer4x7Kq9Zt2\n",
    "Reset your password, then log in\nversion 4f8k2aZ9, build 7\n",
    "We need a user, an email, and a password\nbuild a1B2c3D4e5, and commit, and push9X\n",
    f"user,password\n\n{PW},{PW}\n",
    f"a,b,password\n{PW},{PW}\n",
    "COPY public.t (id, password_id) FROM stdin;\n1\tZq7x8K2m4Qp\n\\.\n",
    "COPY public.t (id, password) TO stdout;\n1\tZq7x8K2m4Qp\n",
    "id,password\n1,[password-1]\n",
    "id,api_key\n1,OPENAI_API_KEY\n2,your-api-key\n",
    "commit,token\n8f14e45,next_page_token\n",
)


@pytest.mark.parametrize("text", STAYS)
def test_what_only_looks_so_stays(text: str) -> None:
    assert redacted(text) == text


def test_time_is_linear() -> None:
    heads = "password,x\n" * 20_000
    alternating = "password,x\nx,password\n" * 10_000
    assert list(tables_in(heads + alternating)) == []
    assert list(tables_in("password," * 100_000)) == []
    assert list(tables_in("password\t|,;\n" * 20_000)) == []
