"""What a command takes in this checkout beside another one: the same lines, in turn, through `oryn headless` and
through a daemon of each. Medians in milliseconds, and the median of the ratios of neighbours.

Also the time from nothing to the answer of the first `goto`, that of a command line's verb, and the memory that the
process holds after 100 commands.

usage: python -m benchmarks.before_after OTHER [--rounds N]

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

from benchmarks._host import FORM, Host, OnePage, compile_modules
from benchmarks._session import row

LINES = ("title", "observe", 'value "Name"', 'type "Name" "Ann"', 'click "More"', 'check "Newsletter"', "goto {url}")
WARM = 3
STARTS_EACH_ROUNDS = 4
"""One start is measured for so many rounds."""

Ask = Callable[[str], str]


class Headless(Host):
    """A checkout's `oryn headless`."""

    def __init__(self, python: Path, home: str) -> None:
        super().__init__(python=python, home=home)


class Daemon:
    """A checkout's daemon, asked over one connection that stays open."""

    def __init__(self, python: Path, home: str) -> None:
        self._command = [str(python), "-m", "oryn", "daemon"]
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


def compare_turns(name: str, unit: str, rounds: int, figure: Callable[[int], float]) -> float:
    """The median ratio of a figure of the checkout 1 to that of the checkout 0, taken in turn."""
    pairs: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        first = figure(number % 2)
        second = figure(1 - number % 2)
        pairs.append((second, first) if number % 2 else (first, second))
    counted = pairs[1:]  # the first compiles the modules
    old, new = (statistics.median(each) for each in zip(*counted, strict=True))
    ratio = statistics.median(after / before for before, after in counted)
    row(f"{name}, {unit}", f"{old:.2f}", f"{new:.2f}", f"{ratio:.3f}")
    return ratio


def start_milliseconds(python: Path, url: str) -> float:
    with tempfile.TemporaryDirectory() as home:
        began = time.perf_counter()
        host = Headless(python, home)
        answer = host.ask(f"goto {url}")
        took = time.perf_counter() - began
        host.close()
    assert answer.startswith("ok"), answer
    return took * 1000


def verb_milliseconds(python: Path, home: str) -> float:
    began = time.perf_counter()
    command = [str(python), "-m", "oryn", "title"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"ORYN_HOME": home}, cwd=home)
    return (time.perf_counter() - began) * 1000


def memory_megabytes(python: Path, url: str) -> float:
    """The proportional set size of the engine's own process after 100 commands (Linux)."""
    with tempfile.TemporaryDirectory() as home:
        host = Headless(python, home)
        for line in (f"goto {url}", *(LINES[:-1] * 20)[:99]):
            assert host.ask(line).startswith("ok") or line == "observe"
        rollup = Path(f"/proc/{host.process.pid}/smaps_rollup").read_text()
        host.close()
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args(arguments)
    pythons = (options.other.resolve() / ".venv/bin/python", Path(sys.executable))
    with tempfile.TemporaryDirectory() as compiled:
        compile_modules(compiled)
        compare_all(pythons, options.rounds)


def compare_all(pythons: tuple[Path, Path], rounds: int) -> None:
    starts = max(1, rounds // STARTS_EACH_ROUNDS)
    with OnePage(FORM) as page:
        compare_turns("start", "ms", starts, lambda side: start_milliseconds(pythons[side], page.url))
        compare_turns("memory", "MB", 2, lambda side: memory_megabytes(pythons[side], page.url))
        with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
            homes = (old, new)
            daemons = [Daemon(python, home) for python, home in zip(pythons, homes, strict=True)]
            for daemon in daemons:
                daemon.ask(f"goto {page.url}")
            compare_turns("oryn title", "ms", rounds, lambda side: verb_milliseconds(pythons[side], homes[side]))
            for daemon in daemons:
                daemon.close()
    ratios: list[float] = []
    for kind in (Headless, Daemon):
        with OnePage(FORM) as page, tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
            hosts = [kind(python, home) for python, home in zip(pythons, (old, new), strict=True)]
            try:
                ratios += compare(kind.__name__, hosts[0].ask, hosts[1].ask, page.url, rounds)
            finally:
                for host in hosts:
                    host.close()
    row("geometric mean of the ratios", "", "", f"{statistics.geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    main()
