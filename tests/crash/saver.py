"""A process that saves records, made to be killed. Run by the tests of this folder.

Each line of standard input is a JSON object: ``{"work": WORD, "folder": PATH, ...}``. A child is
forked to do the work; its pid is printed, and its exit status (negative: the signal) when it ends.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sesskit.records.files import write_atomic
from sesskit.records.robota_store import RobotaStore

# Every system call of a write; ftruncate, pwrite and close belong to the lock as well.
CALLS = (
    "open",
    "fchmod",
    "write",
    "pwrite",
    "ftruncate",
    "fsync",
    "close",
    "link",
    "replace",
    "unlink",
)


def record(size: int) -> dict[str, Any]:
    """A record whose content says how long it is."""
    instant = "2026-03-04T09:00:00.000Z"
    message = {
        "id": "m",
        "timestamp": instant,
        "state": "complete",
        "role": "user",
        "content": "x" * size,
    }
    return {
        "id": "killed",
        "cwd": "/srv/demo",
        "createdAt": instant,
        "updatedAt": instant,
        "messages": [message],
        "name": str(size),
    }


def save_for_ever(job: dict[str, Any]) -> None:
    store = RobotaStore(job["folder"])
    while True:
        for size in job["sizes"]:
            assert store.put(record(size)).written


def save_once(job: dict[str, Any]) -> None:
    """Save, but be killed just before the system call with the number ``die_at``."""
    kill_before(job["die_at"])
    assert RobotaStore(job["folder"]).put(record(job["size"])).written


def write_once(job: dict[str, Any]) -> None:
    kill_before(job["die_at"])
    write_atomic(Path(job["folder"], "file"), job["text"].encode(), overwrite=job["overwrite"])


def save_with_a_limit(job: dict[str, Any]) -> None:
    """Save when no file may grow beyond ``limit`` bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (job["limit"], job["limit"]))
    try:
        RobotaStore(job["folder"]).put(record(job["size"]))
    except OSError as error:
        os._exit(error.errno or 1)


def kill_before(number: int) -> None:
    left = [number]

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any, **names: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return call(*arguments, **names)

        return counting

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


WORKS = {work.__name__: work for work in (save_for_ever, save_once, write_once, save_with_a_limit)}


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.umask(job.get("umask", 0o022))
            WORKS[job["work"]](job)
            os._exit(0)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
