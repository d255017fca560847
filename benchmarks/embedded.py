"""Another mode against headless mode, on one page: memory of all processes, the first answered `goto`, and commands.

usage: python -m benchmarks.embedded [MODE]     MODE is `embedded` (needs WPE WebKit) or `playwright`.

Medians of rounds run in turn.

Memory is the proportional set size of the host and of every process below it (`/proc/PID/smaps_rollup`, Linux). That is
less while other browsers run, which share the programs' pages; so for root the second figure counts each page of memory
that the processes see once, whoever else has it (`/proc/PID/pagemap`)."""

from __future__ import annotations

import mmap
import re
import statistics
import sys
import time
from array import array
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from benchmarks._host import FORM, Host, OnePage

ROUNDS = 5
REST = 1.0
"""Seconds between two starts, so that what one leaves to end does not slow the other."""
# An area of memory that has pages: browsers reserve terabytes that have none.
_AREA = r"^([0-9a-f]+)-([0-9a-f]+) [^\n]*\n(?:(?!^[0-9a-f]+-).)*?^Rss: +[1-9]"
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


def distinct_megabytes(pids: set[int]) -> float:
    """The pages of memory that any of them has, each counted once; 0 if only root may know."""
    frames: set[int] = set()
    for pid in pids:
        try:
            areas = re.findall(_AREA, Path(f"/proc/{pid}/smaps").read_text(), re.MULTILINE | re.DOTALL)
            with Path(f"/proc/{pid}/pagemap").open("rb", buffering=0) as pagemap:
                for start, end in areas:
                    first, last = int(start, 16) // mmap.PAGESIZE, int(end, 16) // mmap.PAGESIZE
                    frames.update(_frames(pagemap, first, last))
        except OSError:
            continue
    frames.discard(0)
    return len(frames) * mmap.PAGESIZE / 2**20


def _frames(pagemap: FileIO, first: int, last: int) -> Iterator[int]:
    """The numbers of the frames of present pages. https://docs.kernel.org/admin-guide/mm/pagemap.html"""
    while first < min(last, 1 << 35):  # above is the kernel's
        pagemap.seek(first * 8)
        entries = array("Q", pagemap.read(min(last - first, 1 << 16) * 8))
        if not entries:
            return
        yield from (entry & (1 << 55) - 1 for entry in entries if entry >> 63)
        first += len(entries)


def measure(mode: str, url: str) -> tuple[float, ...]:
    """Seconds to the first answered `goto` and of a command; megabytes of the browser and with the host, both as
    proportional set size and as distinct pages."""
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
    browser = tree - {host.process.pid}
    result = first, each, megabytes(browser), megabytes(tree), distinct_megabytes(browser), distinct_megabytes(tree)
    host.close()
    return result


def main() -> None:
    other = sys.argv[1] if len(sys.argv) > 1 else "embedded"
    modes = ("headless", other)
    with OnePage(FORM) as page:
        rounds = [{mode: measure(mode, page.url) for mode in modes} for _ in range(ROUNDS + 1)][1:]
    medians = {
        mode: [statistics.median(column) for column in zip(*(each[mode] for each in rounds), strict=True)]
        for mode in modes
    }
    for mode, (first, each, browser, everything, pages, all_pages) in medians.items():
        print(
            f"{mode:10} first goto {first:.2f} s  command {each * 1000:.0f} ms  PSS of the browser {browser:.0f} MB, "
            f"with the host {everything:.0f} MB  distinct pages {pages:.0f} MB, with the host {all_pages:.0f} MB"
        )
    here, there = medians["headless"], medians[other]
    shares = [b / a if a else 0 for a, b in zip(here, there, strict=True)]
    print(
        f"{other} / headless: first goto {shares[0]:.2f}  command {shares[1]:.2f}  PSS {shares[2]:.2f}, "
        f"with the host {shares[3]:.2f}  distinct pages {shares[4]:.2f}, with the host {shares[5]:.2f}"
    )


if __name__ == "__main__":
    main()
