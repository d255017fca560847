"""`extract`: the article at a URL, from its server, the cache, or a browser that runs its scripts.

`read` turns a fetched page into an article, and `article_of_html` one that a browser shows; they use no network
and are CPU-bound, so programs run them in separate processes (`workers.extraction_pool`). Pages that only redirect to
another one by `<meta http-equiv="refresh" content="0; url=…">` are followed:
https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from html import unescape
from typing import TYPE_CHECKING, Literal, TypeVar
from urllib.parse import urljoin, urlsplit

from oryn.core.text_safety import url as display_url
from oryn.errors import NeedsBrowser, NoText, ResearchError
from oryn.research.documents import Article, FetchedPage, Source
from oryn.research.fetching.charset import decode_body
from oryn.research.fetching.content_type import kind_of, name_of
from oryn.research.urls import normalize_url, origin_of

if TYPE_CHECKING:
    # Types only: an extraction process loads no HTTP client.
    from oryn.research.fetching.fetcher import Fetcher
    from oryn.research.fetching.request import Renderer

MAX_DELAY_SECONDS = 5.0
"""A longer delay is meant for readers, or reloads the same page."""
MAX_SCAN_BYTES = 16_384

MAX_HEAD_BYTES = 131_072
"""The part of a page in which its Markdown alternative is looked for."""
MAX_ROWS_BYTES = 3_000_000
"""Of a larger page, only the text is used, and not its labelled values."""
MIN_SHARED_WORDS = 0.6
"""The share of the page's words that its Markdown alternative must have."""

_LINK = re.compile(r"<link\b(?:[^<>]++|<(?!link\b))*+>", re.I)
_MARKDOWN_TYPE = re.compile(r"\btype\s*=\s*[\"']?text/(?:x-)?markdown\b", re.I)
_ALTERNATE = re.compile(r"\brel\s*+=\s*+[\"']?[^\"'>;]{0,200}\balternate\b", re.I)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.I)
_HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_META = re.compile(r"<meta\b(?:[^<>]++|<(?!meta\b))*+>", re.I)
_REFRESH = re.compile(r"\bhttp-equiv\s*+=\s*+[\"']?refresh\b", re.I)
_CONTENT = re.compile(r"\bcontent\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.I)
_VALUE = re.compile(r"\s*+(\d++(?:\.\d*+)?)\s*+(?:[;,]\s*+)?(?:url\s*+=\s*+)?[\"']?([^\"']*+)[\"']?\s*+", re.I)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|<(noscript|script|template)\b.*?(?:</\1\s*+>|\Z)", re.I | re.S)


def meta_refresh_url(body: bytes, charset: str, url: str) -> str:
    """The absolute URL that a page redirects to within `MAX_DELAY_SECONDS`, or an empty string. A redirect in a
    `<noscript>` does not count: its target is seldom the page itself."""
    start = _HIDDEN.sub("", body[:MAX_SCAN_BYTES].decode(charset or "utf-8", errors="replace"))
    meta = next((tag for tag in _META.findall(start) if _REFRESH.search(tag)), "")
    content = _CONTENT.search(meta)
    value = _VALUE.fullmatch(unescape(content[1] or content[2] or "")) if content else None
    if value is None or not value[2].strip() or float(value[1]) > MAX_DELAY_SECONDS:
        return ""
    try:
        target = urljoin(url, value[2].strip())
        return target if urlsplit(target).scheme in ("http", "https") else ""
    except ValueError:
        return ""


T = TypeVar("T")

BrowserMode = Literal["auto", "always", "never"]
"""When a browser loads the page: only if it is the shell of a script, always, or never."""

MAX_META_REFRESHES = 3
"""The maximum number of pages in a row that only redirect to another one."""


async def read_at(
    url: str,
    reading: Callable[[FetchedPage], Awaitable[T]],
    *,
    fetcher: Fetcher,
    renderer: Renderer | None,
    browser: BrowserMode,
    fresh: bool,
    unrendered: Callable[[FetchedPage, str], Awaitable[T]],
) -> T:
    """What `reading` makes of the page at `url` as its server has it; or as a browser has it, if `browser` is `always`,
    or `reading` raises `NeedsBrowser`, or `NoText` for a page with scripts. If `browser` is `never`, a page that needs
    one is read by `unrendered`, whose second argument is the reason.

    Raises what `Fetcher.fetch`, `renderer` and the functions do, and `NeedsBrowser` without a renderer."""
    if browser == "always":
        return await reading(await render_page(url, "it was requested", fetcher, renderer))
    page = await fetch_page(url, fetcher, fresh=fresh)
    try:
        return await reading(page)
    except NeedsBrowser as error:
        why = error.why
        if browser == "never":
            return await unrendered(page, why)
    except NoText:
        why = "it has no text without its scripts"
        has_scripts = kind_of(page.content_type, page.body) == "html" and b"<script" in page.body.lower()
        if browser == "never" or renderer is None or not has_scripts:
            raise
    return await reading(await render_page(page.url, why, fetcher, renderer))


async def extract(
    url: str,
    *,
    fetcher: Fetcher,
    renderer: Renderer | None = None,
    browser: BrowserMode = "auto",
    fresh: bool = False,
    run: Callable[[FetchedPage], Awaitable[Article]] | None = None,
) -> Article:
    """The article at `url`. Its `source` says where it came from, and `why` what made a browser necessary; with
    `browser="never"`, `why` says if there may be more text. `run` extracts the article of a page; None uses a thread.

    Raises what `Fetcher.fetch`, `renderer` and `read` do, and `NeedsBrowser`."""
    extracting = run or _in_thread

    async def reading(page: FetchedPage) -> Article:
        article = await extracting(page)
        return article if page.source == "browser" else await with_markdown(page, article, fetch)

    async def fetch(url: str) -> FetchedPage:
        return await fetcher.fetch(url, fresh=fresh)

    async def shell(page: FetchedPage, why: str) -> Article:
        article = await asyncio.to_thread(read, page, shells=True)
        return article.replace(why=f"only a script's shell: {why}")

    return await read_at(
        url, reading, fetcher=fetcher, renderer=renderer, browser=browser, fresh=fresh, unrendered=shell
    )


def read(page: FetchedPage, *, shells: bool = False) -> Article:
    """The article of a page. `shells`: also of a page whose text would be created by a script.

    Raises `NeedsBrowser` for such a page without `shells`; `NoText` if the page has no text: a picture, an archive, an
    empty or encrypted document."""
    # What makes articles is slow to import, and not needed by who has others read.
    from oryn.research.extraction.markdown import with_title

    match kind_of(page.content_type, page.body):
        case "html":
            from oryn.research.extraction import article_of
            from oryn.research.html.js_shell import shell_reason
            from oryn.research.html.tree import MAX_CHARACTERS, parse_html
            from oryn.research.structured_data.rows import rows_of

            tree = parse_html(page.body, page.charset)
            may_be_shell = not shells and page.source in ("http", "cache") and tree is not None
            if may_be_shell and (why := shell_reason(tree)):
                raise NeedsBrowser(f"{display_url(page.url)} needs a browser: {why}", why=why)
            article = article_of(tree, page.url)
            if len(page.body) > MAX_CHARACTERS and len(decode_body(page.body, page.charset)) > MAX_CHARACTERS:
                cut = f"only the first {MAX_CHARACTERS:,} characters of the page"
                article = article.replace(why="; ".join(filter(None, (cut, article.why))))
            if len(page.body) <= MAX_ROWS_BYTES:
                article = article.replace(rows=rows_of(tree, article.text))
        case "pdf":
            from oryn.research.extraction.pdf import article_of_pdf

            article = article_of_pdf(page.body, page.url)
        case "docx":
            from oryn.research.extraction.zipped_documents import article_of_docx

            article = article_of_docx(page.body, page.url)
        case "epub":
            from oryn.research.extraction.zipped_documents import article_of_epub

            article = article_of_epub(page.body, page.url)
        case "text":
            from oryn.research.extraction.plain_text import article_of_text

            article = article_of_text(decode_body(page.body, page.charset), page.url, page.content_type)
        case "other":
            raise NoText(
                f"{display_url(page.url)} is {name_of(page.content_type, page.body)}: there is no text to read"
            )
    why = "; ".join(filter(None, (page.why, article.why)))
    return article.replace(
        markdown=with_title(article.markdown, article.title),
        source=page.source,
        why=why,
        sha256=page.sha256,
        fetched_at=page.fetched_at,
    )


def article_of_html(html: str, url: str, *, source: Source = "tab") -> Article:
    """The article of a page that is open in a browser. Raises `NoText`."""
    return read(page_of_html(html, url, source=source))


def page_of_html(html: str, url: str, *, requested: str = "", source: Source = "tab", why: str = "") -> FetchedPage:
    """The HTML of a page in a browser, in the form of a fetched page."""
    body = html.encode("utf-8", errors="replace")
    return FetchedPage(
        url=url,
        requested=requested or url,
        status=200,
        content_type="text/html; charset=utf-8",
        body=body,
        sha256=hashlib.sha256(body).hexdigest(),
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        charset="utf-8",
        source=source,
        why=why,
    )


async def fetch_page(url: str, fetcher: Fetcher, *, fresh: bool) -> FetchedPage:
    """The page behind pages that only redirect to it (`<meta http-equiv="refresh">`)."""
    page = await fetcher.fetch(url, fresh=fresh)
    for _ in range(MAX_META_REFRESHES):
        if kind_of(page.content_type, page.body) != "html":
            break
        target = meta_refresh_url(page.body, page.charset, page.url)
        if not target or target == page.url:
            break
        page = (await fetcher.fetch(target, fresh=fresh)).replace(requested=page.requested)
    return page


async def render_page(url: str, why: str, fetcher: Fetcher, renderer: Renderer | None) -> FetchedPage:
    """The page as a browser has it after its scripts have run. A script can navigate anywhere: the final URL is checked
    before anything of the page is returned."""
    if renderer is None:
        raise NeedsBrowser(f"{display_url(url)} needs a browser: {why}", why=why)
    await fetcher.check(url)
    found, html = await renderer.render(url)
    await fetcher.check(found)
    return page_of_html(html, found, requested=url, source="browser", why=why)


async def with_markdown(page: FetchedPage, article: Article, fetch: Callable[[str], Awaitable[FetchedPage]]) -> Article:
    """The article with the text of the Markdown alternative that its site offers, which `fetch` requests. An
    alternative that fails, or that does not have the words of the page, is not used: what is cited must be what readers
    see."""
    alternative = markdown_alternative(page)
    if not alternative:
        return article
    try:
        found = await fetch(alternative)
        if kind_of(found.content_type, found.body) != "text" or origin_of(found.url) != origin_of(page.url):
            return article
        offered = await _in_thread(found.replace(content_type="text/markdown"))
    except ResearchError:
        return article
    words = set(article.text.casefold().split())
    if len(words & set(offered.text.casefold().split())) < MIN_SHARED_WORDS * len(words):
        return article
    why = "; ".join(filter(None, (article.why, f"text of its Markdown alternative {display_url(found.url)}")))
    from oryn.research.extraction.markdown import with_title

    markdown = with_title(offered.markdown, offered.title or article.title)
    return article.replace(text=offered.text, markdown=markdown, share=None, why=why)


def markdown_alternative(page: FetchedPage) -> str:
    """The URL, on the same origin, of the Markdown that a page offers by `<link rel="alternate" type="text/markdown">`
    or the header `Link`; empty if it offers none."""
    if kind_of(page.content_type, page.body) != "html":
        return ""
    head = page.body[:MAX_HEAD_BYTES].decode(page.charset or "utf-8", errors="replace")
    targets = [
        href[1] or href[2] or href[3]
        for tag in _LINK.findall(_HIDDEN.sub("", head))
        if _MARKDOWN_TYPE.search(tag) and _ALTERNATE.search(tag) and (href := _HREF.search(tag))
    ]
    for name, value in page.headers:
        if name.lower() == "link":
            targets += [
                target
                for target, parameters in _HEADER_LINK.findall(value)
                if _MARKDOWN_TYPE.search(parameters) and _ALTERNATE.search(parameters)
            ]
    for target in targets:
        url = normalize_url(unescape(target), page.url)
        if url and url != page.url and origin_of(url) == origin_of(page.url):
            return url
    return ""


async def _in_thread(page: FetchedPage) -> Article:
    return await asyncio.to_thread(read, page)
