"""Whether the extension's worker stays connected while nothing is asked of it.

usage: python -m benchmarks.remote_idle [FOLDER] [--minutes N]      (FOLDER is ignored)

Last line: how long it was idle, the connections made meanwhile (0: it stayed), and the next command's time."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

from scripts.extension import copy
from tests.extension.faults import Rig


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--minutes", type=float, default=10)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory() as folder:
        async with Rig(Path(folder), copy(Path(folder, "extension"))) as rig:
            before = rig.wire.passed
            await asyncio.sleep(minutes * 60)
            anew = rig.wire.passed - before
            started = perf_counter()
            answer = await rig.ask("title")
            took = (perf_counter() - started) * 1000
    assert answer.startswith("ok "), answer
    print(f"idle for {minutes:g} minutes: {anew} new connections, then 'title' in {took:.0f} ms")


if __name__ == "__main__":
    asyncio.run(main())
