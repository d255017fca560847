"""Serves saved pages (`extraction/html/*.html.gz`) on loopback, scripts and outside requests blocked by CSP."""

from __future__ import annotations

import gzip
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:; frame-src 'none'; "
    "form-action 'none'"
)
_META = re.compile(rb"<meta[^>]+http-equiv=[\"']?(?:refresh|content-security-policy)[^>]*>", re.IGNORECASE)


class SavedPages:
    """A context manager; `url(name)` is where the page called `name` (file name without `.html.gz`) is served."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "extraction" / "html"
        self.names = sorted(path.name.removesuffix(".html.gz") for path in self.folder.glob("*.html.gz"))
        if not self.names:
            raise SystemExit(f"no pages under {self.folder}: give the folder of a set, as in ../shared/evals/public")
        pages = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                body = pages.body(self.path.strip("/").removesuffix(".html"))
                if body is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Security-Policy", POLICY)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def body(self, name: str) -> bytes | None:
        if name not in self.names:
            return None
        return _META.sub(b"", gzip.decompress((self.folder / f"{name}.html.gz").read_bytes()))

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{name}.html"

    def __enter__(self) -> SavedPages:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
