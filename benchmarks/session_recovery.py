"""What comes back of a session after `kill -9`: of the daemon a moment after an answer, and of the browser while the
daemon goes on. And what it costs to keep it: a line of the journal.

usage: python -m benchmarks.session_recovery [--rounds N] [--browser-rounds N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks._session import row

DELAYS = (0.0, 0.01, 0.1, 0.3)
PARTS = ("page", "tabs", "current tab", "cookies", "localStorage")
SOON = ("page", "tabs", "current tab")
"""What is there again however soon the kill comes; cookies and storage are 300 ms after an answer."""
LINES = 2000


class Site(ThreadingHTTPServer):
    """A page sets a cookie and stores something, its own query, when it is loaded for the first time: what is there
    after another time was kept."""

    def __init__(self) -> None:
        loaded: set[str] = set()

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                query = self.path.partition("?")[2]
                is_new = self.path.startswith("/set") and self.path not in loaded
                loaded.add(self.path)
                script = f"<script>localStorage.last = '{query}'</script>" if is_new else ""
                body = f"<!doctype html><title>{query}</title>{script}".encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                if is_new:
                    self.send_header("Set-Cookie", f"last={query}; path=/")
                self.end_headers()
                self.wfile.write(body)

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Daemon:
    """A daemon of `home`, over one connection that stays open."""

    def __init__(self, home: str) -> None:
        self.home = home
        ready, theirs = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "oryn", "daemon", "serve"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs],
            env=os.environ | {"ORYN_HOME": home, "ORYN_PORT": "0", "ORYN_READY_FD": str(theirs)},
        )
        os.close(theirs)
        with os.fdopen(ready, "rb") as stream:
            if not select.select([stream], [], [], 60)[0]:
                raise SystemExit("the daemon did not start")
            port = int(stream.readline())
        token = Path(home, "data", "daemon", "token").read_text().strip()
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection = HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, line: str, session: str = "default") -> dict[str, Any]:
        self._connection.request("POST", "/command", json.dumps({"line": line, "session": session}), self._headers)
        response: dict[str, Any] = json.loads(self._connection.getresponse().read())
        return response

    def must(self, line: str, session: str = "default") -> dict[str, Any]:
        response = self.ask(line, session)
        if not response["ok"]:
            raise SystemExit(response["text"])
        return response

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def browser(self) -> int:
        """The process of the browser that all its sessions share."""
        mark = f"{self.home}/run/browser-".encode()
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            except OSError:  # it has ended
                continue
            if mark in words and b"--type=" not in words:
                return int(entry.name)
        raise SystemExit("there is no browser")


@contextmanager
def daemon_home() -> Iterator[str]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        yield home


def found(daemon: Daemon, first: str, second: str) -> dict[str, bool]:
    """What of a session is there again whose current tab was at `first`, beside one at `second`."""
    answer = daemon.must("tabs")
    tabs = answer["data"]["result"]
    if sorted(tab["url"] for tab in tabs) != sorted([first, second]):
        print(answer["text"], file=sys.stderr)
    url = daemon.must("url")["data"]["result"]
    query = first.partition("?")[2]
    return {
        "page": url == first,
        "tabs": sorted(tab["url"] for tab in tabs) == sorted([first, second]),
        "current tab": [tab["url"] for tab in tabs if tab["current"]] == [first],
        "cookies": daemon.ask("cookies get last")["data"].get("result") == query,
        "localStorage": daemon.ask("storage get last")["data"].get("result") == query,
    }


def kill_daemons(site: Site, rounds: int) -> dict[float, Counter[str]]:
    came_back: dict[float, Counter[str]] = {delay: Counter() for delay in DELAYS}
    with daemon_home() as home:
        daemon = Daemon(home)
        daemon.must(f"goto {site.url}/other?begin")
        for number in range(rounds):
            for delay in DELAYS:
                mark = f"{number}-{delay:g}"
                first, second = f"{site.url}/set?{mark}", f"{site.url}/other?{mark}"
                only, *others = (tab["number"] for tab in daemon.must("tabs")["data"]["result"])
                for other in others:
                    daemon.must(f"tab close {other}")
                daemon.must(f"tab new {second}")
                daemon.must(f"tab switch {only}")
                daemon.must(f"goto {first}")
                time.sleep(delay)
                daemon.kill()
                daemon = Daemon(home)
                came_back[delay].update(part for part, there in found(daemon, first, second).items() if there)
        daemon.stop()
    return came_back


def kill_browsers(site: Site, rounds: int) -> tuple[int, int]:
    """How often the session that had just loaded its page stood there again, and the one that stood still."""
    moved = still = 0
    chance = random.Random(1)
    with daemon_home() as home:
        daemon = Daemon(home)
        for number in range(rounds):
            here, there = f"{site.url}/set?here-{number}", f"{site.url}/set?there-{number}"
            daemon.must(f"goto {there}", "still")
            daemon.must(f"goto {here}")
            time.sleep(chance.random())
            os.kill(daemon.browser(), signal.SIGKILL)
            moved += _url(daemon, "default") == here
            still += _url(daemon, "still") == there
        daemon.stop()
    return moved, still


def _url(daemon: Daemon, session: str) -> str | None:
    """Where the page itself says that it is; the command that the browser's death was noticed by fails."""
    for _ in range(3):
        response = daemon.ask('eval "location.href"', session)
        if response["ok"]:
            url: str = response["data"]["result"]
            return url
    return None


def journal() -> tuple[float, float]:
    """The median and the 99th percentile of what a line takes, in milliseconds, each of another page."""
    from oryn.sessions.persistence.models import SessionRecord
    from oryn.sessions.persistence.store import SessionStore

    with tempfile.TemporaryDirectory() as home:
        keeper = SessionStore(Path(home, "daemon"), Path(home, "profiles"))
        times = []
        for number in range(LINES):
            tabs = tuple(f"https://example.org/{tab}?page={number}" for tab in range(5))
            kept = SessionRecord(
                "work", "headless", None, False, {}, "2026-01-24T10:30:00Z", tabs, 0, number, time.time()
            )
            began = time.perf_counter()
            keeper.record(kept)
            times.append((time.perf_counter() - began) * 1000)
        asyncio.run(keeper.close())
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, help="for each delay")
    parser.add_argument("--browser-rounds", type=int, default=40)
    given = parser.parse_args()
    site = Site()
    came_back = kill_daemons(site, given.rounds)
    moved, still = kill_browsers(site, given.browser_rounds)
    median, most = journal()
    row("daemon killed after an answer", *PARTS, widths=(34, 10, 10, 12, 10, 10))
    for delay, parts in came_back.items():
        counts = (f"{parts[part]}/{given.rounds}" for part in PARTS)
        row(f"{delay * 1000:g} ms", *counts, widths=(34, 10, 10, 12, 10, 10))
    every = len(DELAYS) * given.rounds
    for part in SOON:
        row(f"{part} after any delay", f"{sum(parts[part] for parts in came_back.values())}/{every}")
    row("browser killed, page just loaded", f"{moved}/{given.browser_rounds}")
    row("browser killed, session at rest", f"{still}/{given.browser_rounds}")
    row("a line of the journal, ms", f"{median:.3f}", f"p99 {most:.3f}")


if __name__ == "__main__":
    main()
