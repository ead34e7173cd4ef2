"""Seeded generators of big but real session records, for the benchmarks and the scale tests.

Run as a program: ``python benchmarks/generate.py record OUT --megabytes 20 [--dense] [--faults N]``
or ``files OUT --count 5000``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WORDS = [
    "the",
    "index",
    "of",
    "terms",
    "was",
    "read",
    "again",
    "and",
    "sorted",
    "by",
    "letter",
    "before",
    "anything",
    "else",
    "could",
    "be",
    "said",
    "about",
    "it",
    "so",
    "the",
    "next",
    "step",
    "is",
    "to",
    "look",
    "at",
    "every",
    "file",
    "in",
    "the",
    "folder",
    "and",
    "to",
    "report",
    "what",
    "differs",
]


def text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words))


def instant(n: int) -> str:
    minutes, seconds = divmod(n, 60)
    hours, minutes = divmod(minutes, 60)
    return f"2026-03-{1 + hours // 24 % 28:02d}T{hours % 24:02d}:{minutes:02d}:{seconds:02d}.250Z"


def messages(rng: random.Random, dense: bool) -> Iterator[dict[str, Any]]:
    """An endless talk: dense has short messages and many members, otherwise text prevails."""
    n = 0
    while True:
        call = f"call-{n}"
        yield {
            "id": f"msg-{n}-user",
            "timestamp": instant(n),
            "state": "complete",
            "role": "user",
            "content": text(rng, 6 if dense else 120),
            "metadata": {"locale": "en", "attempt": 1, "draft": False},
        }
        yield {
            "id": f"msg-{n}-assistant",
            "timestamp": instant(n + 1),
            "state": "complete",
            "role": "assistant",
            "content": text(rng, 4 if dense else 200),
            "toolCalls": [
                {
                    "id": call,
                    "type": "function",
                    "function": {"name": "list_terms", "arguments": '{"letter":"a"}'},
                }
            ],
        }
        yield {
            "id": f"msg-{n}-tool",
            "timestamp": instant(n + 2),
            "state": "complete",
            "role": "tool",
            "content": text(rng, 8 if dense else 900),
            "toolCallId": call,
            "name": "list_terms",
        }
        n += 3


def record(megabytes: float, *, dense: bool = False, seed: int = 1, faults: int = 0) -> bytes:
    """An enveloped record of about this size; ``faults`` messages have a wrong state."""
    rng = random.Random(seed)
    wanted = int(megabytes * 1_000_000)
    parts: list[str] = []
    size = 0
    for message in messages(rng, dense):
        parts.append(json.dumps(message))
        size += len(parts[-1]) + 1
        if size >= wanted:
            break
    for n in range(faults):
        at = (n + 1) * len(parts) // (faults + 1)
        parts[at] = parts[at].replace('"state": "complete"', '"state": "finished"')
    head = (
        '{"schemaVersion": 1, "record": {"id": "generated", "cwd": "/srv/demo", '
        '"createdAt": "2026-03-01T00:00:00.000Z", "updatedAt": "2026-03-28T00:00:00.000Z", '
        '"messages": ['
    )
    return (head + ",".join(parts) + "]}}").encode()


def write_files(folder: Path, count: int, kilobytes: float = 8.0) -> None:
    """Many small records in one folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(count):
        (folder / f"session-{n:05d}.json").write_bytes(record(kilobytes / 1000, seed=n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["record", "files"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--dense", action="store_true")
    parser.add_argument("--faults", type=int, default=0)
    a = parser.parse_args()
    if a.what == "files":
        write_files(a.out, a.count)
    else:
        a.out.write_bytes(record(a.megabytes, dense=a.dense, faults=a.faults))


if __name__ == "__main__":
    main()
