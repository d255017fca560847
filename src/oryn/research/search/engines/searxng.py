"""One's own SearXNG, which asks many engines: `GET /search?q=…&format=json`.

https://docs.searxng.org/dev/search_api.html; an instance has JSON only where its `settings.yml` lists it, and answers
403 otherwise.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, ClassVar, Self

from oryn.errors import SearchChanged, SearchProviderInvalid, SearchRefused
from oryn.research.documents import Hit
from oryn.research.options import ResearchOptions
from oryn.research.search.client import MAX_PAGES, SearchClient, first_hits, is_page, json_of, refused, text_of
from oryn.research.search.provider import registered


@registered
class Searxng:
    """A `SearchProvider` that reads pages of results until there are enough hits."""

    name: ClassVar[str] = "searxng"
    searches: ClassVar[str] = "your own SearXNG"
    needs: ClassVar[str] = "searxng_url"

    def __init__(self, client: SearchClient, url: str) -> None:
        self._client = client
        self._url = f"{url.rstrip('/').removesuffix('/search')}/search"

    @classmethod
    def of(cls, options: ResearchOptions, client: SearchClient) -> Self:
        if not options.searxng_url:
            raise SearchProviderInvalid(
                "searxng has no address", "Set searxng_url to your own instance, such as http://localhost:8888."
            )
        return cls(client, options.searxng_url)

    async def search(self, query: str, limit: int) -> list[Hit]:
        return await first_hits(limit, self._pages(query))

    async def _pages(self, query: str) -> AsyncGenerator[list[Hit]]:
        for number in range(1, MAX_PAGES + 1):
            parameters: dict[str, str | int] = {"q": query, "format": "json", "pageno": number}
            reply = await self._client.ask("searxng", self._url, query=parameters)
            if reply.status == 403:
                raise refused("searxng", 403, "Its settings.yml has to list json below search: formats:.")
            yield _hits(json_of("searxng", reply))


def _hits(answer: dict[str, Any]) -> list[Hit]:
    results = answer.get("results")
    if not isinstance(results, list):
        raise SearchChanged("searxng answered without a list of results")
    hits = [
        Hit(url=each["url"], title=text_of(each.get("title")), snippet=text_of(each.get("content")), provider="searxng")
        for each in results
        if isinstance(each, dict) and is_page(each.get("url"))
    ]
    if not hits and (silent := _silent(answer)):
        raise SearchRefused(f"searxng has no results, and no answer from {silent}")
    return hits


def _silent(answer: dict[str, Any]) -> str:
    """The engines that did not respond, each with its reason: `google (CAPTCHA)`."""
    engines = answer.get("unresponsive_engines")
    named = [each for each in engines if isinstance(each, list) and each] if isinstance(engines, list) else []
    return ", ".join(text_of(each[0]) + (f" ({text_of(each[1])})" if len(each) > 1 else "") for each in named)
