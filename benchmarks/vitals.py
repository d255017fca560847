"""The figures of `vitals` against those of the library web-vitals in the page itself, in the same load of the page.

Each page loads its picture or its script late, shifts, and is pressed. Prints both values of each metric, the largest
difference in percent, and what observing costs: the fastest `goto` with it against the fastest without. Exits
with 1 if a difference is over `MAX_PERCENT`.

    python -m benchmarks.vitals [--rounds 20]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks._session import headless_session
from oryn.engine import Session
from tests.headless.conftest import Pages

MAX_PERCENT = 5.0
_TURNS = 4
_LIBRARY = Path(__file__).parents[1] / "node_modules" / "web-vitals" / "dist" / "web-vitals.iife.js"
_IN_PAGE = """const found = {};
for (const name of ['LCP', 'CLS', 'INP', 'FCP', 'TTFB'])
  webVitals['on' + name](({value}) => { found[name] = value; }, {reportAllChanges: true});"""
_PAGE = """<html><head><link rel=icon href=data:,><script>{script}</script></head><body><h1>Text</h1>
<button onclick="const end = performance.now() + {wait}; while (performance.now() < end);">Work</button><p>Below</p>
<script>setTimeout(() => {{
  const late = document.createElement('h1');
  late.textContent = 'A much longer headline that comes later and is the largest paint';
  late.style.fontSize = '{size}px';
  document.body.prepend(late);
}}, {late});</script></body></html>"""


async def figures(session: Session, pages: Pages, round_: int) -> list[tuple[str, float, float]]:
    """Of one load: each metric's name, its value here, and its value in the page."""
    script = f"{_LIBRARY.read_text('utf-8')};{_IN_PAGE}"
    pages["/"] = _PAGE.format(script=script, wait=20 + 15 * round_, late=30 + 20 * round_, size=30 + round_)
    for line in (f"goto {pages.url()}", 'wait visible "A much longer headline"', 'click "Work"'):
        answer = await session.execute(line)
        assert answer.error is None, answer.error
    answer = await session.execute("vitals")
    assert answer.error is None and not answer.data["missing"], answer
    inside: Any = await session.page.evaluate("found")
    return [(each["name"], each["value"], inside[each["name"]]) for each in answer.data["metrics"]]


async def load_times(pages: Pages, rounds: int) -> list[float]:
    """The seconds of each `goto`, in a browser of its own."""
    pages["/"] = _PAGE.format(script="", wait=0, late=0, size=30)
    async with headless_session() as session:
        times = []
        for _ in range(rounds):
            began = time.perf_counter()
            await session.execute(f"goto {pages.url()}")
            times.append(time.perf_counter() - began)
    return times


async def measure(rounds: int) -> bool:
    """Whether all figures are near enough."""
    largest = 0.0
    with Pages() as pages:
        async with headless_session() as session:
            for number in range(rounds):
                rows = await figures(session, pages, number)
                for _, ours, inside in rows:
                    largest = max(largest, abs(ours - inside) / inside * 100 if inside else abs(ours) * 100)
                print("  ".join(f"{name} {ours:.4g}/{inside:.4g}" for name, ours, inside in rows), flush=True)
        observed: list[float] = []
        bare: list[float] = []
        for _ in range(_TURNS):
            observed += await load_times(pages, rounds)
            with patch("oryn.browsers.chromium.scanner_client.library_script", lambda name: ""):
                bare += await load_times(pages, rounds)
    print(f"largest difference: {largest:.2f} % (at most {MAX_PERCENT:g} %)")
    print(f"goto, observed against not: {min(observed) / min(bare):.2f} (the fastest of each)")
    return largest <= MAX_PERCENT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    sys.exit(not asyncio.run(measure(parser.parse_args().rounds)))


if __name__ == "__main__":
    main()
