"""Pages as a person has them: in a real browser, with hostile sessions, keys, paper and a phone."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from chromium import OPEN_ALL, Chromium, Tab, address
from hostile_texts import PAYLOADS, PROBE
from page_samples import WORDS, long_talk, tides
from page_sessions import called, everywhere, record, said, source
from sesskit.artifacts.page import pages

pytestmark = pytest.mark.browser

FOCUSED = "(document.activeElement.closest('article') || document.activeElement).id"


def quiet(tab: Tab) -> None:
    """Nothing ran, nothing was logged, nothing was asked for but the page."""
    assert tab.events == []
    assert len(tab.requests) == 1, tab.requests


@pytest.mark.parametrize("images", [False, True], ids=["without pictures", "with pictures"])
@pytest.mark.parametrize("payload", PAYLOADS, ids=str)
def test_hostile_sessions_run_nothing_and_ask_for_nothing(
    tab: Tab, shown: Any, server: Any, payload: str, images: bool
) -> None:
    text = PAYLOADS[payload].replace(PROBE, f"{server.address}/probe")
    page = shown(pages(source(everywhere(text)), images=images))
    tab.open(f"{server.address}/{page.name}")
    tab.js(OPEN_ALL)
    for key in ("j", "j", "o", "e", "k"):
        tab.press(key)
    time.sleep(0.05)
    quiet(tab)
    assert server.asked == [f"/{page.name}"]
    assert tab.js("document.scripts.length") == 1
    assert tab.js("document.querySelectorAll('img, iframe, object, embed, form, base').length") == 0
    assert tab.js("document.querySelectorAll('main article').length") == 6
    assert tab.js("document.title.length") > 0


def test_all_of_them_at_once_from_a_file(tab: Tab, shown: Any, server: Any) -> None:
    text = "\n\n".join(PAYLOADS.values()).replace(PROBE, f"{server.address}/probe")
    tab.open(address(shown(pages(source(everywhere(text))))))
    tab.js(OPEN_ALL)
    quiet(tab)
    assert server.asked == []
    dangerous = "a[href]:not([href^='#']):not([href^='page-']):not([href^='index.html'])"
    assert tab.js(f'document.querySelectorAll("{dangerous}").length') == 0


def test_what_a_script_would_be_refused(tab: Tab, shown: Any, server: Any) -> None:
    """The policy holds even if markup got in: put there by hand, it neither runs nor asks."""
    tab.open(address(shown(tides())))
    probe = f"{server.address}/probe"
    tab.js(
        "document.body.insertAdjacentHTML('beforeend',"
        f" `<img src='{probe}' onerror='window.ran = 1'><style>@import '{probe}'</style>`);"
        "const s = document.createElement('script'); s.textContent = 'window.ran = 2';"
        "document.body.append(s)"
    )
    time.sleep(0.2)
    assert tab.js("window.ran || 0") == 0
    assert server.asked == []
    assert len(tab.events) >= 3


def test_search_on_a_page(tab: Tab, shown: Any) -> None:
    tab.open(address(shown(tides())))
    tab.press("/")
    assert tab.js(FOCUSED) == "q"
    tab.type("BERTH 7")
    assert tab.until("document.getElementById('hits').textContent") == "1 of 7 messages"
    assert tab.js("document.querySelectorAll('article:not([hidden])').length") == 1
    assert tab.js("document.querySelectorAll('article:not([hidden]) details[open]').length") == 1
    assert tab.js("CSS.highlights.get('hit').size") == 1
    tab.press("Escape")
    assert tab.js("document.querySelectorAll('article:not([hidden])').length") == 7
    assert tab.js("document.querySelectorAll('main details[open]').length") == 0
    assert tab.js("document.getElementById('hits').textContent") == ""
    quiet(tab)


def test_search_over_pages(tab: Tab, shown: Any) -> None:
    first = shown(long_talk())
    tab.open(address(first))
    tab.press("/")
    tab.type("heron")
    tab.press("Enter")
    tab.until("location.pathname.endsWith('page-1.html') && document.readyState == 'complete'")
    assert tab.until("document.getElementById('hits').textContent") == "1 of 1 messages found here"
    assert tab.js("document.querySelector('article:not([hidden])').id") == "m8"
    last = max(int(path.stem[5:]) for path in first.parent.glob("page-*"))
    assert last >= 3
    tab.js("document.getElementById('q').focus()")
    tab.press("Enter")
    tab.until(
        f"location.pathname.endsWith('page-{last}.html') && document.readyState == 'complete'"
    )
    assert tab.until("document.getElementById('hits').textContent") == "1 of 1 messages found here"
    tab.js("document.getElementById('q').focus()")
    tab.press("Enter")
    assert "last page" in tab.until("document.getElementById('hits').textContent")
    tab.open(address(first.with_name("page-1.html")) + "#q=no%20such%20bird")
    tab.until(f"location.pathname.endsWith('page-{last}.html')")
    assert tab.until("document.getElementById('hits').textContent").startswith("no message")
    tab.open(address(first) + "#q=%E0%A4%A")
    quiet(tab)


def test_keys(tab: Tab, shown: Any) -> None:
    tab.open(address(shown(tides())))
    seen = []
    for key in ("j", "j", "j", "k"):
        tab.press(key)
        seen.append(tab.js(FOCUSED))
    assert seen == ["m0", "m1", "m2", "m1"]
    tab.press("j")
    tab.press("o")
    assert tab.js("document.querySelectorAll('#m2 details[open]').length") == 1
    tab.press("o")
    assert tab.js("document.querySelectorAll('#m2 details[open]').length") == 0
    tab.press("e")
    assert tab.js("document.querySelectorAll('main details:not([open])').length") == 0
    tab.press("?")
    assert tab.js("document.getElementById('help').open") is True
    tab.js("document.getElementById('on').click()")
    tab.press("Escape")
    assert tab.js("document.getElementById('help').open") is False
    tab.js("document.activeElement.blur()")
    tab.press("j")
    assert not tab.js(FOCUSED).startswith("m")
    quiet(tab)


def test_pages_follow_each_other(tab: Tab, shown: Any) -> None:
    first = shown(long_talk())
    tab.open(address(first))
    for key, end in (("n", "page-1"), ("n", "page-2"), ("p", "page-1")):
        tab.press(key)
        tab.until(f"location.pathname.endsWith('{end}.html') && document.readyState == 'complete'")
    tab.click("nav[aria-label=Pages] a")
    tab.until("location.pathname.endsWith('index.html')")


def test_folds_by_mouse_and_by_keyboard(tab: Tab, shown: Any) -> None:
    tab.open(address(shown(tides())))
    tab.click("#m2 summary")
    assert tab.js("document.querySelector('#m2 details').open") is True
    tab.js("document.querySelector('#m2 summary').focus()")
    tab.press("Space")
    assert tab.js("document.querySelector('#m2 details').open") is False


def test_permalinks(tab: Tab, shown: Any) -> None:
    first = shown(long_talk())
    tab.open(address(first.with_name("page-2.html")))
    name = tab.js("document.querySelectorAll('article')[40].id")
    tab.click(f"#{name} h3 a")
    assert tab.js("location.hash") == f"#{name}"
    tab.open(address(first.with_name("page-2.html")) + f"#{name}")
    assert abs(tab.until(f"document.getElementById('{name}').getBoundingClientRect().top")) < 60
    tab.press("/")
    tab.type("no such words")
    tab.until("document.querySelectorAll('article:not([hidden])').length == 0")
    tab.js("location.hash = '#t5'; location.hash = '#" + name + "'")
    tab.until(f"!document.getElementById('{name}').hidden")


def test_without_scripts(browser: Chromium, shown: Any) -> None:
    tab = browser.tab(scripts=False)
    tab.open(address(shown(tides())))
    assert tab.js("getComputedStyle(document.querySelector('.tools')).display") == "none"
    assert tab.js("document.documentElement.className") == ""
    tab.click("#m2 summary")
    assert tab.js("document.querySelector('#m2 pre').getBoundingClientRect().height") > 100
    tab.click("nav[aria-label=Timeline] tbody tr:nth-child(2) a")
    assert tab.js("location.hash") == "#t2"
    quiet(tab)


def test_dark_and_light(browser: Chromium, shown: Any) -> None:
    page = address(shown(tides()))
    colours = []
    for dark in (False, True):
        tab = browser.tab(dark=dark)
        tab.open(page)
        colours.append(tab.js("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]


def test_paper(tab: Tab, shown: Any) -> None:
    tab.open(address(shown(tides())))
    tab.media(dark=True, kind="print")
    assert tab.js("document.querySelector('#m2 details').open") is False
    assert tab.js("document.querySelector('#m2 pre').getBoundingClientRect().height") > 100
    assert tab.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.js("getComputedStyle(document.querySelector('.tools')).display") == "none"
    assert tab.paper().startswith(b"%PDF")


def test_a_big_session_opens(tab: Tab, tmp_path: Path) -> None:
    messages = [
        m for n in range(0, 10_000, 2) for m in called(n, "Read", json.dumps({"n": n}), WORDS)
    ]
    made = pages(source(record([said("user", "go", 0), *messages])))
    for page in made:
        (tmp_path / page.name).write_bytes(page.data)
    start = time.monotonic()
    tab.open(address(tmp_path / made[-2].name))
    assert time.monotonic() - start < 30
    assert tab.js("document.querySelectorAll('article').length") > 50
