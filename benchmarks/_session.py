"""A session in a headless browser for the benchmarks, and what they share in counting."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from oryn.browsers.base import Browser
from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Answer, Options, Session

DEFAULT_SET = "../shared/evals/public"


def folder_argument(description: str | None) -> Path:
    """The folder of the page set, from the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", nargs="?", default=DEFAULT_SET, type=Path)
    folder: Path = parser.parse_args().folder
    return folder


MODES = ("headless", "embedded", "playwright")
"""The modes that a benchmark can run in."""


@asynccontextmanager
async def browser_session(mode: str) -> AsyncIterator[Session]:
    """A session in a browser of its own of one of `MODES`."""
    with tempfile.TemporaryDirectory() as runtime:
        session = Session(_browser(mode, Path(runtime)), options=Options(timeout=60))
        try:
            yield session
        finally:
            await session.close()


headless_session = partial(browser_session, "headless")


def _browser(mode: str, runtime: Path) -> Browser:
    if mode == "headless":
        return ChromiumBrowser(runtime_dir=runtime)
    if mode == "playwright":
        from oryn.browsers.playwright import PlaywrightBrowser

        return PlaywrightBrowser(runtime_dir=runtime)
    from oryn.browsers.webkit import WebKitBrowser

    return WebKitBrowser(runtime_dir=runtime)


async def must(session: Session, line: str) -> Answer:
    """The answer, or the end of the benchmark: a figure over failures is none."""
    answer = await session.execute(line)
    if not answer.ok:
        raise SystemExit(answer.render())
    return answer


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """Seconds that it takes."""
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


async def paired(
    first: Callable[[], Awaitable[object]],
    second: Callable[[], Awaitable[object]],
    *,
    rounds: int,
    warm: int = 2,
    spread: float = 0,
) -> tuple[float, float]:
    """Medians in seconds of two pieces of work run in turn, after `warm` rounds that do not count. Each begins after a
    random part of `spread` seconds: what waits for a browser's next frame would else begin at one point of it."""
    times: list[tuple[float, float]] = []
    chance = random.Random(1)
    for _ in range(rounds + warm):
        await asyncio.sleep(chance.uniform(0, spread))
        began = await timed(first)
        await asyncio.sleep(chance.uniform(0, spread))
        times.append((began, await timed(second)))
    counted = times[warm:]
    return statistics.median(a for a, _ in counted), statistics.median(b for _, b in counted)


def row(*cells: object, widths: Sequence[int] = (34, 12, 12, 10)) -> None:
    print("  ".join(f"{cell!s:<{width}}" for cell, width in zip(cells, widths, strict=False)).rstrip(), flush=True)


def run(main: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(main())  # type: ignore[arg-type]
