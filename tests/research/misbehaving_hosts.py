"""Twenty hosts that a crawler has to get along with, on loopback: 127.0.0.1 to 127.0.0.20, one misbehaviour each.

Every host has `size` pages of content in a tree of links (`/p/0` has links to `/p/1` to `/p/3` and so on), each with a
sentence of its own; `Hosts.content` says which of them a crawler that obeys the rules has to tell. What else a host has
is there to be stumbled over.
"""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from tests.research.server import ReceivedRequest, Reply, Site, gzipped, redirect

HOSTS = 20
MAX_BODY = 1_000_000
"""What the crawler of these hosts takes of a body; some have more."""
WORDS = (
    "fern spore frond moss leaf root water shade rain stone forest meadow river valley morning evening garden seed stem"
    " light wind soil autumn winter summer bridge harbour letter window kitchen market village mountain island"
).split()


def marker(host: int, number: int) -> str:
    """The sentence that only this page has."""
    return f"The count of ferns in plot {number} of garden {host} was {host * 1000 + number}."


def prose(host: int, number: int) -> str:
    """Some paragraphs, the same whenever they are asked for."""
    chance = random.Random(host * 10_000 + number)
    sentences = [" ".join(chance.choices(WORDS, k=12)).capitalize() + "." for _ in range(9)]
    sentences.insert(4, marker(host, number))
    return "".join(f"<p>{' '.join(sentences[begin : begin + 5])}</p>" for begin in (0, 5))


def page(host: int, number: int, links: Iterable[str] = (), head: str = "") -> str:
    anchors = " ".join(f'<a href="{link}">more</a>' for link in links)
    return (
        f"<!doctype html><html><head><title>Plot {number} of garden {host}</title>{head}</head>"
        f"<body><main><h1>Plot {number}</h1>{prose(host, number)}</main><nav>{anchors}</nav></body></html>"
    )


Answer = Callable[["Host", ReceivedRequest], Reply | None]
"""What a host does in its own way; None where it answers as hosts should."""


class Host:
    """One host: its content, and its way to answer."""

    def __init__(self, number: int, hosts: Hosts, site: Site) -> None:
        self.number = number
        self.hosts = hosts
        self.site = site
        self.size = hosts.size
        self.requests: Counter[str] = Counter()
        self.refused_at: list[tuple[float, float]] = []
        """When it said 'later' (as `Asked.at`), and how many seconds later."""
        site.otherwise = self.answer

    def answer(self, request: ReceivedRequest) -> Reply:
        self.requests[request.target] += 1
        answer = WAYS.get(self.number)
        return (answer and answer(self, request)) or self.well(request)

    def well(self, request: ReceivedRequest) -> Reply:
        """As hosts should."""
        number = self.of(request)
        if number is None:
            return Reply("not here", status=404, type="text/plain")
        body = page(self.number, number, self.links(number))
        return Reply(body, etag=f'"{self.number}-{number}"')

    def of(self, request: ReceivedRequest) -> int | None:
        """Which page of content it asks for."""
        if request.path == "/":
            return 0
        number = request.path.removeprefix("/p/")
        return int(number) if request.path != number and number.isdigit() and 0 < int(number) < self.size else None

    def links(self, number: int) -> list[str]:
        below = [f"/p/{each}" for each in range(3 * number + 1, 3 * number + 4) if each < self.size]
        return [*below, *EXTRA.get(self.number, ())] if number == 0 else below

    def url(self, number: int) -> str:
        return self.site.url(f"/p/{number}" if number else "/")


class Hosts:
    """All of them, served by this process. `slow` is how long the slow one takes, in seconds."""

    def __init__(self, size: int, slow: float = 0.1, crawl_delay: float = 0.1) -> None:
        self.size = size
        self.slow = slow
        self.crawl_delay = crawl_delay
        self.all: list[Host] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        port = 0
        for number in range(1, HOSTS + 1):
            site = self._stack.enter_context(Site(f"127.0.0.{number}", port=port))
            self.all.append(Host(number, self, site))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    @property
    def seeds(self) -> list[str]:
        return [host.site.url("/") for host in self.all]

    @property
    def content(self) -> dict[str, str]:
        """The URL of each page that has to be told, and the sentence that it must have."""
        return {
            host.url(number): marker(host.number, number)
            for host in self.all
            if host.number not in WITHHELD
            for number in range(self.size)
        }


def slow(host: Host, request: ReceivedRequest) -> Reply | None:
    return Reply(host.well(request).body, delay=host.hosts.slow) if host.of(request) is not None else None


def drops(host: Host, request: ReceivedRequest) -> Reply | None:
    """Every third page: first nothing, then half of it, then all."""
    number = host.of(request)
    if number is None or number % 3 != 1 or host.requests[request.target] > 2:
        return None
    return Reply(host.well(request).body, cut=-1 if host.requests[request.target] == 1 else 200)


def redirects(host: Host, request: ReceivedRequest) -> Reply | None:
    match request.path.split("/"):
        case ["", "ring", at]:
            return redirect(f"/ring/{(int(at) + 1) % 3}")
        case ["", "on", at]:
            return redirect(f"/on/{int(at) + 1}")
        case ["", "self"]:
            return redirect("/self")
        case ["", "go", to]:
            return redirect(f"/p/{to}", 301)
        case ["", "away"]:
            return redirect("javascript:alert(1)")
        case ["", "nowhere"]:
            return Reply(status=302)
    return None


def endless_list(host: Host, request: ReceivedRequest) -> Reply | None:
    if request.path != "/list":
        return None
    at = int(request.query.get("page", "0"))
    return Reply(
        f"<title>List {at}</title><p>Entry {at} of a list without an end.</p><a href='/list?page={at + 1}'>on</a>"
    )


def calendar(host: Host, request: ReceivedRequest) -> Reply | None:
    """Days with filters, and folders in themselves by a link that lacks its slash."""
    if request.path.startswith("/a/"):
        return Reply(f"<p>You are at {request.path}</p><a href='b/a/'>deeper</a>")
    if request.path != "/calendar":
        return None
    day = int(request.query.get("day", "0"))
    views = [f"/calendar?day={day + step}&view={view}" for step in (-1, 1, 7) for view in ("list", "grid")]
    links = " ".join(f"<a href='{view}'>day</a>" for view in views)
    return Reply(f"<p>Nothing happens on day {day} ({request.target}).</p>{links}")


def charsets(host: Host, request: ReceivedRequest) -> Reply | None:
    number = host.of(request)
    if number is None:
        return None
    text = page(host.number, number, host.links(number), '<meta charset="utf-8">').replace("<p>", "<p>Größe, naïve: ")
    lies = (
        ("latin-1", "utf-8"),
        ("utf-8", "iso-8859-1"),
        ("utf-16", "klingon"),
        ("cp1252", ""),
        ("utf-8", "x-nothing"),
    )
    encoding, told = lies[number % len(lies)]
    return Reply(text.encode(encoding), type=f"text/html; charset={told}" if told else "text/html")


def too_many(host: Host, request: ReceivedRequest) -> Reply | None:
    """One request in 25 is one too many, the fifth of all is the first of them."""
    if host.of(request) is None or (len(host.site.requests) - 5) % 25:
        return None
    host.refused_at.append((request.at, 1.0))
    return Reply("slow down", status=429, headers={"Retry-After": "1"})


def huge(host: Host, request: ReceivedRequest) -> Reply | None:
    match request.path:
        case "/endless":
            return Reply(pieces=(b"<p>and on and on " * 4000 for _ in range(10_000)))
        case "/long":
            return Reply(b"x", length=50 * MAX_BODY)
        case "/bomb":
            return Reply(gzip.compress(bytes(30 * MAX_BODY)), headers={"Content-Encoding": "gzip"})
    return None


def bad_gzip(host: Host, request: ReceivedRequest) -> Reply | None:
    number = host.of(request)
    if request.path == "/garbled":
        return Reply(b"this is no gzip", headers={"Content-Encoding": "gzip"})
    if request.path == "/torn":
        whole = gzip.compress(random.Random(1).randbytes(9000))
        return Reply(whole[: len(whole) // 2], headers={"Content-Encoding": "gzip"})
    return None if number is None else gzipped(host.well(request).body)


def no_robots(host: Host, request: ReceivedRequest) -> Reply | None:
    return Reply("oops", status=500) if request.path == "/robots.txt" else None


def sessions(host: Host, request: ReceivedRequest) -> Reply | None:
    """A new session in every link."""
    number = host.of(request)
    if number is None:
        return None
    names = ("PHPSESSID", "sid", "utm_source")
    code = random.Random(len(host.site.requests)).randbytes(16).hex()
    return Reply(page(host.number, number, [f"{link}?{names[number % 3]}={code}" for link in host.links(number)]))


def strict_robots(host: Host, request: ReceivedRequest) -> Reply | None:
    if request.path == "/robots.txt":
        rules = "User-agent: *\nDisallow: /p/\n\nUser-agent: oryn\nDisallow: /private\nDisallow: /*.cgi$\n"
        return Reply(f"\ufeff{rules}Crawl-delay: {host.hosts.crawl_delay}\n", type="text/plain")
    return None


def sitemaps(host: Host, request: ReceivedRequest) -> Reply | None:
    """Of its content only the sitemaps know, and these know each other."""
    url = host.site.url
    match request.path:
        case "/robots.txt":
            return Reply(f"Sitemap: {url('/index.xml')}\nSitemap: {url('/broken.xml')}", type="text/plain")
        case "/index.xml":
            maps = ("/index.xml", "/other.xml", "/pages.xml.gz", "/gone.xml")
            entries = "".join(f"<sitemap><loc>{url(each)}</loc></sitemap>" for each in maps)
            return Reply(f"<sitemapindex>{entries}</sitemapindex>", type="application/xml")
        case "/other.xml":
            return Reply(f"<sitemapindex><sitemap><loc>{url('/index.xml')}</loc></sitemap></sitemapindex>")
        case "/broken.xml":
            return Reply(f"<urlset><url><loc>{host.url(1)}</loc></url><url><loc>{url('/p/2')}")
        case "/pages.xml.gz":
            entries = "".join(f"<url><loc>{host.url(each)}</loc></url>" for each in range(host.size))
            namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
            return Reply(gzip.compress(f'<urlset xmlns="{namespace}">{entries}</urlset>'.encode()), type="text/xml")
    number = host.of(request)
    return None if number is None else Reply(page(host.number, number))


def breaks_down(host: Host, request: ReceivedRequest) -> Reply | None:
    """Every fourth page is there at the second time."""
    number = host.of(request)
    if number is None or number % 4 != 1 or host.requests[request.target] > 1:
        return None
    return Reply("down", status=(500, 502, 503)[number % 3])


def duplicates(host: Host, request: ReceivedRequest) -> Reply | None:
    """Each page has another address for its print, and one for each way to come to it."""
    number = host.of(request)
    if request.path.startswith("/print/"):
        number = int(request.path.removeprefix("/print/"))
    if number is None:
        return None
    others = (f"/print/{number}", f"/p/{number}?from={number // 3}" if number else "/?from=home")
    return Reply(page(host.number, number, [*host.links(number), *others]))


def dead(host: Host, request: ReceivedRequest) -> Reply | None:
    return Reply(raw=b"")


def broken_html(host: Host, request: ReceivedRequest) -> Reply | None:
    number = host.of(request)
    match request.path:
        case "/nested":
            return Reply("<div>" * 50_000)
        case "/binary":
            return Reply(random.Random(2).randbytes(5000), type="text/html")
        case "/empty":
            return Reply("")
    if number is None:
        return None
    odd = ["http://[::bad", "http://:99999/", "//", "mailto:a@b.c", "javascript:void(0)", "#top", "tel:1", "http:///x"]
    text = (
        page(host.number, number, [*host.links(number), *odd]).replace("</main>", "").replace("</p>", "<p/><b><i></b>")
    )
    return Reply(text.replace("<head>", '<head><base href="/somewhere/else"><base href="//nowhere.invalid/">'))


def asks_for_nothing(host: Host, request: ReceivedRequest) -> Reply | None:
    match request.path:
        case "/noindex":
            return Reply("<meta name=robots content='noindex'><p>Keep out.</p>")
        case "/nofollow":
            return Reply("<p>Don't follow.</p><a href=/never/1>x</a>", headers={"X-Robots-Tag": "nofollow"})
        case "/elsewhere":
            return redirect("http://127.0.1.1:9/")
    return None


def mazes(host: Host, request: ReceivedRequest) -> Reply | None:
    """Whatever is asked for is there, and leads on; some addresses grow with each step."""
    if request.path == "/robots.txt" or host.of(request) is not None:
        return None
    code = random.Random(request.target).randbytes(8).hex()
    longer = f"{request.path}/and-{code[:3]}" if request.path.startswith("/grow") else f"/maze/{code}"
    return Reply(f"<p>Soft: {request.target}</p><a href='{longer}'>on</a><a href='/maze/{code[::-1]}'>on</a>", cut=None)


WAYS: dict[int, Answer] = {
    2: slow,
    3: drops,
    4: redirects,
    5: endless_list,
    6: calendar,
    7: charsets,
    8: too_many,
    9: huge,
    10: bad_gzip,
    11: no_robots,
    12: sessions,
    13: strict_robots,
    14: sitemaps,
    15: breaks_down,
    16: duplicates,
    17: dead,
    18: broken_html,
    19: asks_for_nothing,
    20: mazes,
}

EXTRA: dict[int, tuple[str, ...]] = {
    4: ("/ring/0", "/on/0", "/self", "/go/1", "/go/2", "/away", "/nowhere"),
    5: ("/list",),
    6: ("/calendar", "/a/"),
    9: ("/endless", "/long", "/bomb"),
    10: ("/garbled", "/torn"),
    13: ("/private/1", "/private", "/x.cgi"),
    18: ("/nested", "/binary", "/empty"),
    19: ("/noindex", "/nofollow", "/elsewhere"),
    20: ("/grow", "/maze/0"),
}
"""What home pages lead to besides their content."""

WITHHELD = frozenset({11, 17})
"""Hosts whose content nobody gets."""
