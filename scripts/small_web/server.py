"""The small web on loopback: each site has a port of its own, so that it is a host of its own to whoever visits.

Beside its pages a site has `/robots.txt` and `/sitemap.xml`; the newspaper has a feed; the harbours' pages are shells
of a script, which fetches what they say.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from scripts.small_web import pages
from scripts.small_web.article import Article
from scripts.small_web.documents import pdf
from scripts.small_web.search_engine import Engine, results
from scripts.small_web.sites import SITES, Site, SmallWeb

Reply = tuple[int, str, bytes]
"""Status, content type, body."""

LATEST = 20
"""Articles of the feed."""


class Served:
    """`with Served() as web:` serves everything on free ports; `web.search_url` is the search page's address."""

    def __init__(self) -> None:
        self.web = SmallWeb()
        self._engine = Engine(self.web.articles)
        self._servers = {name: _Server(partial(self._page, site)) for name, site in SITES.items()}
        self._searches = _Server(self._search)

    @property
    def search_url(self) -> str:
        return f"{self._searches.url}/html/"

    def home(self, site: str) -> str:
        """A site's front page."""
        return f"{self._servers[site].url}/"

    def url_of(self, article: Article) -> str:
        return self._servers[article.site].url + article.path

    def article_at(self, url: str) -> Article | None:
        """The article that stands at an address, or None."""
        parts = urlsplit(url)
        for name, server in self._servers.items():
            if url.startswith(f"{server.url}/"):
                return self.web.by_place.get((name, parts.path))
        return None

    def __enter__(self) -> Self:
        for server in (*self._servers.values(), self._searches):
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in (*self._servers.values(), self._searches):
            server.shutdown()
            server.server_close()

    def _search(self, path: str, values: Mapping[str, str]) -> Reply:
        if path != "/html/":
            return _not_found(path)
        query = values.get("q", "")
        start = int(values.get("s") or 0)
        return _html(results(query, self._engine.search(query), start, self.url_of))

    def _page(self, site: Site, path: str, values: Mapping[str, str]) -> Reply:
        if article := self.web.by_place.get((site.name, path)):
            if article.pdf:
                return 200, "application/pdf", pdf(article.title, article.paragraphs)
            return _html(pages.page(article, self.web.related(article), self.url_of), site.charset)
        return self._other(site, path)

    def _other(self, site: Site, path: str) -> Reply:
        articles = self.web.of(site.name)
        if path == "/":
            return _html(pages.front(site, articles, self.url_of), site.charset)
        if path == "/robots.txt":
            rules = f"User-agent: *\nDisallow: /private/\nSitemap: {self.home(site.name)}sitemap.xml\n"
            return 200, "text/plain; charset=utf-8", rules.encode()
        if path == "/sitemap.xml":
            return 200, "application/xml", _sitemap(self.url_of(each) for each in articles)
        if path == "/feed.xml" and site.name == "gazette":
            return 200, "application/rss+xml", self._feed(site, articles[:LATEST])
        if site.name == "harbours":
            return self._of_script(path)
        return _not_found(path)

    def _of_script(self, path: str) -> Reply:
        if path == "/app.js":
            return 200, "text/javascript; charset=utf-8", (pages.LAYOUTS / "app.js").read_bytes()
        article = self.web.by_place.get(("harbours", path.removeprefix("/data").removesuffix(".json")))
        if not article:
            return _not_found(path)
        said = {"title": article.title, "paragraphs": article.paragraphs}
        return 200, "application/json", json.dumps(said).encode()

    def _feed(self, site: Site, articles: list[Article]) -> bytes:
        items = "".join(
            f"<item><title>{escape(each.title)}</title><link>{escape(self.url_of(each))}</link></item>"
            for each in articles
        )
        return (
            f'<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>{escape(site.title)}</title>'
            f"<link>{escape(self.home(site.name))}</link>{items}</channel></rss>"
        ).encode()


def _sitemap(urls: Any) -> bytes:
    items = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in urls)
    return (
        '<?xml version="1.0" encoding="utf-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"{items}</urlset>"
    ).encode()


def _html(text: str, charset: str = "utf-8") -> Reply:
    return 200, f"text/html; charset={charset}", text.encode(charset, "xmlcharrefreplace")


def _not_found(path: str) -> Reply:
    return 404, "text/html; charset=utf-8", b"<h1>There is no such page</h1>"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, reply: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply = reply
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        return  # a client that closes a connection early is no news


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "SmallWeb"
    server: _Server

    def do_GET(self) -> None:
        self._answer(urlsplit(self.path).query)

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        self._answer(self.rfile.read(size).decode("utf-8", "replace"))

    def _answer(self, form: str) -> None:
        values = {name: given[0] for name, given in parse_qs(form).items()}
        status, kind, body = self.server.reply(urlsplit(self.path).path, values)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        return
