"""Where a crawl may go: the hosts, domains or folders of its seeds, include and exclude patterns, and crawler
traps. Pure.

Traps are recognised by the URL alone, in two ways: `trap_reason` for a URL that only a mistake or a trap produces,
and `url_shape` for a URL without its numbers, so that a crawl can count how many of one shape it has (calendars,
filters, sessions)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlsplit

from oryn.core.urls import wildcard_expression
from oryn.research.crawling.models import CrawlOptions
from oryn.research.urls import domain_of, host_of, parameters

_FILES = frozenset(
    "7z aac apk avi avif bin bmp bz2 css deb dmg doc ear eot exe flac flv gif gz ico img iso jar jpeg jpg js"
    " json m4a m4v map mid mkv mov mp3 mp4 mpeg mpg msi ods odt ogg ogv otf pkg png ppt pptx ps rar rpm rss svg swf tar"
    " tgz tif tiff ttf war wasm wav webm webp wma wmv woff woff2 xls xlsx xml xz zip".split()
)
"""Extensions of files without text; PDF is not among them."""


class CrawlScope:
    """The scope of a crawl. `roots` are the seeds and the URLs that they redirect to: a seed `example.org` means
    `www.example.org` if it is redirected there."""

    def __init__(self, roots: Iterable[str], options: CrawlOptions) -> None:
        self._scope = options.scope
        self._include = [_UrlPattern(each) for each in options.include]
        self._exclude = [_UrlPattern(each) for each in options.exclude]
        self._hosts: set[str] = set()
        self._roots: set[str] = set()
        for root in roots:
            self.widen(root)

    def widen(self, root: str) -> None:
        """Add the surroundings of `root` to the scope."""
        self._hosts.add(host_of(root))
        self._roots.add(self._place(root))

    def covers_host(self, host: str) -> bool:
        """Whether a whole host is in scope: that of a seed, or one of its domain."""
        return host in self._hosts or (self._scope == "domain" and domain_of(host) in self._roots)

    def contains(self, url: str) -> bool:
        """Whether a normalized URL is in scope."""
        match self._scope:
            case "any":
                return True
            case "path":
                return any(url.startswith(place) for place in self._roots)
            case _:
                return self._place(url) in self._roots

    def accepts(self, url: str) -> bool:
        """Whether a link to a normalized URL is followed: it is in scope, the patterns allow it, and it does not end
        like a file without text."""
        if not self.contains(url) or _ending(url) in _FILES:
            return False
        if self._include and not any(each.matches(url) for each in self._include):
            return False
        return not any(each.matches(url) for each in self._exclude)

    def _place(self, url: str) -> str:
        match self._scope:
            case "domain":
                return domain_of(host_of(url))
            case "path":
                return url.partition("?")[0].rpartition("/")[0] + "/"
            case _:
                return host_of(url)


class _UrlPattern:
    """A pattern in which `*` stands for any text; one that begins with `/` is compared with the path and what
    follows."""

    def __init__(self, pattern: str) -> None:
        self._of_path = pattern.startswith("/")
        self._match = re.compile(wildcard_expression(pattern), re.IGNORECASE | re.DOTALL).match

    def matches(self, url: str) -> bool:
        text = "/" + url.split("/", 3)[3] if self._of_path else url
        return self._match(text) is not None


def _ending(url: str) -> str:
    name = urlsplit(url).path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


MAX_URL_CHARACTERS = 2_000
"""The maximum length of a URL. Browsers and servers accept more, but nobody links to that on purpose."""
MAX_SEGMENTS = 16
MAX_PARAMETERS = 12
MAX_REPEATS = 3
"""How often one part of a path may occur in it, or a sequence of parts in a row."""

_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r"(?=[^/]*\d)[0-9a-f]{8,}(-[0-9a-f]{4,})*|(?=[^/]*\d)(?=[^/]*[A-Z])[A-Za-z0-9_-]{16,}")


def trap_reason(url: str) -> str:
    """Why a normalized URL looks like one of endlessly many; empty if it does not."""
    if len(url) > MAX_URL_CHARACTERS:
        return "its URL is too long"
    segments = [each for each in urlsplit(url).path.split("/") if each]
    if len(segments) > MAX_SEGMENTS:
        return "its path has too many parts"
    if _repeats(segments):
        return "its path repeats itself"
    if len(parameters(url)) > MAX_PARAMETERS:
        return "it has too many parameters"
    return ""


def url_shape(url: str) -> str:
    """What a URL has in common with others of its kind: the path with numbers and codes replaced, and the names of its
    parameters."""
    path = "/".join(map(_folded, urlsplit(url).path.split("/")))
    names = parameters(url)
    return f"{path}?{'&'.join(_folded(name) for name in names)}" if names else path


def _folded(segment: str) -> str:
    return "*" if _TOKEN.fullmatch(segment) else _NUMBER.sub("0", segment)


def _repeats(segments: list[str]) -> bool:
    """A part that is there too often (`/a/b/a/c/a/d/a`; numbers, as in dates, don't count), or a run of parts that
    follows itself (`/a/b/a/b/a/b`)."""
    words = Counter(each for each in segments if not each.isdigit())
    if words and max(words.values()) > MAX_REPEATS:
        return True
    for length in range(1, len(segments) // MAX_REPEATS + 1):
        for begin in range(len(segments) - length * MAX_REPEATS + 1):
            run = segments[begin : begin + length]
            rounds = (segments[begin + length * each : begin + length * (each + 1)] for each in range(1, MAX_REPEATS))
            if not all(each.isdigit() for each in run) and all(each == run for each in rounds):
                return True
    return False
