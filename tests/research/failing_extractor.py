"""Reads pages as `oryn.research.extractor.read` does, and badly those whose path says so."""

from __future__ import annotations

import os
import time
from urllib.parse import urlsplit

from oryn.errors import NoText
from oryn.research.documents import Article, FetchedPage


def read(page: FetchedPage) -> Article:
    match urlsplit(page.url).path:
        case "/crash":
            os.abort()
        case "/hang":
            time.sleep(3600)
        case "/greedy":
            bytearray(1 << 40)
        case "/empty":
            raise NoText("nothing to read", "Look elsewhere.")
        case "/broken":
            raise ValueError("a parser is surprised")
        case "/chatty":
            print("what a library prints", flush=True)  # noqa: T201
    return Article(url=page.url, title=str(os.getpid()), text=page.body.decode(), markdown="")
