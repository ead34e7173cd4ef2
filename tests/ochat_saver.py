"""A process that changes an ochat session at random, made to be killed.

    ochat_saver.py ROOT SEED

Every change that was written is told in a line of standard output: ``task ID``, ``said`` or
``reset``. Runs until it is killed, or until it may not write any more.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from ochat_builders import said
from sesskit.records.files import LockTimeout
from sesskit.records.ochat_allocator import with_items
from sesskit.records.ochat_store import OchatStore, Saved
from sesskit.records.ochat_tasks import with_task
from sesskit.schemas.outcomes import Valid

NAME = "killed"


def work(store: OchatStore, choice: float, number: str) -> tuple[str, Saved]:
    """One change: mostly tasks, some talk, and now and then a reset or an own save."""
    if choice < 0.5:
        task = f"task {number}"
        return task, store.update(NAME, lambda made: with_task(made, "t", task_id=task)[0])
    if choice < 0.8:
        return "said", store.update(NAME, lambda made: with_items(made, [said("x" * 5000)]))
    if choice < 0.9:
        return "reset", store.reset(NAME, keep_history=choice < 0.85)
    loaded = store.load(NAME)
    assert isinstance(loaded.outcome, Valid), loaded.outcome
    session: Any = loaded.outcome.value.session
    return "saved", store.save(session, seen=loaded.fingerprint)


def main(root: str, seed: str) -> None:
    chance = random.Random(seed)
    store = OchatStore(root, lock_seconds=30)
    for number in range(1_000_000):
        try:
            told, saved = work(store, chance.random(), f"{seed}-{number}")
        except LockTimeout as error:
            print(f"locked {error}", flush=True)
            return
        if saved.written:
            print(told, flush=True)
        elif saved.refused_by != "changed":
            print(f"refused {saved.refused_by} {saved.outcome.issues[:1]}", flush=True)
            return


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
