"""The pipeline of research, over real pages, the real model and a real index."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import (
    CollectionMismatch,
    CollectionNotFound,
    MissingArgument,
    NothingFound,
    SearchProviderInvalid,
    SearchRefused,
)
from oryn.research import Research, ResearchOptions
from oryn.research.documents import Passage, ResearchProgress
from oryn.research.embedding import Embedder
from tests.conftest import Run
from tests.research.server import ReceivedRequest, Reply, Site
from tests.research.small_web import CARE, CARS, SPORES, answer, article, refuse

TOPIC = "How do ferns reproduce?"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.page("/spores", article("How ferns make spores", SPORES))
        site.page("/care", article("Caring for Boston ferns", CARE))
        site.page("/cars", article("A new gearbox", CARS))
        answer(site, site.url("/spores"), site.url("/care"), site.url("/cars"))
        yield site


@pytest.fixture(scope="module")
def shared(run: Run[Any], tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Iterator[Research]:
    """One model and one index for all tests of this module; each test has a collection of its own."""
    folder = tmp_path_factory.mktemp("research")

    async def loaded() -> Embedder:
        return embedder

    made = Research(ResearchOptions(index=folder / "index", page_cache=folder / "pages"), embedder=loaded)
    yield made
    run(made.close())


@pytest.fixture
def research(shared: Research, site: Site, tmp_path: Path, request: pytest.FixtureRequest, run: Run[Any]) -> Research:
    """With the parts of `shared` that cost something, and a cache and a collection of the test's own."""
    options = ResearchOptions(
        allow_private=True,
        throttle=0,
        search_url=site.url("/html/"),
        page_cache=tmp_path / "pages",
        collection=request.node.name[-60:],
    )
    return Research(
        options, index=shared.context.index, embedder=shared.context.embedder, workers=run(shared.context.workers())
    )


@asynccontextmanager
async def using(research: Research) -> AsyncIterator[Research]:
    async with research:
        yield research


@pytest.mark.slow
async def test_every_sentence_is_of_its_passage_and_that_of_its_page(research: Research, site: Site) -> None:
    async with using(research):
        report = await research.research(TOPIC, sentences=4)
        assert 1 <= len(report.sentences) <= 4
        for sentence in report.sentences:
            passage = report.passage(sentence.passage)
            assert passage.text[sentence.begin : sentence.end] == sentence.text
            source = report.source(sentence.source)
            assert source.url == passage.url
            page = await research.extract(source.url)
            assert page.text[passage.begin : passage.end] == passage.text
        for passage in report.passages:
            page = await research.extract(passage.url)
            assert passage.text in page.text
    first = report.source(report.sentences[0].source)
    assert (first.number, first.url, first.title) == (1, site.url("/spores"), "How ferns make spores")
    assert (first.found_by, first.language, first.source) == ("duckduckgo", "en", "http")
    assert report.topic == TOPIC
    assert report.collection == research.options.collection
    assert (report.counts["hits"], report.counts["pages"], report.counts["left_out"]) == (3, 3, 0)
    assert set(report.seconds) == {"search", "crawl", "embed", "index", "rank", "summarize"}
    assert "spores" in report.sentences[0].text


@pytest.mark.slow
async def test_failed_pages_are_reported_and_the_rest_is_used(research: Research, site: Site) -> None:
    site.put("/gone", Reply("gone", status=410))
    site.put("/picture", Reply(b"\x89PNG\r\n\x1a\n", type="image/png"))
    site.put("/robots.txt", Reply("User-agent: *\nDisallow: /secret", type="text/plain"))
    answer(site, site.url("/gone"), site.url("/secret"), site.url("/spores"), site.url("/picture"))
    async with using(research):
        report = await research.research(TOPIC)
    assert {each.url: each.code for each in report.left_out} == {
        site.url("/gone"): "FETCH_FAILED",
        site.url("/secret"): "ROBOTS_DISALLOWED",
        site.url("/picture"): "NO_TEXT",
    }
    assert [source.url for source in report.sources] == [site.url("/spores")]
    assert report.counts["left_out"] == 3


async def test_where_all_pages_fail_the_reasons_are_told(research: Research, site: Site) -> None:
    answer(site, *(site.url(f"/gone/{number}") for number in range(4)))
    async with using(research):
        with pytest.raises(NothingFound, match="4 pages came to nothing") as caught:
            await research.research(TOPIC)
    assert "HTTP 404" in caught.value.message
    assert caught.value.message.endswith("and 1 more)")


async def test_a_search_without_results_is_no_report(research: Research, site: Site) -> None:
    answer(site)
    async with using(research):
        with pytest.raises(NothingFound, match=r"nothing to report of 'How do ferns reproduce\?': no pages were found"):
            await research.research(TOPIC)


async def test_a_search_that_is_refused_is_an_error(research: Research, site: Site) -> None:
    refuse(site)
    async with using(research):
        with pytest.raises(SearchRefused):
            await research.research(TOPIC)


async def test_a_refusal_beside_pages_that_were_named_is_told_in_the_report(research: Research, site: Site) -> None:
    refuse(site)
    async with using(research):
        report = await research.research(TOPIC, seeds=[site.url("/spores")])
    assert [(each.code, each.url) for each in report.left_out] == [("SEARCH_REFUSED", "")]
    assert [(source.url, source.found_by) for source in report.sources] == [(site.url("/spores"), "given")]


async def test_a_provider_that_can_t_be_asked_is_an_error_whatever_else_there_is(
    research: Research, site: Site
) -> None:
    async with using(research):
        with pytest.raises(SearchProviderInvalid, match="brave has no key"):
            await research.research(TOPIC, source="brave", seeds=[site.url("/spores")])


async def test_pages_that_are_named_need_no_search(research: Research, site: Site) -> None:
    async with using(research):
        report = await research.research(TOPIC, results=0, seeds=[site.url("/spores"), site.url("/care")])
    assert {source.url for source in report.sources} == {site.url("/spores"), site.url("/care")}
    assert not site.count("/html/")


@pytest.mark.slow
async def test_links_are_read_one_step_further(research: Research, site: Site) -> None:
    links = "".join(f'<a href="/{name}">{name}</a> ' for name in ("spores", "care"))
    site.page(
        "/start", article("Ferns", ["This page has a list of what we have written about ferns so far. " * 8], links)
    )
    site.page("/spores", article("How ferns make spores", SPORES, '<a href="/cars">Cars</a>'))
    answer(site, site.url("/start"))
    async with using(research):
        near = await research.research(TOPIC)
        assert near.counts["pages"] == 1
        far = await research.research(TOPIC, depth=1)
    found = {source.url: source.found_by for source in far.sources}
    assert found == {site.url("/start"): "duckduckgo", site.url("/spores"): "link", site.url("/care"): "link"}
    assert not site.count("/cars")


@pytest.mark.slow
async def test_a_copy_is_not_summed_up_twice_but_named(research: Research, site: Site) -> None:
    with Site("127.0.0.7") as other:
        copy = other.page("/agency", article("Ferns and their spores", SPORES))
        answer(site, site.url("/spores"), copy, site.url("/care"))
        async with using(research):
            report = await research.research(TOPIC, sentences=3)
    said = [" ".join(sentence.text.split()) for sentence in report.sentences]
    assert len(set(said)) == len(said)
    both = {site.url("/spores"), copy}
    for sentence in report.sentences:
        own = report.source(sentence.source).url
        if own in both:
            assert {report.source(number).url for number in sentence.also} == both - {own}
    assert {passage.url for passage in report.passages} >= {site.url("/care")}
    assert len({passage.text for passage in report.passages}) == len(report.passages)


@pytest.mark.slow
async def test_passages_of_a_changed_page_are_replaced(research: Research, site: Site) -> None:
    answer(site, site.url("/spores"))
    async with using(research):
        await research.research(TOPIC)
        site.page("/spores", article("How ferns make spores", CARE))
        await research.research(TOPIC)
        found = await research.passages("spores sporangia prothallus fern air water", limit=50)
    assert found
    assert {each.passage.url for each in found} == {site.url("/spores")}
    assert not any("prothallus" in each.passage.text for each in found)


async def test_a_page_without_text_any_more_is_forgotten_too(research: Research, site: Site) -> None:
    answer(site, site.url("/spores"), site.url("/care"))
    async with using(research):
        await research.research(TOPIC)
        site.put("/spores", Reply("gone", status=410))
        report = await research.research(TOPIC)
    assert {passage.url for passage in report.passages} == {site.url("/care")}


@pytest.mark.slow
async def test_indexed_pages_are_a_source_without_the_web(research: Research, site: Site) -> None:
    async with using(research):
        with pytest.raises(CollectionNotFound):
            await research.research(TOPIC, source="index")
        await research.research(TOPIC)
        before = len(site.requests)
        report = await research.research("How moist should the air be for a Boston fern?", source="index", sentences=2)
    assert len(site.requests) == before
    assert any("moist air" in sentence.text for sentence in report.sentences)
    assert {source.found_by for source in report.sources} == {"index"}


async def test_a_collection_of_another_model_is_no_place_for_this_one_s(research: Research, embedder: Embedder) -> None:
    passage = Passage("1", "https://a.example/", "A", "Ferns.")
    async with using(research):
        index = await research.context.index()
        await index.upsert(research.options.collection, [passage], embedder.embed(["Ferns."]), model="another")
        with pytest.raises(CollectionMismatch):
            await research.research(TOPIC)


@pytest.mark.slow
async def test_both_together_have_more_than_this_run_s_pages(research: Research, site: Site) -> None:
    async with using(research):
        answer(site, site.url("/care"))
        await research.research(TOPIC)
        answer(site, site.url("/spores"))
        alone = await research.research(TOPIC)
        assert [source.url for source in alone.sources] == [site.url("/spores")]
        both = await research.research(TOPIC, source="hybrid")
        assert {source.url: source.found_by for source in both.sources} == {
            site.url("/spores"): "duckduckgo",
            site.url("/care"): "index",
        }
        refuse(site)
        report = await research.research(TOPIC, source="hybrid")
    assert {source.found_by for source in report.sources} == {"index"}
    assert [each.code for each in report.left_out] == ["SEARCH_REFUSED"]


async def test_each_stage_says_how_far_it_is(research: Research) -> None:
    told: list[ResearchProgress] = []
    async with using(research):
        report = await research.research(TOPIC, progress=told.append)
    stages = list(dict.fromkeys(each.stage for each in told))
    assert sorted(stages) == ["crawl", "embed", "index", "rank", "search", "summarize"]
    assert stages[0] == "search"
    assert stages[-2:] == ["rank", "summarize"]
    last = {each.stage: each for each in told}
    assert last["search"].done == 3
    assert last["crawl"].done == 3
    assert last["embed"].done == last["index"].done == report.counts["passages"]
    assert last["rank"].total == report.counts["candidates"]


async def test_it_ends_at_once_when_nobody_waits_any_more(research: Research, site: Site) -> None:
    held, begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def reply(asked: ReceivedRequest) -> Reply:
        loop.call_soon_threadsafe(begun.set)
        return Reply("late", wait=held)

    site.put("/late", reply)
    answer(site, site.url("/spores"), site.url("/late"))
    async with using(research):
        task = asyncio.ensure_future(research.research(TOPIC))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        held.set()
        answer(site, site.url("/spores"))
        report = await research.research(TOPIC)
    assert [source.url for source in report.sources] == [site.url("/spores")]


class ScriptedRenderer:
    """A browser that has run the scripts of a page."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.requests: list[str] = []

    async def render(self, url: str) -> tuple[str, str]:
        self.requests.append(url)
        return url, self.html


@pytest.mark.slow
async def test_a_script_s_shell_is_read_with_a_browser(research: Research, site: Site) -> None:
    shell = (
        '<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>'
    )
    answer(site, site.page("/app", shell), site.page("/other", shell), site.url("/care"))
    async with using(research):
        report = await research.research(TOPIC)
        assert {each.url: each.code for each in report.left_out} == dict.fromkeys(
            (site.url("/app"), site.url("/other")), "NEEDS_BROWSER"
        )
        research.context.renderer = browser = ScriptedRenderer(article("How ferns make spores", SPORES))
        report = await research.research(TOPIC)
    assert sorted(browser.requests) == [site.url("/app"), site.url("/other")]
    assert not report.left_out
    [app] = [source for source in report.sources if source.url == site.url("/app")]
    assert app.source == "browser"
    assert app.why
    assert "spores" in report.sentences[0].text


@pytest.mark.slow
async def test_of_pages_with_one_text_the_first_hit_is_cited(research: Research, site: Site) -> None:
    text = article("How ferns make spores", SPORES)
    copied = threading.Event()

    def first(asked: ReceivedRequest) -> Reply:
        return Reply(text, wait=copied)

    def second(asked: ReceivedRequest) -> Reply:
        copied.set()
        return Reply(text)

    answer(site, site.put("/first", first), site.put("/second", second), site.url("/care"))
    async with using(research):
        report = await research.research(TOPIC)
    assert report.source(report.sentences[0].source).url == site.url("/first")
    assert [report.source(number).url for number in report.sentences[0].also] == [site.url("/second")]


@pytest.mark.slow
async def test_a_search_has_what_was_read_too(research: Research, site: Site) -> None:
    async with using(research):
        await research.research(TOPIC)
        [hit] = await research.search("prothallus", source="index", limit=1)
        assert (hit.url, hit.title, hit.provider) == (site.url("/spores"), "How ferns make spores", "index")
        answer(site, "https://elsewhere.example/", site.url("/spores"))
        both = await research.search("spores of ferns", source="hybrid", limit=3)
        assert both[0].url == site.url("/spores")
        assert "https://elsewhere.example/" in {each.url for each in both}


@pytest.mark.slow
async def test_without_the_web_a_search_has_the_index_and_says_so(research: Research, site: Site) -> None:
    async with using(research):
        await research.research(TOPIC)
        assert not (await research.search("prothallus")).left_out
        refuse(site)
        hits = await research.search("prothallus", limit=1)
        assert [(hit.url, hit.provider) for hit in hits] == [(site.url("/spores"), "index")]
        assert [each.code for each in hits.left_out] == ["SEARCH_REFUSED"]
        both = await research.search("prothallus", source="hybrid", limit=1)
        assert ([hit.url for hit in both], [each.code for each in both.left_out]) == (
            [site.url("/spores")],
            ["SEARCH_REFUSED"],
        )
        with pytest.raises(SearchRefused):
            await research.search("prothallus", source="ddg")


@pytest.mark.slow
async def test_several_questions_share_the_pages_and_have_answers_of_their_own(research: Research, site: Site) -> None:
    topic = "How do ferns make spores, and how many gears has the gearbox?"
    async with using(research):
        report = await research.research(topic, questions=3, sentences=4)
        assert report.questions == ("How do ferns make spores?", "how many gears has the gearbox?")
        assert {each.question for each in report.sentences} == {1, 2}
        urls = {each.question: report.source(each.source).url for each in report.sentences}
        assert (urls[1], urls[2]) == (site.url("/spores"), site.url("/cars"))
        assert len({(each.passage, each.begin) for each in report.sentences}) == len(report.sentences)
        single = await research.research(TOPIC, questions=3)
        assert not single.questions and {each.question for each in single.sentences} == {None}
        with pytest.raises(MissingArgument):
            await research.research(TOPIC, write=True)


@pytest.mark.slow
async def test_options_set_what_a_call_leaves_out(research: Research, site: Site) -> None:
    research.context.options = research.options.replace(
        search_limit=2, research_results=1, summary_sentences=1, rerank_threshold=0.999
    )
    async with using(research):
        assert len(await research.search(TOPIC)) == 2
        assert await research.search(TOPIC, rerank=True) == []
        report = await research.research(TOPIC)
    assert (report.counts["pages"], len(report.sentences)) == (1, 1)


async def test_hits_are_ordered_by_meaning_where_that_is_asked_for(research: Research, site: Site) -> None:
    named = [("Gearboxes", "Cars with eight gears."), ("Fern spores", "How ferns reproduce by spores.")]
    found = "".join(
        f'<div class="result"><a class="result__a" href="https://{number}.example/">{title}</a>'
        f'<a class="result__snippet">{snippet}</a></div>'
        for number, (title, snippet) in enumerate(named)
    )
    site.put("/html/", Reply(found))
    async with using(research):
        assert [hit.title for hit in await research.search(TOPIC)] == ["Gearboxes", "Fern spores"]
        ordered = await research.search(TOPIC, rerank=True)
    assert [hit.title for hit in ordered] == ["Fern spores", "Gearboxes"]
    assert [hit.rank for hit in ordered] == [2, 1]
    assert (ordered[0].score or 0) > (ordered[1].score or 0)


async def test_a_provider_that_is_none_is_told(research: Research) -> None:
    async with using(research):
        with pytest.raises(SearchProviderInvalid, match="no search provider called 'altavista'"):
            await research.search(TOPIC, source="altavista")


@pytest.mark.slow
async def test_collections_are_listed_and_dropped(research: Research) -> None:
    async with using(research):
        await research.research(TOPIC, collection="kept")
        assert "kept" in {collection.name for collection in await research.collections()}
        await research.drop("kept")
        assert "kept" not in {collection.name for collection in await research.collections()}
        with pytest.raises(CollectionNotFound):
            await research.drop("kept")
