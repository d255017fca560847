"""From the start of the extension's service worker until its engine is ready: from the snapshot, and cold.

usage: python -m benchmarks.extension_start [FOLDER] [--rounds N]      (FOLDER is ignored: no page is shown)

Milliseconds: the medians and the worst of rounds. `ready` is told by the worker's own clock, `woken` from outside, from
the port that a popup opens; the browser runs already. Last line: the median that may be 2,500."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from scripts.extension import copy
from scripts.extension.browser import ExtendedBrowser

ROUNDS = 9


async def starts(folder: Path, runtime: Path, rounds: int, how: str) -> tuple[list[float], list[float]]:
    """What the worker's clock says, and ours. The browser's own first start is not counted."""
    browser = ExtendedBrowser(folder, runtime)
    await browser.start()
    ready, woken = [], []
    try:
        for _ in range(rounds + 1):
            if await browser.has_worker():
                await browser.kill_worker()
            begun = time.perf_counter()
            worker = await browser.awake()
            woken.append((time.perf_counter() - begun) * 1000)
            engine = json.loads(await worker.evaluate("JSON.stringify(oryn.engine)"))
            await worker.detach()  # else the browser lists it on when it has ended
            assert engine["how"] == how, f"it started {engine['how']}"
            ready.append(float(engine["ms"]))
    finally:
        await browser.close()
    return ready[1:], woken[1:]


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    medians = {}
    with tempfile.TemporaryDirectory() as folder:
        for how in ("snapshot", "cold"):
            extension = copy(Path(folder) / how)
            if how == "cold":
                (extension / "engine" / "snapshot.gz").unlink()
            ready, woken = await starts(extension, Path(folder) / f"{how}-runtime", rounds, how)
            medians[how] = statistics.median(ready)
            print(
                f"{how:8} ready {medians[how]:.0f} ms, at most {max(ready):.0f} ms; "
                f"woken {statistics.median(woken):.0f} ms, at most {max(woken):.0f} ms"
            )
    print(f"{medians['snapshot']:.0f}")


if __name__ == "__main__":
    asyncio.run(main())
