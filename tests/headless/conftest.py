"""Whole sessions in real Chromium: a line in, an answer out, against pages written beside the expected text."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Answer, Options, Session
from oryn.system import encryption

OPTIONS = Options(action_wait=1, presence_wait=0.2, settle_grace=0.1)
"""Shorter waits than the defaults, for pages that react at once or never. What is said of the defaults sets them."""

LOST_CONNECTION = "the server closed the connection without an answer"
"""What the headless shell says once in some thousand loads of a server that has answered."""


class Pages:
    """A server of pages that a test sets: `pages["/a"] = html`; a value may also be `(status, headers, body)`,
    or what makes one of the request."""

    def __init__(self) -> None:
        self.bodies: dict[str, Any] = {}
        self.log: deque[str] = deque(maxlen=20)
        """What the server did last, for the message of a test that fails."""
        pages = self

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                pages.note(self.client_address[1], "connected")
                super().handle()
                pages.note(self.client_address[1], "closing")

            def log_message(self, format: str, *arguments: Any) -> None:
                pages.note(self.client_address[1], format % arguments)

            def do_GET(self) -> None:
                found = pages.bodies.get(urlsplit(self.path).path, (404, {}, "not here"))
                found = found(self) if callable(found) else found
                status, headers, body = found if isinstance(found, tuple) else (200, {}, found)
                data = body.encode("utf-8", "surrogatepass")
                self.send_response(status)
                for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_OPTIONS = do_GET

        class Server(ThreadingHTTPServer):
            request_queue_size = 128  # a browser opens several connections at once, and the machine may be busy

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def __setitem__(self, path: str, page: Any) -> None:
        self.bodies[path] = page

    def note(self, port: int, event: str) -> None:
        """Log an event of the connection from a port."""
        self.log.append(f"{time.monotonic():.3f} {port} {event}")

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.server.server_port}{path}"


async def executed(execute: Callable[[str], Awaitable[Answer]], line: str) -> Answer:
    """The answer to a line; a page is loaded once more if the browser lost the connection (`LOST_CONNECTION`)."""
    answer = await execute(line)
    return await execute(line) if answer.error and LOST_CONNECTION in str(answer.error) else answer


class Driver:
    """A session with the shorthand of the tests."""

    def __init__(self, session: Session, pages: Pages) -> None:
        self.session = session
        self.pages = pages

    async def __call__(self, line: str) -> str:
        """The answer's text."""
        return (await self.session.execute(line)).render()

    async def ok(self, line: str) -> str:
        answer = (await executed(self.session.execute, line)).render()
        assert not answer.startswith("error"), "\n".join([answer, f"{time.monotonic():.3f} now", *self.pages.log])
        return answer

    async def show(self, html: str, path: str = "/") -> str:
        """Serve the page and go there."""
        self.pages[path] = html
        return await self.ok(f"goto {self.pages.url(path)}")


@pytest.fixture(scope="session")
def pages() -> Iterator[Pages]:
    with Pages() as served:
        yield served


@pytest.fixture
def oryn(browser: ChromiumBrowser, pages: Pages, run: Any) -> Driver:
    """A session of its own on the shared browser, with one tab and no page."""
    pages.bodies.clear()
    browser.dialog_policy = None
    session = Session(browser, options=OPTIONS)

    async def tidy() -> None:
        await browser.revive()
        for tab in (await browser.tabs())[1:]:
            await browser.close_tab(tab.number)
        await browser.clear_cookies()
        await session.execute("goto about:blank")

    run(tidy())
    return Driver(session, pages)


def changes(answer: str) -> list[str]:
    """The lines under `# changes` of an answer."""
    return answer.partition("# changes\n")[2].partition("\n\n")[0].splitlines()


@pytest.fixture
def default_grace(oryn: Driver) -> None:
    """`oryn` waits for a reaction as long as by default."""
    oryn.session.options = oryn.session.options.replace(settle_grace=Options().settle_grace)


@pytest.fixture
def quick_key_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deriving the key of a vault's file takes next to no time; by default it takes about 0.1 s."""
    monkeypatch.setattr(encryption, "_SCRYPT_COST", 2)


@pytest.fixture
def isolated(browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path) -> Iterator[Driver]:
    """A session of its own in a context of its own: its network and its console begin with nothing."""
    pages.bodies.clear()
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser),
        options=OPTIONS,
    )
    yield Driver(session, pages)
    run(session.close())
