"""Redaction of any document: it stays the document that it was, but for the values that went."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fake_secrets import Fake
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.placeholders import PLACEHOLDER
from sesskit.artifacts.redaction import Policy, Redactor

fake = Fake(33)
TOKEN = fake.github()
OPAQUE = fake.letters(24)
POLICIES = [Policy(), Policy(extended=True), Policy(values=True), Policy(True, True)]

pieces = st.sampled_from(
    [
        *(TOKEN, f"API_KEY={OPAQUE}", "/home/ikeda/x", "noor@ikeda.dev", "[token-1]", "plain"),
        *(
            '{"secret": "x", "n": [1]}',
            f'{{"token": "{OPAQUE}"}}',
            "a\nb",
            '"',
            "\\",
            "é",
            "\x1b[1m",
        ),
    ]
)
texts = st.lists(pieces, max_size=4).map("".join) | st.lists(pieces, max_size=4).map(" ".join)
names = st.sampled_from(["a", "password", "clientSecret", "name", "value", "/home/ikeda/y", TOKEN])
trees = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)


def redacted(text: str, policy: Policy, name: str = "a.json") -> Document:
    document = Document.of(name, text.encode())
    redact([document], Redactor(policy))
    return document


def same_shape(before: Any, after: Any) -> bool:
    """Whether two values differ in strings only, and in what was replaced by one as a whole."""
    if isinstance(after, str):
        return isinstance(before, str) or after == "[REDACTED]" or bool(PLACEHOLDER.search(after))
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = list(zip(before.values(), after.values(), strict=False))
        return len(before) == len(after) and all(same_shape(a, b) for a, b in pairs)
    if isinstance(before, list) and isinstance(after, list):
        pairs = list(zip(before, after, strict=False))
        return len(before) == len(after) and all(same_shape(a, b) for a, b in pairs)
    return type(before) is type(after) and before == after


@given(trees, st.sampled_from(POLICIES), st.booleans(), st.sampled_from([None, 1]))
def test_the_shape_stays(value: Any, policy: Policy, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    once = redacted(text, policy)
    result = once.result().decode()
    assert same_shape(value, json.loads(result))
    if policy.values:
        assert TOKEN not in result
        assert "ikeda" not in result
    assert redacted(result, policy).result().decode() == result
    for found in once.found():
        assert found.line >= 1
        assert TOKEN not in found.pointer


@given(st.lists(trees, max_size=4), st.sampled_from(POLICIES))
def test_lines_stay_lines(values: list[Any], policy: Policy) -> None:
    text = "".join(json.dumps(value) + "\n" for value in values)
    result = redacted(text, policy, "a.jsonl").result().decode()
    after = [json.loads(line) for line in result.splitlines()]
    assert len(after) == len(values)
    assert all(map(same_shape, values, after))
