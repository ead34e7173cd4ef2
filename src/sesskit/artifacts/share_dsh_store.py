"""Sharing dsh databases: each session in it as a log of its own, which dsh reads as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.share_dsh import LOG
from sesskit.artifacts.share_formats import File, ShareFormat
from sesskit.logs.dsh.sqlite import Store, decode
from sesskit.logs.dsh.writing import encoded, header_line, stored_records
from sesskit.schemas.outcomes import Valid

__all__ = ["STORE", "sessions"]


def sessions(data: bytes) -> Iterator[File]:
    """The sessions of a database as logs of version 0; none of one that is not valid."""
    outcome = decode(data)
    store = outcome.value if isinstance(outcome, Valid) else None
    for number, session in enumerate(store.sessions if isinstance(store, Store) else ()):
        lines = [header_line({**session.header, "version": 0})]
        lines += stored_records(session.events, 0)
        yield f"session-{number + 1}.jsonl", encoded(lines, compressed=False)


STORE: Final = ShareFormat(
    "jsonl",
    LOG.scrubbed,
    LOG.shared,
    LOG.with_images,
    sessions=sessions,
    sessions_of="dsh-log",
    foldered=True,
    rooted=True,
)
