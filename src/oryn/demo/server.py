"""The shop's HTTP server, from the standard library and on loopback only, and the example script with the shop's actual
address."""

from __future__ import annotations

import threading
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from oryn.demo.models import ShopVisitors
from oryn.demo.routes import ShopRequest, ShopResponse, route
from oryn.errors import ConfigurationError

PORT = 4780
"""The shop's default port, which the example script uses."""

_FILES = {"/style.css": "text/css; charset=utf-8", "/shop.js": "text/javascript; charset=utf-8"}
_MAX_FORM_BYTES = 64 * 1024


class Shop:
    """A running shop. `with Shop(0) as shop:` serves it on a free port; `shop.url` is its URL.

    Raises `OSError` if the port is taken."""

    def __init__(self, port: int = PORT) -> None:
        self._server = _ShopServer(("127.0.0.1", port), _ShopHandler)
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


class _ShopServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.visitors = ShopVisitors()

    def handle_error(self, request: object, client_address: object) -> None:
        return  # a browser that closes a connection early is not worth reporting


class _ShopHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Fernhill"
    server: _ShopServer

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if kind := _FILES.get(address.path):
            return self._send(
                200, files("oryn.demo").joinpath("site", address.path[1:]).read_bytes(), {"Content-Type": kind}
            )
        self._answer("GET", address.path, _parse_form(address.query))

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 <= size <= _MAX_FORM_BYTES:
            self.close_connection = True
            return self._send(413, b"", {})
        self._answer("POST", urlsplit(self.path).path, _parse_form(self.rfile.read(size).decode("utf-8", "replace")))

    def _answer(self, method: str, path: str, values: dict[str, str]) -> None:
        key, visit = self.server.visitors.of(self._cookie())
        handler, argument = route(method, path)
        reply: ShopResponse = handler(ShopRequest(visit, argument, values, self._other_origin()))
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

    def _other_origin(self) -> str:
        # To a browser, the same server under the other name of this machine is another origin, and another site.
        name = self.headers.get("Host", "localhost").partition(":")[0]
        other = "localhost" if name == "127.0.0.1" else "127.0.0.1"
        return f"http://{other}:{self.server.server_address[1]}"

    def log_message(self, format: str, *arguments: object) -> None:
        return  # the terminal is for the dialogue


def _parse_form(text: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}


DEFAULT_ADDRESS = f"localhost:{PORT}"


def open_shop(port: int | None = None) -> Shop:
    """Open the shop on this port. Without one, it uses the default port, or a free one if that is taken.

    Raises `ConfigurationError` if the given port is not available."""
    if port is not None:
        try:
            return Shop(port)
        except OSError as error:
            message = f"can't serve the shop at port {port}: {error.strerror}"
            raise ConfigurationError(message, "Name another with --port, or leave it out.") from error
    try:
        return Shop(PORT)
    except OSError:
        return Shop(0)


def example_script() -> str:
    """The example script as it is packaged."""
    return files("oryn.demo").joinpath("shop.oil").read_text("utf-8")


def with_address_of(text: str, shop: Shop) -> str:
    """`text` with the shop's default address replaced by the actual one."""
    return text.replace(DEFAULT_ADDRESS, f"localhost:{shop.port}")
