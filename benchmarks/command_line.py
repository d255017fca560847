"""What a verb of the command line costs beside the command itself: the wall time of `oryn click 3`, as pip installs it,
less the `elapsed_ms` of its answer, paired with `-c pass` of the same interpreter. At most twice that."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._host import FORM, OnePage, compile_modules
from benchmarks._session import row

ROUNDS = 60
SCRIPT = Path(sys.executable).with_name("oryn")


def wall(*command: str) -> tuple[float, bytes]:
    """Milliseconds, and what was printed."""
    begun = time.perf_counter()
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return (time.perf_counter() - begun) * 1000, ended.stdout


def click() -> tuple[float, float]:
    took, printed = wall(str(SCRIPT), "--json", "click", "More")
    elapsed: float = json.loads(printed)["elapsed_ms"]
    return took - elapsed, elapsed


def main() -> None:
    with tempfile.TemporaryDirectory() as home, OnePage(FORM) as page:
        compile_modules(f"{home}/compiled")
        os.environ.update({"ORYN_HOME": home, "ORYN_PORT": "0"})
        try:
            wall(str(SCRIPT), "goto", page.url)
            rounds = [(wall(sys.executable, "-c", "pass")[0], *click()) for _ in range(ROUNDS)][5:]
        finally:
            wall(str(SCRIPT), "daemon", "stop")
    row("median of", "ms")
    row("python -c pass", f"{statistics.median(bare for bare, _, _ in rounds):.1f}")
    row("oryn click, less elapsed_ms", f"{statistics.median(rest for _, rest, _ in rounds):.1f}")
    row("elapsed_ms", f"{statistics.median(elapsed for _, _, elapsed in rounds):.1f}")
    row("ratio (at most 2)", f"{statistics.median(rest / bare for bare, rest, _ in rounds):.2f}")


if __name__ == "__main__":
    main()
