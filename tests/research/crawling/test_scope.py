"""Where a crawl may go."""

from __future__ import annotations

import pytest

from oryn.research.crawling.models import CrawlOptions
from oryn.research.crawling.models import ScopeName as Name
from oryn.research.crawling.scope import CrawlScope

SEED = "https://www.example.co.uk/docs/start.html"


@pytest.mark.parametrize(
    ("scope", "held", "left"),
    [
        ("host", ["https://www.example.co.uk/", "http://www.example.co.uk/a"], ["https://example.co.uk/docs/"]),
        ("domain", ["https://shop.example.co.uk/", "https://example.co.uk/"], ["https://other.co.uk/", "https://co.uk/"]),
        ("path", [SEED, "https://www.example.co.uk/docs/a/b"], ["https://www.example.co.uk/doc", "http://www.example.co.uk/docs/a"]),
        ("any", ["https://other.example/"], []),
    ],
)  # fmt: skip
def test_scopes(scope: Name, held: list[str], left: list[str]) -> None:
    within = CrawlScope([SEED], CrawlOptions(scope=scope))
    assert [within.contains(url) for url in held] == [True] * len(held)
    assert [within.contains(url) for url in left] == [False] * len(left)


def test_a_scope_widens_to_where_a_seed_was_sent() -> None:
    scope = CrawlScope(["http://example.org/"], CrawlOptions())
    assert not scope.contains("https://www.example.org/a")
    scope.widen("https://www.example.org/")
    assert scope.contains("https://www.example.org/a") and scope.contains("http://example.org/b")


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://a.example/blog/1", True),
        ("http://a.example/blog/drafts/1", False),
        ("http://a.example/about", False),
        ("http://a.example/blog/1?print=1", False),
        ("http://a.example/blog/photo.JPG", False),
        ("http://a.example/blog/paper.pdf", True),
        ("http://a.example/blog/v1.2", True),
    ],
)
def test_patterns(url: str, wanted: bool) -> None:
    options = CrawlOptions(include=("/blog/*", "*/nothing"), exclude=("*/drafts/*", "/*print=*"))
    assert CrawlScope(["http://a.example/"], options).accepts(url) is wanted


def test_whole_hosts_are_the_crawls_own() -> None:
    assert CrawlScope([SEED], CrawlOptions()).covers_host("www.example.co.uk")
    assert not CrawlScope([SEED], CrawlOptions(scope="any")).covers_host("example.co.uk")
    assert CrawlScope([SEED], CrawlOptions(scope="domain")).covers_host("shop.example.co.uk")
