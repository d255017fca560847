"""Interrupts at every moment: nothing is lost, nothing is told twice."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.errors import CrawlStateInvalid, FetchFailed
from oryn.research.crawling import CrawlJournal, CrawlOptions, CrawlResult, CrawlTotals, crawl
from oryn.research.crawling.state import CrawlState
from tests.research.crawling.memory_web import Clock, Found, RecordingThrottle, Route, Web, redirect
from tests.research.crawling.test_crawl import A, B, linked

OPTIONS = CrawlOptions(delay=1, per_host=2, sitemaps=True, retries=2)


def web() -> Web:
    """One of everything."""
    answers: list[Found] = [FetchFailed("down", status=500, again=True), "Up."]
    pages: dict[str, Route] = {
        A: linked("/1", "/2", "/old", "/copy", "/gone", "/flaky", text="a"),
        f"{A}robots.txt": "User-agent: *\nDisallow: /no",
        f"{A}sitemap.xml": "".join(f"{A}listed/{each}\n" for each in range(3)),
        f"{A}1": linked("/3", "/no", text="One."),
        f"{A}2": "Two.",
        f"{A}3": "Three.",
        f"{A}copy": "Two.",
        f"{A}old": redirect("/new"),
        f"{A}new": "New.",
        f"{A}flaky": lambda _: answers.pop(0) if len(answers) > 1 else "Up.",
        B: "b",
    }
    return Web(pages | {f"{A}listed/{each}": f"Listed {each}." for each in range(3)})


class Killed(BaseException):
    """As if the process were gone."""


@pytest.fixture
def kill_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Counts before and after every change of a state, and kills when `at` is reached; 0 is never."""
    clock = {"now": 0, "at": 0}
    change = CrawlState.change

    def reached() -> None:
        clock["now"] += 1
        if clock["now"] == clock["at"]:
            raise Killed

    @contextlib.contextmanager
    def killing(self: CrawlState) -> Iterator[None]:
        nested = self._database.in_transaction
        with change(self):
            yield
            if not nested:
                reached()
        if not nested:
            reached()

    monkeypatch.setattr(CrawlState, "change", killing)
    # No power fails here; and there are many moments.
    monkeypatch.setattr(CrawlState, "sync", lambda _: None)
    yield clock


async def resume(
    found: Web, state: Path, lines: list[CrawlResult], most: int | None = None, third: asyncio.Event | None = None
) -> CrawlTotals:
    """As far as it goes, keeping what is told at once; at most so many results. Tells of the `third`."""
    clock = Clock()
    crawling = crawl(
        [A, B], OPTIONS, fetcher=found, workers=found, state=state, clock=clock,
        throttle=RecordingThrottle(OPTIONS.delay, OPTIONS.per_host, clock), after=lines[-1].number if lines else 0,
    )  # fmt: skip
    async with contextlib.aclosing(crawling):
        async for each in crawling:
            lines.append(each)
            if third and len(lines) == 3:
                third.set()
            if len(lines) == most:
                break
    return crawling.totals


def texts(lines: list[CrawlResult]) -> list[str]:
    return sorted(each.article.text if each.article else str(each.error) for each in lines)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_and_repeats_nothing(kill_points: dict[str, int], tmp_path: Path) -> None:
    whole: list[CrawlResult] = []
    asyncio.run(resume(web(), tmp_path / "whole", whole))
    assert len(whole) == 11
    for moment in range(1, kill_points["now"] + 1):
        kill_points |= {"now": 0, "at": moment}
        lines: list[CrawlResult] = []
        found = web()
        with pytest.raises(Killed):
            asyncio.run(resume(found, tmp_path / f"{moment}", lines))
        kill_points |= {"at": 0}
        asyncio.run(resume(found, tmp_path / f"{moment}", lines))
        assert texts(lines) == texts(whole), moment
        assert [each.number for each in lines] == list(range(1, len(lines) + 1)), moment


@pytest.mark.parametrize("most", range(1, 11))
def test_interrupted_crawl_resumes(most: int, tmp_path: Path) -> None:
    lines: list[CrawlResult] = []
    found = web()
    asyncio.run(resume(found, tmp_path / "state", lines, most))
    assert len(lines) == most
    asyncio.run(resume(found, tmp_path / "state", lines))
    assert len({each.number for each in lines}) == len(lines) == 11
    asked = len(found.requests)
    assert asyncio.run(resume(found, tmp_path / "state", lines)) == CrawlTotals(
        told=10, failed=1, duplicates=1, redirects=1, disallowed=1, listings=1, retries=1
    )
    assert len(lines) == 11 and len(found.requests) == asked, "a crawl that has ended has ended"


def test_unacknowledged_result_is_repeated_with_its_number(tmp_path: Path) -> None:
    async def first(count: int) -> list[CrawlResult]:
        found = web()
        async with contextlib.aclosing(
            crawl([A], OPTIONS, fetcher=found, workers=found, state=tmp_path / "state", clock=Clock())
        ) as crawling:
            return [await anext(crawling) for _ in range(count)]

    one, two = asyncio.run(first(2))
    again, three = asyncio.run(first(2))
    assert again == two and (one.number, two.number, three.number) == (1, 2, 3)


def test_a_cancelled_crawl_goes_on(tmp_path: Path) -> None:
    lines: list[CrawlResult] = []
    found = web()

    async def cancelled() -> None:
        third = asyncio.Event()
        task = asyncio.create_task(resume(found, tmp_path / "state", lines, third=third))
        await third.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1, "nothing of it is left"

    asyncio.run(cancelled())
    asyncio.run(resume(found, tmp_path / "state", lines))
    assert len({each.number for each in lines}) == len(lines) == 11


def test_a_crawl_that_is_dropped_ends() -> None:
    async def drop() -> None:
        found = web()
        async for _ in crawl([A], OPTIONS, fetcher=found, workers=found, clock=Clock()):
            break
        await asyncio.sleep(0)  # the loop closes generators that are dropped, in a task of its own
        await asyncio.sleep(0)
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)
        assert not found.count(f"{A}3")

    asyncio.run(drop())


class StoppingThrottle(RecordingThrottle):
    """Says when a host asked for a pause."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(1, 1, clock)
        self.requests = asyncio.Event()

    async def slow(self, host: str, seconds: float) -> None:
        await super().slow(host, seconds)
        self.requests.set()


def test_host_pauses_hold_after_an_interrupt(tmp_path: Path) -> None:
    found = Web(
        {
            f"{A}robots.txt": "User-agent: *\nCrawl-delay: 5",
            A: linked("/1", "/2", text="a"),
            f"{A}1": FetchFailed("later", status=429, again=True, wait=100.0),
            f"{A}2": "Two.",
        }
    )

    async def everything(throttle: RecordingThrottle, clock: Clock) -> None:
        crawling = crawl(
            [A], CrawlOptions(), fetcher=found, workers=found, state=tmp_path / "s", clock=clock, throttle=throttle
        )
        async with contextlib.aclosing(crawling):
            async for _ in crawling:
                pass

    async def interrupted(clock: Clock) -> float:
        throttle = StoppingThrottle(clock)
        task = asyncio.create_task(everything(throttle, clock))
        await throttle.requests.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return throttle.slowed[0][1]

    clock = Clock()
    said = asyncio.run(interrupted(clock))
    found.pages[f"{A}1"] = "Now."
    after = Clock()
    after.at = clock.at
    throttle = RecordingThrottle(1, 1, after)
    asyncio.run(everything(throttle, after))
    first, second = throttle.of("a.example")
    # Seconds since 1970 have a millionth of one.
    assert first >= said + 100 - 1e-3 and second >= first + 5 - 1e-3


# --- the file


def test_the_state_is_this_crawls_alone(tmp_path: Path) -> None:
    async def begin(seeds: list[str], options: CrawlOptions = OPTIONS, state: str = "state") -> None:
        found = web()
        async with contextlib.aclosing(
            crawl(seeds, options, fetcher=found, workers=found, state=tmp_path / state, clock=Clock())
        ) as crawling:
            await anext(crawling)
            if state == "state":
                with pytest.raises(CrawlStateInvalid, match="another process is crawling with it"):
                    crawl(seeds, options, fetcher=found, state=tmp_path / state)

    asyncio.run(begin([A, B]))
    asyncio.run(begin([B, A], OPTIONS.replace(pages=5)))
    for seeds, options in (([A], OPTIONS), ([A, B], OPTIONS.replace(scope="any"))):
        with pytest.raises(CrawlStateInvalid, match="of a crawl with other seeds or another scope"):
            asyncio.run(begin(seeds, options))
    (tmp_path / "text").write_text("This is a text and no state. " * 9)
    with pytest.raises(CrawlStateInvalid, match="this is not a state of a crawl"):
        asyncio.run(begin([A], state="text"))
    with contextlib.closing(sqlite3.connect(tmp_path / "other")) as other:
        other.executescript("CREATE TABLE about (name, value); VACUUM;")
    with pytest.raises(CrawlStateInvalid, match="another version"):
        asyncio.run(begin([A], state="other"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(CrawlStateInvalid, match="folder"):
        asyncio.run(begin([A], state="folder"))
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0


def test_a_state_that_is_behind_its_taker_is_refused(tmp_path: Path) -> None:
    async def begin() -> None:
        found = web()
        await anext(crawl([A], fetcher=found, workers=found, state=tmp_path / "state", after=7))

    with pytest.raises(CrawlStateInvalid, match="has not told a result 7 yet"):
        asyncio.run(begin())


# --- the journal


def result(number: int) -> CrawlResult:
    return CrawlResult(number=number, url=f"{A}{number}", depth=0)


def test_a_journal_knows_its_last_number_and_cuts_what_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    with CrawlJournal(path) as journal:
        assert journal.last == 0
        for number in (1, 2, 3):
            journal.write(result(number))
        assert journal.last == 3
    whole = path.read_bytes()
    for cut in range(0, len(whole) + 1, 5):
        path.write_bytes(whole[:cut])
        with CrawlJournal(path) as journal:
            assert journal.last == whole[:cut].count(b"\n")
            journal.write(result(journal.last + 1))
        numbers = [json.loads(line)["number"] for line in path.read_text().splitlines()]
        assert numbers == list(range(1, whole[:cut].count(b"\n") + 2))
    assert path.stat().st_mode & 0o077 == 0


def test_a_journal_finds_the_end_of_long_lines(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    with CrawlJournal(path) as journal:
        journal.write(result(1).replace(content_type="x" * 200_000))
    with path.open("ab") as file:
        file.write(b'{"number": 2, "url": "' + b"y" * 150_000)
    with CrawlJournal(path) as journal:
        assert journal.last == 1
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("line", ["hello\n", "{}\n", "[1]\n", '{"number": "x"}\n'])
def test_journal_rejects_a_file_with_other_content(line: str, tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(line)
    with pytest.raises(CrawlStateInvalid, match="something other than crawl results"):
        CrawlJournal(path)
    with pytest.raises(CrawlStateInvalid):
        CrawlJournal(tmp_path)
    assert path.read_text() == line
