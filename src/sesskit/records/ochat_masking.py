"""ochat: what is secret in neutral JSON by the name that stands beside it.

Names and values are often two elements of an array here: pairs of the key/value data, members of
a script's record, an option of a command and its argument.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from sesskit.schemas.binprot_to_json import BYTES
from sesskit.schemas.masking import MASK, mask_text
from sesskit.schemas.sensitive import is_sensitive_key

_KEY, _VALUE, _STRING = "key", "value", "String"


def guarded(value: Any) -> Any:
    """The value with the secret parts of it replaced by the mask, in place. No recursion."""
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            _guard_object(held)
            waiting += held.values()
        elif isinstance(held, list):
            _guard_array(held)
            waiting += held
    return root[0]


def is_secret_name(value: Any) -> bool:
    """Whether what follows this value is secret: a sensitive name, also as ``--name``."""
    return isinstance(value, str) and is_sensitive_key(value.lstrip("-"))


def _guard_object(held: dict[str, Any]) -> None:
    for name, value in held.items():
        if is_sensitive_key(name) or (name == BYTES and _tells(value)):
            held[name] = MASK


def _guard_array(held: list[Any]) -> None:
    for place in range(len(held) - 1):
        if is_secret_name(held[place]):
            held[place + 1] = MASK
    # An object of JSON is kept as records of a key and a value.
    members = {pair[0]: pair for pair in held if _is_pair(pair)}
    key = members.get(_KEY)
    named = key[1].get(_STRING) if key and isinstance(key[1], dict) else None
    if _VALUE in members and is_secret_name(named):
        members[_VALUE][1] = MASK


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _tells(encoded: Any) -> bool:
    """Whether bytes that are no text hold something that looks like a credential."""
    try:
        text = base64.b64decode(encoded).decode("utf-8", errors="replace")
    except (TypeError, ValueError, binascii.Error):
        return True
    return mask_text(text) != text
