"""Reading through refs."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.records.refs import input_of, reader, text_of
from sesskit.records.view import Input, Ref


def whole(data: bytes) -> Ref:
    return Ref(0, len(data))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'"plain"', "plain"),
        (b'"\\u00e9\\n\\ud83d\\ude00"', "é\n😀"),
        (b'"lone \\ud800"', "lone \ud800"),
        (b'"tab\there"', "tab\there"),
        (b'"\xff"', "\ufffd"),
        (b'"cut sho', '"cut sho'),
        (b"12", "12"),
        (b'{"a": 1}', '{"a": 1}'),
        (b"", ""),
    ],
)
def test_text(data: bytes, text: str) -> None:
    assert text_of(whole(data), reader(data)) == text


def test_raw_text_keeps_its_quotes() -> None:
    data = b'"as it is\\n"'
    assert text_of(Ref(0, len(data), form="raw"), reader(data)) == '"as it is\\n"'


def test_a_ref_into_another_file_of_the_family() -> None:
    read = reader(b"own", {"side.txt": b'"other"'})
    assert text_of(Ref(0, 7, file="side.txt"), read) == "other"
    assert text_of(Ref(0, 7, file="lost.txt"), read) == ""
    assert (Ref(3, 4).end, read(Ref(1, 1))) == (7, b"w")


@pytest.mark.parametrize(
    ("data", "as_text", "found"),
    [
        (b'"{\\"a\\": [1]}"', True, ({"a": [1]}, True)),
        (b'"not json"', True, ("not json", False)),
        (b'"\\ud800"', True, ("\ud800", False)),
        (b'{"a": 1}', False, ({"a": 1}, True)),
        (b'{"a"', False, ('{"a"', False)),
    ],
)
def test_input(data: bytes, as_text: bool, found: tuple[Any, bool]) -> None:
    assert input_of(Input(whole(data), as_text), reader(data)) == found
