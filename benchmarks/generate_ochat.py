"""Seeded generator of big ochat snapshots, for the benchmarks and the scale tests.

Run as a program: ``python benchmarks/generate_ochat.py OUT --megabytes 200 [--dense]``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from generate import text
from sesskit.records.ochat import encode
from sesskit.records.ochat_session import create
from sesskit.schemas.ochat_items import (
    FunctionCall,
    FunctionCallOutput,
    InputMessage,
    InputText,
    Item,
    OutputMessage,
    OutputText,
    Reasoning,
    SummaryText,
    TextOutput,
)
from sesskit.schemas.ochat_sessions import Entry, SessionV5

SESSION = "9dd4e461268c8034f5c8564e155c67a6"


def items(rng: random.Random, dense: bool) -> Iterator[Item]:
    """An endless talk: dense has short texts and many members, otherwise text prevails."""
    n = 0
    while True:
        asked = text(rng, 6 if dense else 120)
        yield InputMessage("User", [InputText(asked, "input_text")], "message")
        thought = text(rng, 5 if dense else 80)
        summary = [SummaryText(thought, "summary_text")]
        yield Reasoning(summary, "reasoning", f"rs_{n}", "completed")
        call = f"call_{n}"
        arguments = f'{{"path":"docs/{n}.md"}}'
        yield FunctionCall("read_file", arguments, call, "function_call", f"fc_{n}", "completed")
        output = TextOutput(text(rng, 5 if dense else 900))
        yield FunctionCallOutput(output, call, "function_call_output", None, None)
        content = [OutputText([], text(rng, 8 if dense else 200), "output_text")]
        yield OutputMessage("Assistant", f"msg_{n}", content, "completed", None, "message")
        n += 1


def session(megabytes: float, *, dense: bool = False, seed: int = 1) -> SessionV5:
    """A session whose snapshot has about this size."""
    rng = random.Random(seed)
    each = 112 if dense else 1_690  # bytes of an entry, measured
    history = [
        Entry(f"{len(SESSION)}:{SESSION}:{n}", item)
        for n, item in zip(range(int(megabytes * 1e6 / each)), items(rng, dense), strict=False)
    ]
    made = create("agents/demo.chatmd", session_id=SESSION)
    return replace(made, history=history, next_history_sequence=len(history))


def snapshot(megabytes: float, *, dense: bool = False, seed: int = 1) -> bytes:
    """The file of such a session."""
    return encode(session(megabytes, dense=dense, seed=seed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--dense", action="store_true")
    told = parser.parse_args()
    told.out.write_bytes(snapshot(told.megabytes, dense=told.dense))


if __name__ == "__main__":
    main()
