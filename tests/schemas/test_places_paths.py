"""Paths that people type, in both forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.schemas.issues import Keys, dotted, parse_path, pointer

PATHS: list[tuple[str, Keys]] = [
    ("", ()),
    ("a", ("a",)),
    ("record.messages[0].parts[12].mimeType", ("record", "messages", 0, "parts", 12, "mimeType")),
    ("[0][1].a", (0, 1, "a")),
    (".a", ("", "a")),
    ("a.", ("a", "")),
    ("a..b", ("a", "", "b")),
    ("no-approver.a b.é", ("no-approver", "a b", "é")),
    ("0.00", ("0", "00")),
    ("a/b", ("a/b",)),
    ("/", ("",)),
    ("/a/0/b", ("a", 0, "b")),
    ("/a.b/c[0]", ("a.b", "c[0]")),
    ("/~0~1/~01", ("~/", "~1")),
    ("/00/-/-1/1.5/", ("00", "-", "-1", "1.5", "")),
]
BAD = [
    ("a[", 2),
    ("a[x]", 2),
    ("a[-1]", 2),
    ("a[01]", 2),
    ("a[1", 2),
    ("a[" + "9" * 5000 + "]", 2),
    ("[", 1),
    ("a]", 2),
    ("a[0]b", 5),
    ("a.b[0].c[٣]", 9),
    ("/a~", 3),
    ("/a/~2", 4),
]


@pytest.mark.parametrize(("text", "keys"), PATHS)
def test_both_forms(text: str, keys: Keys) -> None:
    assert parse_path(text) == keys


@pytest.mark.parametrize(("text", "character"), BAD, ids=[text[:12] for text, _ in BAD])
def test_malformed_paths_say_where(text: str, character: int) -> None:
    with pytest.raises(ValueError, match=rf"^character {character} of the path: .+"):
        parse_path(text)


NAMES = st.text(st.characters(exclude_characters=".[]"), min_size=1)


@given(st.lists(NAMES | st.integers(0, 10**17), max_size=5).map(tuple))
def test_a_dotted_path_leads_back(keys: Keys) -> None:
    text = dotted(keys)
    if not text.startswith("/"):
        assert parse_path(text) == keys


@given(st.lists(st.text() | st.integers(0, 10**17), max_size=5).map(tuple))
def test_a_pointer_leads_back(keys: Keys) -> None:
    found = parse_path(pointer(keys))
    assert pointer(found) == pointer(keys)
    assert tuple(map(str, found)) == tuple(map(str, keys))
