"""Secrets under layers: line ends of others, colours, encodings, packings, written escapes."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import pytest

from fake_secrets import Fake
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.share import Wishes, verify_data
from sesskit.logs.dsh.frames import write_frame

fake = Fake(41)
PW = "Zq7" + fake.letters(9)
TOKEN = fake.github()
HEAD, TAIL = TOKEN[:17], TOKEN[17:]
MANIFEST = (
    "apiVersion: v1\nkind: Secret\ndata:\n  dbpw: "
    + base64.b64encode(PW.encode()).decode()
    + "\n  x: eA==\ntype: Opaque\n"
)


def redacted(text: str) -> str:
    document = Document.of("", text.encode("utf-8", "surrogateescape"), "text")
    redact([document], Redactor(Policy(values=True)))
    return document.result_text()


LINES: dict[str, Callable[[str], str]] = {
    "plain": lambda line: line + "\n",
    "carriage returns": lambda line: line + "\r\n",
    "two of them": lambda line: line + "\r\r\n",
    "colours": lambda line: f"\x1b[32m{line}\x1b[0m\x1b[K\r\n",
    "cat -n": lambda line: f"     1\t{line}\n",
    "a diff": lambda line: f"+{line}\n",
    "grep": lambda line: f"a/b.yml:1:{line}\n",
    "a service": lambda line: f"web-1  | {line}\n",
    "a time": lambda line: f"2026-05-01T10:00:00.1234567Z {line}\n",
    "a job": lambda line: f"build\tRun x\t2026-05-01T10:00:00.1234567Z {line}\n",
    "a quotation": lambda line: f"> {line}\n",
    "a comment": lambda line: f"  # {line}\n",
    "another comment": lambda line: f"    // {line}\n",
    "a service, carriage returns": lambda line: f"web-1  | {line}\r\n",
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(MANIFEST, base64.b64encode(PW.encode()).decode(), id="manifest"),
        pytest.param(f"db:\n  password: |\n    {PW}\n  host: x\n", PW, id="block"),
        pytest.param(f"db:\n  password: >-\n    {PW}\n", PW, id="folded"),
        pytest.param(f'------X\nx: form-data; name="password"\n\n{PW}\n------X\n', PW, id="form"),
        pytest.param(f"127.0.0.1:6379> AUTH {PW}\nOK\n", PW, id="redis"),
        pytest.param(f"env:\n- name: DB_PASSWORD\n  value: {PW}\n", PW, id="pair"),
        pytest.param(f"env:\n- value: {PW}\n  name: DB_PASSWORD\n", PW, id="pair turned round"),
    ],
)
def test_lines_of_any_kind(name: str, text: str, value: str) -> None:
    made = "".join(map(LINES[name], text.removesuffix("\n").split("\n")))
    assert value not in redacted(made)


def test_lines_that_say_nothing_stay() -> None:
    for name, line in LINES.items():
        for text in (
            "password: |\n  string\n",
            "kind: Config\ndata:\n  a: aGVsbG8gd29ybGQ=\n",
            "- value: Zq7x8K2m4Qp\n  name: HOSTNAME\n",
            "name=password\n\nrequired\n",
            "password: >-\n  The password that was set for the account\n",
        ):
            made = "".join(map(line, text.removesuffix("\n").split("\n")))
            assert redacted(made) == made, name


def _zipped(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("a.txt", data)
    return made.getvalue()


def _tarred(data: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as target:
        entry = tarfile.TarInfo(".env")
        entry.size = len(data)
        target.addfile(entry, io.BytesIO(data))
    return made.getvalue()


ENV = f"HOME=/srv\nDB_PASSWORD={PW}\nLANG=C\n".encode()
ENCODED = {
    "plain": ENV,
    "an environment": ENV.replace(b"\n", b"\0"),
    "colours": b"\x1b[32m" + ENV.replace(b"\n", b"\x1b[0m\r\n"),
    "Cyrillic": "\u043a\u043b\u044e\u0447: ".encode() + ENV,
    "Chinese": "\u5bc6\u7801\uff1a".encode() + PW.encode() + b" and more\n" + ENV,
    "a box": "\u2502 ".encode() + ENV,
    "numbered": "   12\u2192    ".encode() + ENV,
    "Latin": b"caf\xe9 au lait, the rest of it is plain\n" * 2 + ENV,
    "gzip": gzip.compress(ENV),
    "zlib": zlib.compress(ENV),
    "zlib, fast": zlib.compress(ENV * 2, 1),
    "bzip2": bz2.compress(ENV),
    "xz": lzma.compress(ENV),
    "zstd": write_frame(ENV),
    "zip": _zipped(ENV),
    "tar": _tarred(ENV),
    "tar in gzip": gzip.compress(_tarred(ENV)),
    "base64 again": base64.b64encode(b"token: " + base64.b64encode(ENV)),
}


@pytest.mark.parametrize("name", ENCODED)
def test_base64_of_texts_of_all_kinds(name: str) -> None:
    blob = base64.b64encode(ENCODED[name]).decode()
    for text in (f"echo {blob} | base64 -d", json.dumps({"a": f"x {blob}"}), blob):
        assert blob not in redacted(text)


HARMLESS = {
    "plain": b"HOME=/srv\nLANG=C\nnothing to see here\n",
    "an environment": b"HOME=/srv\0LANG=C\0TERM=xterm\0",
    "Cyrillic": "\u043a\u043b\u044e\u0447 \u043a \u0434\u0432\u0435\u0440\u0438".encode() * 3,
    "gzip": gzip.compress(b"nothing to see here"),
    "zip": _zipped(b"nothing to see here"),
    "cut": zlib.compress(ENV)[:9],
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + ENV + bytes(range(256)),
    "numbers": bytes(range(256)) * 2,
    "a bomb": zlib.compress(bytes(1 << 24)),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_base64_of_anything_else_stays(name: str) -> None:
    text = f"data:;base64,{base64.b64encode(HARMLESS[name]).decode()}"
    assert redacted(text) == text


WRITTEN = {
    "octal": f"{HEAD}\\033[0m{TAIL}",
    "hexadecimal": f"{HEAD}\\x1b[31m{TAIL}",
    "of JSON": f"{HEAD}\\u001b[31m{TAIL}",
    "of cat -v": f"{HEAD}^[[31m{TAIL}",
    "of Markdown": TOKEN.replace("_", "\\_"),
    "quoted-printable": "Content-Transfer-Encoding: quoted-printable\n\n"
    + TOKEN.replace("_", "=5F"),
    "a soft line end": f"see {HEAD}=\n{TAIL}=20ok",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_written_escapes_are_seen_through(name: str) -> None:
    left = redacted(WRITTEN[name])
    assert TAIL not in left
    assert HEAD not in left


def test_a_value_comes_back_in_any_writing() -> None:
    value = "Zq7/x8K+2m4_QpRt"
    for again in (
        value.replace("/", "\\/"),
        json.dumps({"p": value}).replace("/", "\\/"),
        json.dumps({"out": json.dumps({"p": value}).replace("/", "\\/")}),
        value.replace("_", "\\_"),
    ):
        left = redacted(f"DB_PASSWORD={value}\n{again}\n")
        assert "2m4" not in left, again


BROKEN = {
    "a line end": f"the token is {HEAD}\n{TAIL} ok\n",
    "an early line end": f"the token is {TOKEN[:7]}\n{TOKEN[7:]} ok\n",
    "a late line end": f"the token is {TOKEN[:-4]}\n{TOKEN[-4:]} ok\n",
    "an indented line end": f"    the token is {HEAD}\n    {TAIL} ok\n",
    "a numbered line end": f"  1\ttok {HEAD}\n  2\t{TAIL}\n",
    "a box": f"\u2502 tok {HEAD} \u2502\n\u2502 {TAIL} ok \u2502\n",
    "strings of Python": f'k = ("{HEAD}"\n     "{TAIL}")',
    "joined strings": f'"".join(["{HEAD}", "{TAIL}"])',
    "strings of a shell": f"k='{HEAD}'\"{TAIL}\"",
    "strings that are added": f"k = '{HEAD}' + '{TAIL}'",
    "strings added over lines": f'+tok "{HEAD}" +\n+   "{TAIL}"\n',
    "strings with dots": f"$k = '{HEAD}' . '{TAIL}';",
}


@pytest.mark.parametrize("name", BROKEN)
def test_tokens_in_two_pieces(name: str) -> None:
    left = redacted(BROKEN[name])
    assert TAIL[:18] not in left
    assert HEAD not in left


def test_two_things_side_by_side_stay_two() -> None:
    for text in (
        "see the task-list of the first\nline and of the second line of it\n",
        '["sk-learn-contrib", "imbalanced-learn-0.12.3-py3"]',
        "ghp_\nis the prefix of tokens of that kind, nothing else is\n",
        "use AKIA\nas a prefix of identifiers in that cloud, twenty letters\n",
    ):
        assert redacted(text) == text
    left = redacted(f"the token is {TOKEN}\nnothing else is in this text\n")
    assert left.endswith("]\nnothing else is in this text\n")


LISTED = (
    " ".join(f"{byte:02x}" for byte in ENV),
    ":".join(f"{byte:02X}" for byte in ENV),
    "{" + ", ".join(f"0x{byte:02x}" for byte in ENV) + "}",
    "[" + " ".join(map(str, ENV)) + "]",
    json.dumps({"type": "Buffer", "data": list(ENV)}),
    json.dumps(list(ENV), indent=1),
    json.dumps({"lines": [HEAD, TAIL]}),
)


@pytest.mark.parametrize("number", range(len(LISTED)))
def test_a_proof_reads_lists_of_bytes_and_of_strings(number: int) -> None:
    assert verify_data("x", f"{LISTED[number]}\n".encode(), Wishes()).refused


def test_other_lists_of_numbers_hold_nothing() -> None:
    numbers = ", ".join(str(n * 7 % 1000) for n in range(400))
    matrix = " ".join(f"{n * 37 % 256:02x}" for n in range(400))
    for text in (numbers, matrix, "12:30:45 " * 40, "1 2 3 " * 50):
        assert not verify_data("x", text.encode(), Wishes()).left
