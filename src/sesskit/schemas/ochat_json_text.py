"""ochat: the text of neutral JSON, at any depth that a snapshot may have.

Values of a snapshot nest up to `limits.MAX_DEPTH`, and each of their levels takes up to three
levels of JSON, more than usual parsers and writers take. Those are tried first; what they refuse
only for its depth is written and read here, without recursion.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

from sesskit.schemas.limits import MAX_DEPTH

MAX_JSON_DEPTH = 3 * MAX_DEPTH + 32
"""Levels of JSON that the deepest value needs, and the record round it."""

_INDENT = "  "
_SPACE = re.compile(r"[ \t\n\r]*")


def _refuse(_: str) -> NoReturn:
    raise ValueError("no JSON value")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
"""Asked for scalars only, which have no depth."""


def json_bytes(value: Any) -> bytes:
    """Indented JSON with a line feed at its end; integers exact, names as they are."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    try:
        return orjson.dumps(value, option=options)
    except orjson.JSONEncodeError:
        return _written(value)


def _written(value: Any) -> bytes:
    out: list[bytes] = []
    waiting: list[tuple[bytes, Any, int]] = [(b"", value, 0)]
    while waiting:
        before, held, depth = waiting.pop()
        out.append(before)
        if not isinstance(held, dict | list) or not held:
            out.append(orjson.dumps(held) if held is not _NOTHING else b"")
            continue
        line = b"\n" + _INDENT.encode() * (depth + 1)
        opening, closing = (b"{", b"}") if isinstance(held, dict) else (b"[", b"]")
        parts: list[tuple[bytes, Any]]
        if isinstance(held, dict):
            parts = [(orjson.dumps(name) + b": ", part) for name, part in held.items()]
        else:
            parts = [(b"", part) for part in held]
        out.append(opening)
        waiting.append((b"\n" + _INDENT.encode() * depth + closing, _NOTHING, depth))
        last = len(parts) - 1
        for place in range(last, -1, -1):
            name, part = parts[place]
            waiting.append(((b"," if place else b"") + line + name, part, depth + 1))
    return b"".join(out) + b"\n"


_NOTHING: Any = object()


def deep_json(data: bytes) -> Any:
    """The value of strict JSON text up to `MAX_JSON_DEPTH` levels. Raises `ValueError`.

    Of doubled names the last one counts.
    """
    return _Reading(data.decode()).document()


class _Reading:
    """One pass over a text; open containers wait on a stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.stack: list[tuple[Any, str]] = []  # a container, and the name of what it waits for

    def document(self) -> Any:
        value = self._value()
        while self.stack:
            container, name = self.stack.pop()
            if isinstance(container, dict):
                container[name] = value
            else:
                container.append(value)
            value = self._after(container)
        if self._next() < len(self.text):
            raise ValueError("more text after the document")
        return value

    def _after(self, container: Any) -> Any:
        """The next part of a container, or the container itself where it ends."""
        closing = "}" if isinstance(container, dict) else "]"
        mark = self._mark()
        if mark == closing:
            return container
        if mark != ",":
            raise ValueError("a comma or the end of a container is missing")
        return self._part(container)

    def _part(self, container: Any) -> Any:
        name = self._name() if isinstance(container, dict) else ""
        self.stack.append((container, name))
        if len(self.stack) > MAX_JSON_DEPTH:
            raise ValueError("nested too deep")
        return self._value()

    def _value(self) -> Any:
        """A scalar or an empty container; of any other container its first part."""
        while True:
            at = self._next()
            mark = self.text[at : at + 1]
            if mark not in ("{", "["):
                value, self.at = _DECODER.raw_decode(self.text, at)
                return value
            self.at = at + 1
            container: Any = {} if mark == "{" else []
            closing = "}" if mark == "{" else "]"
            if self.text[self._next() : self.at + 1] == closing:
                self.at += 1
                return container
            name = self._name() if mark == "{" else ""
            self.stack.append((container, name))
            if len(self.stack) > MAX_JSON_DEPTH:
                raise ValueError("nested too deep")

    def _name(self) -> str:
        if self._mark() != '"':
            raise ValueError("no name")
        name, self.at = _DECODER.raw_decode(self.text, self.at - 1)
        if self._mark() != ":":
            raise ValueError("no colon")
        return str(name)

    def _mark(self) -> str:
        at = self._next()
        self.at = at + 1
        return self.text[at : at + 1]

    def _next(self) -> int:
        """The position behind white space, where reading goes on."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at
