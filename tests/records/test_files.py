"""The one place from which file operations are had."""

from __future__ import annotations

from sesskit.records import files


def test_every_name_is_there() -> None:
    assert files.__all__ == sorted(files.__all__)
    assert all(hasattr(files, name) for name in files.__all__)
