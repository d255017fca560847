"""Metadata of a page: title, author, date, site, description, and its language, as declared or detected by its
script and its most common words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from copy import deepcopy
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from lxml.html import HtmlElement
from lxml.html.builder import E as html_element
from trafilatura.metadata import extract_metadata

from oryn.core.records import Record
from oryn.research.text.bylines import as_written, is_name

MAX_ELEMENTS = 20_000
"""Of a page with more elements, only the head is looked at: the search for bylines would take seconds."""

MAX_BYLINE_CHARACTERS = 300
"""Longer texts are no bylines."""

_CODE = re.compile(r"([A-Za-z]{2,3})(?=$|[-_])")
_WORD = re.compile(r"[^\W\d_]+")
SAMPLE_CHARACTERS = 20_000
"""Characters of a text by which its language is detected."""

# A script that one language is mostly written in, and the share of letters from which on it is that. Kana before Han:
# Japanese has both.
_SCRIPTS = (
    ("ja", re.compile("[぀-ヿ]"), 0.1),
    ("ko", re.compile("[가-힣]"), 0.3),
    ("zh", re.compile("[一-鿿]"), 0.3),
    ("th", re.compile("[฀-๿]"), 0.3),
    ("el", re.compile("[Ͱ-Ͽ]"), 0.3),
    ("he", re.compile("[֐-׿]"), 0.3),
    ("hi", re.compile("[ऀ-ॿ]"), 0.3),
    ("ar", re.compile("[؀-ۿ]"), 0.3),
)
# Those with which letters are shared, and jusText's lists of their commonest words.
_LISTS = {
    "bg": "Bulgarian",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "nl": "Dutch",
    "no": "Norwegian_Bokmal",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
}
COMMON_WORDS = 100
"""How many of a language's most common words are counted: longer lists contain words of related languages."""


def declared_language(tree: HtmlElement) -> str:
    """The language that the page declares, as a code (`en`): by `<html lang>`, `og:locale` or a `meta` of
    `content-language`; else empty."""
    declared = [tree.get("lang"), tree.get("xml:lang")]
    for meta in tree.iter("meta"):
        name = (meta.get("property") or meta.get("http-equiv") or meta.get("name") or "").lower()
        if name in ("og:locale", "content-language", "language"):
            declared.append(meta.get("content"))
    for each in declared:
        if code := _CODE.match((each or "").strip()):
            return code[1].lower()
    return ""


def page_language(declared: str, text: str) -> str:
    """The language of the text, which takes precedence over the declared one: templates declare that of the site on
    every page. The declared one is used if the text is short, or if it is a language that can't be detected."""
    if declared and declared not in _LISTS and declared not in (code for code, *_ in _SCRIPTS):
        return declared
    return detect_language(text) or declared


def detect_language(text: str) -> str:
    """The language of a text, as a code; empty if the text is too short or no language fits."""
    text = text[:SAMPLE_CHARACTERS]
    letters = sum(map(str.isalpha, text))
    for code, script, share in _SCRIPTS:
        if letters and len(script.findall(text)) > share * letters:
            return code
    words = Counter(word.lower() for word in _WORD.findall(text))
    if words.total() < 20:
        return ""
    counts = {code: sum(words[word] for word in _common(code)) for code in _LISTS}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > 0.2 * words.total() else ""


@cache
def _common(code: str) -> frozenset[str]:
    # By frequency, most first; `justext.get_stoplist` loses the order.
    listed = (files("justext") / "stoplists" / f"{_LISTS[code]}.txt").read_text("utf-8")
    return frozenset(word.lower() for word in listed.split()[:COMMON_WORDS])


# What stands between a page's title and its site's or section's.
_MARK = re.compile(r"(?<!\s)\s++[|–—»·:-]++\s++|:\s++|(?<!\s)\s++[|–—»·-]++$")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


_LETTERS = re.compile(r"[\W_]+")


class Metadata(Record):
    """A field is empty if the page does not have it. `date` is a day (`2026-11-22`), `language` a code (`en`)."""

    title: str = ""
    author: str = ""
    date: str = ""
    language: str = ""
    site: str = ""
    description: str = ""


def metadata_of(tree: HtmlElement, url: str) -> Metadata:
    """The metadata by trafilatura and htmldate: JSON-LD, Open Graph, other `meta`, and the elements that show it.
    `tree` stays as it is."""
    language = declared_language(tree)
    headline = next((text for each in tree.iter("h1") if (text := _line(each.text_content()))), "")
    if sum(1 for _ in islice(tree.iter(), MAX_ELEMENTS + 1)) > MAX_ELEMENTS:
        tree = _head_of(tree)
    try:
        found: Any = extract_metadata(tree, default_url=url or None, extensive=False)
    except Exception:  # noqa: BLE001
        # A page's JSON and dates come in shapes that these parsers did not foresee; its text is worth having all the
        # same.
        return Metadata(title=headline, language=language)
    return Metadata(
        title=_own(_line(found.title), headline, _line(found.sitename)) or headline,
        author=_author(_line(found.author), tree),
        date=_line(found.date),
        language=language,
        site=_line(found.sitename),
        description=_line(found.description),
    )


def _author(found: str, tree: HtmlElement) -> str:
    """The names that were found as the page writes them: the library gives some of them capitals."""
    names = [name for each in found.split(";") if is_name(name := each.strip(" ·|–—-,"))]
    if not names:
        return ""
    declared = [each.get("content") or "" for each in tree.iter("meta")]
    texts = [*declared, *(each.text or "" for each in tree.iter("script") if "ld+json" in (each.get("type") or ""))]
    texts.append(" ".join(islice((text for text in tree.itertext("*") if len(text) < MAX_BYLINE_CHARACTERS), 20_000)))
    return "; ".join(as_written(name, texts) for name in names)


def _head_of(tree: HtmlElement) -> HtmlElement:
    """A page of the head alone."""
    page = html_element.html(html_element.body())
    if (head := tree.find("head")) is not None:
        page.insert(0, deepcopy(head))
    return page


def _own(title: str, headline: str, site: str) -> str:
    """The title without the names of the site and the section: the part that the headline says too, or what is left
    besides the site's name."""
    parts = _MARK.split(title)
    whole = fold(headline)
    for begin in range(len(parts)):
        for end in range(len(parts), begin, -1):
            if len(whole) > 3 and fold("".join(parts[begin:end])) == whole:
                return headline
    cut = title.rstrip()[: -len(site)].rstrip() if site and title.endswith(site) else title
    return cut.rstrip("|–—»·:- ") if _MARK.search(cut + " ") and cut != title else title


def _line(text: str | None) -> str:
    return " ".join(_CONTROL.sub(" ", text or "").split())


def fold(text: str) -> str:
    """The letters and digits of a text, to compare texts that are set differently."""
    return _LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())
