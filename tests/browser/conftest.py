"""Pages on a disk and behind a server, and a browser that looks at them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from chromium import BrowserMissing, Chromium, Tab, browsing
from sesskit.artifacts.page import Page

HOME = Path(os.environ.get("SESSKIT_BROWSER", Path(__file__).parents[2] / ".browser"))
Shown = Callable[[Sequence[Page]], Path]


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    try:
        with browsing() as found:
            yield found
    except BrowserMissing as error:
        pytest.fail(str(error))


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    found = sorted(HOME.rglob("axe.min.js"))
    if not found:
        pytest.fail("axe-core is not there; `make browser` gets it")
    return found[0].read_text(encoding="utf-8")


@pytest.fixture
def tab(browser: Chromium) -> Tab:
    return browser.tab()


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    """Puts pages into a folder and gives the first one."""

    def put(pages: Sequence[Page]) -> Path:
        for page in pages:
            (tmp_path / page.name).write_bytes(page.data)
        return tmp_path / pages[0].name

    return put


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder and says what was asked for."""

    def __init__(self, asked: list[str], *args: Any, **words: Any) -> None:
        self.asked = asked
        super().__init__(*args, **words)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as it is called there
        pass


class Server:
    """A server on this machine: its address, and every path that it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        handler = partial(Handler, self.asked, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    found = Server(tmp_path)
    yield found
    found.close()
