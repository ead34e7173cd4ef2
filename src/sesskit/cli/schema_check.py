"""Checking a JSON file against a published schema with jsonschema, in words of our own.

jsonschema's own sentences quote the value, secret or not; here they are never looked at. The places
are found as for every other issue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from sesskit.cli.looking import read_stdin
from sesskit.cli.report_json import REPORT
from sesskit.logs.formats import STDIN, Finding, recognize
from sesskit.records.files import read_document
from sesskit.schemas.issues import Issue, Keys
from sesskit.schemas.json_text import JsonText, read_json
from sesskit.schemas.kinds import kind_word
from sesskit.schemas.limits import RECOGNITION_BYTES
from sesskit.schemas.outcomes import Corrupt, Missing, Unreadable, Valid
from sesskit.schemas.places import Places


class Read(NamedTuple):
    """A file to check: its bytes and what they hold, or why there are none."""

    path: str
    data: bytes = b""
    text: JsonText | None = None
    refused: Missing | Unreadable | None = None


def read_value(path: str) -> Read:
    """Read the JSON file at a path, or standard input."""
    document = read_stdin() if path == STDIN else read_document(path)
    if isinstance(document, (Missing, Unreadable)):
        return Read(path, refused=document)
    data = document if isinstance(document, bytes) else document.sample()
    return Read(path, data, read_json(data))


def seems_to_be(read: Read) -> str | None:
    """The name of the schema that the file seems to be made for."""
    if read.refused is not None:
        return "report"  # any will do: the answer is that it cannot be read
    value = None if read.text is None else read.text.value
    if isinstance(value, dict) and value.get("report") == REPORT:
        return "report"
    found = recognize(read.data[:RECOGNITION_BYTES])
    return None if found is None else found.entry.name


def checked(read: Read, name: str, schema: dict[str, Any]) -> Finding:
    """The outcome of the check, as a finding whose format is the name of the schema."""
    if read.refused is not None or read.text is None:
        return Finding(read.path, read.refused or Missing())
    issues = list(read.text.issues)
    if read.text.sound:
        issues += faults_by(schema)(read.text.value)
    source = read.data if read.path == STDIN else None
    placed = Places(read.data).place(issues)
    if any(issue.severity == "error" for issue in placed):
        return Finding(read.path, Corrupt(placed), name, source=source)
    return Finding(read.path, Valid(None, placed), name, source=source)


def faults_by(schema: dict[str, Any]) -> Callable[[Any], list[Issue]]:
    """What is wrong with a value, as the schema has it.

    Every fault once: of one missing member, jsonschema tells anew for each other one.
    """
    validator = Draft202012Validator(schema)

    def faults(value: Any) -> list[Issue]:
        found: dict[tuple[str, Keys], Issue] = {}
        try:
            for error in validator.iter_errors(value):
                for issue in _issues(_leaf(error)):
                    found.setdefault((issue.code, issue.keys), issue)
        except RecursionError:
            found["schema", ()] = Issue("schema", "nested too deep for a JSON Schema check")
        return [*found.values()]

    return faults


def _leaf(error: ValidationError) -> ValidationError:
    """Of several forms that were possible, the fault in the one that is closest."""
    found = best_match(iter([error]))
    return found if isinstance(found, ValidationError) else error


def _issues(error: ValidationError) -> Iterable[Issue]:
    keys: Keys = tuple(error.absolute_path)
    say = SENTENCES.get(str(error.validator), _other)
    return say(keys, error)


def _type(keys: Keys, error: ValidationError) -> Iterator[Issue]:
    wanted = error.validator_value
    expected = wanted if isinstance(wanted, str) else " or ".join(wanted)
    found = kind_word(error.instance)
    yield Issue(
        "type", f"expected {expected}, found {found}", keys=keys, expected=expected, found=found
    )


def _required(keys: Keys, error: ValidationError) -> Iterator[Issue]:
    # One error for each missing member; only its sentence says which, and that we do not read.
    for name in error.validator_value:
        if name not in error.instance:
            yield Issue("member-missing", "missing", keys=(*keys, name), found="nothing")


def _closed(keys: Keys, error: ValidationError) -> Iterator[Issue]:
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    for name in error.instance:
        if name not in known:
            yield Issue("member-unknown", "no such member", keys=(*keys, name), at_key=True)


def _words(keys: Keys, error: ValidationError) -> Iterator[Issue]:
    allowed = error.validator_value if error.validator == "enum" else [error.validator_value]
    words = ", ".join(str(word) for word in allowed)
    yield Issue("choice", f"expected one of {words}", keys=keys, expected=words)


def _other(keys: Keys, error: ValidationError) -> Iterator[Issue]:
    yield Issue("schema", f"breaks the rule {error.validator} of the schema", keys=keys)


SENTENCES: dict[str, Callable[[Keys, ValidationError], Iterator[Issue]]] = {
    "type": _type,
    "required": _required,
    "additionalProperties": _closed,
    "unevaluatedProperties": _closed,
    "enum": _words,
    "const": _words,
}
