"""The memory of a daemon's own process: idle, and what 10,000 commands leave.

usage: python -m benchmarks.daemon_memory [--commands N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from benchmarks._host import FORM, OnePage
from benchmarks._session import row
from benchmarks.daemon import Asking
from benchmarks.memory import held
from oryn.daemon_client.client import DaemonClient
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

LIMIT_IDLE, LIMIT_GROWTH = 70, 15
WARM = 200
"""Commands after which the code of each is loaded, and the buffers of the browser's news are as long as they may be."""
LINES = ("title", "observe", 'type "Name" "Ann"', 'click "More"', "url", 'value "Name"', "console", 'click "Nothing"')


@contextmanager
def daemon() -> Iterator[tuple[int, Asking]]:
    """A daemon with a home of its own: its process, and a connection to it."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update({"ORYN_HOME": home, "ORYN_PORT": "0"})
        oryn = [sys.executable, "-m", "oryn", "daemon"]
        subprocess.run([*oryn, "start"], check=True, stdout=subprocess.DEVNULL)
        try:
            status = DaemonClient(DaemonInstance(find())).status()
            yield status["pid"], Asking(status, Path(home, "data", "daemon", "token").read_text().strip())
        finally:
            subprocess.run([*oryn, "stop"], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="not used: every benchmark is given the folder of the page set")
    parser.add_argument("--commands", type=int, default=10_000)
    chosen = parser.parse_args()
    with OnePage(FORM) as page, daemon() as (process, asking):
        row("", "resident MB", "limit")
        row("idle", f"{held(process)['Rss']:.1f}", LIMIT_IDLE)
        for number, line in enumerate(islice(cycle(LINES), WARM + chosen.commands)):
            if number % 400 == 0:
                asking.ask(f"goto {page.url}")  # else its list grows for ever
            if number == WARM:
                before = held(process)["Rss"]
            asking.ask(line, must=False)
        row(f"more after {chosen.commands}", f"{held(process)['Rss'] - before:+.1f}", LIMIT_GROWTH)


if __name__ == "__main__":
    main()
