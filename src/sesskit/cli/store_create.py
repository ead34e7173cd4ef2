"""A new ochat session in a store, and what became of it."""

from __future__ import annotations

import os
import stat

from sesskit.cli.report import Entry
from sesskit.cli.screen import Screen, note
from sesskit.cli.stores import stored_member
from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import told, writing
from sesskit.logs.formats import Finding
from sesskit.logs.walking import mode_of
from sesskit.records.ochat_session import store_id_for
from sesskit.records.ochat_store import OchatStore
from sesskit.records.session_ids import safe_segment, why_unsafe

FORMAT = "ochat-record"


def created(
    folder: str, prompt_file: str, session_id: str | None, screen: Screen
) -> tuple[Entry, bool]:
    """Make the session; False where the store has one of its id already."""
    name = store_id_for(prompt_file) if session_id is None else session_id
    if not safe_segment(name):
        raise BadUsage(f"not a session id: {why_unsafe(name)}")
    store = OchatStore(folder)
    place = os.fspath(store.path(name))
    with writing(place):
        saved = store.create(prompt_file, session_id=name)
    entry = Entry(Finding(place, saved.outcome, FORMAT), saved.outcome.issues)
    if not saved.written:
        row = ("refused", f"the store has this session already ({saved.outcome.status})")
        return told(entry, [row], {"stored": {"refused": "exists"}}, screen), False
    if not stat.S_ISREG(mode_of(prompt_file)):
        note(f"there is no file {prompt_file} here; its path was recorded as it is")
    row = ("created", f"session {name}")
    return told(entry, [row], {"stored": stored_member(name, place)}, screen), True
