"""The shop's server: the standard library's, on loopback only."""

from __future__ import annotations

import threading
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from oryn.demo.routes import Asked, Reply, route
from oryn.demo.visits import Visits

PORT = 4780
"""Where the shop is served when nothing else says so; the example script goes there."""

_FILES = {"/style.css": "text/css; charset=utf-8", "/shop.js": "text/javascript; charset=utf-8"}
_LARGEST_FORM = 64 * 1024


class Shop:
    """A running shop. `with Shop(0) as shop:` serves it on a free port; `shop.url` is where.

    Raises `OSError` when the port is taken."""

    def __init__(self, port: int = PORT) -> None:
        self._server = _Server(("127.0.0.1", port), _Handler)
        self.port: int = self._server.server_address[1]
        self.url = f"http://localhost:{self.port}"

    def __enter__(self) -> Shop:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="shop", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.visits = Visits()

    def handle_error(self, request: object, client_address: object) -> None:
        return  # a browser that closes a connection early is no news


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Fernhill"
    server: _Server

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if kind := _FILES.get(address.path):
            return self._send(
                200, files("oryn.demo").joinpath("site", address.path[1:]).read_bytes(), {"Content-Type": kind}
            )
        self._answer("GET", address.path, _values(address.query))

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 <= size <= _LARGEST_FORM:
            self.close_connection = True
            return self._send(413, b"", {})
        self._answer("POST", urlsplit(self.path).path, _values(self.rfile.read(size).decode("utf-8", "replace")))

    def _answer(self, method: str, path: str, values: dict[str, str]) -> None:
        key, visit = self.server.visits.of(self._cookie())
        handler, argument = route(method, path)
        reply: Reply = handler(Asked(visit, argument, values, self._elsewhere()))
        headers = {
            "Content-Type": "text/html; charset=utf-8",
            "Set-Cookie": f"visit={key}; Path=/; HttpOnly; SameSite=Lax",
        }
        if reply.location is not None:
            return self._send(303, b"", {**headers, "Location": reply.location})
        self._send(reply.status, reply.html.encode(), headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body)), "Cache-Control": "no-store"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _cookie(self) -> str | None:
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get("visit")
        except CookieError:
            return None
        return cookie.value if cookie else None

    def _elsewhere(self) -> str:
        # The same server under the other name of this machine is another origin, and another site, to a browser.
        name = self.headers.get("Host", "localhost").partition(":")[0]
        other = "localhost" if name == "127.0.0.1" else "127.0.0.1"
        return f"http://{other}:{self.server.server_address[1]}"

    def log_message(self, format: str, *arguments: object) -> None:
        return  # the dialogue is what the terminal is for


def _values(text: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}
