"""sesskit reads, checks and writes the session records and logs of AI agents.

The public names are imported when they are first used, so that ``import sesskit`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, whose import would be most of what `--version` costs
if TYPE_CHECKING:
    from typing import Any

    from sesskit._version import __version__
    from sesskit.artifacts.envelopes import ImportRefused, export_artifact, import_artifact
    from sesskit.logs.formats import Finding, decode, examine
    from sesskit.logs.prompt_history import Prompt, append_prompt, read_history
    from sesskit.logs.robota_log import read_log
    from sesskit.logs.robota_ports import DirectorySink, DirectorySource
    from sesskit.logs.robota_provider import (
        ReplayExhausted,
        ReplayProvider,
        ReplayRefused,
        replay_provider,
    )
    from sesskit.logs.robota_replay import provider_messages, replay_log
    from sesskit.logs.robota_writer import SessionLogger
    from sesskit.logs.spill_store import SpillError, SpillStore
    from sesskit.records.ochat_store import OchatStore
    from sesskit.records.robota_store import RobotaStore
    from sesskit.records.session_ids import InvalidSessionId
    from sesskit.schemas.instants import Instant
    from sesskit.schemas.issues import Issue
    from sesskit.schemas.outcomes import (
        Corrupt,
        Missing,
        Original,
        Unreadable,
        Unrecognized,
        Unsupported,
        Valid,
    )
    from sesskit.schemas.sensitive import is_sensitive_key, scrub_sensitive_keys

_HOMES = {
    "__version__": "sesskit._version",
    "Corrupt": "sesskit.schemas.outcomes",
    "DirectorySink": "sesskit.logs.robota_ports",
    "DirectorySource": "sesskit.logs.robota_ports",
    "Finding": "sesskit.logs.formats",
    "ImportRefused": "sesskit.artifacts.envelopes",
    "Instant": "sesskit.schemas.instants",
    "InvalidSessionId": "sesskit.records.session_ids",
    "Issue": "sesskit.schemas.issues",
    "Missing": "sesskit.schemas.outcomes",
    "OchatStore": "sesskit.records.ochat_store",
    "Original": "sesskit.schemas.outcomes",
    "Prompt": "sesskit.logs.prompt_history",
    "ReplayExhausted": "sesskit.logs.robota_provider",
    "ReplayProvider": "sesskit.logs.robota_provider",
    "ReplayRefused": "sesskit.logs.robota_provider",
    "RobotaStore": "sesskit.records.robota_store",
    "SessionLogger": "sesskit.logs.robota_writer",
    "SpillError": "sesskit.logs.spill_store",
    "SpillStore": "sesskit.logs.spill_store",
    "Unreadable": "sesskit.schemas.outcomes",
    "Unrecognized": "sesskit.schemas.outcomes",
    "Unsupported": "sesskit.schemas.outcomes",
    "Valid": "sesskit.schemas.outcomes",
    "append_prompt": "sesskit.logs.prompt_history",
    "decode": "sesskit.logs.formats",
    "examine": "sesskit.logs.formats",
    "export_artifact": "sesskit.artifacts.envelopes",
    "import_artifact": "sesskit.artifacts.envelopes",
    "is_sensitive_key": "sesskit.schemas.sensitive",
    "provider_messages": "sesskit.logs.robota_replay",
    "read_history": "sesskit.logs.prompt_history",
    "read_log": "sesskit.logs.robota_log",
    "replay_log": "sesskit.logs.robota_replay",
    "replay_provider": "sesskit.logs.robota_provider",
    "scrub_sensitive_keys": "sesskit.schemas.sensitive",
}

__all__ = [
    "Corrupt",
    "DirectorySink",
    "DirectorySource",
    "Finding",
    "ImportRefused",
    "Instant",
    "InvalidSessionId",
    "Issue",
    "Missing",
    "OchatStore",
    "Original",
    "Prompt",
    "ReplayExhausted",
    "ReplayProvider",
    "ReplayRefused",
    "RobotaStore",
    "SessionLogger",
    "SpillError",
    "SpillStore",
    "Unreadable",
    "Unrecognized",
    "Unsupported",
    "Valid",
    "__version__",
    "append_prompt",
    "decode",
    "examine",
    "export_artifact",
    "import_artifact",
    "is_sensitive_key",
    "provider_messages",
    "read_history",
    "read_log",
    "replay_log",
    "replay_provider",
    "scrub_sensitive_keys",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sesskit' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
