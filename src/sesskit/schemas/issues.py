"""Issues: what is wrong with input, and where.

Issues are values. An exception out of this package, whatever the input, is a bug of ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Severity = Literal["error", "warning", "info"]
Key = str | int
Keys = tuple[Key, ...]


def dotted(keys: Keys) -> str:
    """Keys as a dotted path: ``record.messages[0].role``; the root is the empty text.

    Member names are written as they are, so a name that holds a dot is ambiguous here; the
    pointer is the exact form.
    """
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return text[1:] if keys and isinstance(keys[0], str) else text


def pointer(keys: Keys) -> str:
    """Keys as a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


@dataclass(frozen=True, slots=True)
class Issue:
    """One fault: a stable code, a sentence, and its place.

    ``keys`` lead from the root of the value (in a log: of the line) to the place; ``line`` and
    ``column`` count from 1, columns in code points; ``offset`` is a byte of the file, or of the
    decompressed text where ``frame`` is set. ``message``, ``expected`` and ``found`` name kinds
    and rules, never a value of the input.
    """

    code: str
    message: str
    severity: Severity = "error"
    keys: Keys = ()
    expected: str | None = None
    found: str | None = None
    line: int | None = None
    column: int | None = None
    offset: int | None = None
    at_key: bool = False
    """The place is the member's name, not its value (a member that should not be there)."""
    frame: int | None = None
    seq: int | None = None
    sidecar: str | None = None

    @property
    def path(self) -> str:
        return dotted(self.keys)

    @property
    def pointer(self) -> str:
        return pointer(self.keys)

    def inside(self, *keys: Key) -> Issue:
        """The same issue, seen from the value that holds this one."""
        return replace(self, keys=(*keys, *self.keys))

    def placed(self, offset: int, line: int, column: int) -> Issue:
        """The same issue with its place in the text."""
        return replace(self, offset=offset, line=line, column=column)
