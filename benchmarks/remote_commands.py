"""What a command costs through the extension more than in `oryn headless`: the same lines, in turns, in one run.

usage: python -m benchmarks.remote_commands [FOLDER] [--rounds N]      (FOLDER is ignored: the page is the test's own)

A line for each command: the median milliseconds of both, and the difference. Last line: the median difference."""

from __future__ import annotations

import argparse
import statistics
import tempfile
from time import perf_counter

from benchmarks._host import OnePage
from tests.extension.conformance.engines import HEADLESS, REMOTE, LineEngine

PAGE = """<!doctype html><title>Form</title>
<form><label>Name <input></label><label><input type=checkbox> News</label>
<select aria-label=Colour><option>Red<option>Blue</select></form>
<button onclick="out.textContent = Date.now()">Count</button><p id=out></p>"""
LINES = ("title", "observe", 'value "Name"', 'click "Count"', 'type "Name" "Ann"', 'check "News"', 'uncheck "News"',
         'select "Colour" "Blue"', "eval 1", "text", "scroll down", "press escape")  # fmt: skip


def milliseconds(engine: LineEngine, line: str) -> float:
    started = perf_counter()
    answer = engine.say(line)
    took = (perf_counter() - started) * 1000
    if answer.startswith("error"):
        raise SystemExit(f"{line}: {answer}")
    return took


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    page = OnePage(PAGE)
    with (
        tempfile.TemporaryDirectory() as home,
        LineEngine(HEADLESS, home) as here,
        tempfile.TemporaryDirectory() as there_home,
        LineEngine(REMOTE, there_home) as there,
    ):
        for engine in (here, there):
            engine.say(f"goto {page.url}")
            for line in LINES:
                engine.say(line)
        took: dict[str, tuple[list[float], list[float]]] = {line: ([], []) for line in LINES}
        for _ in range(rounds):
            for line, (headless, remote) in took.items():
                headless.append(milliseconds(here, line))
                remote.append(milliseconds(there, line))
    differences = []
    for line, (headless, remote) in took.items():
        one, other = statistics.median(headless), statistics.median(remote)
        differences.append(other - one)
        print(f"{line:24} headless {one:6.1f} ms  remote {other:6.1f} ms  {other - one:+6.1f} ms")
    print(f"median: {statistics.median(differences):+.1f} ms a command")


if __name__ == "__main__":
    main()
