"""What a command takes in this checkout beside another one: the same lines, in turn, through `oryn headless` and
through a daemon of each. Medians in milliseconds, and the median of the ratios of neighbours.

usage: before_after.py OTHER [--rounds N]

OTHER is a checkout with a virtual environment of its own in `.venv`."""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from http.client import HTTPConnection
from pathlib import Path

from _host import FORM, Host, OnePage
from _session import row

LINES = ("title", "observe", 'value "Name"', 'type "Name" "Ann"', 'click "More"', 'check "Newsletter"', "goto {url}")
WARM = 3

Ask = Callable[[str], str]


class Headless(Host):
    """A checkout's `oryn headless`."""

    def __init__(self, python: Path, home: str) -> None:
        super().__init__(python=python, home=home)


class Daemon:
    """A checkout's daemon, asked over one connection that stays open."""

    def __init__(self, python: Path, home: str) -> None:
        self._command = [python, "-m", "oryn", "daemon"]
        self._environment = os.environ | {"ORYN_HOME": home, "ORYN_PORT": "0"}
        self._home = home
        self._run("start")
        status = json.loads(self._run("status", "--json"))
        self._connection = HTTPConnection("127.0.0.1", status["port"])
        token = Path(home, "data", "daemon", "token").read_text().strip()
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def _run(self, *arguments: str) -> str:
        return subprocess.run(
            [*self._command, *arguments],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
            cwd=self._home,
        ).stdout

    def ask(self, line: str) -> str:
        self._connection.request("POST", "/command", json.dumps({"line": line}), self._headers)
        text: str = json.loads(self._connection.getresponse().read())["text"]
        return text

    def close(self) -> None:
        self._run("stop")


def timed(ask: Ask, line: str) -> float:
    began = time.perf_counter()
    answer = ask(line)
    took = time.perf_counter() - began
    if answer.startswith("error"):
        raise SystemExit(answer)
    return took


def compare(name: str, before: Ask, after: Ask, url: str, rounds: int) -> list[float]:
    """The medians of the ratios, one a line."""
    row(name, "before ms", "after ms", "ratio")
    medians: list[float] = []
    chance = random.Random(1)
    for ask in (before, after):
        timed(ask, f"goto {url}")
    for line in LINES:
        said = line.format(url=url)
        pairs: list[tuple[float, float]] = []
        for _ in range(rounds + WARM):
            # Whoever comes second may find the machine warmer.
            if chance.random() < 0.5:
                first = timed(before, said)
                pairs.append((first, timed(after, said)))
            else:
                second = timed(after, said)
                pairs.append((timed(before, said), second))
        counted = pairs[WARM:]
        medians.append(statistics.median(b / a for a, b in counted))
        old, new = (statistics.median(times) * 1000 for times in zip(*counted, strict=True))
        row(line, f"{old:.2f}", f"{new:.2f}", f"{medians[-1]:.3f}")
    return medians


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args(arguments)
    pythons = (options.other.resolve() / ".venv/bin/python", Path(sys.executable))
    ratios: list[float] = []
    for kind in (Headless, Daemon):
        with OnePage(FORM) as page, tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
            hosts = [kind(python, home) for python, home in zip(pythons, (old, new), strict=True)]
            try:
                ratios += compare(kind.__name__, hosts[0].ask, hosts[1].ask, page.url, options.rounds)
            finally:
                for host in hosts:
                    host.close()
    row("geometric mean of the ratios", "", "", f"{statistics.geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    main()
