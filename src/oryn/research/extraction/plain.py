"""Articles of what is text already: plain text, Markdown, JSON, code. Pure."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from oryn.engine.escape import url as shown
from oryn.research.documents import Article
from oryn.research.failures import NoText
from oryn.research.fetching.media import essence

LONGEST_TITLE = 120

_LANGUAGES = {
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/css": "css",
    "text/csv": "csv",
    "text/javascript": "js",
    "application/javascript": "js",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
}
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$|^(?!\s)(.+)\n(?:=+|-+)\s*$", re.M)
_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x0c]")
_EMPTY_LINES = re.compile(r"\n{3,}")


def article_of_text(text: str, url: str, content_type: str = "text/plain") -> Article:
    """`text` is kept as it is, save for line ends and rows of empty lines. Its title is its first heading, its first
    line where that is short, or the last part of its URL. As Markdown, what is written for programs stands in a fenced
    block. Raises `NoText` for nothing but space."""
    text = _EMPTY_LINES.sub("\n\n", "\n".join(line.rstrip() for line in _ENDS.sub("\n", text).split("\n"))).strip()
    if not text:
        raise NoText(f"{shown(url)} is empty: there is no text to read")
    said, name = essence(content_type), _name(url)
    if said == "text/markdown" or name.lower().endswith((".md", ".markdown")):
        found = _HEADING.search(text)
        return Article(
            url=url, title=_cut(found[1] or found[2]) if found else name, text=text, markdown=text, kind="text"
        )
    language = _language(said)
    if language is not None:
        title, text = (_said(text), _indented(text)) if language == "json" else ("", text)
        return Article(url=url, title=title or name, text=text, markdown=fenced(text, language), kind="text")
    first = text.split("\n", 1)[0]
    return Article(url=url, title=first if len(first) <= LONGEST_TITLE else name, text=text, markdown=text, kind="text")


def fenced(text: str, language: str = "") -> str:
    """A block of code whose fence is longer than any in it (https://spec.commonmark.org/0.31.2/#fenced-code-blocks)."""
    longest = max((len(row) for row in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _language(said: str) -> str | None:
    """What a type is called behind a fence; None for prose."""
    if said in _LANGUAGES:
        return _LANGUAGES[said]
    ending = re.search(r"\+(json|xml)$", said)
    return ending[1] if ending else None


def _indented(text: str) -> str:
    """JSON with a line for each value, so that it can be read and cut; as it is where it is none."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _said(text: str) -> str:
    """The title that JSON has itself."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    titles = [value.get(key) for key in ("title", "name")] if isinstance(value, dict) else []
    return next((_cut(title) for title in titles if isinstance(title, str) and title.strip()), "")


def _name(url: str) -> str:
    parts = urlsplit(url)
    return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.netloc


def _cut(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…"
