"""Every code that dsh logs can have is explained, and every explanation is of one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sesskit
from logs.dsh.vectors import Case, cases, rows
from sesskit.logs.dsh.decode import decode
from sesskit.schemas.code import Code
from sesskit.schemas.codes import CODES
from sesskit.schemas.codes_dsh import DSH_FILES
from sesskit.schemas.codes_dsh_events import DSH_EVENTS
from sesskit.schemas.codes_dsh_rules import DSH_RULES
from sesskit.schemas.codes_dsh_shapes import DSH_SHAPES

OWN = {c.code: c for c in (*DSH_FILES, *DSH_EVENTS, *DSH_SHAPES, *DSH_RULES)}
ROOT = Path(sesskit.__file__).parent
SOURCE = "\n".join(
    path.read_text()
    for path in (*(ROOT / "logs" / "dsh").glob("*.py"), *(ROOT / "schemas").glob("dsh_*.py"))
)
SHAPES = (ROOT / "schemas" / "check.py").read_text() + (ROOT / "schemas" / "shapes.py").read_text()
GIVEN = re.compile(r'(?:Issue|_issue|_?broken|_source|refuse)\(\s*"([a-z][a-z0-9-]+)"')
BY_SHAPES = re.compile(r'Broken\(\s*\([^)]*\),\s*"([a-z][a-z0-9-]+)"')
SEVERE = ("info", "warning", "error")


def explained(code: str) -> Code:
    return OWN[code] if code in OWN else CODES[code]


def test_no_code_is_explained_twice() -> None:
    assert len(OWN) == len(DSH_FILES) + len(DSH_EVENTS) + len(DSH_SHAPES) + len(DSH_RULES)


@pytest.mark.parametrize("code", OWN)
def test_a_code_is_used_and_explained(code: str) -> None:
    assert f'"{code}"' in SOURCE + SHAPES
    told = OWN[code]
    assert all(words.endswith(".") for words in (told.summary, told.why, told.next_step))


@pytest.mark.parametrize("code", sorted({*GIVEN.findall(SOURCE), *BY_SHAPES.findall(SOURCE)}))
def test_a_code_that_is_given_is_explained(code: str) -> None:
    assert explained(code)


@pytest.mark.parametrize("case", cases("damaged"), ids=lambda c: c.name)
def test_codes_of_damage(case: Case) -> None:
    for issue in decode(case.file.read_bytes()).issues:
        told = SEVERE.index(explained(issue.code).severity)
        assert told >= SEVERE.index(issue.severity), issue.code


@pytest.mark.parametrize("row", rows("native-formats"), ids=lambda r: r["label"])
def test_codes_of_native_logs(row: dict[str, str]) -> None:
    assert all(explained(issue.code) for issue in decode(row["text"].encode()).issues)
