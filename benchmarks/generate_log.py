"""Seeded generator of big Robota session logs, for the benchmarks and the scale tests.

Run as a program: ``python benchmarks/generate_log.py OUT --megabytes 1000 [--dense]``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generate import text

Event = tuple[str, dict[str, Any]]
INSTANT = "2026-10-04T09:15:00.137Z"
KEPT = 20
"""How many messages a request sends at most; then the talk begins anew."""


def message(number: int, role: str, content: str, **more: Any) -> dict[str, Any]:
    named = {"id": f"msg_{number}", "role": role, "content": content}
    return {**named, "state": "complete", "timestamp": INSTANT, **more}


def round_of(
    rng: random.Random, number: int, talk: list[dict[str, Any]], words: int
) -> list[Event]:
    """One prompt, its request, its answer with a tool call, and the tool's result."""
    at = {"executionId": f"exec_{number}", "round": 1}
    asked = message(3 * number, "user", text(rng, words // 3))
    call = {"id": f"call_{number}", "type": "function"}
    function = {"name": "read_file", "arguments": f'{{"path":"docs/{number}.md"}}'}
    calls = [{**call, "function": function}]
    answer = message(3 * number + 1, "assistant", text(rng, words), toolCalls=calls)
    told = message(3 * number + 2, "tool", text(rng, words), toolCallId=call["id"])
    committed = {**at, "mutation": "append_message"}
    talk.append(asked)
    events: list[Event] = [
        ("user", {"content": asked["content"]}),
        ("history_mutation", {**committed, "index": 0, "message": asked}),
        ("provider_request", {**at, "provider": "p", "model": "m", "messages": list(talk)}),
        ("provider_response_raw", {**at, "response": answer, "responseKind": "message"}),
        ("provider_response_normalized", {**at, "response": answer, "toolCallsCount": 1}),
        ("history_mutation", {**committed, "index": 1, "message": answer}),
        ("history_mutation", {**committed, "index": 2, "message": told}),
    ]
    talk += [answer, told]
    events += [("text_delta", {"delta": text(rng, 8)}) for _ in range(4)]
    return events


def lines(*, dense: bool = False, seed: int = 1) -> Iterator[bytes]:
    """An endless log; dense has short texts, so that members prevail."""
    rng = random.Random(seed)
    talk: list[dict[str, Any]] = []
    number = 0
    while True:
        if len(talk) >= KEPT:
            talk.clear()
        for event, data in round_of(rng, number, talk, 12 if dense else 600):
            envelope = {"schemaVersion": 1, "timestamp": INSTANT, "sessionId": "bench"}
            line = json.dumps({**data, **envelope, "event": event}, separators=(",", ":"))
            yield line.encode() + b"\n"
        number += 1


def write_log(path: Path, megabytes: float, *, dense: bool = False, seed: int = 1) -> None:
    left = int(megabytes * 1e6)
    with path.open("wb") as stream:
        for line in lines(dense=dense, seed=seed):
            stream.write(line)
            left -= len(line)
            if left <= 0:
                return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--dense", action="store_true")
    told = parser.parse_args()
    write_log(told.out, told.megabytes, dense=told.dense)


if __name__ == "__main__":
    main()
