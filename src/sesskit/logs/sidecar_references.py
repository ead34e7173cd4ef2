"""References to sidecars: the five members, the rules for a path, and what can go wrong.

A sidecar is a JSON file beside a log that holds one value too big for its line. The original's
words for a failed reference are kept as `PayloadFault.code`; `ISSUE_CODES` gives ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from sesskit.schemas.issues import Issue, Key, Keys

KIND = "external-payload"
ENCODING = "json"
MAX_SAFE_INTEGER = 2**53 - 1

_MEMBERS = frozenset({"kind", "encoding", "sha256", "byteLength", "relativePath"})
_DIGEST = re.compile(r"[0-9a-fA-F]{64}")
_SEPARATORS = re.compile(r"[/\\]+")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
_ECMASCRIPT_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_ESCAPED_LETTER = re.compile(rb"\\u00(?:2[dD]|[67][0-9a-fA-F])")

ISSUE_CODES = {
    "INVALID_LIMIT": "payload-limit",
    "INVALID_REFERENCE": "payload-reference",
    "MAX_DEPTH_EXCEEDED": "payload-depth",
    "UNRESOLVED_REFERENCE": "payload-unresolved",
    "CIRCULAR_REFERENCE": "payload-cycle",
    "OUTSIDE_ROOT": "payload-outside",
    "PAYLOAD_NOT_FOUND": "payload-missing",
    "PAYLOAD_UNREADABLE": "payload-unreadable",
    "MAX_TOTAL_BYTES_EXCEEDED": "payload-budget",
    "STABLE_PAYLOAD_READ_UNAVAILABLE": "payload-platform",
    "BYTE_LENGTH_MISMATCH": "payload-length",
    "SHA256_MISMATCH": "payload-digest",
    "INVALID_JSON": "payload-json",
}
"""The original's code for a reference that failed -> the code of our issue."""

_MESSAGES = {
    "INVALID_LIMIT": "a limit for sidecars must be a whole number, not negative",
    "INVALID_REFERENCE": "a value of kind external-payload must be a reference: exactly kind, "
    "encoding, sha256, byteLength and relativePath",
    "MAX_DEPTH_EXCEEDED": "references are nested deeper than the limit",
    "UNRESOLVED_REFERENCE": "a reference to a sidecar, and no place to read sidecars from",
    "CIRCULAR_REFERENCE": "the sidecar refers to itself, directly or through others",
    "OUTSIDE_ROOT": "the sidecar must be a regular file below the log's directory, reached "
    "without links",
    "PAYLOAD_NOT_FOUND": "the sidecar is missing",
    "PAYLOAD_UNREADABLE": "the sidecar cannot be read, or changed while it was read",
    "MAX_TOTAL_BYTES_EXCEEDED": "the sidecar does not fit into what is left of the byte budget",
    "STABLE_PAYLOAD_READ_UNAVAILABLE": "this platform cannot open files relative to a directory",
    "BYTE_LENGTH_MISMATCH": "the sidecar has another length than its reference says",
    "SHA256_MISMATCH": "the sidecar has another SHA-256 than its reference says: it was changed "
    "or replaced",
    "INVALID_JSON": "the sidecar is not JSON",
}

NOT_FINITE = "a number is too large to be finite"


@dataclass(frozen=True, slots=True)
class Reference:
    """A well-formed reference; ``sha256`` is lower case."""

    sha256: str
    byte_length: int
    relative_path: str


@dataclass(frozen=True, slots=True)
class PayloadFault:
    """Why a reference does not resolve.

    ``code`` and ``metadata`` are the original's; ``keys`` lead from the line to the reference,
    through the sidecars above it; ``message`` replaces the sentence of the code.
    """

    code: str
    metadata: dict[str, str | int] = field(default_factory=dict)
    keys: Keys = ()
    message: str | None = None
    is_our_limit: bool = False
    """It nests deeper than we read: what the original would say is not known."""

    def inside(self, *keys: Key) -> PayloadFault:
        """The same fault, seen from the value that holds the reference's line or sidecar."""
        return replace(self, keys=(*keys, *self.keys))

    def issue(self, line: int | None = None) -> Issue:
        """The fault as an issue at its reference; the file name stands in ``sidecar``."""
        expected, found = self.metadata.get("expected"), self.metadata.get("actual")
        sidecar = self.metadata.get("relativePath")
        return Issue(
            code="json-depth" if self.is_our_limit else ISSUE_CODES[self.code],
            message=self.message or _MESSAGES[self.code],
            keys=self.keys,
            expected=None if expected is None else str(expected),
            found=None if found is None else str(found),
            line=line,
            sidecar=None if sidecar is None else str(sidecar),
        )


def may_hold_reference(text: bytes) -> bool:
    """Whether the text of a line can hold a reference at all: cheap, never a false no."""
    if b"external-payload" in text:
        return True
    return b"\\u00" in text and _ESCAPED_LETTER.search(text) is not None


def is_reference_like(value: object) -> bool:
    """Whether a value claims to be a reference; user data that does is treated as one."""
    return isinstance(value, dict) and value.get("kind") == KIND


def read_reference(value: dict[str, Any]) -> Reference | None:
    """The reference a value holds, or None where it is not well formed."""
    if value.keys() != _MEMBERS or value["encoding"] != ENCODING:
        return None
    digest, length, path = value["sha256"], value["byteLength"], value["relativePath"]
    if not (isinstance(digest, str) and _DIGEST.fullmatch(digest)):
        return None
    if isinstance(length, bool) or not isinstance(length, int | float):
        return None
    if not (0 <= length <= MAX_SAFE_INTEGER and length == int(length)):
        return None
    if not isinstance(path, str) or not path.strip(_ECMASCRIPT_SPACE):
        return None
    return Reference(digest.lower(), int(length), path)


def path_segments(path: str) -> tuple[str, ...] | None:
    """The file names a relative path leads through, or None where it could leave its base.

    Both separators count wherever the log is read, and ``.`` and ``..`` are refused even where
    the path would come back: what is not spelled plainly was not written by a logger.
    """
    if "\0" in path or _ABSOLUTE.match(path):
        return None
    segments = tuple(_SEPARATORS.split(path))
    if any(segment in ("", ".", "..") for segment in segments):
        return None
    return segments


def limit_fault(limit: object) -> PayloadFault | None:
    """The fault of a limit that is no safe non-negative whole number."""
    if (
        isinstance(limit, int | float)
        and not isinstance(limit, bool)
        and 0 <= limit <= MAX_SAFE_INTEGER
        and limit == int(limit)
    ):
        return None
    return PayloadFault("INVALID_LIMIT", {"actual": str(limit)})
