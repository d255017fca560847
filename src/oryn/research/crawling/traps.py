"""Sites without an end: what no crawler should go into, told from the URL alone. Pure.

Two kinds of answer: `endless` for a URL that only a mistake or a trap makes, and `shape` for what a URL looks like
once its numbers are taken away, so that a crawl can count how many of one shape it has (calendars, filters, sessions).
"""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

from oryn.research.urls import parameters

LONGEST = 2_000
"""Characters of a URL. Browsers and servers take more, but nobody links to that on purpose."""
SEGMENTS = 16
PARAMETERS = 12
REPEATS = 3
"""So often a part of a path may stand in it, or a run of parts behind itself."""

_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r"(?=[^/]*\d)[0-9a-f]{8,}(-[0-9a-f]{4,})*|(?=[^/]*\d)(?=[^/]*[A-Z])[A-Za-z0-9_-]{16,}")


def endless(url: str) -> str:
    """Why a tidy URL looks like one of endlessly many; empty when it does not."""
    if len(url) > LONGEST:
        return "its URL is too long"
    segments = [each for each in urlsplit(url).path.split("/") if each]
    if len(segments) > SEGMENTS:
        return "its path has too many parts"
    if _repeats(segments):
        return "its path repeats itself"
    if len(parameters(url)) > PARAMETERS:
        return "it has too many parameters"
    return ""


def shape(url: str) -> str:
    """What a URL has in common with others of its kind: path with numbers and codes taken for one another, and the
    names of its parameters."""
    path = "/".join(map(_folded, urlsplit(url).path.split("/")))
    names = parameters(url)
    return f"{path}?{'&'.join(_folded(name) for name in names)}" if names else path


def _folded(segment: str) -> str:
    return "*" if _TOKEN.fullmatch(segment) else _NUMBER.sub("0", segment)


def _repeats(segments: list[str]) -> bool:
    """A part that is there too often (`/a/b/a/c/a/d/a`; numbers, as in dates, don't count), or a run of parts that
    follows itself (`/a/b/a/b/a/b`)."""
    words = Counter(each for each in segments if not each.isdigit())
    if words and max(words.values()) > REPEATS:
        return True
    for length in range(1, len(segments) // REPEATS + 1):
        for begin in range(len(segments) - length * REPEATS + 1):
            run = segments[begin : begin + length]
            rounds = (segments[begin + length * each : begin + length * (each + 1)] for each in range(1, REPEATS))
            if not all(each.isdigit() for each in run) and all(each == run for each in rounds):
                return True
    return False
