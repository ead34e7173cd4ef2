"""A headless Chromium, driven over two pipes by the DevTools protocol. It needs nothing but itself.

A `Tab` collects what a page asks for, logs, raises and opens. Nothing is waited for without limit.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

PATIENCE = 120.0
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--force-device-scale-factor=1",
    "--font-render-hinting=none",
)
OPEN_ALL = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
"""Opens whatever a page has folded."""
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "Space": 32}


class BrowserMissing(Exception):
    """There is no browser; `make browser` installs one."""


def program() -> str:
    """Where the browser is. Raises `BrowserMissing`."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        raise BrowserMissing("there is no Chromium; `make browser` installs Debian's package")
    return found


class Chromium:
    """One browser. Messages go out on its descriptor 3 and come in from its descriptor 4."""

    def __init__(self, profile: str) -> None:
        self._to_read, self._to = os.pipe()
        self._from, self._from_write = os.pipe()
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        script = f'exec "$0" "$@" 3<&{self._to_read} 4>&{self._from_write}'
        command = [program(), *FLAGS, *root, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", script, *command],
            pass_fds=(self._to_read, self._from_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(self._to_read)
        os.close(self._from_write)
        self._number = 0
        self._answers: dict[int, Queue[Any]] = {}
        self.listeners: dict[str, Callable[[str, Any], None]] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, method: str, session: str | None = None, **params: Any) -> Any:
        """The answer to one command."""
        self._number += 1
        number = self._number
        answer = self._answers[number] = Queue()
        message = {"id": number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        try:
            found = answer.get(timeout=PATIENCE)
        except Empty:
            raise TimeoutError(f"no answer to {method}") from None
        finally:
            del self._answers[number]
        if "error" in found:
            raise RuntimeError(f"{method}: {found['error'].get('message')}")
        return found["result"]

    def _listen(self) -> None:
        waiting = b""
        while True:
            data = os.read(self._from, 1 << 16)
            if not data:
                return
            *whole, waiting = (waiting + data).split(b"\0")
            for one in whole:
                self._take(json.loads(one))

    def _take(self, message: Any) -> None:
        if "id" in message:
            if message["id"] in self._answers:
                self._answers[message["id"]].put(message)
            return
        listener = self.listeners.get(message.get("sessionId", ""))
        if listener:
            listener(message["method"], message["params"])

    def tab(self, **wishes: Any) -> Tab:
        """A new page, in a context of its own."""
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)
        session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        return Tab(self, session["sessionId"], **wishes)

    def close(self) -> None:
        """End the browser."""
        with suppress(RuntimeError, TimeoutError, OSError):
            self.ask("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)


class Tab:
    """One page being looked at."""

    def __init__(
        self,
        browser: Chromium,
        session: str,
        *,
        size: tuple[int, int] = (1000, 800),
        dark: bool = False,
        scripts: bool = True,
    ) -> None:
        self._browser, self._session = browser, session
        self.requests: list[str] = []
        self.events: list[str] = []
        """What it logged, raised, opened; a page of ours does nothing of this."""
        self._loaded = threading.Event()
        browser.listeners[session] = self._hear
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        self.resize(*size)
        self.media(dark=dark)
        if not scripts:
            self.ask("Emulation.setScriptExecutionDisabled", value=True)

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to one command about this page."""
        return self._browser.ask(method, self._session, **params)

    def _hear(self, method: str, params: Any) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded.set()
        elif method == "Page.javascriptDialogOpening":
            self.events.append(f"dialog: {params['message']}")
            threading.Thread(target=self._dismiss).start()
        elif method == "Runtime.consoleAPICalled":
            self.events.append(f"console: {params['args']}")
        elif method == "Runtime.exceptionThrown":
            self.events.append(f"exception: {params['exceptionDetails']}")
        elif method == "Log.entryAdded":
            self.events.append(f"log: {params['entry']['text']}")
        elif method in ("Page.windowOpen", "Page.downloadWillBegin"):
            self.events.append(method)

    def _dismiss(self) -> None:
        with suppress(RuntimeError, TimeoutError):
            self.ask("Page.handleJavaScriptDialog", accept=False)

    def resize(self, width: int, height: int) -> None:
        """The size of the window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)

    def media(self, *, dark: bool = False, kind: str = "") -> None:
        """What style is asked for: dark or light, and ``print`` or the screen."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=kind, features=[scheme])

    def open(self, url: str) -> None:
        """Load a page and wait until it is there."""
        for place in ("about:blank", url):  # so that it is loaded even if it is there already
            self._loaded.clear()
            self.requests.clear()
            self.ask("Page.navigate", url=place)
            assert self._loaded.wait(PATIENCE), "the page was not loaded"

    def js(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        wishes = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        found = self.ask("Runtime.evaluate", expression=expression, **wishes)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression: str) -> Any:
        """Wait until an expression is true; gives its value."""
        end = time.monotonic() + PATIENCE / 2
        while time.monotonic() < end:
            with suppress(RuntimeError, AssertionError):  # between two pages there is none
                value = self.js(expression)
                if value:
                    return value
            time.sleep(0.03)
        raise TimeoutError(f"never true: {expression}")

    def press(self, key: str) -> None:
        """One key: a letter or sign, or one of `KEYS`."""
        code = KEYS.get(key)
        text = {"Enter": "\r", "Space": " "}.get(key, key if code is None else "")
        down: dict[str, Any] = {"type": "keyDown", "key": " " if key == "Space" else key}
        down |= {"text": text} if text else {}
        down |= {"windowsVirtualKeyCode": code} if code else {}
        self.ask("Input.dispatchKeyEvent", **down)
        self.ask("Input.dispatchKeyEvent", **{**down, "type": "keyUp", "text": ""})

    def type(self, text: str) -> None:
        """Text into what has the focus."""
        self.ask("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """A click of the mouse in the middle of an element."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.js(f"{found}.scrollIntoView({{block: 'center'}})")
        x, y = self.js(
            f"(() => {{ const r = {found}.getBoundingClientRect();"
            " return [r.x + Math.min(r.width / 2, 40), r.y + Math.min(r.height / 2, 10)]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self) -> bytes:
        """What the window shows, as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def paper(self) -> bytes:
        """What would be printed, as PDF."""
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"])


@contextmanager
def browsing() -> Iterator[Chromium]:
    """A browser with a profile of its own, ended in the end. Raises `BrowserMissing`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(profile)
        try:
            yield browser
        finally:
            browser.close()


def address(path: Path) -> str:
    """A file as the address bar has it."""
    return path.resolve().as_uri()
