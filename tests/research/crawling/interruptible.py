"""A crawler that is meant to be killed: `python -m tests.research.crawling.interruptible JSON`.

It keeps its results in a journal and says the number of each, when it is safe, on a line of its own; in the end the
crawl's figures, and how close two requests to a host came, in seconds between their departures. Pages are read in
threads, or in processes when `processes` is asked for, as `oryn.research.Research` does.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from oryn.research.crawling import CrawlJournal, CrawlOptions, crawl
from oryn.research.fetching import Fetcher, FetchOptions
from oryn.research.fetching.throttle import SystemClock
from oryn.research.workers.extraction_pool import ExtractionPool
from tests.research.crawling.memory_web import RecordingThrottle
from tests.research.misbehaving_hosts import MAX_BODY

# Nobody here is waited for that long; a test machine may be busy.
FETCHING = FetchOptions(
    allow_private=True, max_body=MAX_BODY, timeout=120.0, silence=60.0, connecting=60.0, environment=False
)


async def main(asked: dict[str, Any]) -> None:
    folder = Path(asked["folder"])
    options = CrawlOptions(**asked["options"])
    throttle = RecordingThrottle(options.delay, options.per_host, SystemClock())
    readers = ExtractionPool() if asked.get("processes") else None
    async with Fetcher(FETCHING) as fetcher:
        with CrawlJournal(folder / "pages.jsonl") as journal:
            crawling = crawl(
                asked["seeds"],
                options,
                fetcher=fetcher,
                workers=readers,
                throttle=throttle,
                state=folder / "state",
                after=journal.last,
            )
            async for each in crawling:
                journal.write(each)
                sys.stdout.write(f"{each.number}\n")
                sys.stdout.flush()
    if readers is not None:
        await readers.close()
    sys.stdout.write(f"{crawling.totals}\n{throttle.closest:.6f}\n")


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
