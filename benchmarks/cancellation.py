"""Ctrl-C during `oryn wait … --timeout 30s`, then `oryn title`, again and again; and clicks that are queued behind a
`wait` and given up: the seconds of each, and how many clicks ran after their client had gone.

usage: python -m benchmarks.cancellation [--times N]
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

from benchmarks._host import OnePage
from benchmarks._session import row
from benchmarks.daemon import Asking
from benchmarks.daemon_memory import daemon
from oryn.daemon_client.client import DaemonClient
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

PAGE = "<title>Counter</title><button onclick='pressed++'>Go</button><script>var pressed = 0</script>"
WAIT = ("wait", "visible", "Never", "--timeout", "30s")
LIMIT_SECONDS = 0.3
ABANDONED = 3
"""Clicks in each round that are given up while they wait."""


def oryn(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from oryn.cli.main import main; main()", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def interrupt(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    if process.returncode != 130:
        raise SystemExit(f"exit code {process.returncode}")


def queued() -> list[str]:
    (session,) = DaemonClient(DaemonInstance(find())).status()["sessions"]
    return [each["action"] for each in session["queue"]]


def until(actions: list[str]) -> None:
    while queued() != actions:
        time.sleep(0.005)  # nothing tells of a queue that changes


def seconds_of(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def over_http(asking: Asking, line: str) -> HTTPConnection:
    """A connection over which a command was sent, and whose answer nobody awaits."""
    connection = asking.another().connection
    connection.request("POST", "/command", json.dumps({"line": line}), asking.headers)
    return connection


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="not used: every benchmark is given the folder of the page set")
    parser.add_argument("--times", type=int, default=20)
    chosen = parser.parse_args()
    interrupted, after = list[float](), list[float]()
    with OnePage(PAGE) as page, daemon() as (_, asking):
        asking.ask(f"goto {page.url}")
        for _ in range(chosen.times):
            waiting = oryn(*WAIT)
            until(["wait"])
            connections = [over_http(asking, 'click "Go"') for _ in range(ABANDONED)]
            clicking = oryn("click", "Go")
            until(["wait", *["click"] * (ABANDONED + 1)])
            for connection in connections:
                connection.close()
            interrupt(clicking)
            interrupted.append(seconds_of(lambda waiting=waiting: interrupt(waiting)))  # type: ignore[misc]
            after.append(seconds_of(lambda: oryn("title").communicate(timeout=60)))
        until([])
        pressed = asking.ask("eval pressed")["data"]["result"]
    row("", "median s", "slowest s", "limit s")
    for name, found in (("Ctrl-C until the prompt", interrupted), ("the next 'title'", after)):
        row(name, f"{sorted(found)[len(found) // 2]:.3f}", f"{max(found):.3f}", LIMIT_SECONDS)
    row(f"acts without a client, of {chosen.times * (ABANDONED + 1)}", pressed, "", 0)


if __name__ == "__main__":
    main()
