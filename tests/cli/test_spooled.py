"""Long lists that are kept in files until the report is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sesskit.cli.report_json import json_text
from sesskit.cli.spooled import Spools, list_text

ITEMS: list[Any] = [
    {"a": [1, {"b": "two\nlines"}], "c": {}},
    "\u2028 and \ud800",
    [],
    None,
    12345678901234567890,
]


@pytest.mark.parametrize("count", [0, 1, len(ITEMS)])
def test_a_list_in_pieces_is_the_same_text(count: int) -> None:
    items = ITEMS[:count]
    assert "".join(list_text(iter(items))) + "\n" == json_text(items)


@pytest.mark.parametrize("count", [0, 1, len(ITEMS)])
def test_lists_are_put_into_their_places(count: int) -> None:
    items = ITEMS[:count]
    with Spools() as spools:
        spool = spools.new()
        for item in items:
            spool.add(item)
        shown = {
            "files": [{"one": spools.place(spool), "two": spools.place(spool, json.dumps)}],
            "none": spools.place(spools.new()),
        }
        text = "".join(spools.expanded(json_text(shown)))
    wanted = {"files": [{"one": items, "two": [json.dumps(item) for item in items]}], "none": []}
    assert text == json_text(wanted)


def test_without_lists_the_text_stays() -> None:
    with Spools() as spools:
        assert "".join(spools.expanded("{}\n")) == "{}\n"
