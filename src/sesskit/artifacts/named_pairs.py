"""Names and values side by side in an object: what the two members are called, by convention."""

from __future__ import annotations

import re
from typing import Final

from sesskit.artifacts.key_names import is_secret_name
from sesskit.artifacts.secret_rule import word_set

__all__ = ["LABELS", "LOOSE", "TAGS", "VALUES", "is_loose", "told_name"]

_SPOKEN: Final = frozenset(
    ("label", "Label", "title", "element", "selector", "prompt", "question", "placeholder", "field")
)
_PATHS: Final = frozenset({"path", "file_path", "filePath", "filename", "file"})
_NAMES: Final = word_set(
    "name Name key Key k header variable Variable ParameterKey ParameterName parameterName"
    " OutputKey secret_name secretName"
)
LABELS: Final = _NAMES | _SPOKEN | _PATHS
"""Members that say what another one holds."""

_LOOSE_VALUES: Final = frozenset(("content", "text", "answer", "input", "new_value", "newValue"))
VALUES: Final = _LOOSE_VALUES | word_set(
    "value Value val v ParameterValue parameterValue OutputValue secret_value secretValue"
)
"""Members that hold what another one names."""

LOOSE: Final = _SPOKEN | _PATHS | _LOOSE_VALUES
"""Those that have many other uses; they give way to the others."""

TAGS: Final = frozenset({"password", "passwd", "secure_string", "SecureString"})
"""Values of a member ``type`` that say the same."""

_ASKED: Final = re.compile(
    r"(?:\A|[^A-Za-z])(pass ?(?:word|phrase|code)|passwd|(?:api|access|secret)[ _-]?(?:key|token)"
    r"|secret|token)(?:[\W_]{0,4}(?:field|input|box|textbox))?[\W_]{0,4}\Z",
    re.IGNORECASE,
)
"""What is asked for, at the end of a label, a question or a selector."""


def is_loose(labelled: str, tag: str) -> bool:
    """Whether a value is named by words, a path or a type, and not by the name of a variable."""
    return labelled not in _NAMES and (bool(labelled) or tag in TAGS)


def told_name(labelled: str, label: str, tag: str) -> str:
    """The secret name that such a label amounts to; empty if it says nothing of a secret."""
    if labelled in _PATHS:
        name = re.split(r"[\\/]", label)[-1]
        return name if is_secret_name(name) else ""
    found = _ASKED.search(label) if labelled else None
    return found[1] if found else "password" if tag in TAGS else ""
