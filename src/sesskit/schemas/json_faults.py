"""What can be wrong with JSON text: one code for each kind of damage, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sesskit.schemas.issues import Severity
from sesskit.schemas.limits import DAMAGE_SCAN_BYTES, MAX_DEPTH


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault without its place."""

    code: str
    message: str
    severity: Severity = "error"
    expected: str | None = None
    found: str | None = None


def count_of(number: int, noun: str) -> str:
    """``1 byte``, ``2,000 bytes``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


# The text as a whole.

EMPTY: Final = Fault("json-empty", "the text is empty", "error", "a JSON value", "nothing")
BLANK: Final = Fault(
    "json-empty", "the text holds only white space", "error", "a JSON value", "white space"
)
NOTHING: Final = Fault("json-empty", "the text holds no value", "error", "a JSON value", "no value")
BOM: Final = Fault(
    "json-bom",
    "the text begins with a byte order mark, which JSON does not allow; save it as UTF-8 without",
    "error",
    "a JSON value",
    "byte order mark",
)
DEPTH: Final = Fault(
    "json-depth",
    f"this value is nested more than {MAX_DEPTH} levels deep; what is inside was not read",
    "error",
    f"at most {MAX_DEPTH} levels",
    "more",
)


def encoding(name: str) -> Fault:
    return Fault(
        "json-encoding",
        f"the text is encoded as {name}; convert it to UTF-8",
        "error",
        "UTF-8",
        name,
    )


def cut(where: str, expected: str) -> Fault:
    return Fault(
        "json-cut",
        f"the text ends inside {where}: it was cut off, or is still being written",
        "error",
        expected,
        "end of text",
    )


def trailing(count: int, found: str) -> Fault:
    return Fault(
        "json-trailing",
        f"{count_of(count, 'byte')} more after the end of the document,"
        " perhaps left over from an earlier, longer version of it",
        "error",
        "end of text",
        found,
    )


def closed_twice(count: int) -> Fault:
    message = f"{count_of(count, 'closing bracket')} too many after the end of the document"
    return Fault("json-trailing", message, "error", "end of text", "a closing bracket")


def two_documents(own_line: bool) -> Fault:
    hint = "this may be a log with one value on each line" if own_line else "two files were glued"
    return Fault(
        "json-two-documents",
        f"a second document begins after the first has ended: {hint}",
        "error",
        "end of text",
        "another JSON value",
    )


# NUL bytes: what a crash leaves of blocks that never reached the disk.


ZERO_FILLED: Final = Fault(
    "json-nul-run",
    "there is nothing but NUL bytes: what stood here was never written or was lost",
    "error",
    "a JSON value",
    "NUL bytes",
)
"""Not counted: of a file full of them only a few are passed on."""


def zero_tail(count: int) -> Fault:
    return _nul_run(f"the text ends in {count_of(count, 'NUL byte')}:", "the rest of it", count)


def zero_run(count: int) -> Fault:
    return _nul_run(f"{count_of(count, 'NUL byte')} inside the text:", "text", count)


def _nul_run(words: str, expected: str, count: int) -> Fault:
    message = f"{words} what stood here was never written or was lost"
    return Fault("json-nul-run", message, "error", expected, count_of(count, "NUL byte"))


# Between values.


def syntax(message: str, expected: str, found: str) -> Fault:
    return Fault("json-syntax", message, "error", expected, found)


def missing_comma(noun: str) -> Fault:
    message = f"there is no comma in front of this {noun}"
    return Fault("json-missing-comma", message, "error", "','", f"the next {noun}")


TRAILING_COMMA: Final = Fault(
    "json-trailing-comma",
    "a comma stands behind the last one; JSON allows it only between two",
    "error",
    "the closing bracket",
    "','",
)
COMMENT: Final = Fault("json-comment", "JSON has no comments", "error", "JSON", "a comment")
OPEN_COMMENT: Final = Fault(
    "json-comment",
    "JSON has no comments, and this one is never closed",
    "error",
    "JSON",
    "a comment",
)


def bytes_outside(count: int) -> Fault:
    return Fault(
        "utf8-outside-string",
        f"{count_of(count, 'byte')} outside of any string that cannot be UTF-8",
        "error",
        "JSON",
        "bytes that are not UTF-8",
    )


# Values.


def constant(word: str, expected: str) -> Fault:
    return Fault("json-constant", f"JSON has no value {word}", "error", expected, word)


def number(message: str, found: str) -> Fault:
    return Fault("json-number", message, "error", "a JSON number", found)


OVERFLOW: Final = Fault(
    "number-overflow",
    "number too large: it reads as infinity",
    "warning",
    "a finite number",
    "infinity",
)
DUPLICATE: Final = Fault(
    "duplicate-member",
    "the object has a member of this name already; the last one counts",
    "warning",
    "names that differ",
    "the same name again",
)


# Strings.


def quotes(noun: str, found: str) -> Fault:
    message = f"a {noun} stands in double quotes in JSON"
    return Fault("json-quotes", message, "error", "double quotes", found)


def control(count: int) -> Fault:
    message = (
        "a control character stands unescaped inside a string"
        if count == 1
        else f"{count:,} control characters stand unescaped inside a string"
    )
    return Fault("json-control-character", message, "error", "an escape", "control character")


LINE_BREAK: Final = Fault(
    "json-control-character",
    "the line ends inside a string: its closing quote is missing, or this must be written \\n",
    "error",
    "a closing quote, or an escape",
    "line break",
)
ESCAPE: Final = Fault(
    "json-escape",
    "no such escape; a backslash itself is written \\\\",
    "error",
    'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX',
    "another escape",
)
SHORT_ESCAPE: Final = Fault(
    "json-escape",
    "\\u needs four hexadecimal digits",
    "error",
    "four hexadecimal digits",
    "fewer",
)
SURROGATE: Final = Fault(
    "lone-surrogate",
    "half of a surrogate pair stands alone; it is no character",
    "warning",
    "a pair of surrogates",
    "one of them",
)


def bytes_inside(count: int) -> Fault:
    return Fault(
        "utf8-in-string",
        f"{count_of(count, 'byte')} that cannot be UTF-8; read as U+FFFD",
        "warning",
        "UTF-8",
        "other bytes",
    )


# The reader itself.


def unread(count: int) -> Fault:
    return Fault(
        "json-unread",
        f"reading stopped {DAMAGE_SCAN_BYTES // 1024**2} MiB after the first error;"
        f" {count_of(count, 'byte')} more may hold other faults",
        "info",
    )


def unlisted(count: int) -> Fault:
    words = count_of(count, "further fault")
    return Fault("json-unlisted", f"{words} of this text are not listed", "info")


CODES: Final = {
    **dict.fromkeys(
        (
            "json-bom",
            "json-comment",
            "json-constant",
            "json-control-character",
            "json-cut",
            "json-depth",
            "json-empty",
            "json-encoding",
            "json-escape",
            "json-missing-comma",
            "json-nul-run",
            "json-number",
            "json-quotes",
            "json-syntax",
            "json-trailing",
            "json-trailing-comma",
            "json-two-documents",
            "utf8-outside-string",
        ),
        "error",
    ),
    **dict.fromkeys(
        ("duplicate-member", "lone-surrogate", "number-overflow", "utf8-in-string"), "warning"
    ),
    **dict.fromkeys(("json-unlisted", "json-unread"), "info"),
}
"""Every code of this module, with its severity."""
