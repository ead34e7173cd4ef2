"""The store: saved whole or not at all, never over what was not read, archived before a reset."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from ochat_builders import PROMPT, file_of, first_session, old_session, said, session
from ochat_vectors import raw
from sesskit.records.files import InvalidSessionId
from sesskit.records.ochat import encode
from sesskit.records.ochat_session import store_id_for
from sesskit.records.ochat_store import OchatStore, Saved
from sesskit.records.ochat_tasks import with_task
from sesskit.schemas.ochat_sessions import Layout, SessionV5
from sesskit.schemas.outcomes import Corrupt, Missing, Unreadable, Valid

UNSAFE = ["", ".", "..", "a/b", "../a", "a\0b", "-a", "ü", "x" * 129]


@pytest.fixture
def store(tmp_path: Path) -> OchatStore:
    return OchatStore(tmp_path / "sessions", lock_seconds=0.3)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _put(store: OchatStore, data: bytes, name: str = "demo") -> Path:
    path = store.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _session(store: OchatStore, name: str = "demo") -> SessionV5:
    outcome = store.load(name).outcome
    assert isinstance(outcome, Valid)
    made = outcome.value.session
    assert isinstance(made, SessionV5)
    return made


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_files_are_for_their_owner_only(store: OchatStore, mask: int) -> None:
    before = os.umask(mask)
    try:
        saved = store.create(PROMPT, session_id="demo")
        store.reset("demo")
    finally:
        os.umask(before)
    assert saved.written
    path = store.path("demo")
    archive = path.with_name("archive")
    assert (_mode(path), _mode(path.parent), _mode(archive)) == (0o600, 0o700, 0o700)
    assert [_mode(copy) for copy in archive.iterdir()] == [0o600]


def test_a_new_session_gets_the_default_id(store: OchatStore) -> None:
    saved = store.create(PROMPT)
    name = store_id_for(PROMPT)
    assert saved.written
    assert saved.fingerprint == store.load(name).fingerprint
    assert _session(store, name).prompt_file == PROMPT
    assert _names(store.path(name).parent) == ["snapshot.bin"]


def test_a_session_is_made_once(store: OchatStore) -> None:
    store.create(PROMPT, session_id="demo")
    before = store.path("demo").read_bytes()
    again = store.create("other.chatmd", session_id="demo")
    assert (again.written, again.refused_by) == (False, "changed")
    assert store.path("demo").read_bytes() == before


def test_what_changed_since_it_was_read_is_not_overwritten(store: OchatStore) -> None:
    store.create(PROMPT, session_id="demo")
    seen = store.load("demo").fingerprint
    first = store.save(session(said("one")), seen=seen)
    assert first.written
    second = store.save(session(said("two")), seen=seen)
    assert (second.written, second.refused_by) == (False, "changed")
    assert _session(store) == session(said("one"))
    assert store.save(session(said("two")), seen=first.fingerprint).written
    late = store.update("demo", lambda made: made, seen=seen)
    assert (late.written, late.refused_by) == (False, "changed")


def test_a_record_that_breaks_the_rules_is_not_saved(store: OchatStore) -> None:
    broken = replace(session(said()), next_history_sequence=0)
    saved = store.save(broken, seen=None)
    assert (saved.written, saved.refused_by) == (False, "record")
    assert isinstance(saved.outcome, Corrupt)
    assert not store.root.exists()
    store.create(PROMPT, session_id="demo")
    changed = store.update("demo", lambda made: replace(made, next_history_sequence=-1))
    assert (changed.written, changed.refused_by) == (False, "record")


@pytest.mark.parametrize("name", UNSAFE)
def test_ids_that_are_no_segment_of_a_path(store: OchatStore, name: str) -> None:
    for ask in (
        lambda: store.load(name),
        lambda: store.reset(name),
        lambda: store.update(name, lambda made: made),
        lambda: store.create(PROMPT, session_id=name),
        lambda: store.save(session(name=name), seen=None),
    ):
        with pytest.raises(InvalidSessionId):
            ask()
    assert not store.root.exists()


def test_tasks_in_a_store(store: OchatStore) -> None:
    store.create(PROMPT, session_id="demo")
    saved = store.update("demo", lambda made: with_task(made, "Write", task_id="t")[0])
    assert (saved.written, saved.archived) == (True, None)
    assert [task.title for task in _session(store).tasks] == ["Write"]
    with pytest.raises(LookupError):
        store.update("demo", lambda made: with_task(made, "Write", task_id="t")[0])
    assert _names(store.path("demo").parent) == ["snapshot.bin"]


def test_a_reset_archives_first(store: OchatStore) -> None:
    data = raw("v5/everything.bin")
    path = _put(store, data, "v5-everything")
    saved = store.reset("v5-everything")
    assert saved.written
    assert saved.archived is not None
    assert saved.archived.read_bytes() == data
    assert saved.archived.parent == path.with_name("archive")
    assert _session(store, "v5-everything").history == []
    assert saved.prompt_copied is None
    again = store.reset("v5-everything")
    assert again.archived not in (None, saved.archived)
    assert len(_names(path.with_name("archive"))) == 2


def test_a_reset_of_an_older_version_writes_the_latest(store: OchatStore) -> None:
    data = raw("v2/r1_tools.bin")
    name = "41a1923d5545c4667a12aa8853897d08"
    _put(store, data, name)
    saved = store.reset(name, keep_history=True)
    assert saved.archived is not None
    assert saved.archived.read_bytes() == data
    made = _session(store, name)
    assert len(made.history) > 3
    assert store.load(name).outcome.issues == ()


def test_an_update_of_an_older_version_archives_it(store: OchatStore) -> None:
    data = encode(old_session([said()]), Layout(2))
    _put(store, data)
    saved = store.update("demo", lambda made: made)
    assert saved.archived is not None
    assert saved.archived.read_bytes() == data
    assert _session(store).version == 5


@pytest.mark.parametrize("keep", [False, True])
def test_the_cache_goes_with_the_history(store: OchatStore, keep: bool) -> None:
    store.create(PROMPT, session_id="demo")
    cache = store.path("demo").parent / ".chatmd" / "cache.bin"
    cache.parent.mkdir()
    cache.write_bytes(b"x")
    audit = cache.with_name("shell-audit.jsonl")
    audit.write_bytes(b"{}\n")
    store.reset("demo", keep_history=keep)
    assert (cache.exists(), audit.exists()) == (keep, True)


def test_a_cache_behind_a_link_is_left_alone(store: OchatStore, tmp_path: Path) -> None:
    store.create(PROMPT, session_id="demo")
    other = tmp_path / "other"
    other.mkdir()
    (other / "cache.bin").write_bytes(b"x")
    (store.path("demo").parent / ".chatmd").symlink_to(other)
    assert store.reset("demo").written
    assert (other / "cache.bin").exists()


def test_the_prompt_is_copied_where_it_can_be(store: OchatStore, tmp_path: Path) -> None:
    prompt = tmp_path / "revised.chatmd"
    prompt.write_text("Be brief.")
    store.create(PROMPT, session_id="demo")
    saved = store.reset("demo", prompt_file=str(prompt))
    copy = store.path("demo").with_name("prompt.chatmd")
    assert saved.prompt_copied is True
    assert (copy.read_text(), _mode(copy)) == ("Be brief.", 0o600)
    made = _session(store)
    assert (made.prompt_file, made.local_prompt_copy) == (str(prompt), "prompt.chatmd")
    gone = store.reset("demo", prompt_file=str(tmp_path / "gone"))
    assert (gone.written, gone.prompt_copied) == (True, False)
    assert _session(store).prompt_file == str(tmp_path / "gone")


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"damaged", Corrupt), (first_session(""), None), (raw("v3/r2_m1_mod.bin"), Valid)],
)
def test_what_cannot_be_upgraded_is_left_as_it_is(
    store: OchatStore, data: bytes, kind: type | None
) -> None:
    path = _put(store, data)
    for saved in (store.reset("demo"), store.update("demo", lambda made: made)):
        if kind is not None:
            assert (saved.written, saved.refused_by) == (False, "file")
            assert isinstance(saved.outcome, kind)
    if kind is not None:
        assert path.read_bytes() == data
        assert _names(path.parent) == ["snapshot.bin"]
        assert not store.save(session(), seen=None).written


def test_what_is_not_there(store: OchatStore) -> None:
    assert store.load("demo").outcome == Missing()
    assert store.reset("demo") == Saved(False, Missing(), "file")
    assert store.list() == []
    store.path("demo").parent.mkdir(parents=True)
    assert store.reset("demo").refused_by == "file"
    assert store.list() == []


def test_something_else_in_its_place(store: OchatStore) -> None:
    store.path("demo").mkdir(parents=True)
    assert isinstance(store.load("demo").outcome, Unreadable)
    assert store.save(session(), seen=None).refused_by == "changed"


def test_a_large_file_of_zeros(store: OchatStore) -> None:
    path = _put(store, b"")
    with path.open("wb") as file:
        file.truncate(3 << 20)
    loaded = store.load("demo")
    assert isinstance(loaded.outcome, Corrupt)
    assert store.save(session(), seen=loaded.fingerprint).written


def test_every_folder_with_a_snapshot_is_listed(store: OchatStore) -> None:
    _put(store, file_of(said()), "b")
    _put(store, b"damaged", "a")
    _put(store, file_of(name="c"), "c")
    (store.root / "not a segment").mkdir()
    (store.root / "not a segment" / "snapshot.bin").write_bytes(b"")
    (store.root / "empty").mkdir()
    entries = store.list()
    assert [(e.id, e.outcome.status, e.record_id) for e in entries] == [
        ("a", "corrupt", None),
        ("b", "valid", "demo"),  # copied: its record has another id than its folder
        ("c", "valid", "c"),
        ("not a segment", "unreadable", None),
    ]
    assert isinstance(entries[1].outcome, Valid)
    assert entries[1].outcome.value is None
