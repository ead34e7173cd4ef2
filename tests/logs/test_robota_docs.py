"""The page of the format names every rule, code and event there is."""

from __future__ import annotations

from pathlib import Path

from sesskit.logs.robota_completeness import CODES as REPLAY_CODES
from sesskit.logs.sidecar_references import ISSUE_CODES
from sesskit.schemas.codes import CODES
from sesskit.schemas.robota_contract import RULES
from sesskit.schemas.robota_log import EVENTS
from sesskit.schemas.robota_log_names import EVENT_NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "formats" / "robota-log.md").read_text()


def test_every_rule_is_on_the_page() -> None:
    for name, rule in RULES.items():
        assert f"| `{name}` | {rule.severity} | {rule.holds} |" in PAGE


def test_every_code_is_on_the_page_and_explained() -> None:
    for original, ours in (ISSUE_CODES | REPLAY_CODES).items():
        assert f"`{original}`" in PAGE
        assert f"`{ours}`" in PAGE
        assert CODES[ours].severity == "error"


def test_names_of_events() -> None:
    assert set(EVENTS) == EVENT_NAMES
    assert len(EVENT_NAMES) == 31
