"""Pages for everybody: by axe-core, by the keyboard alone, and on narrow windows."""

from __future__ import annotations

from typing import Any

import pytest

from chromium import OPEN_ALL, Chromium, Tab, address
from page_samples import made_of, tides

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [320, 390, 768])
@pytest.mark.parametrize("kind", ["mixed", "tides", "hostile", "index"])
def test_narrow_windows(browser: Chromium, shown: Any, width: int, kind: str) -> None:
    tab = browser.tab(size=(width, 700))
    tab.open(address(shown(made_of(kind))))
    tab.js(OPEN_ALL)
    assert tab.js("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("kind", ["mixed", "tides", "hostile", "index", "second"])
def test_accessible(
    browser: Chromium, shown: Any, axe: str, kind: str, width: int, dark: bool
) -> None:
    page = shown(made_of(kind))
    tab = browser.tab(size=(width, 900), dark=dark)
    tab.open(address(page.with_name("page-2.html") if kind == "second" else page))
    tab.js(OPEN_ALL)
    tab.js(axe + ";0")
    rules = "['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']"
    found = tab.js(
        f"axe.run(document, {{runOnly: {rules}}}).then((all) => ({{passes: all.passes.length,"
        " wrong: all.violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html)])}))"
    )
    assert found["wrong"] == []
    assert found["passes"] > 20


def test_the_list_of_keys_is_accessible(tab: Tab, shown: Any, axe: str) -> None:
    tab.open(address(shown(tides())))
    tab.js(axe + ";0")
    tab.click("#keys")
    assert tab.js("document.getElementById('help').open") is True
    assert tab.js("axe.run('#help').then((all) => all.violations.map((v) => v.id))") == []


def test_where_the_focus_goes(tab: Tab, shown: Any) -> None:
    tab.open(address(shown(tides())))
    tab.press("Tab")
    assert tab.js("document.activeElement.className") == "skip"
    assert tab.js("document.activeElement.getBoundingClientRect().left") >= 0
    tab.press("Enter")
    assert tab.js("location.hash") == "#talk"
    places = []
    for _ in range(4):
        tab.press("Tab")
        places.append(tab.js("document.activeElement.textContent.slice(0, 14)"))
        width = "getComputedStyle(document.activeElement).outlineWidth"
        assert tab.js(width) == "3px"
    assert places == ["#0", "system prompt:", "#1", "#2"]
