"""The worker, the tab, the server and the network of a remote browser end, in random order, while commands run.

usage: python -m benchmarks.remote_faults [FOLDER] [--times N] [--seed N]     (FOLDER is ignored)

A line for each kind: how often, what became of the command under way, seconds until the next one is answered well.
Last line: the longest of these, which may be 40 s."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from collections import Counter
from pathlib import Path

from scripts.extension import copy
from tests.extension.faults import Record, Rig, inject_faults


def summary(fault: str, records: list[Record]) -> str:
    backs = sorted(record.back for record in records)
    became = Counter(
        "answered" if record.answer.startswith("ok ") else record.answer.rpartition('": ')[2].partition(";")[0]
        for record in records
    )
    what = "; ".join(f"{times}x {answer}" for answer, times in became.most_common())
    return f"{fault:8} {len(records):3}  back after {statistics.median(backs):.1f} s, at most {backs[-1]:.1f} s  {what}"


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with Rig(Path(folder), copy(Path(folder, "extension"))) as rig:
            records = await inject_faults(rig, given.times, given.seed)
    for fault in sorted({record.fault for record in records}):
        print(summary(fault, [record for record in records if record.fault == fault]))
    print(f"longest: {max(record.back for record in records):.1f} s of 40")


if __name__ == "__main__":
    asyncio.run(main())
