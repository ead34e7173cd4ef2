"""The exact key scrub: what it replaces, and that it replaces nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock import seconds
from sesskit.artifacts.scrub_keys import KeyScrubber, scrub_keys
from sesskit.schemas.sensitive import scrub_sensitive_keys

DATA = Path(__file__).parents[1] / "data"
ROWS = [
    json.loads(line)
    for line in (DATA / "robota-record" / "vectors" / "scrub.jsonl").read_bytes().splitlines()
]
KEYS = [json.loads(line) for line in (DATA / "secrets" / "keys.jsonl").read_bytes().splitlines()]
VALUES = {"s": '"v"', "n": "12.5e3", "o": '{"a":["]",{}]}', "l": '["}"]', "b": "true", "z": "null"}


def scrubbed(text: str | bytes, **options: Any) -> str:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return b"".join(scrub_keys([data], **options)).decode()


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r["op"] == "scrub"], ids=lambda row: row["name"]
)
def test_answers_of_the_original(row: dict[str, Any]) -> None:
    options = {"fill": row["fill"]} if "fill" in row else {}
    assert json.loads(scrubbed(json.dumps(row["input"]), **options)) == row["expect"]


@pytest.mark.parametrize("row", [r for r in KEYS if "exact" in r], ids=lambda r: repr(r["key"]))
@pytest.mark.parametrize("ascii_only", [True, False])
def test_exact_names(row: dict[str, Any], ascii_only: bool) -> None:
    name = json.dumps(row["key"], ensure_ascii=ascii_only)
    value = VALUES[row["value"]]
    expected = '"[REDACTED]"' if row["exact"] else value
    assert scrubbed(f'{{"a":1,{name} : {value} ,"z":[]}}') == (
        f'{{"a":1,{name} : {expected} ,"z":[]}}'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            '{"password":1,"password":"b"}',
            '{"password":"[REDACTED]","password":"[REDACTED]"}',
            id="both of a doubled name",
        ),
        pytest.param(
            '{"\\u0061pi\\u005FKe\\u0059":"a"}',
            '{"\\u0061pi\\u005FKe\\u0059":"[REDACTED]"}',
            id="name in escapes",
        ),
        pytest.param('["password", "secret"]', '["password", "secret"]', id="no names"),
        pytest.param('{"a":"secret"}', '{"a":"secret"}', id="a value"),
        pytest.param(
            '{"a":"{\\"password\\":\\"x\\"}"}', '{"a":"{\\"password\\":\\"x\\"}"}', id="in a string"
        ),
        pytest.param('{"x\\"secret":"a"}', '{"x\\"secret":"a"}', id="end of another name"),
        pytest.param(
            '{"a":"\\\\","secret":"a\\"b"}', '{"a":"\\\\","secret":"[REDACTED]"}', id="quotes"
        ),
        pytest.param('{"secret":', '{"secret":', id="cut before the value"),
        pytest.param('{"secret":"ab', '{"secret":"[REDACTED]"', id="cut in the value"),
        pytest.param('{"secret":{"a":"b', '{"secret":"[REDACTED]"', id="cut in an object"),
        pytest.param('{"secret":,"a":1}', '{"secret":,"a":1}', id="no value"),
        pytest.param('{"secret":"a\nb"}', '{"secret":"[REDACTED]"}', id="line end in the value"),
        pytest.param('{"secret":"a\\\nb"}', '{"secret":"[REDACTED]"}', id="escaped line end"),
        pytest.param('{"secret":[1}]}', '{"secret":"[REDACTED]"]}', id="wrong bracket"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_texts(text: str, expected: str) -> None:
    assert scrubbed(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('"secret"\n:"a"\n', '"secret"\n:"a"\n', id="name at the end"),
        pytest.param('{"secret":\n"a"}\n', '{"secret":\n"a"}\n', id="colon at the end"),
        pytest.param(
            '{"secret":"a\n{"secret":"b"}\n',
            '{"secret":"[REDACTED]"\n{"secret":"[REDACTED]"}\n',
            id="broken string",
        ),
        pytest.param(
            '{"secret":"a\\\n{"b":"c"}\n', '{"secret":"[REDACTED]"\n{"b":"c"}\n', id="backslash"
        ),
        pytest.param(
            '{"secret":["a",\n{"b":"c"}\n', '{"secret":"[REDACTED]"\n{"b":"c"}\n', id="broken list"
        ),
        pytest.param('{"secret":12\n3', '{"secret":"[REDACTED]"\n3', id="broken number"),
    ],
)
def test_a_line_ends_what_is_broken(text: str, expected: str) -> None:
    assert scrubbed(text, lines=True) == expected


names = st.sampled_from(
    ["apiKey", "PASSWORD", "x-api_key", "a", "", 'secret"', "\\secret", "token", "\u0430piKey"]
)
scalars = (
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(names, inner), max_leaves=20
)


@given(trees, st.integers(1, 12), st.booleans(), st.sampled_from([None, 1]))
def test_same_as_the_scrub_of_values(
    value: Any, size: int, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    scrubbed = b"".join(scrub_keys(chunks))
    # Written as the standard library writes it, so equal bytes mean that nothing else changed.
    expected = json.dumps(scrub_sensitive_keys(value), ensure_ascii=ascii_only, indent=indent)
    assert scrubbed == expected.encode()
    assert b"".join(scrub_keys([scrubbed])) == scrubbed


@given(st.lists(st.sampled_from([*'"\\:,[]{}\n x', '"secret"', '"secret":"'])), st.booleans())
def test_any_text_in_any_chunks(pieces: list[str], lines: bool) -> None:
    text = "".join(pieces).encode()
    whole = b"".join(scrub_keys([text], lines=lines))
    bytewise = b"".join(scrub_keys([text[i : i + 1] for i in range(len(text))], lines=lines))
    assert whole == bytewise
    assert b"".join(scrub_keys([whole], lines=lines)).count(b"[REDACTED]") >= whole.count(
        b"[REDACTED]"
    )


def test_counts() -> None:
    scrubber = KeyScrubber()
    scrubber.feed(b'{"secret":1,"a":{"password":[1]}}')
    assert scrubber.count == 2


@pytest.mark.parametrize(
    "piece", ['"', '"secret"', '"secret":{', "\\", '"secret":"', '"secret" ', "[", '\\"secret":1,']
)
def test_linear(piece: str) -> None:
    def run(count: int) -> None:
        text = piece.encode() * count
        for _ in scrub_keys([text[at : at + 65536] for at in range(0, len(text), 65536)]):
            pass

    assert seconds(lambda: run(400_000)) < 16 * max(seconds(lambda: run(50_000)), 0.005)
