"""What a page says about itself: title, author, date, language, site, description."""

from __future__ import annotations

import re
from typing import Any

from lxml.html import HtmlElement
from trafilatura.metadata import extract_metadata

from oryn.records import Record

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?=$|[-_])")


class Metadata(Record):
    """Each is empty when the page does not say it. `date` is a day, `2026-11-22`; `language` a code, `en`."""

    title: str = ""
    author: str = ""
    date: str = ""
    language: str = ""
    site: str = ""
    description: str = ""


def metadata_of(tree: HtmlElement, url: str) -> Metadata:
    """By trafilatura and htmldate: JSON-LD, Open Graph, other `meta`, the elements that show it. The tree is not
    changed."""
    found: Any = extract_metadata(tree, default_url=url or None, extensive=False)
    return Metadata(
        title=_line(found.title),
        author=_line(found.author),
        date=_line(found.date),
        language=language_of(tree),
        site=_line(found.sitename),
        description=_line(found.description),
    )


def language_of(tree: HtmlElement) -> str:
    """As the page declares it: `<html lang>`, or `og:locale`, or the `content-language` of a `meta`."""
    declared = [tree.get("lang"), tree.get("{http://www.w3.org/XML/1998/namespace}lang"), tree.get("xml:lang")]
    for meta in tree.iter("meta"):
        name = (meta.get("property") or meta.get("http-equiv") or meta.get("name") or "").lower()
        if name in ("og:locale", "content-language", "language"):
            declared.append(meta.get("content"))
    for each in declared:
        code = _LANGUAGE.match((each or "").strip())
        if code:
            return code[0].lower()
    return ""


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
