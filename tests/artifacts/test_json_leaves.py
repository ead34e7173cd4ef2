"""Walking JSON text, and what a format says about its places."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sesskit.artifacts.edits import applied
from sesskit.artifacts.json_leaves import leaves, text_of
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.treatments import TEXT, Treatment, treatments

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner)
)


def never(_: str) -> bool:
    return False


def strings_of(value: Any, keys: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], str]]:
    if isinstance(value, str):
        return [(keys, value)]
    if not isinstance(value, dict | list):
        return []
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [found for key, v in inner for found in strings_of(v, (*keys, key))]


@given(trees, st.booleans(), st.sampled_from([None, 2]))
def test_all_strings_with_their_keys(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    found = [
        (leaf.frame.keys(), text_of(text[leaf.start : leaf.end]))
        for leaf in leaves(text, TEXT, never)
        if leaf.role == "text"
    ]
    assert found == strings_of(value)


@given(st.text('"\\:,[]{} ntu0', max_size=30))
def test_any_text_can_be_walked(text: str) -> None:
    for leaf in leaves(text, treatments(drop=["a"], blank={"b": "1"})):
        assert 0 <= leaf.start <= leaf.end <= len(text)
        assert len(leaf.frame.keys()) <= len(text)


def redacted(value: Any, place: Treatment, **options: Any) -> Any:
    text = json.dumps(value)
    edits = Redactor(Policy(**options)).document(text, place)
    return json.loads(applied(text, edits))


@pytest.mark.parametrize("order", ["abcde", "cabde", "bdcae", "ebdca", "acebd"])
@pytest.mark.parametrize("dropped", ["", "a", "ab", "ac", "e", "abcde", "bcd"])
def test_members_are_dropped_with_their_commas(order: str, dropped: str) -> None:
    place = treatments(drop=[f"x.{name}" for name in dropped])
    members = {name: {"n": [name]} for name in order}
    kept = {name: value for name, value in members.items() if name not in dropped}
    assert redacted({"x": members, "y": 1}, place) == {"x": kept, "y": 1}


def test_ways() -> None:
    place = treatments(
        keep=["id", "m[].{id,at}", "deep.*.id"],
        blank={"cwd": '""', "m[].data": "[]"},
        drop=["sealed"],
    )
    value = {
        "id": "/home/ikeda/1",
        "cwd": "/home/ikeda",
        "sealed": {"a": 1},
        "m": [{"id": "/home/ikeda/2", "at": "x", "data": {"a": "b"}, "t": "/home/ikeda/3"}],
        "deep": {"q": {"id": "/home/ikeda/4", "t": "/home/ikeda/5"}},
    }
    assert redacted(value, place, values=True) == {
        "id": "/home/ikeda/1",
        "cwd": "",
        "m": [{"id": "/home/ikeda/2", "at": "x", "data": [], "t": "/home/[user-1]/3"}],
        "deep": {"q": {"id": "/home/ikeda/4", "t": "/home/[user-1]/5"}},
    }


def test_kept_containers_and_cut_ones() -> None:
    assert redacted({"a": {"t": "/home/ikeda/1"}}, treatments(keep=["a"]), values=True) == {
        "a": {"t": "/home/ikeda/1"}
    }
    (leaf,) = [leaf for leaf in leaves('{"secret": {"a": [1') if leaf.role == "secret"]
    assert leaf.end == len('{"secret": {"a": [1')


def test_values_inside_of_a_secret_container() -> None:
    value = {"credentials": {"AccessKey": "kQ9xZ71mmB2pLw", "expires": "2026-01-02", "n": [7, "x"]}}
    assert redacted(value, TEXT, values=True) == {
        "credentials": {"AccessKey": "[access-key-1]", "expires": "2026-01-02", "n": [7, "x"]}
    }
    assert redacted(value, TEXT, extended=True) == {"credentials": "[REDACTED]"}
    assert redacted({"token": 5, "pin": 1234, "otp": "x"}, TEXT, extended=True) == {
        "token": 5,
        "pin": "[REDACTED]",
        "otp": "[REDACTED]",
    }
    assert redacted({"token": "", "secret": ""}, TEXT, extended=True) == {
        "token": "",
        "secret": "[REDACTED]",
    }


def test_depth_costs_no_frames() -> None:
    deep = '{"a":' * 50_000 + '"/home/ikeda/x"' + "}" * 50_000
    (edit,) = Redactor(Policy(values=True)).document(deep)
    assert edit.text == "[user-1]"
    assert edit.pointer.count("/a") < 1000


def test_a_name_tells_about_a_short_value() -> None:
    assert redacted({"USER": "ikeda", "user": "x"}, TEXT, values=True) == {
        "USER": "[user-1]",
        "user": "x",
    }
    auth = "c3ZjOlpxN2tra2sxMjM0NTY3ODk="
    assert redacted({"auth": auth, "b": auth}, TEXT, values=True) == {
        "auth": "[registry-auth-1]",
        "b": auth,
    }
