"""Brave Search's API, for those who have an account there: https://api-dashboard.search.brave.com/api-reference/web."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from html import unescape
from typing import Any, ClassVar, Self

from oryn.research.documents import Hit
from oryn.research.failures import SearchChanged, SearchProviderInvalid, SearchRefused
from oryn.research.options import ResearchOptions
from oryn.research.search.asking import Asker, is_page, json_of, text_of, too_long
from oryn.research.search.paging import MOST_PAGES, first
from oryn.research.search.provider import registered

ADDRESS = "https://api.search.brave.com/res/v1/web/search"
PAGE = 20
LONGEST = 400


@registered
class Brave:
    """Page after page until there are as many hits as were asked for."""

    name: ClassVar[str] = "brave"

    def __init__(self, asker: Asker, key: str, url: str = ADDRESS) -> None:
        self._asker = asker
        self._key = key
        self._url = url

    @classmethod
    def of(cls, options: ResearchOptions, asker: Asker) -> Self:
        if not options.brave_key:
            raise SearchProviderInvalid("brave has no key", "Set brave_key to the key of your account.")
        return cls(asker, options.brave_key)

    async def search(self, query: str, limit: int) -> list[Hit]:
        if len(query) > LONGEST:
            raise too_long("brave", query, LONGEST)
        return await first(limit, self._pages(query, min(limit, PAGE)))

    async def _pages(self, query: str, count: int) -> AsyncGenerator[list[Hit]]:
        headers = {"x-subscription-token": self._key, "accept": "application/json"}
        for number in range(MOST_PAGES):
            asked: dict[str, str | int] = {"q": query, "count": count, "offset": number, "text_decorations": "false"}
            reply = await self._asker.ask("brave", self._url, query=asked, headers=headers)
            if reply.status == 422:  # a wrong key has this status, not 401
                raise SearchRefused(
                    "brave refused the search: it accepts neither key nor query (422)", "Check the setting brave_key."
                )
            answer = json_of("brave", reply)
            if answer.get("type") != "search":
                raise SearchChanged("brave answered with something other than results")
            yield _hits(answer)
            if not (answer.get("query") or {}).get("more_results_available"):
                return


def _hits(answer: dict[str, Any]) -> list[Hit]:
    # Without results there is no `web` at all.
    return [
        Hit(url=each["url"], title=_plain(each.get("title")), snippet=_plain(each.get("description")), provider="brave")
        for each in (answer.get("web") or {}).get("results") or []
        if is_page(each.get("url"))
    ]


def _plain(value: object) -> str:
    """Without the marks of matches, which are HTML."""
    return unescape(re.sub(r"</?strong>", "", text_of(value)))
