"""URLs that have no end."""

from __future__ import annotations

import pytest

from oryn.research.crawling.scope import MAX_URL_CHARACTERS, trap_reason, url_shape

SITE = "http://example.org"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/a/b/a/b/a/b/", "its path repeats itself"),
        ("/x/x/x", "its path repeats itself"),
        ("/a/1/a/2/a/3/a/4", "its path repeats itself"),
        ("/" + "x" * MAX_URL_CHARACTERS, "its URL is too long"),
        ("/" + "/".join(f"part-{each}" for each in range(20)), "its path has too many parts"),
        ("/?" + "&".join(f"p{each}=1" for each in range(20)), "it has too many parameters"),
    ],
)
def test_traps_are_told_by_their_url(path: str, why: str) -> None:
    assert trap_reason(SITE + path) == why


@pytest.mark.parametrize(
    "path",
    ["/", "/2026/11/22/a-day", "/2022/2022/2022/x", "/docs/guide/docs/api", "/en/products/shoes/en/red", "/a?b=1&c=2"],
)
def test_ordinary_url_is_not_a_trap(path: str) -> None:
    assert trap_reason(SITE + path) == ""


def test_urls_of_one_kind_have_one_shape() -> None:
    assert url_shape(f"{SITE}/calendar/2026/11?view=week") == url_shape(f"{SITE}/calendar/2031/1?view=day")
    assert url_shape(f"{SITE}/list?page=1&sort=a") == url_shape(f"{SITE}/list?sort=b&page=99")
    assert url_shape(f"{SITE}/s/3f9ac02be81d4c77/x") == url_shape(f"{SITE}/s/00000000a71e44ff/x") == "/s/*/x"
    assert url_shape(f"{SITE}/item-12") == url_shape(f"{SITE}/item-7") == "/item-0"


def test_words_keep_shapes_apart() -> None:
    assert len({url_shape(SITE + path) for path in ("/ferns", "/mosses", "/ferns?q=1", "/ferns/1", "/defaced")}) == 5
