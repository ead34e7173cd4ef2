"""Takes the pictures of docs/images: a sample session is shared as pages, a browser shows them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from chromium import Tab, address, browsing  # noqa: E402 - only now is it to be found

SESSION = ROOT / "examples/healthy/release-notes.json"
IMAGES = ROOT / "docs/images"


def as_it_opens(tab: Tab) -> None:
    """Nothing is done."""


def with_a_call_open(tab: Tab) -> None:
    tab.js("document.querySelector('#t1 details').open = true")
    tab.js("document.getElementById('t1').scrollIntoView()")


def searched(tab: Tab) -> None:
    tab.press("/")
    tab.type("gauge")
    tab.until("document.getElementById('hits').textContent")


class Shot(NamedTuple):
    name: str
    size: tuple[int, int]
    dark: bool
    before: Callable[[Tab], None]


SHOTS = (
    Shot("page-light", (860, 760), False, as_it_opens),
    Shot("page-dark", (860, 640), True, with_a_call_open),
    Shot("page-search", (860, 560), False, searched),
    Shot("page-narrow", (380, 640), False, with_a_call_open),
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        pages = Path(folder, "pages")
        command = [sys.executable, "-m", "sesskit", "share", str(SESSION), "--no-local"]
        environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": ""}
        subprocess.run([*command, "--html", str(pages)], check=True, env=environment)
        for shot in SHOTS:
            tab = browser.tab(size=shot.size, dark=shot.dark)
            tab.open(address(pages / "index.html"))
            shot.before(tab)
            (IMAGES / f"{shot.name}.png").write_bytes(tab.picture())


if __name__ == "__main__":
    main()
