"""Pages of 10,000 messages: their time beside that of the share they are made of, their size."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

from generate import messages
from measure import calls
from run import Figure
from sesskit.artifacts.page import PAGE_BYTES
from sesskit.artifacts.page_share import shared_pages
from sesskit.artifacts.share import Wishes, share_data

MESSAGES = 10_000
FORMAT = "robota-record"


def session(*, dense: bool) -> tuple[bytes, int]:
    """A record of so many messages, and the length of their texts."""
    told = list(islice(messages(Random(1), dense), MESSAGES))
    inner = {
        "id": "generated",
        "cwd": "/srv/demo",
        "createdAt": "2026-03-01T00:00:00.000Z",
        "updatedAt": "2026-03-28T00:00:00.000Z",
        "messages": told,
    }
    data = json.dumps({"schemaVersion": 1, "record": inner}).encode()
    return data, sum(len(message["content"]) for message in told)


def measure(folder: Path) -> Iterator[Figure]:
    for kind, dense in (("text-heavy", False), ("dense", True)):
        data, text = session(dense=dense)
        share = share_data("s.json", data, FORMAT, Wishes())
        start = time.process_time()
        made = shared_pages(share, FORMAT, Wishes()).pages
        spent = time.process_time() - start
        size = sum(len(page.data) for page in made)
        ratio = calls(
            partial(shared_pages, share, FORMAT, Wishes()),
            partial(share_data, "s.json", data, FORMAT, Wishes()),
            3,
        )
        what = f"{kind} messages, {len(data) / 1e6:.0f} MB"
        yield Figure(
            "<= 5 s",
            f"pages of {MESSAGES:,} {what}, made and scanned ({spent:.1f} s CPU here)",
            "the share itself",
            f"{ratio.time:.2f}x its time",
        )
        yield Figure(
            "-" if dense else "<= 1.5x",  # 35 characters a message leave markup no room
            f"size of the {len(made)} pages ({size / 1e6:.1f} MB)",
            f"the text ({text / 1e6:.1f} MB); the record ({len(data) / 1e6:.1f} MB)",
            f"{size / text:.2f}x; {size / len(data):.2f}x",
        )
        biggest = max(len(page.data) for page in made)
        yield Figure("<= 500 KB", "the biggest page", f"{PAGE_BYTES:,} bytes", f"{biggest:,} bytes")
