"""The cold start of `oryn test run`: from the command to its end, with a test of one step in the demo's shop.

usage: python -m benchmarks.cold_test      Median and the longest of some runs; exit code 1 if the median is above 3 s.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from oryn.demo.server import Shop

RUNS = 7
LIMIT_SECONDS = 3.0
TEXT = 'oryntest 1\nbase: {}\n\n> goto {{{{base}}}}/\n  @ / "Plants · Fernhill"\n'


def main() -> int:
    """Measure, and return the exit code."""
    seconds = []
    with Shop(0) as shop, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "start.oryntest"
        file.write_text(TEXT.format(shop.url), encoding="utf-8")
        environment = {**os.environ, "ORYN_HOME": f"{folder}/home"}
        for _ in range(RUNS):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "oryn", "test", "run", str(file)], env=environment, check=True)
            seconds.append(time.perf_counter() - began)
    median = statistics.median(seconds)
    load = os.getloadavg()[0]
    print(f"cold start: median {median:.2f} s, longest {max(seconds):.2f} s of {RUNS} runs; load {load:.0f}")
    return int(median > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
