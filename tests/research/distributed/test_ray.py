"""Research on a Ray cluster of two cores that is begun for these tests, which are few: a cluster takes its time."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import ClusterFailed, ExtractionFailed, FetchFailed, NoText
from oryn.research.context import open_workers
from oryn.research.crawling import CrawlOptions
from oryn.research.documents import FetchedPage
from oryn.research.options import ResearchOptions
from oryn.research.research import Research
from tests.conftest import Run
from tests.research.server import Site

ray = pytest.importorskip("ray", reason="Ray is not installed: setup/ray.sh does that")

from oryn.research.workers.ray import RayWorkers, cluster, index_crawl  # noqa: E402
from oryn.research.workers.ray import workers as workers_module  # noqa: E402
from oryn.research.workers.ray.actors import RayThrottle  # noqa: E402
from oryn.research.workers.ray.cluster import map_ray_errors  # noqa: E402

# It warns of its own future, and leaves sockets to the garbage collector.
pytestmark = [pytest.mark.timeout(600), pytest.mark.filterwarnings("ignore")]

TEXTS = ["Ferns have no flowers.", "The tide turns twice a day.", "Bread is baked at noon."] * 30


@pytest.fixture(scope="module")
def started() -> Iterator[None]:
    """A cluster that outlives the workers of each test."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cluster.ENVIRONMENT.items():
            patch.setenv(name, value)
        ray.init(address="local", num_cpus=2, namespace=cluster.NAMESPACE, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.fixture
def options(started: None, tmp_path: Path) -> ResearchOptions:
    return ResearchOptions(
        engine="ray",
        page_cache=tmp_path / "pages",
        index=tmp_path / "index",
        allow_private=True,
        throttle=0.0,
    )


@pytest.fixture
def workers(options: ResearchOptions, run: Run[None]) -> Iterator[RayWorkers]:
    workers = RayWorkers(options)
    yield workers
    run(workers.close())


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        links = "".join(f'<a href="/{number}">Page {number}</a> ' for number in range(6))
        site.page("/", f"<main><p>Here begins the small site of the ferns.</p>{links}</main>")
        for number in range(6):
            told = f"Fern number {number} grows in the shade of wall {number}, and nowhere else on the island. "
            site.page(f"/{number}", f"<article><h1>Fern {number}</h1><p>{told * 3}</p></article>")
        yield site


async def test_pages_are_fetched_read_and_embedded_elsewhere(workers: RayWorkers, site: Site) -> None:
    page, _ = await asyncio.gather(workers.fetch(site.url("/3")), workers.fetch(site.url("/4")))
    assert len(workers._fetchers) == cluster.machines() == 1
    assert (page.status, page.source) == (200, "http")
    assert (await workers.fetch(site.url("/3"))).body == page.body
    assert "Fern number 3 grows in the shade" in (await workers.article(page)).text
    vectors = await workers.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert (vectors[:3] == vectors[-3:]).all() and not (vectors[0] == vectors[1]).all()
    assert (await workers.embed([])).shape == (0, 384)


async def test_errors_come_back_as_themselves(workers: RayWorkers, site: Site) -> None:
    with pytest.raises(FetchFailed) as caught:
        await workers.fetch(site.url("/missing"))
    assert type(caught.value) is FetchFailed and caught.value.status == 404
    page = await workers.fetch(site.url("/1"))
    with pytest.raises(NoText):
        await workers.article(page.replace(body=b"\x89PNG\r\n\x1a\n", content_type="image/png"))
    with pytest.raises(ClusterFailed, match=r"^counting failed: ZeroDivisionError: "):
        with map_ray_errors("counting"):
            await ray.remote(lambda: 1 // 0).remote()


async def test_a_page_that_ends_its_process_or_never_ends_costs_only_itself(
    workers: RayWorkers, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await workers.fetch(site.url("/1"))
    monkeypatch.setattr(workers_module, "read_page", _crash)
    with pytest.raises(ExtractionFailed, match=r"can't be read: it ended the process that did$"):
        await workers.article(page)
    monkeypatch.setattr(workers_module, "read_page", _hang)
    monkeypatch.setattr(workers_module, "PAGE_TIMEOUT_SECONDS", 0.5)
    with pytest.raises(ExtractionFailed, match=r"can't be read within 0\.5 s$"):
        await workers.article(page)
    monkeypatch.undo()
    assert "Fern number 1" in (await workers.article(page)).text


def _crash(page: FetchedPage) -> None:
    os._exit(1)


def _hang(page: FetchedPage) -> None:
    import time

    time.sleep(3600)


async def test_pages_are_read_with_the_priority_of_this_process(started: None) -> None:
    """Below it, a busy machine leaves them too little of a page's time."""
    assert await ray.remote(_niceness).remote() == os.nice(0)


def _niceness() -> int:
    return os.nice(0)


async def test_one_throttle_serves_all_crawls_and_the_longest_pause_holds(workers: RayWorkers) -> None:
    hasty, patient = await workers.throttle(0.0, 2), await workers.throttle(1000.0, 2)
    assert isinstance(hasty, RayThrottle)
    assert await hasty.ask("ferns.example") == 0.0
    assert await patient.ask("ferns.example") > 900
    assert await hasty.ask("ferns.example") > 900
    assert await hasty.ask("other.example") == 0.0
    await hasty.begun("other.example")
    await hasty.done("other.example")
    await hasty.slow("other.example", 500)
    assert await patient.ask("other.example") > 400
    await patient.pace("third.example", 5000)
    assert await hasty.ask("third.example") == 0.0
    assert await hasty.ask("third.example") > 4000


async def test_a_crawl_runs_there_and_what_it_wrote_becomes_a_collection(
    options: ResearchOptions, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []
    there = RayWorkers.fetch

    async def fetch(workers: RayWorkers, url: str, **given: Any) -> FetchedPage:
        fetched.append(url)
        return await there(workers, url, **given)

    monkeypatch.setattr(RayWorkers, "fetch", fetch)
    written = tmp_path / "crawl.jsonl"
    async with Research(options) as research:
        crawl = research.crawl([site.url("/")], CrawlOptions(depth=1, delay=0.0, robots=False))
        results = [crawled async for crawled in crawl]
        assert {crawled.url for crawled in results} == {site.url("/"), *(site.url(f"/{n}") for n in range(6))}
        assert {crawled.url for crawled in results} == set(fetched)
        written.write_text("".join(json.dumps(crawled.form()) + "\n" for crawled in results), "utf-8")
        index = await research.context.index()
        count = await index_crawl([written], index=index, collection="ferns", options=options)
        assert count == sum(crawled.article is not None for crawled in results)
        found = await research.passages("Which fern grows at wall 4?", collection="ferns", limit=1)
        assert found[0].passage.url == site.url("/4")


async def test_a_program_chooses_it_by_an_option(options: ResearchOptions) -> None:
    async def none() -> None:
        raise AssertionError("made here")

    workers = open_workers(options, fetcher=none, embedder=none)  # type: ignore[arg-type]
    assert isinstance(workers, RayWorkers)
    await workers.close()
    assert ray.is_initialized()


async def test_a_cluster_that_is_not_there_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**given: object) -> None:
        raise ConnectionError("nothing listens there")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refuse)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    workers = RayWorkers(ResearchOptions(engine="ray", ray_address="127.0.0.1:1"))
    with pytest.raises(ClusterFailed, match=r"^Ray can't be reached at 127\.0\.0\.1:1: nothing listens there$"):
        await workers.fetch("http://example.com/")
    await asyncio.wait_for(workers.close(), 10)
