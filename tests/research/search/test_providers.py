"""Providers register themselves, and are found by their names."""

from __future__ import annotations

import asyncio
import threading
from typing import ClassVar, Self

import pytest

from oryn.errors import ConfigurationError, SearchProviderInvalid
from oryn.research.documents import Hit
from oryn.research.options import ResearchOptions
from oryn.research.search import SearchClient, SearchProvider, provider_of, providers, registered, sources_for
from oryn.research.search import SearchSources as Sources
from oryn.research.search.engines.duckduckgo import DuckDuckGo
from oryn.research.search.provider import _PROVIDERS, ALIASES, DEFAULT_WEB_PROVIDER, HYBRID, INDEX
from oryn.settings import SETTINGS, load
from oryn.system.paths import find
from tests.research.search.fake_engine import search_client
from tests.research.server import ReceivedRequest, Reply, Site


def test_every_module_of_the_folder_is_a_provider() -> None:
    assert providers() == ["brave", "duckduckgo", "searxng", "wikipedia"]


async def test_a_short_name_is_one_too() -> None:
    async with search_client() as client:
        assert isinstance(provider_of("ddg", ResearchOptions(), client), DuckDuckGo)


def test_the_setting_takes_what_a_source_may_be() -> None:
    kind = SETTINGS["search_provider"].kind
    assert set(kind.choices) == {*providers(), *ALIASES, INDEX, HYBRID}
    assert SETTINGS["search_provider"].default == ResearchOptions().search_provider == DEFAULT_WEB_PROVIDER
    with pytest.raises(ConfigurationError) as caught:
        load({"search_provider": "altavista"}, find(), {})
    assert caught.value.message == "search_provider can't be 'altavista' (from the flag --search-provider)"
    for name in kind.choices:
        assert kind.read(name.upper()) == name
        assert name in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("source", "usual", "provider", "index"),
    [
        (None, "wikipedia", "wikipedia", False),
        ("brave", "wikipedia", "brave", False),
        ("hybrid", "wikipedia", "wikipedia", True),
        (None, "hybrid", "duckduckgo", True),
        ("hybrid", "hybrid", "duckduckgo", True),
        ("Hybrid", "index", "duckduckgo", True),
        (None, "index", None, True),
        ("index", "wikipedia", None, True),
        ("wikipedia", "hybrid", "wikipedia", False),
    ],
)
def test_source_selects_provider_and_index(source: str | None, usual: str, provider: str | None, index: bool) -> None:
    assert sources_for(source, usual) == Sources(provider, index)


@pytest.mark.parametrize(
    ("name", "says", "hint"),
    [
        (
            "altavista",
            "there is no search provider called 'altavista'",
            "Known are brave, duckduckgo, searxng, wikipedia; index and hybrid too.",
        ),
        ("brave", "brave has no key", "Set brave_key to the key of your account."),
        (
            "searxng",
            "searxng has no address",
            "Set searxng_url to your own instance, such as http://localhost:8888.",
        ),
    ],
)
async def test_one_that_can_t_be_asked_says_what_it_lacks(name: str, says: str, hint: str) -> None:
    async with search_client() as client:
        with pytest.raises(SearchProviderInvalid, match=says) as caught:
            provider_of(name, ResearchOptions(), client)
    assert caught.value.hint == hint


async def test_the_options_say_where_a_provider_is(site: Site) -> None:
    site.put("/w/api.php", Reply('{"query": {"search": []}}'))
    site.put("/search", Reply('{"results": []}'))
    site.put("/ddg", Reply('<div class="no-results">No results.</div>'))
    options = ResearchOptions(
        search_url=site.url("/ddg"), searxng_url=site.url("/search"), wikipedia_url=f"{site.origin}/"
    )
    async with search_client() as client:
        for name in ("ddg", "searxng", "wikipedia"):
            assert await provider_of(name, options, client).search("ferns", 3) == []
    assert [asked.path for asked in site.requests] == ["/ddg", "/search", "/w/api.php"]


async def test_one_of_your_own_needs_no_more_than_to_register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oryn.research.search.provider._PROVIDERS", dict(_PROVIDERS))

    @registered
    class Garden:
        name: ClassVar[str] = "garden"

        @classmethod
        def of(cls, options: ResearchOptions, client: SearchClient) -> Self:
            return cls()

        async def search(self, query: str, limit: int) -> list[Hit]:
            return [Hit(url="https://garden.example/", title=query)][:limit]

    async with search_client() as client:
        made: SearchProvider = provider_of("garden", ResearchOptions(), client)
    assert [hit.title for hit in await made.search("ferns", 1)] == ["ferns"]
    assert "garden" in providers()


async def test_one_host_is_asked_once_at_a_time(site: Site) -> None:
    held, begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def reply(asked: ReceivedRequest) -> Reply:
        loop.call_soon_threadsafe(begun.set)
        return Reply("x", wait=held)

    site.put("/", reply)
    async with search_client() as client:
        both = asyncio.gather(client.ask("one", site.url()), client.ask("two", site.url()))
        await begun.wait()
        assert site.open == 1
        held.set()
        await both
    assert site.count("/") == 2
