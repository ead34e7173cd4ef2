"""The registry as it is: every line leads to a format that agrees with it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from robota_vectors import VALID
from sesskit.logs.format_entry import Entry
from sesskit.logs.formats import FORMATS, examine, recognize


@pytest.mark.parametrize("entry", FORMATS, ids=lambda entry: entry.name)
def test_a_line_agrees_with_its_format(entry: Entry) -> None:
    known = entry.load()
    module, _, name = entry.recognizer.partition(":")
    assert known.name == entry.name
    assert known.title
    assert known.recognize is getattr(import_module(module), name)


def test_names_are_unique() -> None:
    names = [entry.name for entry in FORMATS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_bare_records_are_recognised_and_said_to_be_so(path: Path) -> None:
    found = examine(path)
    assert (found.format, found.status) == ("robota-record-bare", "valid")
    assert found.original is not None
    assert found.original.verdict == "unsupported"
    assert examine(path, format="robota-record").status == "unsupported"


@pytest.mark.parametrize("name", ["a.json", ""])
def test_two_documents_and_other_json_are_told_apart(name: str) -> None:
    assert recognize(b'{"schemaVersion":1,"record":{}}{}', name) is not None
    assert recognize(b'{"name":"sesskit"}', name) is None
