"""The search engine of the small web: BM25 over its pages, and results in the structure of DuckDuckGo's HTML page.

It knows what scripts put into pages too, as the great engines do. https://en.wikipedia.org/wiki/Okapi_BM25
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from html import escape
from urllib.parse import quote

from scripts.small_web.article import Article

PAGE = 10
"""Results of a page."""
TITLE = 3
"""How many words of the text a word of the title is worth."""
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+")
_STOP = frozenset(
    "a an and are at by does for from how in is it many of on or since that the to was what which who why".split()
)

UrlOf = Callable[[Article], str]


def words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _STOP]


class Engine:
    def __init__(self, articles: Iterable[Article]) -> None:
        self._articles = tuple(articles)
        self._counts = [Counter(words(f"{each.title} " * TITLE + each.text)) for each in self._articles]
        self._lengths = [count.total() for count in self._counts]
        self._average = sum(self._lengths) / len(self._lengths)
        self._having = Counter(word for count in self._counts for word in count)

    def search(self, query: str) -> list[Article]:
        """Every article with one of the words, the best first; equal ones stay in their order."""
        scores = [(self._score(set(words(query)), place), place) for place in range(len(self._articles))]
        return [self._articles[place] for score, place in sorted(scores, key=lambda each: -each[0]) if score > 0]

    def _score(self, asked: set[str], place: int) -> float:
        total = 0.0
        for word in asked & self._counts[place].keys():
            often = self._counts[place][word]
            rare = math.log(1 + (len(self._articles) - self._having[word] + 0.5) / (self._having[word] + 0.5))
            length = 1 - _B + _B * self._lengths[place] / self._average
            total += rare * often * (_K1 + 1) / (often + _K1 * length)
        return total


def results(query: str, found: list[Article], start: int, url_of: UrlOf) -> str:
    """A page of results."""
    shown = found[start : start + PAGE]
    parts = [_result(article, url_of(article)) for article in shown]
    if not shown:
        parts = ['<div class="no-results">No results.</div>']
    elif found[start + PAGE :]:
        parts.append(_next(query, start + PAGE))
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(query)} at DuckDuckGo</title></head><body>'
        '<form id="search_form" action="/html/" method="post"><input type="text" name="q" '
        f'value="{escape(query)}"></form><div id="links" class="results">{"".join(parts)}</div></body></html>'
    )


def _result(article: Article, url: str) -> str:
    link = escape(f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&rut={'0' * 8}")
    return (
        '<div class="result results_links results_links_deep web-result">'
        '<div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{link}">{escape(article.title)}</a></h2>'
        f'<a class="result__snippet" href="{link}">{escape(article.paragraphs[0][:150])} …</a>'
        '<div class="clear"></div></div></div>'
    )


def _next(query: str, start: int) -> str:
    return (
        '<div class="nav-link"><form action="/html/" method="post"><input type="submit" class="btn" value="Next">'
        f'<input type="hidden" name="q" value="{escape(query)}"><input type="hidden" name="s" value="{start}">'
        '<input type="hidden" name="vqd" value="4-1"></form></div>'
    )
