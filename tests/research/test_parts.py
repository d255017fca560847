"""The parts of a `Research`: made once, when they are needed, by the options; closed where they were made."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oryn.core.records import Record
from oryn.errors import AddressNotAllowed, BodyTooLarge, DomainNotAllowed, EmbeddingModelMissing
from oryn.language import Command
from oryn.language.commands.research import Crawl, Graph, Investigate, WebSearch
from oryn.research import Research, ResearchOptions
from oryn.research.crawling import CrawlOptions
from oryn.research.index import EmbeddedIndex
from oryn.settings import RESEARCH, SETTINGS, Settings
from tests.research.server import Reply, Site


def options(folder: Path, **more: Any) -> ResearchOptions:
    return ResearchOptions(page_cache=folder / "pages", index=folder / "index", throttle=0, **more)


def test_every_setting_of_research_is_an_option_with_the_same_default() -> None:
    of_sessions = {"allowed_domains", "denied_domains"}
    of_its_browser = {"browser_proxy": "proxy", "browser_proxy_bypass": "proxy_bypass"}
    assert {*RESEARCH, *of_sessions, *of_its_browser} == set(ResearchOptions.__fields__)
    assert ResearchOptions(**{name: getattr(Settings(), name) for name in RESEARCH}) == ResearchOptions()
    assert of_sessions | {*of_its_browser.values()} < set(SETTINGS)


@pytest.mark.parametrize(
    ("command", "engine"),
    [(WebSearch, Research.search), (Crawl, CrawlOptions), (Investigate, Research.research), (Graph, Research.graph)],
)
def test_help_tells_the_engines_own_defaults(command: type[Command], engine: Callable[..., object]) -> None:
    told = {
        name: int(found[1])
        for name, option in command.spec.options.items()
        if (found := re.search(r" \((\d+)\)$", option.help))
    }
    if isinstance(engine, type) and issubclass(engine, Record):
        own = {name: field.default for name, field in engine.__fields__.items()}
    else:
        own = {name: parameter.default for name, parameter in inspect.signature(engine).parameters.items()}
    counts = {name for name, default in own.items() if type(default) is int and name in command.spec.options}
    assert told.keys() == counts and told == {name: own[name] for name in counts}


async def test_a_part_is_made_once_for_all_who_ask_at_the_same_time(tmp_path: Path) -> None:
    async with Research(options(tmp_path)) as research:
        first, second = await asyncio.gather(research.context.fetcher(), research.context.fetcher())
        assert first is second
        assert await research.context.index() is await research.context.index()
        assert await research.context.workers() is await research.context.workers()


async def test_nothing_is_made_before_it_is_needed(tmp_path: Path) -> None:
    async with Research(options(tmp_path)):
        pass
    assert os.listdir(tmp_path) == []


class FlakyIndex:
    """Gives an index, but not at the first time."""

    def __init__(self, folder: Path) -> None:
        self.index = EmbeddedIndex(folder)
        self.requests = 0
        self.begun = asyncio.Event()
        self.free = asyncio.Event()

    async def __call__(self) -> EmbeddedIndex:
        self.requests += 1
        if self.requests == 1:
            self.begun.set()
            await self.free.wait()
            raise OSError("not yet")
        return self.index


async def test_failed_component_is_created_again_by_waiting_callers(tmp_path: Path) -> None:
    opening = FlakyIndex(tmp_path / "own")
    async with Research(options(tmp_path), index=opening) as research:
        first, second = asyncio.ensure_future(research.context.index()), asyncio.ensure_future(research.context.index())
        await opening.begun.wait()
        opening.free.set()
        with pytest.raises(OSError, match="not yet"):
            await first
        assert await second is opening.index
    await opening.index.close()


async def test_cancelled_caller_does_not_affect_other_callers(tmp_path: Path) -> None:
    opening = FlakyIndex(tmp_path / "own")
    async with Research(options(tmp_path), index=opening) as research:
        first, second = asyncio.ensure_future(research.context.index()), asyncio.ensure_future(research.context.index())
        await opening.begun.wait()
        first.cancel()
        assert await second is opening.index
        assert first.cancelled()
    await opening.index.close()


async def test_passed_component_is_not_closed(tmp_path: Path) -> None:
    index = EmbeddedIndex(tmp_path / "own")
    async with Research(options(tmp_path), index=index) as research:
        assert await research.collections() == []
    assert await index.collections() == []
    await index.close()


async def test_created_component_is_closed(tmp_path: Path) -> None:
    for _ in range(2):
        async with Research(options(tmp_path)) as research:
            assert await research.collections() == []


async def test_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    async with Research(options(tmp_path, embedding_model=tmp_path / "nowhere")) as research:
        with pytest.raises(EmbeddingModelMissing):
            await research.passages("ferns")


async def test_the_options_limits_hold_for_what_is_fetched(tmp_path: Path) -> None:
    with Site() as site:
        large = site.put("/large", Reply("<p>" + "ferns " * 200_000))
        async with Research(options(tmp_path / "1")) as research:
            with pytest.raises(AddressNotAllowed):
                await research.extract(large)
            [crawled] = [each async for each in research.crawl([large])]
            assert crawled.error is not None
            assert crawled.error.code == "ADDRESS_NOT_ALLOWED"
        async with Research(options(tmp_path / "2", allow_private=True, max_body=1)) as research:
            with pytest.raises(BodyTooLarge):
                await research.extract(large)
        async with Research(options(tmp_path / "3", allow_private=True, denied_domains=("127.0.0.1",))) as research:
            with pytest.raises(DomainNotAllowed):
                await research.extract(large)


async def test_the_limits_are_its_own_whatever_workers_it_was_given(tmp_path: Path) -> None:
    with Site() as site:
        url = site.page("/", "<article><h1>Ferns</h1><p>They have spores.</p></article>")
        async with Research(options(tmp_path, allow_private=True)) as lax:
            workers = await lax.context.workers()
            async with Research(options(tmp_path), workers=workers) as strict:
                [crawled] = [each async for each in strict.crawl([url])]
        assert crawled.error is not None
        assert crawled.error.code == "ADDRESS_NOT_ALLOWED"
        assert not site.requests


@pytest.mark.slow
async def test_a_crawl_tells_its_figures_at_any_time(tmp_path: Path) -> None:
    with Site() as site:
        site.page("/", '<article><h1>Ferns</h1><p>They have spores.</p><a href="/b">b</a></article>')
        site.page("/b", "<article><h1>Mosses</h1><p>They have spores too.</p></article>")
        async with Research(options(tmp_path, allow_private=True)) as research:
            crawl = research.crawl([site.url()])
            assert crawl.totals.told == 0
            assert (await anext(crawl)).url == site.url()
            await crawl.aclose()
            whole = research.crawl([site.url()])
            assert [each.url async for each in whole] == [site.url(), site.url("/b")]
            assert whole.totals.told == 2
            await research.crawl([site.url()]).aclose()
