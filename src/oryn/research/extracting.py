"""`extract`: what a page says, wherever that comes from: its server, the cache, or a browser that runs its scripts.

`read` makes an article of a page that is there, and `article_of_html` of one that a browser shows; they use no network
and take a processor's time, so that programs have them run in processes of their own (`reading`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Literal

from oryn.engine.escape import url as shown
from oryn.research.documents import Article, Page, Source
from oryn.research.failures import NeedsBrowser, NoText
from oryn.research.fetching import Fetcher, Renderer
from oryn.research.fetching.decoding import text_of
from oryn.research.fetching.media import kind_of, name_of
from oryn.research.fetching.refreshing import refresh_of
from oryn.research.fetching.shells import shell

Browser = Literal["auto", "always", "never"]
"""When a browser is asked: for pages that are only a script's shell, for all, for none."""

REFRESHES = 3
"""Pages that only lead on to another one which are passed."""


async def extract(
    url: str,
    *,
    fetcher: Fetcher,
    renderer: Renderer | None = None,
    browser: Browser = "auto",
    fresh: bool = False,
    run: Callable[[Page], Awaitable[Article]] | None = None,
) -> Article:
    """The article at `url`. `source` says where it came from, `why` what made a browser necessary; where that is known
    and no browser was to be asked (`never`), `why` says that there may be more. `run` reads a page; without it a thread
    does.

    Raises what `Fetcher.fetch`, `renderer` and `read` do, and `NeedsBrowser`."""
    reading = run or _in_thread
    if browser == "always":
        return await reading(await _rendered(url, "it was asked for", fetcher, renderer))
    page = await _fetched(url, fetcher, fresh=fresh)
    try:
        return await reading(page)
    except NeedsBrowser as error:
        why = error.why
        if browser == "never":
            article = await asyncio.to_thread(read, page, shells=True)
            return article.replace(why=f"only a script's shell: {why}")
    except NoText:
        why = "it has no text without its scripts"
        if browser == "never" or renderer is None or not _has_scripts(page):
            raise
    return await reading(await _rendered(page.url, why, fetcher, renderer))


def read(page: Page, *, shells: bool = False) -> Article:
    """What a page says. `shells`: also what one says whose text a script would bring.

    Raises `NeedsBrowser` for such a page; `NoText` where it says nothing: a picture, an archive, an empty or encrypted
    one."""
    # What makes articles is slow to import, and not needed by who has others read.
    match kind_of(page.content_type, page.body):
        case "html":
            from oryn.research.extraction import article_of

            if not shells and page.source in ("http", "cache") and (why := shell(page.body, page.charset)):
                raise NeedsBrowser(f"{shown(page.url)} needs a browser: {why}", why=why)
            article = article_of(page.body, page.url, charset=page.charset)
        case "pdf":
            from oryn.research.extraction.pdf import article_of_pdf

            article = article_of_pdf(page.body, page.url)
        case "text":
            from oryn.research.extraction.plain import article_of_text

            article = article_of_text(text_of(page.body, page.charset), page.url, page.content_type)
        case "other":
            raise NoText(f"{shown(page.url)} is {name_of(page.content_type, page.body)}: there is no text to read")
    why = "; ".join(filter(None, (page.why, article.why)))
    return article.replace(source=page.source, why=why, sha256=page.sha256, fetched_at=page.fetched_at)


def article_of_html(html: str, url: str, *, source: Source = "tab") -> Article:
    """What a page says that is open somewhere. Raises `NoText`."""
    return read(page_of_html(html, url, source=source))


def page_of_html(html: str, url: str, *, requested: str = "", source: Source = "tab", why: str = "") -> Page:
    """A page that a browser has, in the form of one that was fetched."""
    body = html.encode("utf-8", errors="replace")
    return Page(
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


async def _fetched(url: str, fetcher: Fetcher, *, fresh: bool) -> Page:
    """The page, behind those that only send on to it (`<meta http-equiv="refresh">`)."""
    page = await fetcher.fetch(url, fresh=fresh)
    for _ in range(REFRESHES):
        if kind_of(page.content_type, page.body) != "html":
            break
        target = refresh_of(page.body, page.charset, page.url)
        if not target or target == page.url:
            break
        page = (await fetcher.fetch(target, fresh=fresh)).replace(requested=page.requested)
    return page


async def _rendered(url: str, why: str, fetcher: Fetcher, renderer: Renderer | None) -> Page:
    """The page as a browser has it when its scripts have run. A script can lead anywhere: where it has led is looked
    at before anything of it is told."""
    if renderer is None:
        raise NeedsBrowser(f"{shown(url)} needs a browser: {why}", why=why)
    await fetcher.look(url)
    found, html = await renderer.render(url)
    await fetcher.look(found)
    return page_of_html(html, found, requested=url, source="browser", why=why)


async def _in_thread(page: Page) -> Article:
    return await asyncio.to_thread(read, page)


def _has_scripts(page: Page) -> bool:
    return kind_of(page.content_type, page.body) == "html" and b"<script" in page.body.lower()
