"""What people do to text that has a secret in it, on purpose or not."""

from __future__ import annotations

import base64
import gzip
import json
import textwrap
from urllib.parse import quote

import pytest

from fake_secrets import MAKERS, Fake
from sesskit.artifacts.documents import As, Document, redact
from sesskit.artifacts.redaction import Policy, Redactor

fake = Fake(7)
TOKEN = fake.github()
PASSWORD = "Zq7" + fake.letters(11)
DASH = "-----"
KEY = "PRIVATE" + " KEY"


def redacted(text: str, form: As | None = None, name: str = "") -> str:
    document = Document.of(name, text.encode(), form)
    redact([document], Redactor(Policy(values=True)))
    return document.result().decode()


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in text)


LINES = fake.pem_lines()
NUMBERED = "\n".join(
    f"{n:6}\u2192{line}"
    for n, line in enumerate([f"{DASH}BEGIN {KEY}{DASH}", *LINES, f"{DASH}END {KEY}{DASH}"], 1)
)
ENV = f"# settings\nDB_HOST=localhost\nDB_PASSWORD={PASSWORD}\n"
WRAPPED = "\n".join(textwrap.wrap("x" * 70 + f" {'y' * 40} and then {TOKEN}", 80))
NESTED = json.dumps({"a": json.dumps({"b": json.dumps({"token": TOKEN, "n": 1})})})

TEXTS = {
    "two of one name": (f'{{"password":"{PASSWORD}","password":"{PASSWORD}2"}}', [PASSWORD]),
    "escapes": (f'{{"note":"{escaped(TOKEN)}"}}', [TOKEN, escaped(TOKEN)]),
    "escapes in a name": (f'{{"{escaped(TOKEN)}":1}}', [escaped(TOKEN)]),
    "a name": (f'{{"{TOKEN}":{{"x":1}}}}', [TOKEN]),
    "a password again in prose": (
        f'{{"password":"{PASSWORD}","note":"I typed {PASSWORD} again"}}',
        [PASSWORD],
    ),
    "a password again in percents": (
        f'{{"password":"{PASSWORD}!","note":"{quote(PASSWORD + "!", safe="")}"}}',
        [PASSWORD],
    ),
    "a password again in base64": (
        json.dumps(
            {"password": PASSWORD, "n": base64.b64encode(f"u:{PASSWORD}:x".encode()).decode()}
        ),
        [PASSWORD, base64.b64encode(f"u:{PASSWORD}:x".encode()).decode()[4:18]],
    ),
    "escaped again": (
        f'{{"password":"{PASSWORD}","n":"{escaped(PASSWORD)}"}}',
        [escaped(PASSWORD)],
    ),
    "base64 of an .env": (
        f"cat x | base64\n{base64.b64encode(ENV.encode()).decode()}\n",
        ["REJfUEFTU1dPUkQ"],
    ),
    "a key behind numbers": (NUMBERED, LINES[:6]),
    "JSON in JSON in JSON": (NESTED, [TOKEN]),
    "pretty-printed": (json.dumps({"m": [{"password": PASSWORD}]}, indent=4), [PASSWORD]),
    "headers by name": (f'[{{"name":"X-Api-Key","value":"{PASSWORD}"}}]', [PASSWORD]),
    "headers in pairs": (f'[["X-Api-Key","{PASSWORD}"],["accept","*/*"]]', [PASSWORD]),
    "headers in a row": (f'["Host","a.b","Authorization","Bearer {PASSWORD}"]', [PASSWORD]),
    "arguments": (f'["curl","-u","bo:{PASSWORD}","--api-key","{TOKEN}"]', [PASSWORD, TOKEN]),
    "terminal colours": (f"\x1b[31m{TOKEN[:9]}\x1b[0m{TOKEN[9:]}", [TOKEN[9:]]),
    "nothing between": (f"see {TOKEN[:20]}\u200b{TOKEN[20:]}", [TOKEN[:20], TOKEN[20:]]),
    "nothing in a known value": (
        f"DB_PASSWORD={PASSWORD}\nthen {PASSWORD[:6]}\u200b{PASSWORD[6:]}",
        [PASSWORD[6:]],
    ),
    "wrapped": (WRAPPED, [TOKEN[-12:], TOKEN[:20]]),
    "environ": (f"LANG=C\0GITLAB_TOKEN={PASSWORD}\0HOME=/home/ikeda\0", [PASSWORD, "ikeda"]),
    "Windows": ("C:\\Users\\ikeda\\src and c:/Users/ikeda/x", ["ikeda"]),
    "Windows in JSON": (json.dumps({"p": "C:\\Users\\ikeda\\src"}), ["ikeda"]),
    "dashed home": ("~/.x/projects/-home-ikeda-src/a.jsonl", ["ikeda"]),
    "data address": (
        "data:text/plain;base64," + base64.b64encode(f"token {TOKEN}".encode()).decode(),
        [base64.b64encode(f"token {TOKEN}".encode()).decode()[20:40]],
    ),
    "address in percents": (
        f"redirect={quote(f'https://a.b/?api_key={PASSWORD}', safe='')}",
        [PASSWORD],
    ),
    "HTML": (f"&quot;password&quot;: &quot;{PASSWORD}&quot;", [PASSWORD]),
    "a line that is cut": (
        f'{{"a":1}}\n{{"note":"{TOKEN}","password":"{PASSWORD}\n{{"b":2}}\n',
        [TOKEN, PASSWORD],
    ),
    "backspace": (f"{TOKEN[:12]}\b{TOKEN[12:]}", [TOKEN[12:]]),
}


@pytest.mark.parametrize("case", TEXTS, ids=str)
def test_nothing_survives(case: str) -> None:
    text, gone = TEXTS[case]
    result = redacted(text)
    for value in gone:
        assert value not in result
    assert redacted(result) == result


def test_what_stands_beside_stays() -> None:
    assert redacted(NESTED).count('\\\\\\\\\\\\\\"n') == NESTED.count('\\\\\\\\\\\\\\"n')
    assert json.loads(json.loads(json.loads(redacted(NESTED))["a"])["b"]) == {
        "token": "[github-token-1]",
        "n": 1,
    }
    text = TEXTS["a line that is cut"][0]
    assert redacted(text).splitlines()[0] == '{"a":1}'
    assert redacted(text).splitlines()[2] == '{"b":2}'


@pytest.mark.parametrize("at", range(1, 40, 3))
@pytest.mark.parametrize("shape", ['{{"delta":"{}"}}', '{{"delta":{{"text":"{}"}}}}'])
def test_a_token_over_two_deltas(at: int, shape: str) -> None:
    pieces = ["see ", TOKEN[:at], TOKEN[at:], " there"]
    result = redacted("\n".join(shape.format(piece) for piece in pieces), name="x.jsonl")
    joined = "".join(
        line["delta"] if isinstance(line["delta"], str) else line["delta"]["text"]
        for line in map(json.loads, result.splitlines())
    )
    assert joined == "see [github-token-1] there"


def test_forged_placeholders_keep_their_numbers() -> None:
    assert redacted(f"[github-token-1] {TOKEN}", "text") == "[github-token-1] [github-token-2]"
    assert redacted(f"[github-token-007] {TOKEN}", "text") == "[github-token-007] [github-token-8]"


def test_the_same_value_has_the_same_number() -> None:
    other = fake.github()
    result = redacted(f"{TOKEN} {other} {TOKEN}", "text")
    assert result == "[github-token-1] [github-token-2] [github-token-1]"


def test_files_of_one_family_share_what_they_know() -> None:
    one = Document.of("a.json", f'{{"password":"{PASSWORD}"}}'.encode())
    other = Document.of("b.txt", f"it said {PASSWORD} here".encode(), "text")
    redact([other, one], Redactor(Policy(values=True)))
    assert other.result().decode() == "it said [password-1] here"
    assert one.result().decode() == '{"password":"[password-1]"}'


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("frame", ["{}", "x={}", '"{}"', "({})", "https://h/?q={}&r=1", "a {}, b."])
def test_tokens_in_frames(kind: str, frame: str) -> None:
    token = MAKERS[kind](Fake(3))
    result = redacted(frame.format(token), "text")
    assert token[6:18] not in result
    for stays in frame.split("{}"):
        assert stays in result


BEFORE = "some words of the log line here " * 6
AFTER = " and more words follow to fill the next line also with text" * 3
BROKEN = [
    ("{}", TOKEN),
    ("{}", "AKIA" + fake.letters(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    ("{}", f"sk-ant-api03-{fake.letters(93)}AA"),
    ("DB_PASSWORD={}", PASSWORD),
    ("Authorization: Bearer {}", fake.letters(40)),
    ("postgres://app:{}@db.internal/x", PASSWORD),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("place", "secret"), BROKEN)
def test_a_line_may_break_anywhere(place: str, secret: str, end: str) -> None:
    whole = place.format(secret)
    for cut in range(1, len(whole)):
        text = f"{BEFORE[: 159 - cut]} {whole}{AFTER}"
        wrapped = end.join(text[at : at + 80] for at in range(0, len(text), 80))
        flat = redacted(wrapped, "text").replace(end, "")
        assert not any(secret[at : at + 8] in flat for at in range(len(secret) - 7)), cut


@pytest.mark.parametrize(
    "text",
    [
        f"{'a word ' * 10}the token\n{'other words ' * 6}of it\n",
        f"{'x' * 71} password\nbuild-cache-v2 of {'y' * 60}\n",
        f"{'x' * 70} API_KEY=\n{'y' * 79}\nNAME=value\n",
        "\n".join(f"{'a' * 58} {n:019}" for n in range(20)),
        "\n".join(["| key                   | value                 |"] * 9),
    ],
)
def test_full_lines_are_not_always_broken(text: str) -> None:
    assert redacted(text, "text") == text


@pytest.mark.parametrize(
    "head", ["b3BlbnNzaC1rZXktdjEA", "MIIEowIBAAKCAQEA", "MC4CAQAwBQYDK2Vw", "MHcCAQEEI"]
)
def test_the_body_of_a_key_without_its_first_line(head: str) -> None:
    body = [head + fake.letters(64 - len(head)), *LINES]
    assert (
        redacted("$ head\n" + "\n".join(body) + "\n$ ls", "text") == "$ head\n[private-key-1]\n$ ls"
    )


def test_the_end_of_a_key_without_its_beginning() -> None:
    tail = "\n".join([*LINES[-2:], f"{DASH}END RSA {KEY}{DASH}", "done"])
    assert not any(line in redacted("$ tail -3 id\n" + tail, "text") for line in LINES[-2:])
    certificate = tail.replace(f"RSA {KEY}", "CERTIFICATE")
    assert redacted(certificate, "text") == certificate


SPOKEN = ["Summer 2024!", "correct horse battery staple", "$up3r$ecret", "MyDogRex", "my-box-prod"]


@pytest.mark.parametrize("password", SPOKEN)
def test_words_are_a_password_where_nothing_else_can_stand(password: str) -> None:
    arguments = json.dumps({"user": "root", "password": password})
    text = json.dumps({"arguments": arguments, "content": f"login ok with {password}"})
    assert password not in redacted(text)


@pytest.mark.parametrize(
    "words",
    ["Enter your password", "string", "${DB_PASSWORD}", "min. 8 characters", "process.env.PW", ""],
)
def test_what_is_said_of_a_password_stays(words: str) -> None:
    text = json.dumps({"arguments": json.dumps({"user": "root", "password": words})})
    assert redacted(text) == text


@pytest.mark.parametrize(
    "payload",
    [
        '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"%s"}}]}}]}',
        '{"candidates":[{"content":{"parts":[{"text":"%s"}]}}]}',
        '{"choices":[{"text":"%s","index":0}]}',
        '{"contentBlockDelta":{"delta":{"toolUse":{"input":"%s"}}}}',
    ],
)
def test_pieces_of_what_a_provider_streams(payload: str) -> None:
    lines = "\n".join('{"payload":' + payload % part + "}" for part in (TOKEN[:15], TOKEN[15:]))
    assert TOKEN[15:] not in redacted(lines + "\n", name="x.jsonl")


def in_dump(data: bytes) -> str:
    rows = [data[at : at + 16] for at in range(0, len(data), 16)]
    return "\n".join(f"{16 * n:08x}  {row.hex(' ')}  |...|" for n, row in enumerate(rows))


def in_words(data: bytes, form: str) -> str:
    """As ``od`` and ``hexdump`` write words, the lower byte first."""
    rows = [
        data[at : at + 16] + b"\0" * (len(data[at : at + 16]) % 2) for at in range(0, len(data), 16)
    ]
    words = [
        [format(a + 256 * b, form) for a, b in zip(r[::2], r[1::2], strict=True)] for r in rows
    ]
    return "\n".join(f"{16 * n:07o} {' '.join(row)}" for n, row in enumerate(words))


def in_cells(data: bytes) -> str:
    """As ``od -c`` writes characters."""
    rows = [data[at : at + 16].decode() for at in range(0, len(data), 16)]
    cells = [[f"{' ' if c == ' ' else c:>4}" for c in row] for row in rows]
    return "\n".join(f"{16 * n:07o}{''.join(row)}" for n, row in enumerate(cells))


def in_xxd(data: bytes) -> str:
    rows = [data[at : at + 16] for at in range(0, len(data), 16)]
    return "\n".join(f"{16 * n:08x}: {row.hex(' ', 2)}  ...." for n, row in enumerate(rows))


ENCODED = {
    "hex": TOKEN.encode().hex(),
    "capitals": TOKEN.encode().hex().upper(),
    "base32": base64.b32encode(TOKEN.encode()).decode(),
    "wide": base64.b64encode(f'$t="{TOKEN}"'.encode("utf-16-le")).decode(),
    "packed": base64.b64encode(gzip.compress(f"TOKEN={TOKEN}".encode())).decode(),
    "octal": "".join(f"\\{ord(c):03o}" for c in TOKEN),
    "full width": "".join(chr(ord(c) + 0xFEE0) for c in TOKEN),
    "dump": in_dump(TOKEN.encode()),
    "xxd": in_xxd(b"TOKEN=" + TOKEN.encode()),
    "quoted-printable": f"{TOKEN[:20]}=\n{TOKEN[20:]}",
    "continued": f"{TOKEN[:20]}\\\n{TOKEN[20:]}",
    "strings": f'"{TOKEN[:20]}" + "{TOKEN[20:]}"',
    "strings over lines": f"'{TOKEN[:20]}' +\n    '{TOKEN[20:]}'",
}


@pytest.mark.parametrize(
    "dump",
    [
        pytest.param(in_words(TOKEN.encode(), "06o"), id="od"),
        pytest.param(in_words(b"x " + TOKEN.encode(), "04x"), id="od -x"),
        pytest.param(in_cells(b"A TOKEN=" + TOKEN.encode()), id="od -c"),
        pytest.param(in_dump(TOKEN.encode()).replace("  |...|", ""), id="od -t x1"),
    ],
)
@pytest.mark.parametrize("more", ["", "\nREADME.md and more words " * 9])
def test_words_and_cells_of_a_dump(dump: str, more: str) -> None:
    result = redacted(f"$ od token\n{dump}\n0000060\n$ ls{more}\n", "text")
    assert "[encoded-text-1]\n0000060\n$ ls" in result
    assert not set(dump.split()[1:]) & set(result.split()[3:])


@pytest.mark.parametrize("name", ENCODED)
def test_other_ways_to_write_a_token(name: str) -> None:
    text = f"out:\n{ENCODED[name]} and so on\n"
    result = redacted(text, "text")
    assert "[github-token-1]" in result or "[encoded-text-1]" in result
    longest = max(ENCODED[name].split(), key=lambda part: (len(part), -ENCODED[name].find(part)))
    assert name in ("dump", "xxd") or longest not in result


@pytest.mark.parametrize(
    "text",
    [
        fake.hex(64),
        "68656c6c6f20776f726c642c20776f726c6421",
        base64.b32encode(b"hello world, hello world").decode(),
        base64.b64encode(gzip.compress(b"hello world " * 9, mtime=0)).decode(),
        base64.b64encode("hello world, hello".encode("utf-16-le")).decode(),
        in_dump(b"hello world, what a day for dumps"),
        "H4sI" + fake.letters(60),
        "sum = 'aaaaaaaaaaaaaaaa' + 'bbbbbbbbbbbbbbbb'",
    ],
)
def test_what_is_encoded_and_no_secret_stays(text: str) -> None:
    assert redacted(f"out:\n{text}\n", "text") == f"out:\n{text}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"ключ: {TOKEN} вот",
        f"note \u2014 {TOKEN}",
        f"HOME=/root\0GITHUB={TOKEN}\0LANG=C\0",
        f"\x1b[31mTOKEN={TOKEN}\x1b[0m",
        f"   12\u2192    token = '{TOKEN}'",
    ],
)
def test_base64_of_a_text_in_any_language(text: str) -> None:
    blob = base64.b64encode(text.encode()).decode()
    assert blob not in redacted(f"out:\n{blob}\n", "text")


@pytest.mark.parametrize("data", ["straße, Füße und Grüße, alles gut".encode(), bytes(range(64))])
def test_base64_of_other_things_stays(data: bytes) -> None:
    blob = base64.b64encode(data).decode()
    assert redacted(f"out:\n{blob}\n", "text") == f"out:\n{blob}\n"
