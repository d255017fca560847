"""What the engine's own process holds after 100 commands (`/proc/PID/smaps_rollup`, Linux).

usage: python -m benchmarks.memory"""

from __future__ import annotations

import re
from itertools import cycle, islice
from pathlib import Path

from benchmarks._host import FORM, Host, OnePage

COMMANDS = ('type "Name" "Ada"', 'click "More"', "observe", "text", 'check "Newsletter"', 'uncheck "Newsletter"')


def held(process: int) -> dict[str, float]:
    """Megabytes: proportional set size and resident set size."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return {name: int(value) / 1024 for name, value in re.findall(r"^(Pss|Rss):\s+(\d+) kB", rollup, re.MULTILINE)}


def main() -> None:
    with OnePage(FORM) as page:
        host = Host()
        lines = [f"goto {page.url}", *islice(cycle(COMMANDS), 99)]
        for line in lines:
            answer = host.ask(line)
            if answer.startswith("error"):
                raise SystemExit(answer)
        memory = held(host.process.pid)
        host.close()
    print(f"after {len(lines)} commands: resident {memory['Rss']:.1f} MB, proportional {memory['Pss']:.1f} MB")


if __name__ == "__main__":
    main()
