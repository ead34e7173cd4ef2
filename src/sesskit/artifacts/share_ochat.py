"""Sharing ochat snapshots of every version: bytes in, bytes out, by way of neutral JSON.

Ids, digests, words and numbers of the format stay. Key/value data and records of scripts are names
with values, so a name may make its value secret. A string that is not UTF-8 is a text here like
any other, in which the odd bytes are lone surrogates.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Final

from sesskit.artifacts.share_formats import NotClosed, ShareFormat
from sesskit.artifacts.share_places import SCRUBBED, SHARED, WITH_IMAGES, Kept
from sesskit.artifacts.treatments import TEXT, Treatment, treatments
from sesskit.records.ochat import decode, export_json, import_json, snapshot_bytes
from sesskit.schemas.binprot_to_json import BYTES
from sesskit.schemas.outcomes import Valid

__all__ = ["RECORD", "closed", "opened"]

_BYTES: Final = re.compile(rf'\{{\s*"{re.escape(BYTES)}":\s*"([A-Za-z0-9+/=]*)"\s*\}}')
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_ODD_ESCAPE: Final = "\\udc"
_ODD: Final = re.compile("[\udc80-\udcff]")
_REMOVED: Final = "[image removed]"
_IN: Final = {"Image": json.dumps({"Text": {"text": _REMOVED, "_type": "input_text"}})}
_OUT: Final = {"Input_image": json.dumps({"Input_text": {"text": _REMOVED}})}

_TYPED: Final = "{_type,id,call_id,role,status,phase}"
_ITEM: Final = (
    f"*.{_TYPED}",
    "*.content[].*.{_type,detail}",
    "*.content[].{_type}",
    "*.content[].annotations[].*.{type_,file_id}",
    "*.output.Content[].*.detail",
    "*.summary[]._type",
    "*.results[].file_id",
)
_STATE: Final = "{current_state,queued_internal_events}"
_SCRIPT: Final = ("{script_id,script_source_hash}",)
_OVERLAY: Final = (
    "{prepended_system_items,appended_items}[].id",
    "{prepended_system_messages,appended_messages}[].{id,role}",
    "replacements[].{target_id,item.id}",
    "replacements[].message.{id,role}",
    "{deleted_item_ids,deleted_message_ids}",
)
_CHANGES: Final = (
    "{prepended_items,appended_items}[].{entry_id,script_label}",
    "replacements[].{target_id,script_label}",
    "tombstones[].target_id",
)
_GRANT: Final = (
    "{grant_id,manifest_sha256,source_sha256,session_id,runtime_id,request_kind,command_sha256}",
    "{executable_sha256,cwd_sha256,environment_sha256,stdin_sha256,script_sha256}",
    "imported_source_sha256",
    "reviewer.source",
)
_WHO: Final = ("{user_id,host_id,signer,issuer}", "reviewer.reviewer_id")
"""Who trusted a command, and where: it may be absent."""

_EXTENSION: Final = ("{extension_id,extension_kind,runtime_id,manifest_sha256,source_sha256}",)
_INTERRUPTED: Final = (
    "{request_id,runtime_id,manifest_sha256,request_kind,command_sha256,cwd_sha256}",
)


def _pair(value: Treatment) -> Treatment:
    """A name and its value."""
    place = Treatment()
    place.pair = True
    place.first = Treatment(names=False)
    place.elements = value
    return place


def _pairs(value: Treatment) -> Treatment:
    """A list of names with their values."""
    place = Treatment()
    place.elements = _pair(value)
    return place


def _value() -> Treatment:
    """A value of the script language, to any depth. What is no text gets a neutral value."""
    value, values, variant = Treatment(), Treatment(), Treatment()
    value.instead = '"Unit"'
    number = Treatment()
    number.instead = "0"
    values.elements = value
    members = _pairs(value)
    variant.first = Treatment("keep")
    variant.elements = values
    value.others = TEXT
    value.members = {
        "Int": number,
        **dict.fromkeys(("Float", "Bool"), Treatment("keep")),
        "Array": values,
        "Record": members,
        "Variant": variant,
    }
    return value


def _item(kept: Kept) -> Treatment:
    """An item of the history: an object whose only member is called after its kind."""
    item = treatments(keep=_ITEM)
    item.others.member("results").elements.members["attributes"] = _pairs(TEXT)
    if not kept.images:
        item.others.member("content").elements.tagged = _IN
        item.others.member("output").member("Content").elements.tagged = _OUT
    return item


def _entry(kept: Kept) -> Treatment:
    """An entry of the history: an item under its id since version 4, an item alone before."""
    item = _item(kept)
    entry = treatments(keep=["id"], special={"item": item})
    entry.others = item.others
    return entry


def _snapshot(value: Treatment) -> Treatment:
    """What a script keeps, with whole elements that it put in."""
    values = ("{prepended_system_items,appended_items}[].value", "replacements[].item.value")
    metas = (
        "{prepended_system_messages,appended_messages}[].meta",
        "replacements[].message.meta",
    )
    return treatments(
        keep=[*_SCRIPT, *(f"overlay.{path}" for path in _OVERLAY)],
        special={
            _STATE: value,
            **{f"overlay.{path}": value for path in (*values, *metas)},
        },
    )


def _record(kept: Kept) -> Treatment:
    """A session record of any version."""
    value = _value()
    snapshot = _snapshot(value)
    identity = treatments(
        keep=[*_SCRIPT, *_CHANGES],
        special={
            _STATE: value,
            "{prepended_items,appended_items,replacements}[].value": value,
        },
    )
    grant = treatments(keep=_GRANT, blank={} if kept.seals else dict.fromkeys(_WHO, "null"))
    extension = treatments(keep=_EXTENSION, special={"state": value})
    return treatments(
        keep=["{id,$layout}", "tasks[].{id,state}"],
        special={
            "history[]": _entry(kept),
            "kv_store": _pairs(TEXT),
            "moderator_snapshot": snapshot,
            "moderator_state.legacy_snapshot": snapshot,
            "moderator_state.identity_snapshot": identity,
            "moderator_state.extensions": _pairs(value),
            "shell_state.{manifest_grants,approval_grants}[]": grant,
            "shell_state.extension_snapshots[]": extension,
            "shell_state.interrupted_requests[]": treatments(keep=_INTERRUPTED),
        },
    )


# Bytes as JSON, and back.


def opened(data: bytes) -> str:
    """The neutral JSON of a snapshot. Raises `NotClosed` for bytes that are none."""
    outcome = decode(data)
    if not isinstance(outcome, Valid):
        raise NotClosed(outcome)
    return _BYTES.sub(_as_string, export_json(outcome.value).decode())


def _as_string(found: re.Match[str]) -> str:
    """Bytes that are no UTF-8 as a JSON string."""
    return json.dumps(base64.b64decode(found[1]).decode("utf-8", "surrogateescape"))


def closed(text: str, head: bytes) -> bytes:
    """The snapshot that such JSON says. Raises `NotClosed` where it says none."""
    if _ODD_ESCAPE in text:
        text = _STRING.sub(_as_bytes, text)
    outcome = import_json(text.encode("utf-8", "replace"))
    if not isinstance(outcome, Valid):
        raise NotClosed(outcome)
    return snapshot_bytes(outcome.value)


def _as_bytes(found: re.Match[str]) -> str:
    if _ODD_ESCAPE not in found[0]:
        return found[0]
    content = str(json.loads(found[0], strict=False))
    if not _ODD.search(content):
        return found[0]
    data = content.encode("utf-8", "surrogateescape")
    return json.dumps({BYTES: base64.b64encode(data).decode()})


RECORD: Final = ShareFormat(
    "json",
    _record(SCRUBBED),
    _record(SHARED),
    _record(WITH_IMAGES),
    opened=opened,
    closed=closed,
)
