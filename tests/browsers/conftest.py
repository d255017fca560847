"""A browser for the whole run, one tab that shows nothing for each test, and a server on loopback that behaves well and badly."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.browsers.chromium.page import CdpPage

pytestmark = pytest.mark.whole_browser

Run = Callable[[Any], Any]


class Handler(BaseHTTPRequestHandler):
    """`GET /p/<n>` is a page that a test has made; the other paths misbehave as they are called."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        name = url.path.split("/")[1]
        if page := self.server.pages.get(url.path):
            self.answer(page)
        elif action := getattr(self, f"get_{name}", None):
            action(query)
        else:
            self.answer(f"<title>{url.path}</title>no such page", status=404)

    do_POST = do_GET

    def answer(self, body: str, *, status: int = 200, **headers: str) -> None:
        data = body.encode()
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header.replace("_", "-"), value)
        if "Content_Type" not in headers:
            self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def get_ok(self, query: dict[str, str]) -> None:
        self.answer(f"<title>{query.get('title', 'ok')}</title>fine")

    def get_slow(self, query: dict[str, str]) -> None:
        self.server.ended.wait(float(query.get("seconds", "0.3")))
        self.answer("<title>slow</title>at last")

    def get_redirect(self, query: dict[str, str]) -> None:
        left = int(query.get("times", "1"))
        to = f"/redirect?times={left - 1}" if left > 1 else query.get("to", "/ok")
        self.answer("", status=302, Location=to)

    def get_status(self, query: dict[str, str]) -> None:
        self.answer(query.get("body", ""), status=int(query["code"]))

    def get_nothing(self, query: dict[str, str]) -> None:
        self.send_response(204)
        self.end_headers()

    def get_drop(self, query: dict[str, str]) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def get_download(self, query: dict[str, str]) -> None:
        self.answer("a,b\n1,2\n", Content_Type="text/csv", Content_Disposition='attachment; filename="table.csv"')

    def get_headers(self, query: dict[str, str]) -> None:
        self.server.headers.append(dict(self.headers))
        body = json.dumps(dict(self.headers))
        if to := query.get("to"):
            self.answer(body, status=302, Location=to)
        else:
            self.answer(f"{body}<img src=/headers?image>")

    def get_cached(self, query: dict[str, str]) -> None:
        self.server.headers.append(dict(self.headers))
        self.answer("kept", Cache_Control="max-age=1000")

    def get_uncached(self, query: dict[str, str]) -> None:
        self.answer("<p>x</p>" * 200, Cache_Control="no-store")

    def get_cookie(self, query: dict[str, str]) -> None:
        self.answer("baked", Set_Cookie="taste=sweet; Path=/; HttpOnly; SameSite=Lax")

    def get_sw(self, query: dict[str, str]) -> None:
        """A worker's script: a shared one greets who connects."""
        self.answer("onconnect = e => e.ports[0].postMessage(1)", Content_Type="text/javascript")

    def get_endless(self, query: dict[str, str]) -> None:
        """A page that never finishes loading."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>endless</title><button>There</button>" + b" " * 1024)
        self.wfile.flush()
        self.server.ended.wait(60)
        self.close_connection = True

    def get_silent(self, query: dict[str, str]) -> None:
        """A server that takes the request and never answers."""
        self.server.ended.wait(60)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Its pages are what tests put into it: `server.page("<button>Go</button>")` is a URL."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, str] = {}
        self.headers: list[dict[str, str]] = []
        self.ended = threading.Event()
        self._numbers = itertools.count(1)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # browsers hang up whenever they like

    def page(self, html: str) -> str:
        path = f"/p/{next(self._numbers)}"
        self.pages[path] = f"<!doctype html><meta charset=utf-8><title>page</title>{html}"
        return self.url(path)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """`localhost` is another site than 127.0.0.1, so a frame from there gets a process of its own."""
        return f"http://{host}:{self.server_port}{path}"


def _serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.ended.set()
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    yield from _serving()


@pytest.fixture(scope="session")
def other_port() -> Iterator[Server]:
    """Another origin of the same site: its frames live in the process of their parent."""
    yield from _serving()


@pytest.fixture
def runtime_dir(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture(scope="session")
def shared_browser(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    browser = ChromiumBrowser(runtime_dir=tmp_path_factory.mktemp("run"), load_timeout=2)
    run(browser.start())
    yield browser
    run(browser.close())


@pytest.fixture
def browser(run: Run, shared_browser: ChromiumBrowser) -> Iterator[ChromiumBrowser]:
    """The browser of the run, with one tab that shows nothing."""
    run(_fresh(shared_browser))
    yield shared_browser
    shared_browser.dialog_policy = None


async def _fresh(browser: ChromiumBrowser) -> None:
    await browser.revive()
    for tab in await browser.tabs():
        if not tab.current:
            await browser.close_tab(tab.number)
    await browser.page.goto("about:blank")


@pytest.fixture
def page(browser: ChromiumBrowser) -> CdpPage:
    assert isinstance(browser.page, CdpPage)
    return browser.page


@pytest.fixture
def point(page: CdpPage) -> Callable[[str], Any]:
    """Where to press the element that a selector finds: `await page.mouse.click(*await point("#go"))`."""

    async def find(selector: str) -> tuple[float, float]:
        response = await page.scanner({"cmd": "locate", "selector": selector})
        assert response["ok"], response
        return response["data"]["x"], response["data"]["y"]

    return find


@pytest.fixture
def wait_until() -> Callable[..., Any]:
    """Wait for a condition that no event of ours tells of (the end of somebody's process): `await until(lambda: …)`."""

    async def wait(holds: Callable[[], Any], timeout: float = 5) -> None:
        async with asyncio.timeout(timeout):
            while not holds():  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    return wait
