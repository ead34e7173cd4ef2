"""Work shared with forked processes: nothing is imported for it and little is sent.

For a process without threads that has a few long jobs; each answer comes back through a pipe.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn, TypeVar

T = TypeVar("T")


class _Child(NamedTuple):
    process: int
    answer: int


def shared(jobs: Sequence[Callable[[], T]]) -> list[T | None]:
    """The answers of jobs, the first done here, each other one in a process of its own.

    None stands for the answer of a process that did not live to give it. Answers are pickled.
    Whatever the first job raises is raised once all processes have ended.
    """
    children = [_started(job) for job in jobs[1:]]
    answers: list[T | None] = []
    try:
        answers.append(jobs[0]())
    finally:
        answers += [_ended(child) for child in children]
    return answers


def _started(job: Callable[[], T]) -> _Child:
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        _work(job, writing)
    os.close(writing)
    return _Child(process, reading)


def _work(job: Callable[[], T], writing: int) -> NoReturn:
    """The life of a child: it ends here, and runs nothing that its parent has still to do."""
    code = 1
    try:
        with os.fdopen(writing, "wb") as stream:
            pickle.dump(job(), stream)
        code = 0
    finally:
        os._exit(code)


def _ended(child: _Child) -> T | None:
    with os.fdopen(child.answer, "rb") as stream:
        data = stream.read()
    _, status = os.waitpid(child.process, 0)
    if status:
        return None
    answer: T = pickle.loads(data)  # noqa: S301 - our own child wrote it
    return answer
