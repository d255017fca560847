"""Inline HTML next to inline expected text: `show(html)` opens a page, `lines(scan())` prints it as an observation does."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.scanner import ENTRY, bundle

Run = Callable[[Any], Any]


class Site:
    """Serves pages from memory: the same ones on `127.0.0.1` and, as another origin, on `localhost`."""

    def __init__(self) -> None:
        pages: dict[str, str] = {}

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                data = pages.get(self.path.split("?")[0], "<title>elsewhere</title>elsewhere").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.pages = pages
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.port = self._server.server_port
        self.base = f"http://127.0.0.1:{self.port}"
        self.other = f"http://localhost:{self.port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class ScannedPage:
    """The page that a test shows, and the scanner in it."""

    def __init__(self, browser: ChromiumBrowser, site: Site, run: Run) -> None:
        self._browser = browser
        self._site = site
        self._await = run
        self.base, self.other = site.base, site.other

    def __call__(self, html: str, **pages: str) -> ScannedPage:
        """Open `html`; `pages` are other pages by name (`inner="…"` is at `/inner`)."""
        self._site.pages.clear()
        for name, body in {"": html, **pages}.items():
            self._site.pages[f"/{name}"] = "<!doctype html>" + body
        self._await(self._browser.page.goto(self.base + "/"))
        return self

    def answer(self, command: str, **parameters: Any) -> dict[str, Any]:
        return dict(self._await(self._browser.page.scanner({"cmd": command, **parameters})))

    def do(self, command: str, **parameters: Any) -> dict[str, Any]:
        """The `data` of a command that succeeds."""
        answer = self.answer(command, **parameters)
        assert answer["ok"], answer
        return dict(answer["data"])

    def refusal(self, command: str, **parameters: Any) -> str:
        """`CODE message` of a command that fails."""
        answer = self.answer(command, **parameters)
        assert not answer["ok"], answer
        return f"{answer['code']} {answer['error']}"

    def scan(self, **parameters: Any) -> dict[str, Any]:
        return self.do("scan", **{"fields": ["options", "value"], **parameters})

    def lines(self, **parameters: Any) -> str:
        return lines(self.scan(**parameters))

    def names(self, **parameters: Any) -> list[str]:
        return [element["text"] for element in self.scan(**parameters)["elements"]]

    def find(self, target: dict[str, Any], **parameters: Any) -> list[dict[str, Any]]:
        return list(self.do("find", target=target, **parameters)["matches"])

    def number(self, name: str) -> int:
        """The number that a fresh scan gives the element of this name."""
        return int(
            next(e["id"] for e in self.scan(max_elements=0, include_hidden=True)["elements"] if e["text"] == name)
        )

    def run(self, script: str) -> Any:
        """A script's value in the page's own world."""
        return self._await(self._browser.page.evaluate(script))

    def move_mouse(self, x: float, y: float) -> None:
        self._await(self._browser.page.mouse.move(x, y))

    def press_mouse(self, x: float, y: float) -> None:
        self._await(self._browser.page.mouse.click(x, y))

    def browser_tree(self) -> list[dict[str, Any]]:
        """The browser's own accessibility tree, flat as the protocol gives it."""
        answer = self._await(self._browser.page.channel.call("Accessibility.getFullAXTree"))
        return list(answer["nodes"])

    def in_page(self, call: str) -> Any:
        """An expression over a scanner in the page's own world, as where a browser has no other."""
        self.run(bundle())
        return self.run(call)

    def raw(self, request: str) -> Any:
        """What that scanner answers to a request that is any text."""
        return json.loads(self.in_page(f"await {ENTRY}({json.dumps(request)})"))


def lines(data: dict[str, Any]) -> str:
    """Elements as observation lines (docs/spec/intent-language.md#element-lines)."""
    return "\n".join(map(line, data["elements"]))


def line(element: dict[str, Any]) -> str:
    role = "" if element["role"] == "generic" else "/" + element["role"]
    text = f'[{element["id"]}] {element["type"]}{role} "{element["text"]}"'
    if element["modifiers"]:
        text += " {" + ", ".join(element["modifiers"]) + "}"
    if "options" in element:
        text += " options: " + " | ".join(element["options"]["first"])
    if "value" in element:
        text += f' value: "{element["value"]}"'
    return text


@pytest.fixture(scope="session")
def browser(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    headless = ChromiumBrowser(runtime_dir=Path(tmp_path_factory.mktemp("runtime")))
    run(headless.start())
    yield headless
    run(headless.close())


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    served = Site()
    yield served
    served.close()


@pytest.fixture
def show(browser: ChromiumBrowser, site: Site, run: Run) -> ScannedPage:
    run(browser.revive())
    return ScannedPage(browser, site, run)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "show" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
