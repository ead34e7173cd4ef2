"""ochat: snapshots out to neutral JSON and back in, without loss.

Back in, the record is checked as strictly as bytes are, and by the rules of its version; every
fault has its place in the JSON.
"""

from __future__ import annotations

from sesskit.records.ochat_rules import Broken, broken_rules
from sesskit.records.ochat_snapshot import Snapshot, encode
from sesskit.records.ochat_upgrade import refusal
from sesskit.schemas.issues import Issue
from sesskit.schemas.json_text import read_json
from sesskit.schemas.ochat_json_text import deep_json, json_bytes
from sesskit.schemas.ochat_neutral import from_neutral, to_neutral
from sesskit.schemas.ochat_sessions import (
    LATEST,
    VERSIONS,
    Layout,
    Session,
    SessionV4,
    SessionV5,
)
from sesskit.schemas.outcomes import Corrupt, Decoded, Unsupported, Valid
from sesskit.schemas.places import Places


def export_json(snapshot: Snapshot) -> bytes:
    """The neutral JSON of a snapshot, as text. Nothing is masked: it is a full copy."""
    return json_bytes(to_neutral(snapshot.session, snapshot.layout))


def import_json(data: bytes) -> Decoded:
    """The snapshot that neutral JSON says; `snapshot_bytes` gives its file. Total.

    The value of a `Valid` answer is a `Snapshot`. Issues have their places in the JSON.
    """
    read = read_json(data)
    value, found = read.value, read.issues
    if not read.sound:
        errors = [issue for issue in found if issue.severity == "error"]
        if any(issue.code != "json-depth" for issue in errors):
            return Corrupt(found)
        try:
            value = deep_json(data)
        except (ValueError, RecursionError):
            return Corrupt(found)
        found = tuple(issue for issue in found if issue.severity != "error")
    loaded = from_neutral(value)
    if loaded.version is not None and loaded.version > LATEST:
        return Unsupported(loaded.version, VERSIONS)
    issues = list(loaded.issues)
    if loaded.session is None or loaded.layout is None:
        return Corrupt(_placed(data, found, issues), loaded.version)
    return _checked(data, loaded.session, loaded.layout, (found, issues))


def snapshot_bytes(snapshot: Snapshot) -> bytes:
    """The file of a snapshot, in its own version and layout."""
    return encode(snapshot.session, snapshot.layout)


def _checked(
    data: bytes, session: Session, layout: Layout, said: tuple[tuple[Issue, ...], list[Issue]]
) -> Decoded:
    found, issues = said
    refused = None
    if isinstance(session, SessionV4 | SessionV5):
        issues += [_issue(broken) for broken in broken_rules(session)]
    else:
        refused = refusal(session)
    placed = _placed(data, found, issues)
    if any(issue.severity == "error" for issue in issues):
        return Corrupt(placed, layout.version)
    end = len(encode(session, layout))
    return Valid(Snapshot(session, layout, end, refused), placed, layout.version)


def _issue(broken: Broken) -> Issue:
    return Issue(broken.code, broken.message, "error", broken.keys, broken.expected, broken.found)


def _placed(data: bytes, found: tuple[Issue, ...], issues: list[Issue]) -> tuple[Issue, ...]:
    return (*found, *Places(data).place(issues))
