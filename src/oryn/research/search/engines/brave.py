"""Brave Search's API, for those who have an account there: https://api-dashboard.search.brave.com/api-reference/web."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from html import unescape
from typing import ClassVar, Self

from oryn.errors import SearchChanged, SearchProviderInvalid, SearchRefused
from oryn.research.documents import Hit
from oryn.research.options import ResearchOptions
from oryn.research.search.client import MAX_PAGES, SearchClient, first_hits, is_page, json_of, text_of, too_long
from oryn.research.search.provider import registered

API_URL = "https://api.search.brave.com/res/v1/web/search"
PAGE_SIZE = 20
MAX_QUERY_CHARACTERS = 400


@registered
class Brave:
    """A `SearchProvider` that reads pages of results until there are enough hits."""

    name: ClassVar[str] = "brave"
    searches: ClassVar[str] = "the API of Brave Search"
    needs: ClassVar[str] = "brave_key"

    def __init__(self, client: SearchClient, key: str, url: str = API_URL) -> None:
        self._client = client
        self._key = key
        self._url = url

    @classmethod
    def of(cls, options: ResearchOptions, client: SearchClient) -> Self:
        if not options.brave_key:
            raise SearchProviderInvalid("brave has no key", "Set brave_key to the key of your account.")
        return cls(client, options.brave_key)

    async def search(self, query: str, limit: int) -> list[Hit]:
        if len(query) > MAX_QUERY_CHARACTERS:
            raise too_long("brave", query, MAX_QUERY_CHARACTERS)
        return await first_hits(limit, self._pages(query, min(limit, PAGE_SIZE)))

    async def _pages(self, query: str, count: int) -> AsyncGenerator[list[Hit]]:
        headers = {"x-subscription-token": self._key, "accept": "application/json"}
        for number in range(MAX_PAGES):
            parameters: dict[str, str | int] = {
                "q": query,
                "count": count,
                "offset": number,
                "text_decorations": "false",
            }
            reply = await self._client.ask("brave", self._url, query=parameters, headers=headers)
            if reply.status == 422:  # a wrong key has this status, not 401
                raise SearchRefused(
                    "brave refused the search: it accepts neither key nor query (422)", "Check the setting brave_key."
                )
            answer = json_of("brave", reply)
            if answer.get("type") != "search":
                raise SearchChanged("brave answered with something other than results")
            yield [
                Hit(
                    url=each["url"],
                    title=_plain(each.get("title")),
                    snippet=_plain(each.get("description")),
                    provider="brave",
                )
                for each in (answer.get("web") or {}).get("results") or []  # without results there is no `web` at all
                if is_page(each.get("url"))
            ]
            if not (answer.get("query") or {}).get("more_results_available"):
                return


def _plain(value: object) -> str:
    """A text without the HTML that marks matches."""
    return unescape(re.sub(r"</?strong>", "", text_of(value)))
