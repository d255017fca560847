"""What a page says about itself: title, author, date, language, site, description."""

from __future__ import annotations

import re
from typing import Any

from lxml.html import HtmlElement
from trafilatura.metadata import extract_metadata

from oryn.records import Record
from oryn.research.extraction.language import declared_language
from oryn.research.extraction.trimming import folded

# What stands between a page's title and its site's or section's.
_MARK = re.compile(r"\s+[|–—»·:-]+\s+|:\s+|\s+[|–—»·-]+$")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Metadata(Record):
    """Each is empty when the page does not say it. `date` is a day, `2026-11-22`; `language` a code, `en`."""

    title: str = ""
    author: str = ""
    date: str = ""
    language: str = ""
    site: str = ""
    description: str = ""


def metadata_of(tree: HtmlElement, url: str) -> Metadata:
    """By trafilatura and htmldate: JSON-LD, Open Graph, other `meta`, the elements that show it. `tree` may be
    changed."""
    language = declared_language(tree)
    headline = next((text for each in tree.iter("h1") if (text := _line(each.text_content()))), "")
    try:
        found: Any = extract_metadata(tree, default_url=url or None, extensive=False)
    except Exception:  # noqa: BLE001
        # A page's JSON and dates come in shapes that these parsers did not foresee; its text is worth having all the
        # same.
        return Metadata(title=headline, language=language)
    return Metadata(
        title=_own(_line(found.title), headline, _line(found.sitename)) or headline,
        author=_line(found.author),
        date=_line(found.date),
        language=language,
        site=_line(found.sitename),
        description=_line(found.description),
    )


def _own(title: str, headline: str, site: str) -> str:
    """The title without the site's and the section's name: what the page's headline says too, or what is left beside
    the site's name."""
    parts = _MARK.split(title)
    whole = folded(headline)
    for begin in range(len(parts)):
        for end in range(len(parts), begin, -1):
            if len(whole) > 3 and folded("".join(parts[begin:end])) == whole:
                return headline
    cut = title.rstrip()[: -len(site)].rstrip() if site and title.endswith(site) else title
    return cut.rstrip("|–—»·:- ") if _MARK.search(cut + " ") and cut != title else title


def _line(text: str | None) -> str:
    return " ".join(_CONTROL.sub(" ", text or "").split())
