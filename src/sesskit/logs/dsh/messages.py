"""Message rules that every load of v0 and later applies, and the messages a surface gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sesskit.schemas.issues import Issue, Key, Keys

Json = Mapping[str, Any]

_ROLES = {"assistant/message": "assistant", "system/message": "system"}
_HOLDS_MESSAGE = {"user/message": False, "assistant/message": True, "tool/result": True}
EFFORT_FIELDS = ("reasoningEffort", "maxTokens")


def message_of(event: Json) -> tuple[Any, Keys]:
    """The message of a message event as it is stored, and the keys that lead to it."""
    if event["type"] == "user/message":
        return event["data"], ("data",)
    data = event["data"]
    return (data.get("message") if isinstance(data, Mapping) else None), ("data", "message")


def check_message(event: Json) -> list[Issue]:
    """Every rule that the message of an event breaks; none for events without one."""
    if event["type"] not in _HOLDS_MESSAGE and event["type"] != "system/message":
        return []
    message, keys = message_of(event)
    if not isinstance(message, Mapping):
        return [_issue("message-missing", "expected a message object", keys, "object")]
    issues = [*_identity(event["type"], message), *_SOURCES.get(event["type"], _no_more)(message)]
    return [issue.inside(*keys) for issue in issues]


def _issue(code: str, text: str, keys: Keys | Key = (), expected: str | None = None) -> Issue:
    return Issue(code, text, keys=keys if isinstance(keys, tuple) else (keys,), expected=expected)


def _is_text(value: object) -> bool:
    """Text that says something."""
    return isinstance(value, str) and value != ""


def _identity(kind: str, message: Json) -> Iterator[Issue]:
    if not _is_text(message.get("id")):
        yield _issue("message-no-id", "a message needs an id that is not empty", "id", "string")
    role = _ROLES.get(kind, "user")
    if message.get("role") != role:
        yield _issue("message-role", f"the role of this message must be {role}", "role", role)
    source = message.get("source")
    if not isinstance(source, Mapping) or not _is_text(source.get("kind")):
        yield _issue(
            "message-no-source", "a message needs a source with a kind", "source", "object"
        )
    if not isinstance(message.get("content"), list):
        yield _issue("message-no-content", "expected an array of blocks", "content", "array")


def _no_more(_message: Json) -> Iterator[Issue]:
    return iter(())


def _from_model(message: Json) -> Iterator[Issue]:
    source = message.get("source")
    if not isinstance(source, Mapping):
        return
    if source.get("kind") != "model":
        text = "an assistant message comes from a model"
        yield _issue("message-not-model-source", text, ("source", "kind"), "model")
    for key in ("provider", "model"):
        if not _is_text(source.get(key)):
            text = "the source of an assistant message names a provider and a model"
            yield _issue("message-not-model-source", text, ("source", key), "string")


def _from_tool(message: Json) -> Iterator[Issue]:
    source, blocks = message.get("source"), message.get("content")
    call = source.get("callId") if isinstance(source, Mapping) else None
    if isinstance(source, Mapping) and source.get("kind") != "tool":
        text = "the message of a tool result comes from a tool"
        yield _issue("message-not-tool-source", text, ("source", "kind"), "tool")
    elif isinstance(source, Mapping) and not _is_text(call):
        text = "the source of a tool result names the call"
        yield _issue("message-not-tool-source", text, ("source", "callId"), "string")
    if not isinstance(blocks, list):
        return
    block = blocks[0] if len(blocks) == 1 else None
    if not isinstance(block, Mapping) or block.get("type") != "tool-result":
        text = "expected exactly one tool-result block"
        yield _issue("not-one-tool-result-block", text, "content", "one tool-result block")
        return
    at = ("content", 0)
    if _is_text(call) and block.get("toolCallId") != call:
        text = "must name the same call as the source of the message"
        yield _issue("tool-call-id-mismatch", text, (*at, "toolCallId"), "call of the source")
    if not isinstance(block.get("content"), list):
        text = "expected an array of blocks"
        yield _issue("message-no-content", text, (*at, "content"), "array")


_SOURCES = {"assistant/message": _from_model, "tool/result": _from_tool}


def check_request_header(event: Json) -> list[Issue]:
    """Every rule of the load that a `request/header` event breaks."""
    data = event["data"]
    header = data.get("header") if isinstance(data, Mapping) else None
    config = header.get("config") if isinstance(header, Mapping) else None
    at = ("data", "header")
    if not isinstance(config, Mapping):
        text = "expected the configuration of the request"
        return [_issue("request-header-no-config", text, (*at, "config"), "object")]
    issues = [
        _issue("request-header-no-route", "must be text that is not empty", (*at, "config", key))
        for key in ("provider", "model")
        if not _is_text(config.get(key))
    ]
    if "reasoningEffort" in config and not _is_text(config["reasoningEffort"]):
        text = "must be text that is not empty, or absent"
        issues.append(_issue("request-header-bad-effort", text, (*at, "config", "reasoningEffort")))
    defaults = header.get("adapterDefaults", {}) if isinstance(header, Mapping) else {}
    return [*issues, *(i.inside(*at, "adapterDefaults") for i in _defaults(defaults, config))]


def _defaults(defaults: Any, config: Json) -> Iterator[Issue]:
    code = "request-header-bad-defaults"
    if not isinstance(defaults, Mapping):
        yield _issue(code, "expected an object", (), "object")
        return
    for key, value in defaults.items():
        if key not in EFFORT_FIELDS:
            yield Issue(
                code, "names no field that an adapter can default", keys=(key,), at_key=True
            )
        elif value is not True:
            yield _issue(code, "must be true, or absent", key, "true")
        elif key not in config:
            yield _issue(code, "marks a field that the configuration does not have", key)


def derive(events: Iterable[Json]) -> Iterator[Any]:
    """The model messages of the events on a surface, in surface order, verbatim.

    An assistant message without content gives nothing; neither does an event without a message.
    """
    for event in events:
        message, _ = message_of(event)
        if not isinstance(message, Mapping):
            continue
        if event["type"] != "assistant/message" or message.get("content"):
            yield message
