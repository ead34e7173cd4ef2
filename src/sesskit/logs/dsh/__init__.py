"""Session logs of the DeepSeek Harness: every generation of its files, and their library.

    store = SessionStore()                    # sessions in memory, event-sourced
    with Persistence(root) as backend:        # their logs on the disk
        persist(store, backend)
        session = store.create(meta={"cwd": "/work"})
        session.append("turn/start", {"turn": 1})
        await store.flush(session)

    decode_log(data)       # Valid(Log), Corrupt or Unsupported, every fault with its place
    plan_repair(data)      # what can be saved of a damaged log
    migrate_log(data, 3)   # the same session as a later version has it
    survey(root)           # the sessions below a root

The names are imported when they are first used, so that recognising a file stays cheap.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from typing import Any

    from sesskit.logs.dsh.backend import Persistence
    from sesskit.logs.dsh.bundles import plan_bundle, write_bundle
    from sesskit.logs.dsh.decode import Log, open_log
    from sesskit.logs.dsh.decode import decode as decode_log
    from sesskit.logs.dsh.decode import examine as examine_log
    from sesskit.logs.dsh.durable import persist, resume
    from sesskit.logs.dsh.edges import Refused
    from sesskit.logs.dsh.errors import (
        ForkError,
        SessionError,
        SessionFormatUnsupportedError,
        SessionPersistenceCorruptionError,
        SessionPersistenceError,
    )
    from sesskit.logs.dsh.handle import SessionHandle
    from sesskit.logs.dsh.header import SessionHeader, make_header
    from sesskit.logs.dsh.inspection import inspect_log
    from sesskit.logs.dsh.migration_source import Unsound
    from sesskit.logs.dsh.migrations import migrate_log, migrates
    from sesskit.logs.dsh.repair import plan_repair
    from sesskit.logs.dsh.roots import survey
    from sesskit.logs.dsh.session import Event, Session
    from sesskit.logs.dsh.store import SessionStore
    from sesskit.logs.dsh.unbundling import AlreadyThere, NoBundle, unbundle
    from sesskit.schemas.dsh_values import is_json_value

_HOMES = {
    "AlreadyThere": "unbundling:AlreadyThere",
    "Event": "session:Event",
    "ForkError": "errors:ForkError",
    "Log": "decode:Log",
    "NoBundle": "unbundling:NoBundle",
    "Persistence": "backend:Persistence",
    "Refused": "edges:Refused",
    "Session": "session:Session",
    "SessionError": "errors:SessionError",
    "SessionFormatUnsupportedError": "errors:SessionFormatUnsupportedError",
    "SessionHandle": "handle:SessionHandle",
    "SessionHeader": "header:SessionHeader",
    "SessionPersistenceCorruptionError": "errors:SessionPersistenceCorruptionError",
    "SessionPersistenceError": "errors:SessionPersistenceError",
    "SessionStore": "store:SessionStore",
    "Unsound": "migration_source:Unsound",
    "decode_log": "decode:decode",
    "examine_log": "decode:examine",
    "inspect_log": "inspection:inspect_log",
    "is_json_value": "sesskit.schemas.dsh_values:is_json_value",
    "make_header": "header:make_header",
    "migrate_log": "migrations:migrate_log",
    "migrates": "migrations:migrates",
    "open_log": "decode:open_log",
    "persist": "durable:persist",
    "plan_bundle": "bundles:plan_bundle",
    "plan_repair": "repair:plan_repair",
    "resume": "durable:resume",
    "survey": "roots:survey",
    "unbundle": "unbundling:unbundle",
    "write_bundle": "bundles:write_bundle",
}

__all__ = [
    "AlreadyThere",
    "Event",
    "ForkError",
    "Log",
    "NoBundle",
    "Persistence",
    "Refused",
    "Session",
    "SessionError",
    "SessionFormatUnsupportedError",
    "SessionHandle",
    "SessionHeader",
    "SessionPersistenceCorruptionError",
    "SessionPersistenceError",
    "SessionStore",
    "Unsound",
    "decode_log",
    "examine_log",
    "inspect_log",
    "is_json_value",
    "make_header",
    "migrate_log",
    "migrates",
    "open_log",
    "persist",
    "plan_bundle",
    "plan_repair",
    "resume",
    "survey",
    "unbundle",
    "write_bundle",
]


def __getattr__(name: str) -> Any:
    place = _HOMES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = place.partition(":")
    home = module if "." in module else f"{__name__}.{module}"
    found = getattr(import_module(home), attribute)
    globals()[name] = found
    return found
