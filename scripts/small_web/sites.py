"""The sites of the small web and everything that stands on them."""

from __future__ import annotations

from functools import cached_property

from oryn.core.records import Record
from scripts.small_web import almanac, nature, newspaper
from scripts.small_web.article import Article
from scripts.small_web.seeded_random import several

RELATED = 4


class Site(Record):
    """`charset` is what its pages are written in."""

    name: str
    title: str
    charset: str = "utf-8"


SITES = {
    site.name: site
    for site in (
        Site("gazette", "The Aldermere Gazette"),
        Site("almanac", "An Almanac of the Isles"),
        Site("museum", "Museum of the Sound"),
        Site("herbarium", "Herbarium Aldermerense"),
        Site("kitchen", "Aunt Merrin's Kitchen"),
        Site("council", "Council of the Aldermere Isles", "iso-8859-1"),
        Site("forum", "Islanders' Forum"),
        Site("mirror", "Isles Digest"),
        Site("harbours", "Harbours of the Isles"),
    )
}


class SmallWeb:
    """All articles, by site and path. Made once; it takes no time worth telling."""

    @cached_property
    def articles(self) -> tuple[Article, ...]:
        news = list(newspaper.gazette())
        return (
            *news,
            *almanac.almanac(),
            *almanac.museum(),
            *nature.herbarium(),
            *nature.kitchen(),
            *newspaper.council(),
            *newspaper.forum(),
            *newspaper.mirror(news),
            *nature.harbours(),
        )

    @cached_property
    def by_place(self) -> dict[tuple[str, str], Article]:
        return {(article.site, article.path): article for article in self.articles}

    def of(self, site: str) -> list[Article]:
        """A site's articles, the newest first."""
        return sorted((each for each in self.articles if each.site == site), key=lambda each: each.date, reverse=True)

    def related(self, article: Article) -> list[Article]:
        others = [each for each in self.of(article.site) if each is not article]
        return several(others, RELATED, article.site, article.path)

    def about(self, subject: str) -> Article:
        """The one article about a subject, in its first place. Raises `KeyError`."""
        for article in self.articles:
            if article.about == subject and article.canonical is None:
                return article
        raise KeyError(subject)
