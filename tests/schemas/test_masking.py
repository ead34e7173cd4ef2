from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from sesskit.schemas.instants import Instant
from sesskit.schemas.masking import (
    MASK,
    TOKENS,
    columns,
    mask_payload,
    mask_text,
    mask_tree,
    printable,
    shorten,
)

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcode 日本 😀", "plain, ünïcode 日本 😀"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("a\nb\tc\rd\0", r"a\nb\tc\rd\x00"),
        ("\x7f\x9b\xad\x85", r"\x7f\x9b\xad\x85"),
        ("\u202eevil\u2066\u061c\u200f", r"\u202eevil\u2066\u061c\u200f"),
        ("\u200b\u200d\u2060\ufeff\u3164\u115f", r"\u200b\u200d\u2060\ufeff\u3164\u115f"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\ud800x\udfff", r"\ud800x\udfff"),
        ("\U000e0041", r"\U000e0041"),
        (r"C:\new", r"C:\new"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_no_hidden_character_is_forgotten() -> None:
    visible = {"ARABIC", "SYRIAC", "KAITHI"}  # signs that stand before a number, and show
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            signs = unicodedata.name(character, "").split(" ")[0] in visible and code != 0x61C
            assert (printable(character) == character) is signs, hex(code)


@given(ANY_TEXT)
def test_printable_is_one_line_of_utf8_and_idempotent(text: str) -> None:
    shown = printable(text)
    assert shown.encode() is not None
    assert len(shown.splitlines()) <= 1
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("x", 1, "x"),
        ("xy", 1, "…"),
        ("xy", 0, ""),
        ("", 5, ""),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("\x1b[31m", 20, r"\x1b[31m"),
        ("\x1b[31m", 6, r"\x1b[…"),
    ],
)
def test_shorten(text: str, width: int, shown: str) -> None:
    assert shorten(text, width) == shown


@given(ANY_TEXT, st.integers(-1, 20))
def test_what_is_shortened_fits(text: str, width: int) -> None:
    shown = shorten(text, width)
    assert columns(shown) <= max(width, 0)
    assert shown == printable(text) or shown.endswith("…") or width <= 0


def test_shorten_looks_only_at_the_beginning() -> None:
    assert len(shorten("\u0301" * 1_000_000, 10)) <= 50


class Thing(Struct):
    pass


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ghp_FAKEFAKEFAKE0000", MASK),
        ("github_pat_FAKEFAKE_0000", MASK),
        ("glpat-FAKE-FAKE-00", MASK),
        ("use sk-FAKE-FAKE-FAKE-0000 now", f"use {MASK} now"),
        ("sk_live_FAKEFAKEFAKE00", MASK),
        ("xoxb-000000-FAKE", MASK),
        ("AKIAFAKEFAKEFAKE0000", MASK),
        ("AIzaFAKEFAKEFAKEFAKE0000", MASK),
        ("npm_FAKEFAKEFAKEFAKE0000", MASK),
        ("SG.FAKEFAKEFAKE.FAKEFAKEFAKE", MASK),
        ("eyJGQUtFRkFLRQ.eyJGQUtF.FAKE", MASK),
        ("curl -H 'X: bearer FAKEFAKE00'", f"curl -H 'X: bearer {MASK}'"),
        ("Authorization: Basic RkFLRTpGQUtF", f"Authorization: {MASK}"),
        ("Authorization: Bearer FAKEFAKE00", f"Authorization: {MASK}"),
        ("postgres://fake:p@ss@db.example/x", f"postgres://{MASK}@db.example/x"),
        ("password=fake-pass; next", f"password={MASK}; next"),
        (r"{\"apiKey\": \"fake\", \"n\": 1}", rf"{{\"apiKey\": \"{MASK}\", \"n\": 1}}"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nRkFLRQ==\n-----END RSA PRIVATE KEY-----\nafter",
            f"{MASK}\nafter",
        ),
        ("-----BEGIN PRIVATE KEY-----\nRkFLRQ==", MASK),
    ],
)
def test_what_looks_like_a_credential_is_masked(text: str, shown: str) -> None:
    assert mask_text(text) == shown
    assert mask_text(shown) == shown


@pytest.mark.parametrize(
    "before",
    [
        *(rf"a\{letter}" for letter in 'nrtbf"\\'),
        *(r"a\u000a", r"a\u001b[0m", r"a\x1b", "a%0A", "a%20", "\x1b[0m", "\x1b[m", "\x1b[1;31m"),
        *("\x1b[38;5;208m", "\x1b[K", r"\\n", "_", "record."),
    ],
)
@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("ghp_FAKEFAKEFAKE0000", MASK),
        ("sk-FAKE-FAKE-FAKE-0000", MASK),
        ("AKIAFAKEFAKEFAKE0000", MASK),
        ("eyJGQUtFRkFLRQ.eyJGQUtF.FAKE", MASK),
        ("Bearer FAKEFAKE00", f"Bearer {MASK}"),
        ("bearer%20FAKEFAKE00", f"bearer%20{MASK}"),
        ("password=fake", f"password={MASK}"),
        ("X-Api-Key: fake", f"X-Api-Key: {MASK}"),
    ],
)
def test_a_credential_begins_behind_an_escape(before: str, secret: str, shown: str) -> None:
    assert mask_text(before + secret) == before + shown


@pytest.mark.parametrize(
    "text",
    [
        "the task-force-went-home-early",
        "https://example.com/a@b?c=d",
        "mail me at someone@example.com",
        "bearer of bad news",
        "the secret garden",
        "maxTokens: 5",
        "d41d8cd98f00b204e9800998ecf8427e",
        "xghp_FAKEFAKEFAKE0000",
    ],
)
def test_plain_text_stays(text: str) -> None:
    assert mask_text(text) == text


@given(st.lists(st.sampled_from([*"=:@/ a\\\"'", "eyJ", "sk-", "secret", "://", "bearer "])))
def test_hints_never_hide_a_match(parts: list[str]) -> None:
    text = "".join(parts)
    for token in TOKENS:
        if re.search(token.pattern, text, token.flags):
            assert any(hint in text for hint in token.hints)


@pytest.mark.parametrize(
    "unit", ["eyJ", "-eyJ", "\\nsk-", "sk-", "://a", "secret\\", "authorization:", "password= "]
)
def test_masking_is_linear(unit: str) -> None:
    assert len(mask_text(unit * 100_000)) > 0


def test_mask_tree() -> None:
    value = {
        "apiKey": {"deep": 1},
        "note": "token ghp_FAKEFAKEFAKE0000",
        "ghp_FAKEFAKEFAKE0000": [1, None, ("Bearer FAKEFAKE00", Instant(0))],
        "ghp_FAKEFAKEFAKE1111": 2,
    }
    assert mask_tree(value) == {
        "apiKey": MASK,
        "note": f"token {MASK}",
        MASK: [1, None, (f"Bearer {MASK}", Instant(0))],
        f"{MASK} (4)": 2,
    }
    assert value["apiKey"] == {"deep": 1}


PAYLOADS = [
    ("plain words", "plain words"),
    ('{"a": 1}', '{"a": 1}'),
    ('{"password": "two words", "a": 1}', '{"password":"[masked]","a":1}'),
    ('[{"secret": {"deep": ["x"]}}]', '[{"secret":"[masked]"}]'),
    ('{"inner": "{\\"api_key\\": \\"x y\\"}"}', '{"inner":"{\\"api_key\\":\\"[masked]\\"}"}'),
    ('{"password": "two wor', '{"password": "[masked]'),
    ('{"a": "ghp_notarealtoken0000000000"}', '{"a":"[masked]"}'),
    ("[" * 2_000, "[" * 2_000),
    ("{\ud800", "{\ud800"),
]


@pytest.mark.parametrize(("text", "masked"), PAYLOADS, ids=range(len(PAYLOADS)))
def test_payloads(text: str, masked: str) -> None:
    assert mask_payload(text) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("password = 'a pass phrase', next", "password = '[masked]', next"),
        ('"secret": "never closed\nnext', '"secret": "[masked]\nnext'),
        ("password: one two", "password: [masked] two"),
    ],
)
def test_a_quoted_value_is_masked_to_its_quote(text: str, masked: str) -> None:
    assert mask_text(text) == masked
