"""Numbers and bare words of JSON text: what they stand for, and why JSON does not know them."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from sesskit.schemas import json_faults as faults
from sesskit.schemas.damaged import DAMAGED
from sesskit.schemas.json_faults import Fault
from sesskit.schemas.limits import MAX_NUMBER_DIGITS

LITERALS: Final[dict[bytes, bool | None]] = {b"true": True, b"false": False, b"null": None}
NUMBER: Final = rb"(-?(?:0|[1-9][0-9]*+))((?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)"
_NUMBER: Final = re.compile(NUMBER)
_CUT_NUMBER: Final = re.compile(rb"-|-?(?:0|[1-9][0-9]*)(?:\.|(?:\.[0-9]+)?[eE][-+]?)")
_DIGITS_OF_A_DOUBLE: Final = 308

_CONSTANTS: Final[dict[bytes, str]] = {
    **dict.fromkeys((b"NaN", b"nan", b"Infinity", b"infinity", b"Inf", b"inf"), "a number or null"),
    **dict.fromkeys((b"undefined", b"None", b"nil", b"NULL", b"Null"), "null"),
    **dict.fromkeys((b"True", b"TRUE"), "true"),
    **dict.fromkeys((b"False", b"FALSE"), "false"),
}
"""Words of other languages, and what may stand for them in JSON."""

_REASONS: Final = (
    (rb"[-+]?0[xXoObB]", "JSON writes numbers in decimal digits only", "another number base"),
    (rb"\+", "a number has no plus sign in JSON", "plus sign"),
    (rb"-?0[0-9]", "a number does not begin with a needless zero in JSON", "leading zero"),
    (rb"-?\.", "a number has a digit in front of its point in JSON", "leading point"),
    (rb"-?[0-9]+\.(?![0-9])", "a number has a digit behind its point in JSON", "trailing point"),
    (rb"-?[0-9]+(?:\.[0-9]+)?[eE][-+]?\Z", "the exponent of the number has no digits", "no digits"),
    (rb"-?\Z", "a minus sign without a number", "a sign alone"),
)
_REASON: Final = [(re.compile(pattern), message, found) for pattern, message, found in _REASONS]
_NUMERIC: Final = re.compile(rb"[-+]?\.?[0-9]|[-+.]+\Z")


def value_of_number(whole: bytes, fraction: bytes) -> int | float:
    """The value of a sound number: whole numbers exactly, up to a limit of digits."""
    if fraction or len(whole) > MAX_NUMBER_DIGITS:
        return float(whole + fraction)
    try:
        return int(whole)
    except ValueError:  # Python may be set to take fewer digits
        return float(whole)


def overflows(value: float, whole: bytes) -> bool:
    """Whether a number that is written so long reads as infinity in ECMAScript."""
    if type(value) is float:
        return math.isinf(value)
    return len(whole) > _DIGITS_OF_A_DOUBLE and math.isinf(float(whole))


def read_word(word: bytes) -> tuple[Any, Fault | None] | None:
    """The value of a run of letters, digits, signs and points, and its fault; None if unknown.

    The value of a word of another language, or of what only begins like a number, is `DAMAGED`.
    """
    if word in LITERALS:
        return LITERALS[word], None
    if sound := _NUMBER.fullmatch(word):
        return value_of_number(sound[1], sound[2]), None
    name = word[1:] if word[:1] in (b"-", b"+") else word
    if name in _CONSTANTS:
        # What was meant may be clear, but the word is the fault: no more is said of its value.
        return DAMAGED, faults.constant(word.decode(), _CONSTANTS[name])
    if _NUMERIC.match(word):
        return _mended(word), _why(word)
    return None


def is_cut(word: bytes) -> bool:
    """Whether a word may be the beginning of a sound one, cut off by the end of the text."""
    return any(literal.startswith(word) for literal in LITERALS) or bool(
        _CUT_NUMBER.fullmatch(word)
    )


def _why(word: bytes) -> Fault:
    for pattern, message, found in _REASON:
        if pattern.match(word):
            return faults.number(message, found)
    return faults.number("this begins like a number and is none", "something else")


def _mended(word: bytes) -> Any:
    plain = word.lstrip(b"+").replace(b"_", b"").decode()
    for kind in (int, float, lambda text: int(text, 0)):
        try:
            return kind(plain)
        except ValueError:
            continue
    return DAMAGED
