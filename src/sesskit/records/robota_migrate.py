"""From the bare record of old builds to the enveloped record of version 1 (sections 1 and 9).

The members of a record have not changed since, but old messages may lack ``id``, ``timestamp`` and
``state``. These are filled, said so in notes, and nothing else is made up: whatever the decoder of
version 1 still refuses is a located reason why the file is not migrated.

With ``backfill_history`` a record that has no history gets one entry for each message, the way the
owner of the format writes them while it runs: the message's own id and instant, category ``chat``,
the role as type, and the whole message as data. (Its back-fill script knew only role and content,
gave random ids and one instant to all, and passed by messages with no content, so tool calls were
lost.)
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, tzinfo
from pathlib import Path
from typing import TypedDict, Unpack

import msgspec
from msgspec.structs import replace

from sesskit.records.reading import StrPath, ZeroFilled, read_document
from sesskit.records.robota_cure import Cure, NoteKind
from sesskit.records.robota_writing import AnyRecord, encode_record, told_overflows
from sesskit.records.writing import replace_in_place, write_atomic
from sesskit.schemas.issues import Issue, Keys, dotted
from sesskit.schemas.items import parse
from sesskit.schemas.outcomes import Corrupt, Missing, Outcome, Unreadable, Valid
from sesskit.schemas.robota_decode import decode_bare, decode_envelope


class Note(msgspec.Struct, frozen=True):
    """Something that is not as it was in the old file.

    "filled" and "moved" are cured gaps, "kept" is something left alone, "changed" could not be
    carried as it was written. ``path`` has ``[]`` for every position, ``first`` is the first place,
    ``count`` how many there are.
    """

    kind: NoteKind
    code: str
    path: str
    first: str
    count: int
    message: str


class Migration(msgspec.Struct, frozen=True):
    """``data`` is the new file and ``outcome`` what decoding it answers; or ``data`` is None and
    ``outcome`` says why, with the places in the old file.

    An enveloped file is ``already_enveloped``, gives no data, and has its own outcome.
    ``written`` and ``backup`` are set by `migrate_file`.
    """

    outcome: Outcome
    data: bytes | None = None
    notes: tuple[Note, ...] = ()
    already_enveloped: bool = False
    written: Path | None = None
    backup: Path | None = None


def migrate_bare(
    data: bytes, *, backfill_history: bool = False, strict: bool = False, zone: tzinfo = UTC
) -> Migration:
    """The enveloped form of a bare record. Total and pure: the same bytes give the same answer.

    With ``strict`` no gap is filled: what the decoder refuses in the old file is refused. Message
    and history instants without a zone are read in ``zone``, and written in UTC.
    """
    value, _ = parse(data)
    if isinstance(value, dict) and "schemaVersion" in value:
        return Migration(decode_envelope(data, zone=zone), already_enveloped=True)
    source = decode_bare(data, thorough=True, keep=False, zone=zone)
    cure = Cure(value)
    if not strict:
        cure.fill()
    left = tuple(i for i in source.issues if i.severity != "error" or i.keys not in cure.places)
    if isinstance(source, Corrupt) and any(issue.severity == "error" for issue in left):
        return Migration(replace(source, issues=left))
    migration = _result(cure.record, zone)
    if migration.data is None:
        return _located(migration, source.issues)
    steps = cure.steps
    if backfill_history:
        # Of the messages as they are now, so that an entry holds just what its message says.
        history = Cure(parse(migration.data)[0]["record"])
        history.backfill()
        steps += history.steps
        migration = _result(history.record, zone)
    found = [(step.kind, step.code, step.keys, step.message) for step in steps]
    found += [("changed", i.code, i.keys, i.message) for i in left if not _is_kept(i)]
    return replace(migration, notes=_grouped(found))


class How(TypedDict, total=False):
    """The options of `migrate_bare`."""

    backfill_history: bool
    strict: bool
    zone: tzinfo


def migrate_file(
    source: StrPath,
    target: StrPath | None = None,
    *,
    overwrite: bool = False,
    in_place: bool = False,
    **how: Unpack[How],
) -> Migration:
    """Read, migrate and write one file; a target that exists stays unless ``overwrite``.

    With neither ``target`` nor ``in_place`` nothing is written (a dry run). ``in_place`` makes a
    backup first. What cannot be read or migrated is an answer; what cannot be written raises
    `OSError`.
    """
    found = read_document(source)
    if isinstance(found, Missing | Unreadable):
        return Migration(found)
    migration = migrate_bare(found.sample() if isinstance(found, ZeroFilled) else found, **how)
    if migration.data is None:
        return migration
    if in_place:
        copy = replace_in_place(source, migration.data)
        return replace(migration, written=Path(source), backup=copy)
    if target is None:
        return migration
    write_atomic(target, migration.data, overwrite=overwrite)
    return replace(migration, written=Path(target))


def _result(record: AnyRecord, zone: tzinfo) -> Migration:
    """The new file in canonical form, if the decoder of version 1 takes it."""
    outcome = decode_envelope(encode_record(record), zone=zone)
    if isinstance(outcome, Valid):
        data = encode_record(outcome.value)
        outcome = decode_envelope(data)
        return Migration(outcome, data if isinstance(outcome, Valid) else None)
    return Migration(replace(outcome, issues=told_overflows(record, outcome.issues)))


def _located(migration: Migration, known: Iterable[Issue]) -> Migration:
    """The issues of the new file as issues of the old one, which has no envelope.

    That is what can be read and not be written, such as a number beyond all doubles: ``known`` has
    a warning there, and so its place.
    """
    places = {issue.keys: issue for issue in known}
    issues = []
    for issue in migration.outcome.issues:
        keys = issue.keys[1:]
        at = places.get(keys)
        place = (at.line, at.column, at.offset) if at else (None, None, None)
        line, column, offset = place
        issues.append(replace(issue, keys=keys, line=line, column=column, offset=offset))
    return replace(migration, outcome=replace(migration.outcome, issues=tuple(issues)))


def _is_kept(issue: Issue) -> bool:
    """Whether what a warning is about is written as it was: only some instants are revived."""
    return issue.code == "instant-zoneless" and issue.keys[-1:] != ("timestamp",)


def _grouped(found: Iterable[tuple[NoteKind, str, Keys, str]]) -> tuple[Note, ...]:
    """One note for all places of a kind, in the order of the first of them."""
    notes: dict[tuple[str, str], Note] = {}
    for kind, code, keys, message in found:
        path = dotted(tuple("[]" if isinstance(key, int) else key for key in keys))
        path = path.replace(".[]", "[]")
        known = notes.get((code, path))
        notes[code, path] = (
            replace(known, count=known.count + 1)
            if known
            else Note(kind, code, path, dotted(keys), 1, message)
        )
    return tuple(notes.values())
