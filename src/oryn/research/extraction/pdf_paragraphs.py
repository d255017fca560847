"""Joins printed lines into paragraphs: page numbers and running heads are removed, hyphenated words joined. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

FULL_LINE_SHARE = 0.75
"""The share of the usual length of a line; a shorter line may end a paragraph."""
EDGE_LINES = 2
"""Lines at the top and the bottom of a page that may be running heads."""

_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|s\.)?\s*+(?:[-–—]\s*+)?(?:\d{1,4}|[ivxlc]{1,6})\s*+[-–—]?(?:\s*+(?:/|of|von)\s*+\d{1,4})?", re.I
)
_DIGITS = re.compile(r"\d+")
_BEGINS = re.compile(r"(?:[•◦▪‣·*–—-]|\(?\d{1,3}[.)]|\(?[a-z][.)]|§)\s|#{1,6}\s")
_END = re.compile(r"[.!?:;…][\"'”’»)\]]*$")
_CUT = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]$")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00a0": " "}
)


def paragraphs(pages: Sequence[str], rows: Collection[str] = ()) -> list[str]:
    """The paragraphs of the text of pages; a paragraph may go on over the end of a page. `rows` are lines that stay as
    they are: rows of tables."""
    lines = list(_without_running_heads([_lines(page) for page in pages]))
    long = sorted(len(line) for line in lines if line)
    usual = long[int(len(long) * 0.9)] if long else 0
    result: list[str] = []
    last = ""
    for line in lines:
        if line in rows:
            result.append(line)
            line = ""
        elif result and last and line and _goes_on(last, line, usual):
            result[-1] = _joined(result[-1], line)
        elif line:
            result.append(line)
        last = line
    return result


def _lines(page: str) -> list[str]:
    text = page.translate(_LIGATURES).replace("\x00", "")
    return [" ".join(line.split()) for line in text.splitlines()]


def _without_running_heads(pages: list[list[str]]) -> Iterable[str]:
    """All lines but those at the edges that are page numbers, or the same on most pages (apart from their digits)."""
    counted: Counter[str] = Counter()
    for page in pages:
        counted.update({_pattern(line) for line in _edges(page)})
    heads = {pattern for pattern, count in counted.items() if count >= max(3, len(pages) * 0.5)}
    for page in pages:
        edges = set(_edges(page))
        for line in page:
            if line in edges and (_PAGE_NUMBER.fullmatch(line) or _pattern(line) in heads):
                continue
            yield line


def _edges(page: list[str]) -> list[str]:
    """The lines at the edges of a page; fewer if the page has few lines, since those of a slide are its text."""
    lines = [line for line in page if line]
    edge = min(EDGE_LINES, len(lines) // 3)
    return lines[:edge] + lines[len(lines) - edge :]


def _pattern(line: str) -> str:
    return _DIGITS.sub("0", line).lower()


def _goes_on(last: str, line: str, usual: int) -> bool:
    """Whether `line` belongs to the paragraph whose last line so far is `last`."""
    if _BEGINS.match(line):
        return False
    if _CUT.search(last) or line[0].islower():
        return True
    return len(last) >= usual * FULL_LINE_SHARE and not (_END.search(last) and len(last) < usual * 0.9)


def _joined(text: str, line: str) -> str:
    """The paragraph with the line added. A hyphenated word is joined; words with a hyphen of their own
    (`Anglo-American`) are preserved."""
    if _CUT.search(text) and line[0].islower():
        return text[:-1] + line
    return text + line if _CUT.search(text) else f"{text} {line}"
