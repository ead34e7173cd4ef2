"""Values of a deny list that are words of the format: without them there is no session."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sesskit.artifacts.documents import Document
from sesskit.artifacts.edits import Edit

__all__ = ["why_denied"]

_NAME_END: Final = re.compile(r"\"\s{0,80}:")


def why_denied(documents: Sequence[Document], deny: Sequence[str]) -> str:
    """Why a result is no session, if a denied value did that: its line in the list, and the first
    place where it is a whole name or string. The empty text if none did.
    """
    numbers = {value: number for number, value in reversed(list(enumerate(deny, 1)))}
    for is_one in (_is_name, _is_whole):
        for document in documents:
            for edit in document.edits:
                if edit.span.value in numbers and is_one(document.text, edit):
                    line = document.text.count("\n", 0, edit.start) + 1
                    column = edit.start - document.text.rfind("\n", 0, edit.start)
                    return (
                        f"line {numbers[edit.span.value]} of the deny list is a word of the format,"
                        f" which stands at {line}:{column}; nothing is written"
                    )
    return ""


def _is_name(text: str, edit: Edit) -> bool:
    return text[edit.start - 1] == '"' and _NAME_END.match(text, edit.end) is not None


def _is_whole(text: str, edit: Edit) -> bool:
    return text[edit.start - 1] == text[edit.end : edit.end + 1] == '"'
