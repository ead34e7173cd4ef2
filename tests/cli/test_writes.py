"""What the system refuses while something is written, in one kind line."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from sesskit.cli.usage import BadUsage
from sesskit.cli.writes import writing
from sesskit.records.locks import LockTimeout


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileExistsError(errno.EEXIST, "exists", "x"), "there is x already; --force replaces it"),
        (
            LockTimeout(errno.ETIMEDOUT, "process 7 holds it", "x.lock"),
            "x is not written: process 7",
        ),
        (OSError(errno.ENOSPC, "no space", "x"), "x cannot be written: the disk is full"),
    ],
)
def test_refusals(error: OSError, said: str) -> None:
    with pytest.raises(BadUsage) as refusal, writing("x"):
        raise error
    assert str(refusal.value).startswith(said)


def test_what_is_written_is_written(tmp_path: Path) -> None:
    with writing("x"):
        (tmp_path / "x").write_text("done")
    assert (tmp_path / "x").read_text() == "done"
