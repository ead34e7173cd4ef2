"""Texts seen through, and the way back; edits brought together."""

from __future__ import annotations

import json
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.artifacts.edits import Edit, applied, combined, lifted
from sesskit.artifacts.json_leaves import text_of
from sesskit.artifacts.line_views import (
    first_lines,
    goes_on,
    unwrapped,
    without_prefixes,
)
from sesskit.artifacts.span import Span, merged
from sesskit.artifacts.views import decoded, deeper_views, without_noise

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
WHY = Span(0, 0, "rule", "value")


@given(st.text(max_size=40), st.booleans())
def test_strings_are_decoded_as_json_decodes_them(text: str, ascii_only: bool) -> None:
    raw = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    assert text_of(raw) == text or any("\ud800" <= c <= "\udfff" for c in text)
    assert decoded(raw).text == text_of(raw)


@given(st.text(st.sampled_from('\\"u0041ndDbB8/x\n'), max_size=24))
def test_broken_escapes_stay(raw: str) -> None:
    if not raw.replace("\\\\", "").endswith("\\") and '"' not in raw:
        assert decoded(raw).text == text_of(raw)


@given(texts, st.data())
def test_places_of_a_decoded_string_lead_back(text: str, data: st.DataObject) -> None:
    raw = json.dumps(text)[1:-1]
    view = decoded(raw)
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    begin, stop = view.back(start, end)
    assert text_of(raw[begin:stop]) == text[start:end]


@given(texts, texts, texts)
def test_an_edit_of_a_string_in_json(before: str, gone: str, behind: str) -> None:
    text = before + gone + behind
    if not gone:
        return
    raw = json.dumps(text)[1:-1]
    edit = Edit(len(before), len(before) + len(gone), '"[x-1]\\', WHY)
    (up,) = lifted([edit], decoded(raw), 0)
    assert json.loads(f'"{applied(raw, [up])}"') == before + '"[x-1]\\' + behind


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x1b[31mb\x1b[0mc", "abc"),
        ("a\x1b]8;;http://x\x07b\x1b]8;;\x1b\\c", "abc"),
        ("a\u200bb\u00adc\ufeff", "abc"),
        ("a\bb", "ab"),
        ("\x1bPq\x1b\\a\x1b(Bb", "aBb"),
        ("\x9b1ma", "a"),
        ("a\x1b", "a"),
    ],
)
def test_noise(text: str, seen: str) -> None:
    view = without_noise(text)
    assert view is not None
    assert view.text == seen
    start, end = view.back(0, len(seen))
    assert text[start] == seen[0]
    assert text[end - 1] == seen[-1]


def test_no_noise() -> None:
    assert without_noise("plain text") is None
    assert without_noise("日本語") is None


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("     1→a\n     2→b", "a\nb"),
        ("1\ta\n2\tb", "a\nb"),
        ("12: a\n13: b", "a\nb"),
        ("src/a.py:1:a\nsrc/a.py:2:b", "a\nb"),
        ("src/a.py-1-a\nsrc/a.py:2:b", "a\nb"),
        ("+a\n-b\n c", "a\nb\nc"),
        ("> a\n> b", "a\nb"),
        ("2026-01-11T17:53:15.485Z a\n2026-01-11T17:53:15.485Z b", "a\nb"),
    ],
)
def test_prefixes(text: str, seen: str) -> None:
    assert seen in [view.text for view in without_prefixes(text, first_lines(text))]


@pytest.mark.parametrize("text", ["a\nb", "1 a\nb\nc", "", "x: y\nz"])
def test_no_prefixes(text: str) -> None:
    assert list(without_prefixes(text, first_lines(text))) == []


def test_wrapped_lines() -> None:
    long = "k" * 60
    two = f"{'x' * 20}{long}\n{long}{'y' * 20}\nz"
    ((_, _, view),) = unwrapped(two, first_lines(two))
    assert view.text == two.replace("\n", "", 2)
    assert view.back(78, 82) == (78, 83)
    one = f"{'x' * 80}\nrest"
    ((_, _, view),) = unwrapped(one, first_lines(one))
    assert view.text == one.replace("\n", "")
    for text in (f"{'x' * 81}\nrest", "short\nlines"):
        assert list(unwrapped(text, first_lines(text))) == [], text


def test_what_goes_on_in_the_next_line() -> None:
    full = "x" * 80
    assert goes_on(f"{full}\nrest", 80)
    assert goes_on(f"{full}\r\nrest", 81)
    assert goes_on(f"{full}\n{full}\nrest of it", 161)
    assert not goes_on(f"{full}\nrest of it", 80)
    assert not goes_on(f"{full}\nA=b", 80)
    assert not goes_on(f"{full}\n{full}\n12: b", 161)


@given(texts)
def test_addresses_and_pages(text: str) -> None:
    for view in deeper_views(quote(text, safe="")):
        assert view.text.isascii() or not text.isascii()
    (view,) = deeper_views("a &lt;b&#62; &amp;c")
    assert view.text == "a <b> &c"
    assert view.back(2, 3) == (2, 6)
    (view,) = deeper_views("\\x41\\'\\n")
    assert view.text == "A'\n"


spans = st.builds(
    lambda start, length, kind, sure: Span(start, start + length, "r", "v", "", kind, sure),
    st.integers(0, 30),
    st.integers(1, 10),
    st.sampled_from(["secret", "personal"]),
    st.sampled_from(["high", "medium", "low"]),
)


@given(st.lists(spans))
def test_merged_spans_do_not_overlap_and_lose_no_secret(found: list[Span]) -> None:
    result = merged(found)
    assert all(a.end <= b.start for a, b in pairwise(result))
    kept = {i for span in result for i in range(span.start, span.end)}
    for span in found:
        if span.kind == "secret":
            assert kept.issuperset(range(span.start, span.end))


@given(st.lists(spans), st.text(min_size=40, max_size=40))
def test_combined_edits(found: list[Span], text: str) -> None:
    edits = combined(Edit(s.start, s.end, "*", s, "", s.rank) for s in found)
    assert all(a.end <= b.start for a, b in pairwise(edits))
    result = applied(text, edits)
    assert len(result) == len(text) - sum(e.end - e.start - 1 for e in edits)
    assert applied(text, []) == text


def test_a_person_in_a_secret_goes_with_it() -> None:
    secret = Span(3, 9, "url-password", "s")
    person = Span(5, 20, "mail-address", "p", "email", "personal", "medium")
    assert merged([secret, person]) == [secret]
    early = person._replace(start=1, end=5)
    assert merged([early, secret]) == [secret]
