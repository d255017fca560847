"""What a page is taken for, and what is said of pages that have no content or lost most of it."""

from __future__ import annotations

import pytest

from oryn.research.documents import Article, doubts
from oryn.research.extraction import article_of
from oryn.research.extraction.content_model import content_model
from oryn.research.extraction.kind import KINDS

URL = "https://linden.example/page"


def article(head: str, body: str) -> Article:
    return article_of(f"<html><head>{head}</head><body>{body}</body></html>", URL)


@pytest.mark.parametrize(
    ("head", "body", "kind"),
    [
        ("<title>404 Not Found</title>", "<h1>Not Found</h1><p>The page that you look for is not here.</p>", "error"),
        ("<title>Just a moment...</title>", "<p>Checking your browser before you go on.</p>", "error"),
        (
            "<title>Sign in</title>",
            "<h1>Sign in</h1><form><label>User</label><input name=u><label>Password</label><input type=password></form>",
            "login",
        ),
        (
            "<title>Courier</title>",
            "<div role=dialog><h2>Cookies</h2><p>We and our partners store cookies. Do you accept all cookies? Your "
            "consent to cookies is voluntary; privacy settings: manage cookies.</p><button>Accept</button></div>",
            "consent",
        ),
        ("<title>Search</title>", "<form role=search><input type=search name=q></form><p>Type a word.</p>", "search"),
    ],
    ids=["error", "challenge", "login", "consent", "search"],
)
def test_pages_without_content_are_named(head: str, body: str, kind: str) -> None:
    found = article(head, body)
    assert (found.page_kind, found.confidence) == (kind, 1.0)


def test_an_article_about_an_error_is_none() -> None:
    story = "<p>The error 404 is what a server answers if it has no such page, and this story is about its history.</p>"
    assert article("<title>404, a history</title>", f"<article><h1>404</h1>{story * 20}</article>").page_kind in KINDS


@pytest.mark.parametrize(
    ("kind", "confidence", "share", "said"),
    [
        ("article", 0.9, 0.8, []),
        ("", None, None, []),
        ("article", 0.4, 0.8, []),
        ("product", 0.4, 0.8, ["perhaps product page"]),
        ("forum", 0.9, 0.03, ["forum page", "only 3% of the page's prose"]),
        ("login", 1.0, 0.1, ["a login page"]),
    ],
)
def test_what_is_doubtful_is_said(kind: str, confidence: float | None, share: float | None, said: list[str]) -> None:
    assert list(doubts(kind, confidence, share)) == said


def test_the_model_names_its_data_and_their_licences() -> None:
    card = content_model().card
    assert "WCXB 1.0 (Murrough Foley), CC-BY-4.0" in card and "dragnet_data, CC BY 4.0" in card
