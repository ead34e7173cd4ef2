"""Issues: what is wrong with input, and where.

Issues are values. An exception out of this package, whatever the input, is a bug of ours.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
from msgspec.structs import replace

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


_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")
_STEP = re.compile(rf"\.([^.\[\]]*)|\[({_INDEX.pattern})\]")
_BAD_TILDE = re.compile(r"~(?![01])")


def parse_path(text: str) -> Keys:
    """Keys from a path in either form: ``record.messages[0].role`` or ``/record/messages/0/role``.

    The empty text is the root. A whole number in a pointer becomes an index, which also finds a
    member of that name. ValueError says what is wrong with a path that has neither form; a name
    that holds a dot or a bracket needs the pointer.
    """
    return _from_pointer(text) if text.startswith("/") else _from_dotted(text)


def _from_pointer(text: str) -> Keys:
    if bad := _BAD_TILDE.search(text):
        raise ValueError(
            f"character {bad.start() + 1} of the path: in a JSON Pointer ~ is written ~0, / is ~1"
        )
    names = (name.replace("~1", "/").replace("~0", "~") for name in text[1:].split("/"))
    return tuple(int(name) if _INDEX.fullmatch(name) else name for name in names)


def _from_dotted(text: str) -> Keys:
    steps = text if text.startswith("[") or not text else f".{text}"
    keys: list[Key] = []
    at = 0
    while at < len(steps):
        step = _STEP.match(steps, at)
        if not step:
            what = "[ needs a whole number and ]" if steps[at] == "[" else "here . or [ must follow"
            place = at + 1 - len(steps) + len(text)
            raise ValueError(
                f"character {place} of the path: {what}, as in messages[0].role;"
                " a name with dots or brackets needs a JSON Pointer"
            )
        keys.append(step[1] if step[2] is None else int(step[2]))
        at = step.end()
    return tuple(keys)


class Issue(msgspec.Struct, frozen=True):
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
