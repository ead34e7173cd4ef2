"""Members that name what stands beside them: of a name and a value, or of a field and its text."""

from __future__ import annotations

import re
from typing import Final

from sesskit.artifacts.key_names import words_of
from sesskit.artifacts.secret_rule import word_set

__all__ = ["LABELS", "LOOSE_LABELS", "VALUED", "named_by", "says_value"]

LABELS: Final = frozenset(
    {"name", "key", "header", "variable", "Name", "Key", "ParameterKey", "OutputKey", "k"}
)
LOOSE_LABELS: Final = frozenset(
    {"element", "selector", "label", "field", "prompt", "question", "path", "file_path"}
)
"""Members that say in words what a value is for; the value has to look drawn then."""

VALUED: Final = frozenset({"value", "val", "Value", "ParameterValue", "OutputValue", "v"})
"""Members that hold what another one names."""

_FIELD: Final = word_set("field input box textbox text area value file key")
_QUERIED: Final = re.compile(r"[^\W_][\w .-]{0,60}(?=[^\w]{0,4}\Z)")
_MOST: Final = 3


def says_value(labelled: str, valued: str) -> bool:
    """Whether a name and a value are called so: then the value may be a plain word."""
    return labelled in LABELS and valued in VALUED


def named_by(label: str) -> str:
    """The name that words beside a value give it: ``Password field``, ``#password``, a path."""
    last = label.rstrip("/").rpartition("/")[2] if "/" in label else label
    found = _QUERIED.search(last)
    words = words_of(found[0]) if found else []
    while len(words) > 1 and words[-1] in _FIELD and words[-2:] != ["master", "key"]:
        words = words[:-1]
    return "_".join(words[-_MOST:])
