"""Processes that turn pages into articles.

Extraction is mostly Python: on two cores, threads of one process were as fast as processes, but can't be killed
(`oryn.system.process_pool`)."""

from __future__ import annotations

import os
import pickle
from typing import Any

from oryn.errors import ExtractionFailed, OrynError
from oryn.research.documents import Article, FetchedPage
from oryn.system.process_pool import ProcessPool, WorkerEnded

PAGE_TIMEOUT_SECONDS = 60.0
"""The maximum time for one page. Half a second is slow."""

MAX_PROCESSES = 4
"""The maximum number of processes, if there are as many cores. Each has about 90 MB."""

READ_FUNCTION = "oryn.research.extractor:read"
"""The function that extracts an article: its module and its name."""


class ExtractionPool:
    """At most `max_processes` processes, started as needed; idle ones wait for the next page. A page may take `limit`
    seconds. `read` names the function that extracts an article (`module:function`)."""

    def __init__(
        self, max_processes: int | None = None, limit: float = PAGE_TIMEOUT_SECONDS, read: str = READ_FUNCTION
    ) -> None:
        self._pool = ProcessPool(
            ("oryn.research.workers.extraction_process", read),
            max_processes=max_processes or min(MAX_PROCESSES, os.cpu_count() or 1),
            seconds=limit,
        )

    async def article(self, page: FetchedPage) -> Article:
        """The article of a page. Raises what `run` does."""
        article: Article = await self.run(page)
        return article

    async def run(self, page: FetchedPage) -> Any:
        """What the function makes of a page. Raises what the function raises, and `ExtractionFailed` if it takes too
        long or ends its process."""
        try:
            answer = pickle.loads(await self._pool.run(pickle.dumps(page)))
        except TimeoutError:
            raise ExtractionFailed(f"{page.url} can't be read within {self._pool.seconds:g} s") from None
        except WorkerEnded:
            raise ExtractionFailed(f"{page.url} can't be read: it ended the process that did") from None
        if isinstance(answer, OrynError):
            raise answer
        return answer

    async def close(self) -> None:
        """End the processes."""
        await self._pool.close()
