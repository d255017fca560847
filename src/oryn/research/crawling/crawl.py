"""`crawl`: pages, and those that they link to, politely."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from oryn.research.crawling.clock import Clock, SystemClock
from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.reading import Reads
from oryn.research.crawling.results import Crawled, Totals
from oryn.research.crawling.running import Run
from oryn.research.crawling.throttle import LocalThrottle, Throttle
from oryn.research.documents import Progress

if TYPE_CHECKING:
    from oryn.research.workers import Fetches


class Crawl:
    """The results of a crawl, an asynchronous iterator. Whoever leaves it before its end closes it (`aclose`, or
    `contextlib.aclosing`); what is under way is left then, and asked for again when it goes on."""

    def __init__(self, run: Run, after: int) -> None:
        # The run knows nothing of who iterates it: a crawl that is dropped ends with its last reference.
        self._run = run
        self._results: AsyncGenerator[Crawled, None] = run.results(after)

    @property
    def totals(self) -> Totals:
        """The crawl in figures, now and after its end."""
        return self._run.totals

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Crawled:
        return await anext(self._results)

    async def aclose(self) -> None:
        await self._results.aclose()
        self._run.close()  # also where nothing was asked for


def crawl(
    seeds: Iterable[str],
    options: CrawlOptions = CrawlOptions(),  # noqa: B008 - frozen
    *,
    fetcher: Fetches,
    workers: Reads | None = None,
    state: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    throttle: Throttle | None = None,
    after: int = 0,
    clock: Clock | None = None,
) -> Crawl:
    """Crawl from `seeds` (absolute URLs) on; a result for each page, as they come. To be called in an event loop.

    With `state`, a file, a crawl can be interrupted at any moment, also by `kill -9`, and goes on with the same call:
    what was delivered is not told again, what was under way is asked for again. A result is delivered when the next
    one is asked for. Between what its taker does with a result and that, a process can be killed; then it is told once
    more, with the same `number`. A taker who keeps the number of the last result that is safe with them says `after`,
    and has each exactly once (`Journal` is such a one). Limits in `options` may be others when it goes on; seeds, scope
    and patterns may not.

    Pages that fail are results with an `error`. Raises `CrawlStateInvalid`: here, when `state` is not this crawl's or
    another process has it; from the iteration, when it can't be written or has not yet told what `after` says."""
    clock = clock or SystemClock()
    throttle = throttle or LocalThrottle(options.delay, options.per_host, clock)
    return Crawl(Run(list(seeds), options, fetcher, workers, state, progress, throttle, clock), after)
