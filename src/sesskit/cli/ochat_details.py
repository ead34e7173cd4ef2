"""ochat: what `inspect` tells of a snapshot: history by kind, tasks, keys, moderator, trust in the
shell, and the map of its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sesskit.cli.details import Details
from sesskit.cli.rows import Row, safe
from sesskit.records.ochat_inspect import (
    Grant,
    Moderation,
    Piece,
    Shell,
    SnapshotSummary,
    summary,
)
from sesskit.schemas.instants import Instant
from sesskit.schemas.masking import mask_text

_NAME, _KEY = 40, 24
_KEYS, _GRANTS = 12, 12
_NS = 1_000_000


def details(data: bytes) -> Details:
    """Of a snapshot with these bytes, as far as it can be read."""
    told = summary(data)
    if told is None:
        return Details()
    return Details(tuple(_rows(told)), tuple(_map(told.pieces)), {"snapshot": _member(told)})


def _rows(told: SnapshotSummary) -> Iterator[Row]:
    if told.prompt_file is not None:
        copy = told.local_prompt_copy
        note = "" if copy is None else f", copied as {_word(copy, _NAME)}"
        yield "prompt", _word(told.prompt_file, _NAME) + note
    if told.layouts[0] != "R3" or told.moderator_layout == "M1":
        moderator = f", moderator {told.moderator_layout}" if told.moderator_layout else ""
        yield "layout", f"items {' or '.join(told.layouts)}{moderator}"
    kinds = {kind.name: kind.count for kind in told.items}
    yield "history", _listed(kinds)
    if told.next_history_sequence is not None:
        yield "next entry", f"number {told.next_history_sequence:,}"
    if told.tasks or told.whole:
        yield "tasks", _listed(told.tasks)
    if told.keys or told.whole:
        yield "keys", _keys(told.keys)
    if told.moderator is not None:
        yield "moderator", _moderator(told.moderator, told.moderator_extensions)
    if told.shell is not None:
        yield from _shell(told.shell)


def _listed(counts: Mapping[str, int]) -> str:
    words = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    total = sum(counts.values())
    return words if len(counts) == 1 else f"{total:,}: {words}" if words else "0"


def _keys(keys: tuple[str | bytes, ...]) -> str:
    if not keys:
        return "0"
    words = ", ".join(_word(key, _KEY) or "(empty)" for key in keys[:_KEYS])
    rest = len(keys) - _KEYS
    return f"{len(keys):,}: {words}" + (f" and {rest:,} more" if rest > 0 else "")


def _moderator(told: Moderation, extensions: int) -> str:
    parts = [_word(told.script_id, _NAME) or "(no name)"]
    if told.revision is not None:
        parts.append(f"revision {told.revision:,}")
    done = {
        "inserted": told.inserted,
        "replaced": told.replaced,
        "removed": told.removed,
        "queued": told.queued,
    }
    parts += [f"{count:,} {word}" for word, count in done.items() if count]
    parts += [_many(extensions, "extension")] if extensions else []
    return ", ".join([*parts, "halted"] if told.halted else parts)


def _shell(shell: Shell) -> Iterator[Row]:
    states: dict[str, int] = {}
    for grant in shell.grants:
        states[grant.state] = states.get(grant.state, 0) + 1
    yield "shell", _many(len(shell.grants), "grant") + (f": {_counts(states)}" if states else "")
    for grant in shell.grants[:_GRANTS]:
        yield "", f"{grant.kind} {_word(grant.id, _KEY)}  {_standing(grant)}  {grant.what}"
    if len(shell.grants) > _GRANTS:
        yield "", f"and {len(shell.grants) - _GRANTS:,} more"
    others = [_many(shell.extensions, "extension")] if shell.extensions else []
    if shell.interrupted:
        others.append(_many(shell.interrupted, "interrupted request"))
    if shell.last_audit_sequence is not None:
        others.append(f"last audit number {shell.last_audit_sequence:,}")
    if others:
        yield "", ", ".join(others)


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _counts(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {state}" for state, count in states.items())


def _standing(grant: Grant) -> str:
    """How a grant stands, and since or until when."""
    if grant.revoked_at_ns is not None:
        return f"revoked {_time(grant.revoked_at_ns)}"
    if grant.expires_at_ns is None:
        return f"{grant.state}, without end"
    word = "expired" if grant.state == "expired" else "active until"
    return f"{word} {_time(grant.expires_at_ns)}"


def _map(pieces: Iterable[Piece]) -> Iterator[Row]:
    """The bytes of the file by offset."""
    yield "map", f"{'offset':>13}  {'bytes':>13}"
    for piece in pieces:
        yield "", f"{piece.offset:>13,}  {piece.length:>13,}  {piece.path}"


def _time(nanoseconds: int) -> str:
    return str(Instant(nanoseconds // _NS))[:-5].replace("T", " ")


def _word(value: str | bytes, width: int) -> str:
    return safe(_text(value), width)


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", errors="replace")


def _masked(value: str | bytes | None) -> str | None:
    return None if value is None else mask_text(_text(value))


def _member(told: SnapshotSummary) -> dict[str, Any]:
    return {
        "version": told.version,
        "layouts": list(told.layouts),
        "moderatorLayout": told.moderator_layout,
        "whole": told.whole,
        "promptFile": _masked(told.prompt_file),
        "localPromptCopy": _masked(told.local_prompt_copy),
        "vfsRoot": _masked(told.vfs_root),
        "history": [
            {"kind": kind.name, "count": kind.count, "bytes": kind.length} for kind in told.items
        ],
        "roles": told.roles,
        "nextHistorySequence": told.next_history_sequence,
        "tasks": told.tasks,
        "keys": [_masked(key) for key in told.keys],
        "moderator": None if told.moderator is None else _moderator_member(told),
        "shell": None if told.shell is None else _shell_member(told.shell),
        "map": [
            {"path": piece.path, "offset": piece.offset, "bytes": piece.length}
            for piece in told.pieces
        ],
    }


def _moderator_member(told: SnapshotSummary) -> dict[str, Any]:
    moderator = told.moderator
    if moderator is None:
        return {}
    return {
        "script": _masked(moderator.script_id),
        "revision": moderator.revision,
        "halted": moderator.halted,
        "queued": moderator.queued,
        "inserted": moderator.inserted,
        "replaced": moderator.replaced,
        "removed": moderator.removed,
        "extensions": told.moderator_extensions,
    }


def _shell_member(shell: Shell) -> dict[str, Any]:
    return {
        "grants": [
            {
                "kind": grant.kind,
                "id": _masked(grant.id),
                "state": grant.state,
                "what": grant.what,
                "created": str(Instant(grant.created_at_ns // _NS)),
                "expires": _maybe_time(grant.expires_at_ns),
                "revoked": _maybe_time(grant.revoked_at_ns),
            }
            for grant in shell.grants
        ],
        "extensions": shell.extensions,
        "interrupted": shell.interrupted,
        "lastAuditSequence": shell.last_audit_sequence,
    }


def _maybe_time(nanoseconds: int | None) -> str | None:
    return None if nanoseconds is None else str(Instant(nanoseconds // _NS))
