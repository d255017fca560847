"""Which links of a page to follow first, if a crawl looks for the answer to a question.

The measure is that of focused crawlers ("fish search", De Bra and Post 1994; "shark search", Hersovici et al. 1998,
https://doi.org/10.1016/S0169-7552(98)00038-5): the link's text and address count most, and a link inherits a part of
the relevance of the page it is on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import unquote, urlsplit

from oryn.research.questions import shared_words

LINK_WEIGHT = 0.7
PAGE_WEIGHT = 0.3
MAX_PAGE_CHARACTERS = 20_000
"""Characters of the referring page that are compared with the question."""


def link_priorities(
    question: str, urls: Sequence[str], texts: Mapping[str, str] | None = None, page: str = ""
) -> dict[str, float]:
    """How well each URL promises to answer `question`, from 0 to 1; empty without a question. `texts` are those of
    links by URL, `page` is the text of the page that has them."""
    if not question.strip():
        return {}
    inherited = PAGE_WEIGHT * shared_words(question, page[:MAX_PAGE_CHARACTERS])
    named = texts or {}
    return {
        url: round(LINK_WEIGHT * shared_words(question, f"{named.get(url, '')} {_address_words(url)}") + inherited, 4)
        for url in urls
    }


def _address_words(url: str) -> str:
    parts = urlsplit(url)
    return unquote(f"{parts.path} {parts.query}")
