"""The kinds of JSON values, in the words that issues use."""

from __future__ import annotations

from typing import Any, Final

from sesskit.schemas.damaged import BrokenText

_WORDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    BrokenText: "string",
    list: "array",
    dict: "object",
}


def kind_word(value: Any) -> str:
    """The JSON kind of a parsed value; "nothing" for what is no JSON value."""
    return _WORDS.get(type(value), "nothing")
