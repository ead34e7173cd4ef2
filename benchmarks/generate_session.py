"""Seeded generator of Robota logs of whole sessions: they keep every rule of the contract audit.

A log is a row of processes of one session. Each starts with nothing, talks for some turns, and
shuts down; each turn asks, has a tool called, and answers. So the conversation stays small however
long the log is. Run as a program: ``python benchmarks/generate_session.py OUT --megabytes 2000``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from generate import text

Json = dict[str, Any]
TURNS = 12
"""Turns of one process."""
WORDS = 350
WINDOW = 200_000
PROMPT = "You keep the harbour log."
SCHEMAS = [
    {
        "name": "Read",
        "description": "Read tool",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        },
    }
]
NATIVE = {
    f"nativeWeb{what}{how}": False
    for what in ("Search", "Fetch")
    for how in ("Supported", "Enabled")
}


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


class Session:
    """Writes the lines of one session, process after process."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.now = datetime(2026, 10, 2, 9, tzinfo=UTC)
        self.made = 0
        self.history: list[Json] = []

    def time(self) -> str:
        self.now += timedelta(milliseconds=1)
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def name(self, kind: str) -> str:
        self.made += 1
        return f"{kind}_{self.made}"

    def line(self, event: str, data: Json) -> bytes:
        envelope = {"schemaVersion": 1, "timestamp": self.time(), "sessionId": "long"}
        return (compact({**data, **envelope, "event": event}) + "\n").encode()

    def process(self) -> Iterator[bytes]:
        """One process, from its start to its end."""
        self.history = []
        about = {"model": "tide-1", "provider": "harbour-ai"}
        prompt = {"systemPromptLength": len(PROMPT), "systemPrompt": PROMPT}
        yield self.line(
            "session_init", {"cwd": "/srv/harbour", **prompt, "toolSchemas": SCHEMAS, **about}
        )
        conversation = self.name("conv")
        for _ in range(TURNS):
            yield from self.turn(conversation)
        yield self.line("session_shutdown", {"reason": "prompt_input_exit"})

    def turn(self, conversation: str) -> Iterator[bytes]:
        asked = text(self.rng, WORDS // 4).strip()
        measured = len(compact(self.history))
        yield self.line("user", {"content": asked})
        figures = {
            "historyLength": len(self.history),
            "historyChars": measured,
            "historyEstTokens": -(-measured // 4),
        }
        about = {"model": "tide-1", "provider": "harbour-ai", "maxTokens": WINDOW}
        yield self.line(
            "pre_run", {**figures, "input": asked, "history": self.history, **about, **NATIVE}
        )
        execution = self.name("exec")
        at = {"executionId": execution, "conversationId": conversation}
        if not self.history:
            self.history = [self.message("system", PROMPT, {"executionId": execution})]
        said = self.message("user", asked, {"executionId": execution})
        yield self.commit(at, said)
        yield from self.answer(at, 1, call=self.name("call"))
        yield self.line("text_delta", {"delta": "\n\n"})
        yield from self.answer(at, 2)
        yield from self.told()

    def message(self, role: str, content: str, metadata: Json, **more: Any) -> Json:
        head = {"id": self.name("msg"), "role": role, "content": content, "state": "complete"}
        return {**head, "timestamp": self.time(), "metadata": metadata, **more}

    def commit(self, at: Json, message: Json) -> bytes:
        index = len(self.history)
        self.history.append(message)
        return self.line(
            "history_mutation",
            {**at, "mutation": "append_message", "index": index, "message": message},
        )

    def answer(self, at: Json, number: int, call: str | None = None) -> Iterator[bytes]:
        """A request, what came back, and the tool that it called."""
        at = {**at, "round": number}
        about = {"provider": "harbour-ai", "model": "tide-1", "effort": "high"}
        sent: Json = {"messages": self.history, "tools": SCHEMAS}
        yield self.line("provider_request", {**at, **about, **sent})
        words = text(self.rng, WORDS).strip()
        for sequence, delta in enumerate((words[:80], words[80:])):
            yield self.line(
                "provider_stream_raw_delta", {**at, "sequence": sequence, "delta": delta}
            )
            yield self.line("text_delta", {"delta": delta})
        native = {"payloadKind": "stream_event", "sequence": 0, "payload": {"type": "done"}}
        yield self.line("provider_native_raw_payload", {**at, "provider": "harbour-ai", **native})
        function = {"name": "Read", "arguments": compact({"path": "/srv/harbour/a.txt"})}
        calls = [{"id": call, "type": "function", "function": function}] if call else []
        more = {"toolCalls": calls} if calls else {}
        tokens = {"inputTokens": 80, "outputTokens": 20}
        raw: Json = {"id": self.name("resp"), "role": "assistant", "content": words}
        raw |= {"state": "complete", "timestamp": self.time(), "metadata": tokens, **more}
        kind = {"effort": "high", "responseKind": "provider-normalized-message"}
        yield self.line("provider_response_raw", {**at, "response": raw, **kind})
        yield self.line(
            "provider_response_normalized", {**at, "response": raw, "toolCallsCount": len(calls)}
        )
        yield self.line("assistant_message_committed", {**at, "message": raw})
        metadata = {
            "round": number,
            "usageObservationId": self.name("usage"),
            "executionId": at["executionId"],
            "providerId": "harbour-ai",
            "providerCallId": self.name("provided"),
            "modelId": "tide-1",
            **tokens,
            "usage": {"totalTokens": 100, **tokens},
        }
        yield self.commit(at, self.message("assistant", words, metadata, **more))
        if call:
            yield from self.tool(at, call)

    def tool(self, at: Json, call: str) -> Iterator[bytes]:
        thinking = f"thinking_{at['conversationId']}_round{self.made}"
        batch = {**at, "batchId": thinking}
        yield self.line(
            "tool_batch_started",
            {
                **batch,
                "mode": "parallel",
                "maxConcurrency": 5,
                "requestCount": 1,
                "tools": ["Read"],
            },
        )
        path = {"path": "/srv/harbour/a.txt"}
        owners = [("agent", at["conversationId"]), ("execution", at["executionId"])]
        owners += [("thinking", thinking), ("tool", call)]
        named = {"index": 0, "toolName": "Read", "toolCallId": call}
        chain = [{"type": kind, "id": name} for kind, name in owners]
        yield self.line(
            "tool_execution_request", {**batch, **named, "parameters": path, "ownerPath": chain}
        )
        result = {**path, "text": text(self.rng, WORDS).strip()}
        content = compact(result)
        yield self.line("tool_call", {"tool": "Read", "args": path})
        told = {"success": True, "dataChars": len(content), "truncated": False}
        yield self.line("tool_result", {"tool": "Read", **told})
        yield self.line(
            "tool_execution_result", {**batch, **named, "success": True, "result": result}
        )
        metadata = {"round": at["round"], "success": True, "toolName": "Read"}
        message = self.message("tool", content, metadata, toolCallId=call, name="Read")
        yield self.line("tool_message_committed", {**batch, "index": 0, "message": message})
        yield self.commit(batch, message)

    def told(self) -> Iterator[bytes]:
        """The end of a turn: the answer with its history, and how full the window is."""
        structure = [
            {
                "role": message["role"],
                "contentLength": len(message["content"]),
                "hasToolCalls": "toolCalls" in message,
                "toolCallNames": [c["function"]["name"] for c in message.get("toolCalls", ())],
                "metadata": message["metadata"],
            }
            for message in self.history
        ]
        figures = {"historyLength": len(self.history), "estimatedChars": len(compact(self.history))}
        content = self.history[-1]["content"]
        yield self.line(
            "assistant",
            {
                "content": content,
                **figures,
                "history": self.history,
                "historyStructure": structure,
            },
        )
        used = {"usedTokens": 100, "usedPercentage": 0.05, "remainingPercentage": 99.95}
        yield self.line("context", {"maxTokens": WINDOW, **used})


def write_session(path: Path, megabytes: float, *, seed: int = 1) -> None:
    """A log of this size that ends with a whole process."""
    left = int(megabytes * 1e6)
    session = Session(seed)
    with path.open("wb") as stream:
        while left > 0:
            data = b"".join(session.process())
            stream.write(data)
            left -= len(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=float, default=2000)
    told = parser.parse_args()
    write_session(told.out, told.megabytes)


if __name__ == "__main__":
    main()
