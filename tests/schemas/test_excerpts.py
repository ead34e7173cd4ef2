from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.schemas.excerpts import lies_in_secret, masked_line
from sesskit.schemas.masking import columns, printable


def drawn(line: str, column: int, **options: Any) -> tuple[str, str]:
    """The excerpt and its caret line, as a report draws them."""
    excerpt = masked_line(line, column, **options)
    at, length = excerpt.caret(column)
    return excerpt.text, " " * (at - 1) + "^" * length


@pytest.mark.parametrize(
    ("line", "column", "text", "caret"),
    [
        pytest.param(
            '  "content": null,', 14, '  "content": null,', "             ^^^^", id="value"
        ),
        pytest.param('  "owner": "Bob B.",', 3, '  "owner": "…",', "  ^^^^^^^", id="name"),
        pytest.param('  "owner": "Bob B.",', 12, '  "owner": "…",', "           ^^^", id="text"),
        pytest.param('  "owner": "Bob B.",', 15, '  "owner": "…",', "            ^", id="in-text"),
        pytest.param(
            '  "o": "Bob B.", "n": 1', 22, '  "o": "…", "n": 1', " " * 16 + "^", id="past-text"
        ),
        pytest.param('{"a": {"b": 1}}', 7, '{"a": {"b": 1}}', "      ^", id="container"),
        pytest.param('{"a": ""}', 7, '{"a": ""}', "      ^^", id="empty-text"),
        pytest.param('{"a": -1.5e3}', 7, '{"a": -1.5e3}', "      ^^^^^^", id="number"),
        pytest.param('{"a": "cut', 7, '{"a": "…', "      ^^", id="open-text"),
        pytest.param('{"a": "cut', 11, '{"a": "…', "        ^", id="after-the-end"),
        pytest.param('{"a": "cut\\', 7, '{"a": "…', "      ^^", id="open-escape"),
        pytest.param("", 1, "", "^", id="empty-line"),
        pytest.param("   ", 2, "   ", " ^", id="blank"),
        pytest.param('\t\t"a": 1', 8, '  "a": 1', "       ^", id="tabs"),
        pytest.param(
            '{"名前": "値", "b": 1}', 13, '{"名前": "…", "b": 1}', " " * 14 + "^^^", id="wide"
        ),
        pytest.param('{"a\x1b": 1}', 2, '{"a\\x1b": 1}', " ^^^^^^^", id="escape"),
        pytest.param('{"a\x1b": 1}', 7, '{"a\\x1b": 1}', " " * 9 + "^", id="after-escape"),
    ],
)
def test_excerpts_and_carets(line: str, column: int, text: str, caret: str) -> None:
    assert drawn(line, column) == (text, caret)


@pytest.mark.parametrize(
    ("line", "column", "text"),
    [
        pytest.param('{"password": 12345, "n": 1}', 21, '{"password": …, "n": 1}', id="number"),
        pytest.param('{"apiKey": "x", "n": 1}', 17, '{"apiKey": …, "n": 1}', id="text"),
        pytest.param('{"secret": {"a": [1, 2]}, "n": 1}', 27, '{"secret": …, "n": 1}', id="object"),
        pytest.param('"secret": {"a": 1,', 1, '"secret": …', id="goes-on-below"),
        pytest.param('{"secret": , "n": 1}', 14, '{"secret": , "n": 1}', id="no-value"),
        pytest.param('{"pass\\u0077ord": 5}', 1, '{"pass\\u0077ord": …}', id="escaped-name"),
        pytest.param('{"b\\q": 5}', 1, '{"b\\q": …}', id="unreadable-name"),
        pytest.param('{"b\\n": 5}', 1, '{"b\\n": 5}', id="harmless-escape"),
        pytest.param('{"password" 12345}', 1, '{"…" …}', id="no-colon"),
        pytest.param("{password: 12345, n: 1}", 1, "{…: …, …: 1}", id="bare-name"),
        pytest.param("{'secret': 5, 'n': 'x'}", 1, "{'secret': …, 'n': '…'}", id="apostrophes"),
        pytest.param('{"password"= 12345, "n": 1}', 1, '{"…"…, "n": 1}', id="no-colon-but-equals"),
        pytest.param('{"password" /* x */ = 12345}', 1, '{"…" …}', id="comment-before-value"),
        pytest.param('{"password": 12 345, "n": 1}', 1, '{"password": …, "n": 1}', id="two-values"),
        pytest.param("{“password”: 12345}", 1, "{…: …}", id="curly-quotes"),
        pytest.param("{my.password= 12345}", 1, "{…}", id="name-in-junk"),
        pytest.param('{" password ": 12345}', 1, '{" password ": …}', id="blanks-in-name"),
        pytest.param(': 12345, "n": null', 15, ': …, "n": null', id="colon-below-its-name"),
        pytest.param(': 12345, "n": null', 1, ': …, "n": null', id="caret-at-that-colon"),
        pytest.param(': 12345, "n": null', 3, ': 12345, "n": null', id="caret-at-that-value"),
        pytest.param(': 12345 "n": null', 9, ': … "n": null', id="and-no-comma"),
        pytest.param('12345 "n": null', 7, '… "n": null', id="value-and-no-comma"),
        pytest.param('["password", 5]', 1, '["…", 5]', id="array"),
        pytest.param('["hunter2": 5]', 1, '["…": 5]', id="no-name-in-array"),
        pytest.param('{"ghp_FAKEFAKEFAKE0000": 1}', 1, '{"[masked]": 1}', id="token-as-name"),
        pytest.param('  12345, "n": null', 17, '  …, "n": null', id="value-of-a-name-above"),
        pytest.param('  12345, "n": null', 3, '  12345, "n": null', id="the-value-itself"),
        pytest.param('1, 2], "n": null', 13, '…], "n": null', id="container-of-a-name-above"),
        pytest.param('{"a": hello there world}', 1, '{"a": …}', id="junk"),
        pytest.param('{"a": NaN, "b": None}', 1, '{"a": NaN, "b": None}', id="odd-words"),
        pytest.param('{"a": 1} // my pass', 1, '{"a": 1} //…', id="comment"),
        pytest.param('{"a": /* my pass */ 1}', 1, '{"a": /*… 1}', id="block-comment"),
        pytest.param('{"a": 1e, "b": \x00\x00}', 1, '{"a": …, "b": …}', id="no-number"),
        pytest.param(f'{{"a": {"7" * 50}}}', 1, f'{{"a": {"7" * 23}…}}', id="long-number"),
        pytest.param(f'{{"{"k" * 50}": 1}}', 1, f'{{"{"k" * 39}…": 1}}', id="long-name"),
    ],
)
def test_what_is_elided(line: str, column: int, text: str) -> None:
    assert masked_line(line, column).text == text


def test_a_secret_line_shows_nothing() -> None:
    assert drawn('  "pin": 12345', 10, secret=True) == ("…", "^")


@pytest.mark.parametrize(
    ("keys", "at_key", "secret"),
    [
        (("record", "messages", 0), False, False),
        (("a", "password"), False, True),
        (("a", "password"), True, False),
        (("a", "secret", "b", 0), True, True),
        ((), False, False),
        ((), True, False),
    ],
)
def test_lies_in_secret(keys: tuple[str | int, ...], at_key: bool, secret: bool) -> None:
    assert lies_in_secret(keys, at_key) is secret


def test_a_long_line_is_cropped_round_the_column() -> None:
    items = ", ".join(f'{{"k": "text {n}", "n": {n}}}' for n in range(2000))
    line = f'{{"items": [{items}], "bad": null}}'
    column = line.index('"n": 1000}') + 6
    excerpt = masked_line(line, column, width=60)
    assert columns(excerpt.text) <= 60
    assert excerpt.text.startswith("…")
    assert excerpt.text.endswith("…")
    at, length = excerpt.caret(column)
    assert excerpt.text[at - 1 : at - 1 + length] == "1000"
    assert drawn(line, line.index('"bad"') + 1, width=60) == ('…], "bad": null}', "    ^^^^^")


def test_a_long_text_before_the_column() -> None:
    line = '{"a": "' + "my words, " * 100_000 + '", "bad": null}'
    column = len(line) - 4
    assert drawn(line, column) == ('…, "bad": null}', "          ^^^^")
    middle = masked_line(line, 500_000)
    assert set(middle.text) == {"…"}


def test_a_line_may_be_cut_by_the_caller() -> None:
    assert drawn('s", "bad": null', 1011, first=1000) == ('…, "bad": null', " " * 10 + "^^^^")
    assert masked_line("", 10, first=10).text == ""


def test_columns_outside_the_excerpt() -> None:
    excerpt = masked_line('{"a": 1}' + " " * 3000, 2)
    assert excerpt.column(-5) == 1
    assert excerpt.column(10_000) == columns(excerpt.text) + 1


SECRETS = st.text("SECRET\\\"{}[]:, '/\n\x1b", min_size=1, max_size=12)


@given(
    st.lists(st.tuples(st.sampled_from(["a", "password", "b"]), SECRETS), max_size=6),
    st.integers(1, 200),
    st.integers(1, 60),
)
def test_no_text_of_sound_json_is_shown(
    members: list[tuple[str, str]], column: int, cut: int
) -> None:
    line = json.dumps([{name: text} for name, text in members])
    for part, first in ((line, 1), (line[cut - 1 :], cut)):
        excerpt = masked_line(part, column, first=first, width=80)
        assert not set("SECRT") & set(excerpt.text)
        assert columns(excerpt.text) <= 80
        assert printable(excerpt.text) == excerpt.text


@given(
    st.text(st.characters(exclude_categories=[]) | st.sampled_from("{}[]:,\"\\' /*1"), max_size=60),
    st.integers(-5, 80),
    st.integers(0, 60),
    st.integers(1, 30),
)
def test_excerpts_are_total(line: str, column: int, width: int, first: int) -> None:
    excerpt = masked_line(line, column, width=width, first=first)
    at, length = excerpt.caret(column)
    assert 1 <= at <= columns(excerpt.text) + 1
    assert length >= 1
    assert list(excerpt.origins) == sorted(excerpt.origins)
    assert len(excerpt.origins) == len(excerpt.text)
    assert columns(excerpt.text) <= max(width, 20)
    assert printable(excerpt.text) == excerpt.text
