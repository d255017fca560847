"""Programs in a real daemon, with a second session beside theirs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

pytest.importorskip("pydantic_monty")

pytestmark = pytest.mark.browser

CANARY = "canary-7351"
"""What no program may read: it is in a file, in the daemon's environment and in another session's page."""

PAGE = """<link rel=icon href=data:,><title>shop</title><button onclick="add()">Buy</button><p id=count>0</p>
<label>Name <input></label><label>File <input type=file></label>
<script>function add() { document.getElementById('count').textContent -= -1 }</script>"""


class Listener:
    """A server of the loopback interface that no page names: whoever connects has escaped."""

    def __init__(self) -> None:
        self.connections = 0
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                listener.connections += 1

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class ProgramHost:
    """A daemon with two sessions: `default`, in which programs run, and `other`."""

    def __init__(self, daemon: RunningDaemon, pages: Pages, folder: Path, listener: Listener) -> None:
        self.daemon = daemon
        self.pages = pages
        self.folder = folder
        self.listener = listener

    async def open(self) -> None:
        self.pages["/"] = PAGE
        self.pages["/private"] = f"<title>{CANARY}</title><p>{CANARY}</p><button>Private</button>"
        await self.daemon.ok(f"goto {self.pages.url('/')}")
        await self.daemon.ok(f"goto {self.pages.url('/private')}", session="other")

    async def run(self, text: str, **options: Any) -> dict[str, Any]:
        """The response to a program."""
        return await self.daemon.ask({"action": "program", "args": {"text": text, **options}})

    async def value(self, text: str, **options: Any) -> Any:
        answer = await self.run(text, **options)
        assert answer["ok"], answer["text"]
        return answer["data"]["result"]["value"]

    def memory(self) -> int:
        """The memory of the daemon's own process, in kilobytes."""
        status = Path(f"/proc/{self.daemon.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def workers(self) -> set[int]:
        """The processes that run programs."""
        return {child for child in self.children() if b"monty" in _read(f"/proc/{child}/cmdline")}

    def children(self) -> set[int]:
        found = set()
        for tasks in Path(f"/proc/{self.daemon.process.pid}/task").glob("*/children"):
            found |= {int(word) for word in tasks.read_text().split()}
        return found


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="session")
def served_pages() -> Iterator[Pages]:
    with Pages() as served:
        yield served


@pytest.fixture(scope="module")
def host(run: Any, served_pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProgramHost]:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "secret.txt").write_text(CANARY)
    (folder / "files").mkdir()
    environment = {"CANARY": CANARY, "ORYN_FILES_ROOT": str(folder / "files")}
    daemon, listener = RunningDaemon(folder / "home", environment), Listener()
    host = ProgramHost(daemon, served_pages, folder, listener)
    run(host.open())
    yield host
    assert run(daemon.stop()) == 0, daemon.log()
    run(daemon.no_process())
    listener.close()


@pytest.fixture
def daemon_of(run: Any, tmp_path: Path) -> Iterator[Callable[..., RunningDaemon]]:
    """Starts daemons of the test's own, with settings: `daemon_of(ORYN_MAX_SESSIONS="1")`."""
    started: list[RunningDaemon] = []

    def start(**environment: str) -> RunningDaemon:
        started.append(RunningDaemon(tmp_path / f"home{len(started)}", environment))
        return started[-1]

    yield start
    for running in started:
        run(running.stop())
        run(running.no_process())
