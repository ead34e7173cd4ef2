"""Sharing dsh databases: each session in it as a log of its own, which dsh reads as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sesskit.artifacts.share_dsh import LOG
from sesskit.artifacts.share_formats import File, ShareFormat
from sesskit.logs.dsh.sqlite import Store, decode
from sesskit.schemas.outcomes import Valid

__all__ = ["STORE", "sessions"]


def sessions(data: bytes) -> Iterator[File]:
    """The sessions of a database as logs of version 0; none of one that is not valid."""
    outcome = decode(data)
    store = outcome.value if isinstance(outcome, Valid) else None
    for number, session in enumerate(store.sessions if isinstance(store, Store) else ()):
        yield f"session-{number + 1}.jsonl", session.text()


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
