"""Redaction: how fast text is looked through, and a whole share, with and without the extra.

`redact-secret` and `redact-transcripts` are compared where they are installed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from generate import record, text
from measure import Ratio, calls
from run import Figure
from sesskit.artifacts.documents import Document, redact
from sesskit.artifacts.literals import has_native
from sesskit.artifacts.redaction import Policy, Redactor
from sesskit.artifacts.secret_scan import scan
from sesskit.artifacts.share import Wishes, share_data

PEERS = (
    ("redact-secret", "redact_secret", "scan_and_redact"),
    ("redact-transcripts", "redact_transcripts", "redact_text"),
)
"""Name, module, and a function that takes a text."""


def outputs(megabytes: float, seed: int = 1) -> list[str]:
    """What tools print: prose, code, listings, JSON and addresses, with a secret now and then."""
    rng = random.Random(seed)
    makers: tuple[Callable[[], str], ...] = (
        lambda: text(rng, 120),
        lambda: "\n".join(f"    {n}\u2192    value_{n} = table[{n}].get('{n}')" for n in range(20)),
        lambda: "\n".join(
            f"-rw-r--r--  1 root  root  {n} Mar  1 10:{n % 60:02d} file-{n}.txt" for n in range(15)
        ),
        lambda: json.dumps({f"key{n}": {"n": n, "text": text(rng, 8)} for n in range(12)}),
        lambda: f"GET https://example.org/{rng.getrandbits(64):x}?page={rng.random()} 200\n" * 8,
        lambda: f"API_TOKEN={rng.getrandbits(128):032x} in /home/ikeda/src\n",
    )
    weights = (50, 20, 10, 10, 9, 1)
    made: list[str] = []
    size = 0
    while size < megabytes * 1_000_000:
        made.append(rng.choices(makers, weights)[0]())
        size += len(made[-1])
    return made


def measure(folder: Path) -> Iterator[Figure]:
    with_native = "with the native scan" if has_native() else "without the native scan"
    for kind, texts in (("prose", prose(2)), ("tool output", outputs(2))):
        ratio = calls(partial(each, scan, texts), partial(each, str.lower, texts))
        yield Figure(
            "stated",
            f"detection in {kind}, {with_native} ({speed(texts, ratio)})",
            "`str.lower()`",
            f"{ratio.time:.0f}x its time",
        )
    yield from _peers(outputs(1))
    yield from _documents(with_native)


def prose(megabytes: float) -> list[str]:
    rng = random.Random(2)
    return [text(rng, 200) for _ in range(int(megabytes * 1_000_000 / 1000))]


def each(work: Callable[[str], Any], texts: list[str]) -> None:
    for one in texts:
        work(one)


def speed(texts: list[str], ratio: Ratio) -> str:
    return f"{sum(map(len, texts)) / ratio.ours.seconds / 1e6:.1f} MB/s here"


def _peers(texts: list[str]) -> Iterator[Figure]:
    joined = "\n".join(texts)

    def ours() -> None:
        document = Document("x", joined, "text")
        redact([document], Redactor(Policy(values=True)))
        document.result()

    for name, module, function in PEERS:
        try:
            theirs = getattr(import_module(module), function)
        except (ImportError, AttributeError):
            continue
        ratio = calls(ours, partial(theirs, joined), 5)
        goal = ">= 1x its speed" if name == "redact-secret" else ">= 10x its speed"
        yield Figure(goal, "redaction of the same text", f"`{name}`", f"{1 / ratio.time:.2f}x")


def _documents(with_native: str) -> Iterator[Figure]:
    lines = "\n".join(json.dumps({"n": n, "text": one}) for n, one in enumerate(outputs(2)))

    def of_lines() -> None:
        document = Document("x", lines, "jsonl")
        redact([document], Redactor(Policy(values=True)))
        document.result()

    texts = outputs(2)
    ratio = calls(partial(each, scan, texts), of_lines, 5)
    yield Figure(
        ">= 1/3 of its speed",
        f"redaction of lines of JSON, {with_native}",
        "detection in the same texts",
        f"{ratio.time:.2f}x",
    )
    data = record(4)
    ratio = calls(
        partial(share_data, "s.json", data, "robota-record", Wishes()),
        partial(each, scan, prose(4)),
        5,
    )
    yield Figure(
        "stated",
        f"`share` of a 4 MB record: decoded, redacted, decoded, verified, {with_native}",
        "detection in as much prose",
        f"{ratio.time:.1f}x its time",
    )
