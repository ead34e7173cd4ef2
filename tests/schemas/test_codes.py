from __future__ import annotations

import re

import pytest

from sesskit.schemas.codes import CODES, FAMILIES, Code, codes_markdown
from sesskit.schemas.codes_text import TEXT
from sesskit.schemas.json_faults import CODES as TEXT_FAULTS
from sesskit.schemas.json_text import read_json

ALL = [code for family in FAMILIES for code in family.codes]


def test_no_code_is_listed_twice() -> None:
    assert len(ALL) == len(CODES)


@pytest.mark.parametrize("code", ALL, ids=lambda code: code.code)
def test_codes_are_explained(code: Code) -> None:
    assert CODES[code.code] is code
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.code)
    for text in (code.summary, code.why, code.next_step):
        assert text.endswith((".", "..."))
        assert "  " not in text
        assert text.isprintable()


@pytest.mark.parametrize("code", [code for code in TEXT if code.bad], ids=lambda code: code.code)
def test_bad_texts_have_the_fault_they_show(code: Code) -> None:
    found = {issue.code: issue.severity for issue in read_json(code.bad.encode()).issues}
    assert found.get(code.code) == code.severity


def test_every_fault_of_a_text_is_explained_with_its_severity() -> None:
    assert {code: CODES[code].severity for code in TEXT_FAULTS} == TEXT_FAULTS


def test_the_page_shows_every_code() -> None:
    page = codes_markdown()
    assert re.findall(r"^### (.+)$", page, re.MULTILINE) == [code.code for code in ALL]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [family.title for family in FAMILIES]
    assert page.startswith("# Issue codes\n")
    assert page.endswith("\n")
    assert not page.endswith("\n\n")
    assert page.count("```") == 2 * sum(bool(code.bad) for code in ALL)
    assert r"a line break, \\u001b for ESC" in page
