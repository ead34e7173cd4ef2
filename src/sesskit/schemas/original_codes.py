"""Codes of the systems that own the formats, as reports show them in ``original.code``.

They say what the owner's program would answer for the file as a whole; each place that is wrong has
an issue code of ours.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class OriginalCode(NamedTuple):
    """A code of another system: what it means there, and the issue codes that lead to it."""

    code: str
    system: str
    meaning: str
    ours: tuple[str, ...]


_LOG: Final = "Robota, of a session log"
_REPLAY: Final = "Robota, of a replay that is checked to be complete"
_DSH: Final = "dsh, of a session log; the name of the error that it throws"

_ROBOTA: Final = (
    OriginalCode(
        "INVALID_JSON",
        _LOG,
        "A line, or the sidecar that a line refers to, is not JSON or holds a number that is not "
        "finite. It is the code of the whole log whatever else is wrong.",
        ("json-syntax", "json-cut", "json-empty", "json-trailing", "number-overflow", "line-cut",
         "payload-json"),
    ),
    OriginalCode(
        "INVALID_EVENT",
        _LOG,
        "All lines are JSON, but one is no event: a member is missing, too much, or of another "
        "type, or the event has an unknown name.",
        ("type", "member-missing", "member-unknown", "event-unknown", "instant"),
    ),
    OriginalCode(
        "UNSUPPORTED_VERSION",
        _LOG,
        "The schemaVersion of a line is a number other than 1.",
        ("line-version", "version-unsupported"),
    ),
    OriginalCode(
        "INVALID_LIMIT", _LOG, "A limit for sidecars is no whole number from 0 up.",
        ("payload-limit",),
    ),
    OriginalCode(
        "INVALID_REFERENCE", _LOG, "A value of kind external-payload has not the five members of "
        "a reference, or one of them is not what it must be.", ("payload-reference",),
    ),
    OriginalCode(
        "MAX_DEPTH_EXCEEDED", _LOG, "Sidecars refer to sidecars, deeper than the limit.",
        ("payload-depth",),
    ),
    OriginalCode(
        "UNRESOLVED_REFERENCE", _LOG, "A line refers to a sidecar, and there is no place to read "
        "sidecars from.", ("payload-unresolved",),
    ),
    OriginalCode(
        "CIRCULAR_REFERENCE", _LOG, "A sidecar refers to itself, directly or through others.",
        ("payload-cycle",),
    ),
    OriginalCode(
        "OUTSIDE_ROOT", _LOG, "The path of a sidecar leads out of the folder of the log, through "
        "a link, or to something that is no regular file.", ("payload-outside",),
    ),
    OriginalCode(
        "PAYLOAD_NOT_FOUND", _LOG, "There is no file where a sidecar should lie.",
        ("payload-missing",),
    ),
    OriginalCode(
        "PAYLOAD_UNREADABLE", _LOG, "A sidecar cannot be read, or changed while it was read.",
        ("payload-unreadable",),
    ),
    OriginalCode(
        "MAX_TOTAL_BYTES_EXCEEDED", _LOG, "The sidecars of one load hold more bytes than it may "
        "read.", ("payload-budget",),
    ),
    OriginalCode(
        "STABLE_PAYLOAD_READ_UNAVAILABLE", _LOG, "The platform cannot open files in a way that "
        "no link can lead astray.", ("payload-platform",),
    ),
    OriginalCode(
        "BYTE_LENGTH_MISMATCH", _LOG, "A sidecar is shorter or longer than its reference says.",
        ("payload-length",),
    ),
    OriginalCode(
        "SHA256_MISMATCH", _LOG, "The bytes of a sidecar are not those whose digest stands in its "
        "reference: it was changed or replaced.", ("payload-digest",),
    ),
    OriginalCode(
        "PAYLOAD_REFERENCE_INVALID", _REPLAY, "A value that says it is a reference is none.",
        ("replay-reference",),
    ),
    OriginalCode(
        "UNRESOLVED_REPLAY_PAYLOAD", _REPLAY, "A message still holds a reference to a sidecar.",
        ("replay-unresolved",),
    ),
    OriginalCode(
        "PROVIDER_NATIVE_RAW_PAYLOAD_MISSING", _REPLAY, "A request has no native payload.",
        ("replay-no-native",),
    ),
    OriginalCode(
        "PROVIDER_RESPONSE_RAW_MISSING", _REPLAY, "A request has no raw response.",
        ("replay-no-raw",),
    ),
    OriginalCode(
        "PROVIDER_RESPONSE_NORMALIZED_MISSING", _REPLAY, "A request has no normalized response.",
        ("replay-no-normalized",),
    ),
    OriginalCode(
        "TOOL_RESULT_MISSING", _REPLAY, "A request for a tool has no result.",
        ("replay-no-result",),
    ),
)  # fmt: skip

_DSH_ERRORS: Final = (
    OriginalCode(
        "Error", _DSH, "A plain error without a name of its own: of the decompression, of the "
        "header, of a line that is no event, or of the order of events.",
        ("header-field", "row-malformed", "zstd-damaged", "json-syntax", "seq-gap",
         "surface-op-missing"),
    ),
    OriginalCode(
        "TypeError", _DSH, "The program does not check for this and stops where it stumbles.",
        ("program-crash",),
    ),
    OriginalCode(
        "SessionPersistenceCorruptionError", _DSH, "What is stored breaks a rule: of the shape of "
        "an event, or between events.",
        ("header-field", "legacy-malformed", "retired-vocabulary", "surface-op-forbidden",
         "surface-replace-invalid", "envelope"),
    ),
    OriginalCode(
        "SessionFormatError", _DSH, "The header, a line or an event has not the shape that its "
        "version (1 or later) lays down.",
        ("header-field", "row-malformed", "member-missing", "type"),
    ),
    OriginalCode(
        "SessionFormatUnsupportedError", _DSH, "The log is of a version that the program does not "
        "take where it lies, or has an event type that it does not know.",
        ("version-other", "type-unknown"),
    ),
    OriginalCode(
        "SessionFormatUnsupportedMigrationError", _DSH, "An event has a type that the version "
        "(1 or later) does not know, or that no step of a migration takes.", ("type-unknown",),
    ),
)  # fmt: skip

_OCHAT: Final = (
    OriginalCode(
        "MISREAD", "sesskit, of an ochat snapshot", "ochat loads the snapshot, but as something "
        "else than it is: an older layout fits its bytes too, and is tried first.",
        ("version-ambiguous",),
    ),
)  # fmt: skip

ORIGINAL_CODES: Final = {code.code: code for code in (*_ROBOTA, *_DSH_ERRORS, *_OCHAT)}
"""All of them by name."""
