"""Robota logs to share: lines as loggers write them, and values put into sidecars."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

SID = "session_demo-1"
AT = "2026-03-04T09:00:00.000Z"


def text_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def line(event: str, session: str = SID, **members: Any) -> dict[str, Any]:
    tail = {"schemaVersion": 1, "timestamp": AT, "sessionId": session, "event": event}
    return {**members, **tail}


def message(role: str, content: Any, **members: Any) -> dict[str, Any]:
    head = {"id": f"m-{role}", "timestamp": AT, "state": "complete", "role": role}
    return {**head, "content": content, **members}


ROUND = {"executionId": "e1", "round": 1}


class Log:
    """A log in a folder, with its sidecars."""

    def __init__(self, folder: Path, session: str = SID) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{session}.jsonl"
        self.session = session
        self.lines: list[Any] = []

    def add(self, event: str, **members: Any) -> Log:
        self.lines.append(line(event, self.session, **members))
        return self

    def spilled(self, value: Any) -> dict[str, Any]:
        """A sidecar with a value, and the reference to it."""
        data = text_of(value).encode()
        digest = hashlib.sha256(data).hexdigest()
        name = f"{self.session}.payloads/{digest}.json"
        place = self.path.parent / name
        place.parent.mkdir(exist_ok=True, mode=0o700)
        place.write_bytes(data)
        place.chmod(0o600)
        return {
            "kind": "external-payload",
            "encoding": "json",
            "sha256": digest,
            "byteLength": len(data),
            "relativePath": name,
        }

    def write(self) -> Path:
        self.path.write_text("".join(text_of(each) + "\n" for each in self.lines))
        self.path.chmod(0o600)
        return self.path


def session_init(log: Log, **members: Any) -> Log:
    usual: dict[str, Any] = {
        "cwd": "/home/ikeda/work",
        "systemPromptLength": 2,
        "systemPrompt": "hi",
        "toolSchemas": [],
        "model": "m",
        "provider": "p",
    }
    return log.add("session_init", **{**usual, **members})


def mutation(log: Log, said: Any, index: int = 0) -> Log:
    return log.add("history_mutation", mutation="append_message", index=index, message=said)
