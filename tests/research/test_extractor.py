"""From a URL to what its page says: over HTTP, from the cache, through a browser."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import AddressNotAllowed, FetchFailed, NeedsBrowser, NoText
from oryn.research.documents import Article, FetchedPage
from oryn.research.extractor import article_of_html, extract, page_of_html, read
from oryn.research.fetching import Fetcher, FetchOptions, PageCache
from tests.conftest import Run
from tests.research.names import Names, Network
from tests.research.pdfs import pdf
from tests.research.server import Reply, Site, redirect

TEXT = "Ferns grow in the shade of large trees, over moss and among stones, where the ground is never quite dry."
ARTICLE = (
    f"<html lang=en><head><title>On Ferns</title></head><body><nav><a href=/>Home</a></nav><article><h1>On Ferns</h1>"
    f"<p>{TEXT}</p><p>They have done so for more than three hundred million years.</p></article></body></html>"
)
SHELL = '<html><title>Ferns</title><body><div id="root"></div><script src=main.js></script></body></html>'


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


class FixedRenderer:
    """A browser that shows the same page for every URL, at `found` if that is given."""

    def __init__(self, html: str = ARTICLE, found: str = "") -> None:
        self._html, self._found = html, found
        self.requests: list[str] = []

    async def render(self, url: str) -> tuple[str, str]:
        self.requests.append(url)
        return self._found or url, self._html


def extract_article(running: Run[Any], url: str, *, cache: PageCache | None = None, **options: Any) -> Article:
    async def main() -> Article:
        async with Fetcher(FetchOptions(allow_private=True, environment=False), cache=cache) as fetcher:
            return await extract(url, fetcher=fetcher, **options)

    article: Article = running(main())
    return article


def test_an_article(run: Run[Any], site: Site) -> None:
    site.put("/old", redirect("/ferns"))
    url = site.page("/ferns", ARTICLE)
    article = extract_article(run, site.url("/old"))
    assert (article.url, article.title, article.kind, article.source, article.why) == (
        url,
        "On Ferns",
        "html",
        "http",
        "",
    )
    assert TEXT in article.text and "Home" not in article.text and TEXT in article.markdown
    assert len(article.sha256) == 64 and article.fetched_at


def test_from_the_cache(run: Run[Any], site: Site, tmp_path: Path) -> None:
    cache = PageCache(tmp_path / "pages")
    url = site.put("/", Reply(ARTICLE, etag='"1"'))
    first = extract_article(run, url, cache=cache)
    again = extract_article(run, url, cache=cache)
    assert (again.source, again.why) == ("cache", "it has not changed")
    assert (again.text, again.sha256) == (first.text, first.sha256)


def test_a_charset(run: Run[Any], site: Site) -> None:
    page = ARTICLE.replace("Ferns grow", "Fougères à l’ombre: they grow")
    url = site.put("/", Reply(page.encode("cp1252"), type="text/html; charset=iso-8859-1"))
    assert "Fougères à l’ombre" in extract_article(run, url).text


def test_a_pdf(run: Run[Any], site: Site) -> None:
    cut = TEXT.index(" where")
    lines, rest = TEXT[:cut], TEXT[cut + 1 :]
    url = site.put("/a.pdf", Reply(pdf([[lines, rest]], Title="On Ferns"), type="application/octet-stream"))
    article = extract_article(run, url)
    assert (article.kind, article.title, article.text) == ("pdf", "On Ferns", TEXT)


def test_text(run: Run[Any], site: Site) -> None:
    url = site.put("/a.txt", Reply("On Ferns\n\nThey grow.", type="text/plain"))
    article = extract_article(run, url)
    assert (article.kind, article.title, article.source) == ("text", "On Ferns", "http")


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png", "is a picture: there is no text to read"),
        (b"PK\x03\x04", "application/zip", "is an archive: there is no text to read"),
        (b"", "text/plain", "is empty"),
        (b"", "text/html", "has no text"),
    ],
)
def test_nothing_to_read(run: Run[Any], site: Site, body: bytes, content_type: str, said: str) -> None:
    url = site.put("/x", Reply(body, type=content_type))
    with pytest.raises(NoText, match=said):
        extract_article(run, url)


def test_a_page_that_only_sends_on(run: Run[Any], site: Site) -> None:
    site.page("/old", '<meta http-equiv="refresh" content="0; url=/new">')
    url = site.page("/new", ARTICLE)
    assert extract_article(run, site.url("/old")).url == url


def test_pages_that_send_on_for_ever(run: Run[Any], site: Site) -> None:
    site.otherwise = Reply('<p>Wait here.</p><meta http-equiv="refresh" content="0; url=/b">')
    assert extract_article(run, site.url("/a")).text == "Wait here."
    assert len(site.requests) == 2  # the second sends to itself


# --- browsers ----------------------------------------------------------------------------------------------------


def test_a_shell_needs_a_browser(run: Run[Any], site: Site) -> None:
    url = site.page("/", SHELL)
    with pytest.raises(NeedsBrowser) as raised:
        extract_article(run, url)
    assert raised.value.why == 'its <div id="root"> is empty, for a script to fill it'
    assert raised.value.message == f"{url} needs a browser: {raised.value.why}"


def test_a_shell_in_a_browser(run: Run[Any], site: Site) -> None:
    screen = FixedRenderer(found=site.url("/#/ferns"))
    article = extract_article(run, site.page("/", SHELL), renderer=screen)
    assert screen.requests == [site.url("/")]
    assert (article.source, article.why) == ("browser", 'its <div id="root"> is empty, for a script to fill it')
    assert (article.url, article.title) == (site.url("/#/ferns"), "On Ferns") and TEXT in article.text


def test_a_page_needs_no_browser(run: Run[Any], site: Site) -> None:
    screen = FixedRenderer()
    assert extract_article(run, site.page("/", ARTICLE), renderer=screen).source == "http"
    assert screen.requests == []


def test_always(run: Run[Any], site: Site) -> None:
    screen = FixedRenderer()
    article = extract_article(run, site.page("/", "<p>other"), renderer=screen, browser="always")
    assert (article.source, article.why, site.requests) == ("browser", "it was requested", [])
    with pytest.raises(NeedsBrowser, match="needs a browser: it was requested"):
        extract_article(run, site.url("/"), browser="always")


def test_never(run: Run[Any], site: Site) -> None:
    screen = FixedRenderer()
    url = site.page("/", "<p>Sorry, our shop needs JavaScript to be enabled.</p><script src=x></script>")
    article = extract_article(run, url, renderer=screen, browser="never")
    assert article.why == "only a script's shell: it says that it needs JavaScript"
    assert "our shop" in article.text and screen.requests == []
    with pytest.raises(NoText):
        extract_article(run, site.page("/empty", SHELL), renderer=screen, browser="never")


def test_a_page_without_text_that_has_scripts(run: Run[Any], site: Site) -> None:
    screen = FixedRenderer()
    url = site.page("/", "<img src=fern.jpg><script src=x></script>")
    assert extract_article(run, url, renderer=screen).why == "it has no text without its scripts"
    with pytest.raises(NoText):
        extract_article(run, url)
    with pytest.raises(NoText):
        extract_article(run, site.page("/picture", "<img src=fern.jpg>"), renderer=screen)


@pytest.mark.parametrize("browser", ["auto", "always"])
def test_a_script_must_not_lead_inside(run: Run[Any], browser: str) -> None:
    """What the browser ended at is not told where it could not have been fetched."""

    async def main(site: Site) -> None:
        site.page("/", SHELL)
        options = FetchOptions(environment=False)
        names = Names(["93.184.215.14"])
        async with Fetcher(options, resolve=names, network=Network(site)) as fetcher:
            screen = FixedRenderer(found="http://192.168.0.1/router")
            with pytest.raises(AddressNotAllowed):
                await extract("http://example.org/", fetcher=fetcher, renderer=screen, browser=browser)  # type: ignore[arg-type]
            with pytest.raises(AddressNotAllowed):
                await extract("http://localhost/", fetcher=fetcher, renderer=screen, browser=browser)  # type: ignore[arg-type]
            assert screen.requests == ["http://example.org/"]

    with Site() as site:
        run(main(site))


def test_failures_stay_what_they_are(run: Run[Any], site: Site) -> None:
    with pytest.raises(FetchFailed) as raised:
        extract_article(run, site.url("/none"), renderer=FixedRenderer())
    assert raised.value.status == 404


def test_who_reads_can_be_chosen(run: Run[Any], site: Site) -> None:
    seen: list[FetchedPage] = []

    async def reading(page: FetchedPage) -> Article:
        seen.append(page)
        return read(page)

    assert extract_article(run, site.page("/", ARTICLE), run=reading).title == "On Ferns"
    assert [page.url for page in seen] == [site.url("/")]


# --- pages that are there already --------------------------------------------------------------------------------


def test_the_open_tab() -> None:
    article = article_of_html(ARTICLE, "https://example.org/ferns")
    assert (article.url, article.source, article.title) == ("https://example.org/ferns", "tab", "On Ferns")
    with pytest.raises(NoText):
        article_of_html("<p>", "https://example.org/")


def test_a_page_of_html_says_what_it_is() -> None:
    page = page_of_html(
        "<p>\ud800x", "https://example.org/a", requested="https://example.org/", source="browser", why="x"
    )
    assert (page.body, page.charset, page.requested, page.source) == (
        b"<p>?x",
        "utf-8",
        "https://example.org/",
        "browser",
    )


def test_reading_a_shell() -> None:
    page = page_of_html(SHELL.replace("<div", "<h1>Ferns</h1><div"), "https://example.org/", source="http")
    with pytest.raises(NeedsBrowser) as raised:
        read(page)
    again = pickle.loads(pickle.dumps(raised.value))  # as it comes from another process
    assert (again.why, again.message, again.hint) == (raised.value.why, raised.value.message, NeedsBrowser.advice)
    assert read(page, shells=True).text == read(page.replace(source="tab")).text == "Ferns"
    assert read(page.replace(content_type="text/plain")).kind == "text"


@pytest.mark.slow
def test_why_there_is_less_than_all() -> None:
    body = pdf([[f"Page {number} says something."] for number in range(501)])
    page = page_of_html("", "https://example.org/a.pdf").replace(
        body=body, content_type="application/pdf", why="it is fresh"
    )
    assert read(page).why == "it is fresh; the first 500 of 501 pages"


MARKDOWN = f"# On Ferns\n\n{TEXT}\n\n> They have done so for more than *three hundred million years.*\n"


def offering(site: Site, link: str, markdown: str = MARKDOWN, headers: dict[str, str] | None = None) -> str:
    site.put("/ferns.md", Reply(markdown, type="text/markdown"))
    html = ARTICLE.replace("<head>", f"<head>{link}")
    site.put("/ferns", Reply(html, headers=headers or {}))
    return site.url("/ferns")


LINK = '<link rel="alternate" type="text/markdown" href="/ferns.md">'


@pytest.mark.parametrize(
    ("link", "headers"), [(LINK, {}), ("", {"Link": '</ferns.md>; rel="alternate"; type="text/markdown"'})]
)
def test_a_markdown_alternative_is_the_text(run: Run[Any], site: Site, link: str, headers: dict[str, str]) -> None:
    article = extract_article(run, offering(site, link, headers=headers))
    assert article.markdown == MARKDOWN.strip()
    assert (article.url, article.title) == (site.url("/ferns"), "On Ferns")
    assert "Markdown alternative" in article.why


@pytest.mark.parametrize(
    "link",
    [
        LINK.replace("/ferns.md", "/gone.md"),
        LINK.replace("/ferns.md", "http://elsewhere.example/ferns.md"),
        LINK.replace("markdown", "plain"),
        f"<!-- {LINK} -->",
    ],
)
def test_another_alternative_is_not_used(run: Run[Any], site: Site, link: str) -> None:
    assert extract_article(run, offering(site, link)).why == ""


def test_a_markdown_alternative_of_other_words_is_not_used(run: Run[Any], site: Site) -> None:
    article = extract_article(run, offering(site, LINK, "# Ferns\n\nBuy ferns from us, the best of all ferns.\n"))
    assert TEXT in article.text
    assert "Buy ferns" not in article.text
