"""Export and import of whole session records (robota-record section 7).

An artifact has the bytes of a stored file, and the way there and back loses nothing. What must not
leave the house is taken out by ``redact``, which the caller brings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from sesskit.artifacts.exchange import Exchange, ExportRefused
from sesskit.records.format import Options
from sesskit.records.robota_writing import OVERFLOW, AnyRecord, encode_record, told_overflows
from sesskit.schemas.issues import Issue
from sesskit.schemas.masking import printable
from sesskit.schemas.outcomes import Corrupt, Decoded, Unsupported, Valid, Version
from sesskit.schemas.robota_decode import decode_envelope
from sesskit.schemas.robota_reading import OUR_LIMITS
from sesskit.schemas.robota_record import Record

Reason = Literal["not-json", "unsupported", "invalid"]
R = TypeVar("R", Record, dict[str, Any])


class ImportRefused(ValueError):
    """An artifact that is not taken in, with all that is wrong with it.

    ``reason`` is "not-json", "unsupported" (``version`` is what it says, None if nothing readable)
    or "invalid". The message names every place, a line for each, and repeats no value.
    """

    def __init__(self, reason: Reason, issues: tuple[Issue, ...], version: Version = None) -> None:
        super().__init__(reason, issues, version)
        self.reason = reason
        self.issues = issues
        self.version = version

    def __str__(self) -> str:
        lines = (_line(issue) for issue in self.issues if issue.severity == "error")
        return "\n".join((_headline(self.reason, self.version), *lines))


def export_artifact(record: R, redact: Callable[[R], AnyRecord] | None = None) -> bytes:
    """The bytes of an artifact: the record, or what ``redact`` makes of it, in an envelope.

    A decoded record must decode again, else `ExportRefused`; so must every number. Otherwise plain
    values, such as ``redact`` gives back, are not validated here: an import refuses what is no
    record.
    """
    given: AnyRecord = record if redact is None else redact(record)
    data = encode_record(given)
    outcome = decode_envelope(data, keep=False)
    if not isinstance(outcome, Valid):
        issues = told_overflows(given, outcome.issues)
        if isinstance(given, Record) or any(issue.code == OVERFLOW for issue in issues):
            raise ExportRefused(issues)
    return data


def import_artifact(data: bytes) -> Valid:
    """Take an artifact in: the decoded record with its warnings, or `ImportRefused`."""
    outcome = decode_envelope(data, thorough=True)
    if isinstance(outcome, Valid):
        return outcome
    raise _refusal(outcome)


def _refusal(outcome: Corrupt | Unsupported) -> ImportRefused:
    if isinstance(outcome, Unsupported):
        return ImportRefused("unsupported", outcome.issues, outcome.version)
    broken = any(map(_is_of_the_text, outcome.issues))
    return ImportRefused("not-json" if broken else "invalid", outcome.issues, outcome.version)


def _is_of_the_text(issue: Issue) -> bool:
    """Whether the text is not JSON there. A root of the wrong kind has an empty path as well."""
    return (
        issue.severity == "error"
        and not issue.keys
        and issue.code != "type"
        and issue.code not in OUR_LIMITS
    )


def _headline(reason: Reason, version: Version) -> str:
    if reason == "not-json":
        return "the artifact is not JSON"
    if reason == "invalid":
        return "the artifact holds no valid session record"
    said = "names no version" if version is None else f"is of version {version:g}"
    return f"the artifact {said}; this build reads version 1"


def _line(issue: Issue) -> str:
    place = f" (line {issue.line}, column {issue.column})" if issue.line is not None else ""
    return f"{printable(issue.path) or '(root)'}: {issue.message}{place}"


def _read(data: bytes, options: Options) -> Decoded:
    return decode_envelope(data, thorough=True, zone=options.zone)


EXCHANGE = Exchange(export_artifact, _read, export_artifact)
