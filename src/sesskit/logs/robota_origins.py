"""Who wrote a message: how requests mark what a peer session sent (the origin view).

In texts of users and tools the tag of the mark is escaped, so that nobody can forge or close one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

PEER: Final = "peer:"
_PEER: Final = re.compile(r"peer:[A-Za-z0-9._:-]{1,128}")
_TAG: Final = re.compile(r"<(/?peer_message)")
_ESCAPED: Final = re.compile(r"&lt;(/?peer_message)")
_WRAPPED: Final = re.compile(r'<peer_message from="[^"\n]*">\n(.*)\n</peer_message>', re.DOTALL)


def marked(role: str, content: str, metadata: Mapping[str, Any]) -> str:
    """The text of a message as requests hold it."""
    if role not in ("user", "tool"):
        return content
    escaped = _TAG.sub(r"&lt;\1", content)
    driver = metadata.get("driverId")
    if role == "tool" or not isinstance(driver, str) or not driver.startswith(PEER):
        return escaped
    origin = driver if _PEER.fullmatch(driver) else "peer:unverified"
    return f'<peer_message from="{origin}">\n{escaped}\n</peer_message>'


def unmarked(content: str) -> str:
    """A text without the marks of its origin, right or wrong."""
    wrapped = _WRAPPED.fullmatch(content)
    return _ESCAPED.sub(r"<\1", wrapped[1] if wrapped else content)
