"""Jobs shared with forked processes."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from sesskit.logs.forked import shared


def die() -> int:
    os.kill(os.getpid(), 9)
    return 1


def fail() -> int:
    raise ValueError("no")


def big() -> bytes:
    return b"x" * 3_000_000


def test_every_job_is_answered() -> None:
    jobs: list[Callable[[], object]] = [os.getpid, os.getpid, big, lambda: None]
    here, there, text, none = shared(jobs)
    assert here == os.getpid() != there
    assert text == big()
    assert none is None


@pytest.mark.parametrize("job", [die, fail])
def test_a_process_that_does_not_live_to_answer(
    job: Callable[[], int], capfd: pytest.CaptureFixture[str]
) -> None:
    assert shared([lambda: 1, job, lambda: 3]) == [1, None, 3]
    assert capfd.readouterr() == ("", "")


def test_what_the_first_job_raises_leaves_no_process() -> None:
    with pytest.raises(ValueError, match="no"):
        shared([fail, big])
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
