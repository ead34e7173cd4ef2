"""Lists of source events: numbers, and from v1 on pairs."""

from __future__ import annotations

from typing import Any

import pytest

from sesskit.logs.dsh.envelopes import (
    check_loose_sources,
    expand_sources,
    pack_sources,
    read_sources,
)


@pytest.mark.parametrize(
    "stored",
    [[3, 4, 5, 6], [[3, 6]], [[3, 4], [5, 6]], [3, [4, 6]], [[3, 3], [4, 6]], [6, 3, 5, 4]],
)
def test_every_number_of_a_list_is_in_it(stored: list[Any]) -> None:
    sources = read_sources(stored, 7, pairs=True)
    assert sources.issues == []
    assert [seq for seq in range(9) if seq in sources] == [3, 4, 5, 6]
    assert sorted(expand_sources(stored)) == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("stored", "codes"),
    [
        (None, ["type"]),
        ([True], ["sources-kind"]),
        ([[1, 2, 3]], ["sources-kind"]),
        ([[2, 1]], ["sources-kind"]),
        ([-0.0], ["sources-kind"]),
        ([7], ["sources-not-earlier"]),
        ([[5, 7]], ["sources-not-earlier"]),
        ([1, 1], ["sources-duplicate"]),
        ([[3, 4], 1], ["sources-order"]),
        ([[1, 3], [2, 4]], ["sources-order", "sources-duplicate"]),
    ],
)
def test_faults(stored: Any, codes: list[str]) -> None:
    assert [i.code for i in read_sources(stored, 7, pairs=True).issues] == codes


@pytest.mark.parametrize(
    ("stored", "seq", "codes"),
    [
        ([9, 9, [9, 9]], 3, ["sources-order"]),
        ([9, 9, 9], 3, []),
        ([9, 9, 9], 2, ["sources-not-earlier"]),
        ([[0, 2**50]], 2**20, ["sources-not-earlier"]),
        ([[0]], 2, ["sources-kind"]),
        ({}, 2, ["type"]),
        ([], "2", ["envelope"]),
    ],
)
def test_what_v1_asks_of_a_line(stored: Any, seq: Any, codes: list[str]) -> None:
    assert [i.code for i in check_loose_sources(stored, seq)] == codes


def test_packing() -> None:
    assert pack_sources([1, 2, 3, 5, 6, 9]) == [[1, 3], 5, 6, 9]
    assert pack_sources([3, 2, 1]) == [3, 2, 1]
