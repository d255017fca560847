"""A browser as its user has it: running, with tabs, and logged in at several sites. It says whether it is as before."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from oryn.browsers.chromium.discovery import find_browser
from oryn.core.records import Record

SITES = ("mail.localhost", "bank.localhost", "shop.localhost")
"""Hosts that lead to this computer. https://datatracker.ietf.org/doc/html/rfc6761#section-6.3"""
START_SECONDS = 30.0

PAGE = """<!doctype html><title>{title}</title><h1>{greeting}</h1>
<button onclick="document.querySelector('output').value = 'Done'">Do it</button><output></output>
<script>
window.seen = [];
for (const type of ['resize', 'focus', 'blur', 'visibilitychange', 'beforeprint', 'keydown', 'mousedown', 'scroll'])
  addEventListener(type, (event) => seen.push(type), true);
</script>"""
_LOOK = """JSON.stringify([performance.timeOrigin, seen, innerWidth, innerHeight, devicePixelRatio, navigator.userAgent,
  navigator.language, document.documentElement.outerHTML.length, Object.keys(window).length])"""
"""What tells that a tab was loaded again, shown, resized, used, or has got a script."""


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        host = (self.headers["Host"] or "").partition(":")[0]
        is_known = "login=ann" in (self.headers["Cookie"] or "")
        signs_in = self.path == "/login"
        greeting = f"Ann at {host}" if is_known or signs_in else f"Sign in at {host}"
        body = PAGE.format(title=f"{host} {self.path}", greeting=greeting).encode()
        self.send_response(200)
        if signs_in:
            self.send_header("Set-Cookie", "login=ann; Path=/; HttpOnly; Max-Age=86400")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class BrowserLook(Record):
    """What is in a browser at a moment. `pages` says of each tab, by its id, what its page has noticed."""

    tabs: dict[str, str]
    cookies: tuple[str, ...]
    pages: dict[str, str]

    def differences(self, later: BrowserLook) -> list[str]:
        """What is not the same later."""
        found = [f"closed: {url}" for id, url in self.tabs.items() if id not in later.tabs]
        found += [f"opened: {url}" for id, url in later.tabs.items() if id not in self.tabs]
        found += [
            f"shows {later.tabs[id]} instead of {url}"
            for id, url in self.tabs.items()
            if later.tabs.get(id, url) != url
        ]
        found += [f"cookie gone: {each}" for each in self.cookies if each not in later.cookies]
        found += [f"cookie new: {each}" for each in later.cookies if each not in self.cookies]
        return found + [f"touched: {self.tabs[id]}" for id in self.touched(later)]

    def touched(self, later: BrowserLook) -> list[str]:
        """The tabs whose pages have noticed something."""
        return [id for id, look in self.pages.items() if id in later.pages and later.pages[id] != look]


class UsersBrowser:
    """A running Chromium whose user data folder is where the browser has it below `home`, so that `oryn attach` finds
    it, with `tabs` tabs at the sites."""

    def __init__(self, home: Path, port: int, tabs: int = 20) -> None:
        self.home = home
        self.site_port = port
        profile = home / "config" / "chromium"
        root = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
        flags = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        places = ["--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            [find_browser(), *flags, *root, *places],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._number = 0
        self._socket = connect(_endpoint(profile), max_size=None, proxy=None)
        for position in range(tabs):
            host = SITES[position % len(SITES)]
            path = "/login" if position < len(SITES) else f"/{position}"
            self.open(f"http://{host}:{port}{path}")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a shell of the browser's user, with a daemon of its own."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("ORYN_")}
        own = {"ORYN_HOME": str(self.home / "oryn"), "ORYN_PORT": "0", "XDG_CONFIG_HOME": str(self.home / "config")}
        return inherited | own | {"NO_COLOR": "1"}

    def oryn(self, *words: str) -> str:
        """Run `oryn` in that shell; what it printed. Raises `CalledProcessError` if it fails."""
        command = [sys.executable, "-m", "oryn", *words]
        done = subprocess.run(command, env=self.environment, text=True, capture_output=True, check=False)
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        return done.stdout

    def open(self, url: str) -> str:
        """Open a tab, and wait until its page has loaded; its target id."""
        target: str = self.call("Target.createTarget", url=url, background=True)["targetId"]
        self._evaluate(
            target, "new Promise((done) => document.readyState === 'complete' ? done() : (onload = done))", url
        )
        return target

    def tabs(self) -> dict[str, str]:
        """The URLs of the open tabs, by target id."""
        targets = self.call("Target.getTargets")["targetInfos"]
        return {each["targetId"]: each["url"] for each in targets if each["type"] == "page"}

    def look(self) -> BrowserLook:
        """What is in the browser now."""
        tabs = self.tabs()
        cookies = sorted(
            f"{each['domain']} {each['name']}={each['value']}" for each in self.call("Storage.getCookies")["cookies"]
        )
        pages = {id: self._evaluate(id, _LOOK, url) for id, url in tabs.items() if ".localhost:" in url}
        return BrowserLook(tabs, tuple(cookies), pages)

    def attached(self) -> list[str]:
        """The ids of the tabs that some client is attached to."""
        targets = self.call("Target.getTargets")["targetInfos"]
        return [each["targetId"] for each in targets if each["type"] == "page" and each["attached"]]

    def call(self, method: str, session: str | None = None, **params: object) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while (answer := json.loads(self._socket.recv(START_SECONDS))).get("id") != self._number:
            pass
        result: dict[str, Any] = answer["result"]
        return result

    def _evaluate(self, target: str, expression: str, url: str) -> str:
        """The value of an expression in a tab, once it shows the URL."""
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            params = {"expression": "location.href", "returnByValue": True}
            if self.call("Runtime.evaluate", session, **params)["result"].get("value") == url:
                break
        answer = self.call("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)
        self.call("Target.detachFromTarget", sessionId=session)
        return str(answer["result"].get("value"))

    def end(self) -> None:
        with suppress(OSError):
            self._socket.close()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(START_SECONDS)


def _endpoint(profile: Path) -> str:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with suppress(OSError, ValueError):
            port, path = (profile / "DevToolsActivePort").read_text().split()
            return f"ws://127.0.0.1:{port}{path}"
        time.sleep(0.02)  # no event reports a new file
    raise TimeoutError("the browser has not opened its port")


@contextmanager
def users_browser(tabs: int = 20) -> Iterator[UsersBrowser]:
    """A running browser with a user's tabs and logins. At the end it and the daemon of its user's shell are ended."""
    with (
        tempfile.TemporaryDirectory(prefix="user-") as home,
        ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server,
    ):
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        browser = UsersBrowser(Path(home), server.server_address[1], tabs)
        try:
            yield browser
        finally:
            with suppress(subprocess.CalledProcessError):
                browser.oryn("daemon", "stop")
            browser.end()
            server.shutdown()
