"""The language of a page: as it declares it, else by its script and its commonest words."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files

from lxml.html import HtmlElement

_CODE = re.compile(r"([A-Za-z]{2,3})(?=$|[-_])")
_WORD = re.compile(r"[^\W\d_]+")
SAMPLE = 20_000
"""Characters of a text that are looked at."""

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
COMMON = 100
"""How many of a language's commonest words are counted: the longer lists hold words of neighbours."""


def declared_language(tree: HtmlElement) -> str:
    """A code (`en`): by `<html lang>`, `og:locale` or the `content-language` of a `meta`; else empty."""
    declared = [tree.get("lang"), tree.get("xml:lang")]
    for meta in tree.iter("meta"):
        name = (meta.get("property") or meta.get("http-equiv") or meta.get("name") or "").lower()
        if name in ("og:locale", "content-language", "language"):
            declared.append(meta.get("content"))
    for each in declared:
        if code := _CODE.match((each or "").strip()):
            return code[1].lower()
    return ""


def language(declared: str, text: str) -> str:
    """What the words say goes before what is declared: templates declare the site's language on every page. Languages
    that the words can't tell are believed, and so is the declaration where there are few words."""
    if declared and declared not in _LISTS and declared not in (code for code, *_ in _SCRIPTS):
        return declared
    return language_of(text) or declared


def language_of(text: str) -> str:
    """A code by the text itself; empty when it is too short to tell or nothing fits."""
    text = text[:SAMPLE]
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
    return frozenset(word.lower() for word in listed.split()[:COMMON])
