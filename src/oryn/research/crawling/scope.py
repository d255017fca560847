"""Where a crawl may go: its seeds' hosts, domains or folders, and what patterns let in or keep out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from oryn.research.crawling.options import CrawlOptions
from oryn.research.urls import domain_of, host_of

_FILES = frozenset(
    "7z aac apk avi avif bin bmp bz2 css deb dmg doc docx ear eot epub exe flac flv gif gz ico img iso jar jpeg jpg js"
    " json m4a m4v map mid mkv mov mp3 mp4 mpeg mpg msi ods odt ogg ogv otf pkg png ppt pptx ps rar rpm rss svg swf tar"
    " tgz tif tiff ttf war wasm wav webm webp wma wmv woff woff2 xls xlsx xml xz zip".split()
)
"""Endings of what has no text to read; a PDF has."""


class Scope:
    """`roots` are the seeds, and where redirects took them: whoever names `example.org` means `www.example.org` when it
    is sent there."""

    def __init__(self, roots: Iterable[str], options: CrawlOptions) -> None:
        self._scope = options.scope
        self._include = [_Pattern(each) for each in options.include]
        self._exclude = [_Pattern(each) for each in options.exclude]
        self._hosts: set[str] = set()
        self._places: set[str] = set()
        for root in roots:
            self.widen(root)

    def widen(self, root: str) -> None:
        """Take what is around `root` for the crawl's own."""
        self._hosts.add(host_of(root))
        self._places.add(self._place(root))

    def around(self, host: str) -> bool:
        """Whether a whole host is the crawl's own: a seed's, or one of its domain."""
        return host in self._hosts or (self._scope == "domain" and domain_of(host) in self._places)

    def holds(self, url: str) -> bool:
        """Whether a tidy URL is where the crawl may go."""
        match self._scope:
            case "any":
                return True
            case "path":
                return any(url.startswith(place) for place in self._places)
            case _:
                return self._place(url) in self._places

    def wants(self, url: str) -> bool:
        """Whether a link to a tidy URL is followed: it is in scope, patterns let it, and it does not end like a file
        that nobody can read."""
        if not self.holds(url) or _ending(url) in _FILES:
            return False
        if self._include and not any(each.fits(url) for each in self._include):
            return False
        return not any(each.fits(url) for each in self._exclude)

    def _place(self, url: str) -> str:
        match self._scope:
            case "domain":
                return domain_of(host_of(url))
            case "path":
                return url.partition("?")[0].rpartition("/")[0] + "/"
            case _:
                return host_of(url)


class _Pattern:
    """`*` stands for anything; a pattern that begins with `/` is of the path and what follows."""

    def __init__(self, pattern: str) -> None:
        self._of_path = pattern.startswith("/")
        self._fits = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.IGNORECASE | re.DOTALL).fullmatch

    def fits(self, url: str) -> bool:
        text = "/" + url.split("/", 3)[3] if self._of_path else url
        return self._fits(text) is not None


def _ending(url: str) -> str:
    name = urlsplit(url).path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
