"""The pages of the sites: a layout for each (`layouts/`), with what surrounds an article on the web."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from string import Template

from scripts.small_web.article import Article
from scripts.small_web.sites import SITES, Site

LAYOUTS = Path(__file__).parent / "layouts"
SECTIONS = ("Habitat", "Life", "Use", "Collection")
"""Headings over the paragraphs of a species."""

UrlOf = Callable[[Article], str]


@cache
def _layout(site: str) -> Template:
    return Template((LAYOUTS / f"{site}.html").read_text("utf-8"))


def page(article: Article, related: Sequence[Article], url_of: UrlOf) -> str:
    """The article's whole page."""
    escaped = map(escape, article.paragraphs)
    return _layout(article.site).substitute(
        title=escape(article.title),
        site=escape(SITES[article.site].title),
        author=escape(article.author),
        date=article.date,
        url=escape(url_of(article.canonical or article)),
        paragraphs="\n".join(f"<p>{each}</p>" for each in escaped),
        links=_links(related, url_of),
        teasers="".join(_teaser(each, url_of) for each in related),
        sections="".join(map(_section, SECTIONS, article.paragraphs)),
        posts="".join(_post(place, text) for place, text in enumerate(article.paragraphs, 1)),
    )


def front(site: Site, articles: Iterable[Article], url_of: UrlOf) -> str:
    """The site's front page, with a link to everything on it."""
    title = escape(site.title)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="{site.charset}"><title>{title}</title></head>\n'
        f"<body><h1>{title}</h1>{_links(articles, url_of)}</body></html>\n"
    )


def _links(articles: Iterable[Article], url_of: UrlOf) -> str:
    items = (f'<li><a href="{escape(url_of(each))}">{escape(each.title)}</a></li>' for each in articles)
    return f"<ul>{''.join(items)}</ul>"


def _teaser(article: Article, url_of: UrlOf) -> str:
    start = escape(article.paragraphs[0][:60])
    link = f'<a href="{escape(url_of(article))}">{escape(article.title)}</a>'
    return f'<div class="teaser"><h4>{link}</h4><p>{start} …</p></div>'


def _section(heading: str, text: str) -> str:
    return f"<section><h2>{heading}</h2><p>{escape(text)}</p></section>"


def _post(place: int, text: str) -> str:
    user, _, said = map(escape, text.partition(": "))
    return (
        f'<div class="post" id="p{place}"><div class="user">{user}<br>Posts: {place * 97 + 3}</div>'
        f'<div class="body">{said}</div><div class="signature">The sea takes, the sea gives.</div></div>'
    )
