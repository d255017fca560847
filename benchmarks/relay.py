"""What a command costs that reaches its session by way of another daemon, against the same command sent to the daemon
that has the session. Both daemons are real and share a database on SQLite, or the one at `--records`.

    python -m benchmarks.relay [--commands 300] [--records postgresql://…]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from tests.daemon.daemon_process import RunningDaemon

LIMIT_MS = 5.0


async def main(commands: int, records: str | None) -> int:
    with tempfile.TemporaryDirectory() as folder:
        url = records or f"sqlite:///{folder}/records.sqlite"
        daemons = [
            RunningDaemon(Path(folder) / name, {"ORYN_RECORDS": url, "ORYN_DAEMON_NAME": name})
            for name in ("one", "two")
        ]
        try:
            await daemons[0].ok("goto data:text/html,<title>Bench</title>")
            seconds: dict[str, list[float]] = {"local": [], "relayed": []}
            for _ in range(commands):
                for way, daemon in zip(seconds, daemons, strict=True):
                    began = time.perf_counter()
                    await daemon.ok("title")
                    seconds[way].append(time.perf_counter() - began)
        finally:
            for daemon in daemons:
                await daemon.stop()
    medians = {way: statistics.median(each) * 1000 for way, each in seconds.items()}
    more = medians["relayed"] - medians["local"]
    print(
        f"local {medians['local']:.2f} ms, relayed {medians['relayed']:.2f} ms: {more:+.2f} ms (at most +{LIMIT_MS:g})"
    )
    return int(more > LIMIT_MS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=int, default=300)
    parser.add_argument("--records")
    options = parser.parse_args()
    raise SystemExit(asyncio.run(main(options.commands, options.records)))
