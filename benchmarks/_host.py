"""A host (`oryn headless`) as a subprocess, spoken to in the line protocol."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def compile_modules(folder: str) -> None:
    """Let processes that are started from now on keep compiled modules there, as pip does when it installs: a checkout
    without any would be compiled anew at each start. The first start pays for it, and is not counted."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = folder


class Host:
    """`python` is another checkout's, to have its engine; `home` is an `ORYN_HOME` of its own; `mode` is a command."""

    def __init__(
        self, *arguments: str, python: str | Path = sys.executable, home: str | None = None, mode: str = "headless"
    ) -> None:
        self.process = subprocess.Popen(
            [python, "-m", "oryn", mode, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=os.environ | {"ORYN_HOME": home} if home else None,
            cwd=home,
        )
        self.ready = self.read()

    def read(self) -> str:
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            if line == "---\n":
                return "".join(lines)
            lines.append(line)
        raise SystemExit("the host ended")

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


class OnePage:
    """A server of one page, at `url`."""

    def __init__(self, html: str) -> None:
        body = html.encode()

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> OnePage:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


FORM = """<!doctype html><title>Form</title><style>body { font: 16px sans-serif }</style>
<form onsubmit="return false">
 <label>Name <input id="name" name="name"></label> <label>Mail <input type="email" name="mail"></label>
 <label>Country <select name="country"><option>France<option>Spain<option>Norway</select></label>
 <label><input type="checkbox" name="news"> Newsletter</label>
 <button id="more" type="button" onclick="list.insertAdjacentHTML('beforeend', '<li>row')">More</button>
 <button type="submit">Send</button>
</form><ul id="list"></ul>"""
