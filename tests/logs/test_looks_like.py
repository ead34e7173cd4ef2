"""What a file looks like that is no session file."""

from __future__ import annotations

import gzip
import sqlite3
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.logs.recognition import looks_like


@pytest.mark.parametrize(
    ("head", "phrase"),
    [
        (b"", "an empty file"),
        (b"\0" * 5000, "a file filled with NUL bytes"),
        (gzip.compress(b"x", mtime=0), "gzip-compressed data"),
        (b"\x28\xb5\x2f\xfd\x04", "zstd-compressed data"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (b"\x7fELF\x02", "an ELF program or library"),
        (b"%PDF-1.7", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\0" * 257 + b"ustar\0", "a tar archive"),
        (b"#!/bin/sh\n", "a script"),
        ("{}".encode("utf-16"), "text in UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), "text in UTF-16"),
        ('{"a": 1}'.encode("utf-16-be"), "text in UTF-16"),
        ("{}".encode("utf-32"), "text in UTF-32"),
        (b"{}", "a JSON object without members"),
        (b"{", "the beginning of a JSON object"),
        (b'{"a":1}', "a JSON object with the member a"),
        (b'{"a":1,"b":2}', "a JSON object with the members a, b"),
        (b'{"a":1,"b":', "a JSON object with the members a, b ..."),
        (
            b'{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}',
            "a JSON object with the members a, b, c, d, e ...",
        ),
        (b'{"a":1}\n{"a":2}\n', "JSON lines, the first an object with the member a"),
        (b"[1, 2]", "a JSON array"),
        (b"[", "a JSON array"),
        (b"[section]\nkey = 1\n", "plain text"),
        (b"{% template %}", "plain text"),
        (b'"x"', "a JSON string"),
        (b"12", "a single JSON value"),
        (b'"x', "plain text"),
        (b"\n<html>", "XML or HTML"),
        (b"Dear diary,\n", "plain text"),
        ("안녕하세요".encode()[:-1], "plain text"),
        (b"  \n", "nothing but blanks"),
        (b"caf\xe9 au lait, and more", "text that is not UTF-8, or binary data"),
        (zlib.compress(bytes(range(256)) * 9), "binary data"),
    ],
)
def test_phrases(head: bytes, phrase: str) -> None:
    assert looks_like(head) == phrase


def test_sqlite(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as base:
        base.execute("create table t (a)")
    assert looks_like((tmp_path / "a.db").read_bytes()) == "an SQLite database"


def test_names_are_short_and_printable() -> None:
    phrase = looks_like(b'{"\x1b[31m' + b"x" * 500 + b'":1}')
    assert "\x1b" not in phrase
    assert len(phrase) < 90


@pytest.mark.parametrize("before", ["", "a name of some length."])
def test_names_are_masked_before_they_are_shortened(before: str) -> None:
    phrase = looks_like(f'{{"{before}ghp_{"FAKE" * 9}":1}}'.encode())
    assert "ghp_" not in phrase
    assert "FAKE" not in phrase


@given(st.binary(max_size=200))
def test_total(head: bytes) -> None:
    assert looks_like(head)
