"""Articles of plain text, Markdown, JSON and code. Pure."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from oryn.core.text_safety import url as display_url
from oryn.errors import NoText
from oryn.research.documents import Article
from oryn.research.fetching.content_type import essence

MAX_TITLE_CHARACTERS = 120

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
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]++(.++)|^(?!\s)(.++)\n(?:=++|-++)[ \t]*+$", re.M)
_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x0c]")
_EMPTY_LINES = re.compile(r"\n{3,}")


def article_of_text(text: str, url: str, content_type: str = "text/plain") -> Article:
    """The article of a text, which is only cleaned of odd line ends and rows of empty lines. The title is the first
    heading, the first line if that is short, or the last part of the URL. In the Markdown, code and data stand in a
    fenced block. Raises `NoText` if there is only white space."""
    text = _EMPTY_LINES.sub("\n\n", "\n".join(line.rstrip() for line in _ENDS.sub("\n", text).split("\n"))).strip()
    if not text:
        raise NoText(f"{display_url(url)} is empty: there is no text to read")
    media_type, parts = essence(content_type), urlsplit(url)
    name = unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.netloc
    if media_type == "text/markdown" or name.lower().endswith((".md", ".markdown")):
        found = _HEADING.search(text)
        return Article(
            url=url,
            title=_truncate_title((found[1] or found[2]).rstrip("# ")) if found else name,
            text=text,
            markdown=text,
            kind="text",
        )
    language = _language(media_type)
    if language is not None:
        title, text = (_json_title(text), _indented(text)) if language == "json" else ("", text)
        return Article(url=url, title=title or name, text=text, markdown=fenced(text, language), kind="text")
    first = text.split("\n", 1)[0]
    return Article(
        url=url, title=first if len(first) <= MAX_TITLE_CHARACTERS else name, text=text, markdown=text, kind="text"
    )


def fenced(text: str, language: str = "") -> str:
    """A fenced code block; the fence is longer than any in the text
    (https://spec.commonmark.org/0.31.2/#fenced-code-blocks)."""
    longest = max((len(row) for row in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _language(media_type: str) -> str | None:
    """The name of a media type after a fence; None for prose."""
    if media_type in _LANGUAGES:
        return _LANGUAGES[media_type]
    ending = re.search(r"\+(json|xml)$", media_type)
    return ending[1] if ending else None


def _indented(text: str) -> str:
    """JSON with a line for each value, so that it can be read and split; invalid JSON as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _json_title(text: str) -> str:
    """The title in a JSON document."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    titles = [value.get(key) for key in ("title", "name")] if isinstance(value, dict) else []
    return next((_truncate_title(title) for title in titles if isinstance(title, str) and title.strip()), "")


def _truncate_title(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= MAX_TITLE_CHARACTERS else line[: MAX_TITLE_CHARACTERS - 1] + "…"
