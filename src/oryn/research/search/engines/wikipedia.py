"""Wikipedia's own search, which needs no account: https://www.mediawiki.org/wiki/API:Search."""

from __future__ import annotations

import re
from html import unescape
from typing import ClassVar, Self
from urllib.parse import quote

from oryn.errors import SearchChanged, SearchRefused
from oryn.research.documents import Hit
from oryn.research.options import ResearchOptions
from oryn.research.search.client import SearchClient, json_of, text_of, too_long
from oryn.research.search.provider import registered

ADDRESS = "https://en.wikipedia.org"
MAX_RESULTS = 50
MAX_QUERY_CHARACTERS = 300


@registered
class Wikipedia:
    """A `SearchProvider` for the articles of one edition; the option `wikipedia_url` selects it."""

    name: ClassVar[str] = "wikipedia"
    searches: ClassVar[str] = "Wikipedia's own search"
    needs: ClassVar[str] = ""

    def __init__(self, client: SearchClient, url: str = ADDRESS) -> None:
        self._client = client
        self._url = url.rstrip("/")

    @classmethod
    def of(cls, options: ResearchOptions, client: SearchClient) -> Self:
        return cls(client, options.wikipedia_url or ADDRESS)

    async def search(self, query: str, limit: int) -> list[Hit]:
        if len(query) > MAX_QUERY_CHARACTERS:
            raise too_long("wikipedia", query, MAX_QUERY_CHARACTERS)
        parameters: dict[str, str | int] = {
            "action": "query",
            "list": "search",
            "srsearch": query,
            "srlimit": min(limit, MAX_RESULTS),
            "srinfo": "",
            "srprop": "snippet",
            "format": "json",
            "formatversion": 2,
            "maxlag": 5,
        }
        answer = json_of("wikipedia", await self._client.ask("wikipedia", f"{self._url}/w/api.php", query=parameters))
        if isinstance(error := answer.get("error"), dict):  # its errors have status 200
            raise SearchRefused(f"wikipedia refused the search: {text_of(error.get('info'))!r}")
        results = (answer.get("query") or {}).get("search")
        if not isinstance(results, list):
            raise SearchChanged("wikipedia answered without a list of results")
        return [
            Hit(
                url=f"{self._url}/wiki/{quote(each['title'].replace(' ', '_'))}",
                title=text_of(each["title"]),
                snippet=text_of(unescape(re.sub(r"<[^<>]*>", "", str(each.get("snippet", ""))))),
                provider="wikipedia",
                rank=number,
            )
            for number, each in enumerate(results, 1)
            if isinstance(each, dict) and isinstance(each.get("title"), str)
        ]
