"""Every code that ochat snapshots can have is explained, and every explanation is of one."""

from __future__ import annotations

from pathlib import Path

import pytest

import sesskit
from ochat_vectors import DAMAGED, data_of
from sesskit.records.ochat import decode
from sesskit.schemas.codes_ochat import CODES_OCHAT, OCHAT

SOURCES = [
    path.read_text()
    for room in ("schemas", "records")
    for path in sorted((Path(sesskit.__file__).parent / room).glob("*.py"))
    if path.name.startswith(("ochat", "binprot"))
]


def test_codes_differ() -> None:
    assert len(CODES_OCHAT) == len(OCHAT)


@pytest.mark.parametrize("code", CODES_OCHAT)
def test_a_code_is_used_and_explained(code: str) -> None:
    assert any(f'"{code}"' in source for source in SOURCES)
    told = CODES_OCHAT[code]
    assert all(words.endswith(".") for words in (told.summary, told.why, told.next_step))


def test_codes_of_damage_are_explained_with_their_severity() -> None:
    for row in DAMAGED:
        for issue in decode(data_of(row)).issues:
            assert CODES_OCHAT[issue.code].severity == issue.severity
