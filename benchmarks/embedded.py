"""Embedded mode against headless mode, on one page: memory of all processes, the first answered `goto`, and commands.

usage: embedded.py     Needs WPEWebDriver. Medians of rounds run in turn.

Memory is the proportional set size of the host and of every process below it (`/proc/PID/smaps_rollup`, Linux)."""

from __future__ import annotations

import re
import statistics
import time
from pathlib import Path

from _host import FORM, Host, OnePage

ROUNDS = 7
REST = 1.0
"""Seconds between two starts, so that what one leaves to end does not slow the other."""
MODES = ("headless", "embedded")
COMMANDS = ('type "Name" "Ada"', 'click "More"', "observe", "text")


def descendants(pid: int) -> set[int]:
    """A process and all below it."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(process.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def megabytes(pids: set[int]) -> float:
    """Their proportional set size."""
    total = 0
    for pid in pids:
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(int(size) for size in re.findall(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE))
    return total / 1024


def measure(mode: str, url: str) -> tuple[float, float, float, float]:
    """Seconds to the first answered `goto` and of a command; megabytes of the browser, and with the host."""
    time.sleep(REST)
    started = time.perf_counter()
    host = Host(mode=mode)
    answer = host.ask(f"goto {url}")
    first = time.perf_counter() - started
    assert answer.startswith("ok"), answer
    started = time.perf_counter()
    for line in COMMANDS * 5:
        answer = host.ask(line)
        assert not answer.startswith("error"), answer
    each = (time.perf_counter() - started) / len(COMMANDS * 5)
    tree = descendants(host.process.pid)
    result = first, each, megabytes(tree - {host.process.pid}), megabytes(tree)
    host.close()
    return result


def main() -> None:
    with OnePage(FORM) as page:
        rounds = [{mode: measure(mode, page.url) for mode in MODES} for _ in range(ROUNDS + 1)][1:]
    medians = {
        mode: [statistics.median(column) for column in zip(*(each[mode] for each in rounds), strict=True)]
        for mode in MODES
    }
    for mode, (first, each, browser, everything) in medians.items():
        print(
            f"{mode:9} first goto {first:.2f} s  command {each * 1000:.0f} ms  "
            f"browser {browser:.0f} MB  with the host {everything:.0f} MB"
        )
    here, there = medians["headless"], medians["embedded"]
    print(f"embedded / headless: first goto {there[0] / here[0]:.2f}  browser's memory {there[2] / here[2]:.2f}")


if __name__ == "__main__":
    main()
