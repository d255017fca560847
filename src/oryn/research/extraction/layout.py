"""The measures of a page's segments and containers as arrays: what the features of `features.py` are computed from."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from oryn.research.extraction.segments import PLAIN_STYLE, PageSegments, Segment

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]

TAG_FLAGS = (
    "nav header footer aside article main form table ul ol dl p blockquote figure pre section details dialog noscript "
    "button label li dt dd td th caption figcaption address a h1 h2 h3 h4 h5 h6 div span hidden template custom"
).split()
"""What a segment may be within; one bit of a container's flags each."""
_ROLES = {
    "navigation": "nav",
    "banner": "header",
    "contentinfo": "footer",
    "complementary": "aside",
    "main": "main",
    "dialog": "dialog",
    "alertdialog": "dialog",
    "article": "article",
    "search": "form",
    "button": "button",
    "list": "ul",
    "listitem": "li",
    "table": "table",
    "row": "td",
    "cell": "td",
    "tab": "button",
    "menu": "nav",
    "menubar": "nav",
    "menuitem": "button",
}
_BITS = {name: 1 << at for at, name in enumerate(TAG_FLAGS)}
_INHERITED = ~sum(_BITS[name] for name in ("div", "span"))

MEASURES = (
    "words characters linked links sentences commas digits capitals ends question lower short strong code lines date "
    "copyright price prose heading duplicates title hidden"
).split()
"""The measures of a segment; see `_measures`."""
MIN_PROSE_CHARACTERS = 60
TOKEN_BUCKETS = 1 << 14
"""Hashes of a class's or id's words, and of the words of short segments, have this many values."""
MAX_TOKENS = 12
SHORT_WORDS = 8

_WORD = re.compile(r"[a-z]{2,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CAPITALS = re.compile(r"[^\W\d_a-zß-öø-ÿ]")
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b\d+ ?(?:min|h|d|ago)\b|\d{1,2}/\d{1,2}/\d{2}")
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|EUR|USD|zł|kr)\b")
_DIGIT = re.compile(r"[0-9]")
_NUMBER = re.compile(r"\d+")
_SHORT = re.compile(r"(?<!\w)\w{1,3}(?!\w)")


class PageLayout:
    """The arrays of a page. `measures` has a row for each segment and a column for each of `MEASURES`; `own` is the
    container of each segment. Containers have `parents`, `wider` (the nearest ancestor with more segments; of the
    first, itself), `begins`, `ends`, `depths`, `flags`, `tags` (paths by tag), `paths` (by tag and class), `kin`
    (elements with the same parent, tag and class), and `tokens` (hashes of class and id words)."""

    def __init__(self, page: PageSegments, tree: HtmlElement) -> None:
        self.page = page
        self.own: Integers = np.array([each.container for each in page.segments], dtype=np.int32)
        self.parents: Integers = np.array(page.parents, dtype=np.int32)
        self.begins: Integers = np.array(page.begins, dtype=np.int32)
        self.ends: Integers = np.array(page.ends, dtype=np.int32)
        self.depths: Integers = np.array(page.depths, dtype=np.int32)
        self._containers()
        self.measures: Floats = _measures(page, tree, self.flags[self.own])
        self.text_tokens = [_text_tokens(each.text) for each in page.segments]

    def _containers(self) -> None:
        page = self.page
        count = len(page.containers)
        flags, tags, paths, kin, wider = [0] * count, [0] * count, [0] * count, [0] * count, [0] * count
        self.tokens: list[tuple[int, ...]] = []
        tokens_by_name: dict[tuple[str, str, str], tuple[int, ...]] = {}
        for at, element in enumerate(page.containers):
            parent = page.parents[at]
            tag, names, identifier = element.tag, element.get("class") or "", element.get("id") or ""
            flags[at] = (flags[parent] & _INHERITED) | _own_flags(element, tag) | (page.hidden[at] and _BITS["hidden"])
            tags[at] = hash((tags[parent], tag)) if at else 0
            paths[at] = hash((paths[parent], tag, names)) if at else 0
            kin[at] = hash((parent, tag, names.partition(" ")[0]))
            same = page.begins[at] == page.begins[parent] and page.ends[at] == page.ends[parent]
            wider[at] = wider[parent] if same else parent
            key = (tag, names, identifier)
            if key not in tokens_by_name:
                tokens_by_name[key] = _tokens(tag, names, identifier)
            self.tokens.append(tokens_by_name[key])
        self.flags: npt.NDArray[np.int64] = np.array(flags, dtype=np.int64)
        self.tags = np.array(tags, dtype=np.int64)
        self.paths = np.array(paths, dtype=np.int64)
        self.kin = np.array(kin, dtype=np.int64)
        self.wider: Integers = np.array(wider, dtype=np.int32)

    def has(self, *names: str) -> npt.NDArray[np.bool_]:
        """Whether each container is within an element of one of these flags."""
        found: npt.NDArray[np.bool_] = (self.flags & sum(_BITS[name] for name in names)) != 0
        return found


def _own_flags(element: HtmlElement, tag: str) -> int:
    flag = _BITS.get(tag, _BITS["custom"] if "-" in tag else 0)
    if role := element.get("role"):
        flag |= _BITS.get(_ROLES.get(role, ""), 0)
    return flag


def _tokens(tag: str, names: str, identifier: str) -> tuple[int, ...]:
    said = _WORD.findall(_CAMEL.sub(" ", f"{names[:300]} {identifier[:100]}").lower())
    unique = list(dict.fromkeys(said))[:MAX_TOKENS]
    return tuple(_bucket(f"{tag}.{each}") for each in unique[:1]) + tuple(_bucket(each) for each in unique)


@lru_cache(maxsize=1 << 15)
def _bucket(token: str) -> int:
    return zlib.crc32(token.encode()) % TOKEN_BUCKETS


def _text_tokens(text: str) -> tuple[int, ...]:
    """Hashes of a short text and its words; digits count as one."""
    if len(text) > 12 * SHORT_WORDS:
        return ()
    words = _NUMBER.sub("0", text.lower()).split()
    if len(words) > SHORT_WORDS:
        return ()
    return tuple(_bucket(each) for each in (*words, " ".join(words) + "."))


def _measures(page: PageSegments, tree: HtmlElement, flags: npt.NDArray[np.int64]) -> Floats:
    """A row for each segment."""
    texts = [each.text for each in page.segments]
    repeated = Counter(texts)
    titles = _title_words(tree)
    heading = sum(_BITS[f"h{level}"] for level in range(1, 7))
    hidden = _BITS["hidden"]
    rows = []
    for segment, text, flag in zip(page.segments, texts, flags.tolist(), strict=True):
        length = len(text)
        words = text.split()
        last = text[-1]
        strong, code, lines = _styled_characters(segment)
        digits = len(_DIGIT.findall(text))
        numbered = digits > 0 or not text.isascii()
        in_title = 0.0
        if len(words) <= 40 and titles:
            own = set(text.lower().split())
            in_title = max(len(own & title) / max(len(own), len(title)) for title in titles)
        rows.append(
            (
                max(len(words), length / 8),
                length,
                min(segment.link_characters, length),
                segment.links,
                text.count(". ") + text.count("? ") + text.count("! ") + text.count("。") + (last in ".!?。"),
                text.count(",") + text.count("，") + text.count("、"),
                digits,
                len(_CAPITALS.findall(text[:200])),
                last in '.!?。”"»…',
                last == "?",
                text[0].islower(),
                len(_SHORT.findall(text[:400])) / max(1, min(len(words), 400)),
                strong,
                code,
                lines,
                bool(numbered and length < 100 and _DATE.search(text)),
                "©" in text or "(c)" in text or "rights reserved" in text,
                bool(numbered and length < 200 and _PRICE.search(text)),
                length if length >= MIN_PROSE_CHARACTERS and 2 * segment.link_characters < length else 0,
                bool(flag & heading),
                repeated[text] - 1,
                in_title,
                bool(flag & hidden),
            )
        )
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(MEASURES))


def _styled_characters(segment: Segment) -> tuple[int, int, int]:
    """How many characters of a segment are strong and how many are code, and how many of its pieces end a line."""
    strong = code = lines = 0
    for text, style in segment.pieces:
        if text == "\n":
            lines += 1
        if style is not PLAIN_STYLE:
            strong += len(text) if style.strong else 0
            code += len(text) if style.code else 0
    return strong, code, lines


def _title_words(tree: HtmlElement) -> list[set[str]]:
    titles = [each.text_content() for each in list(tree.iter("title"))[:1] + list(tree.iter("h1"))[:3]]
    titles += [
        each.get("content") or ""
        for each in tree.iter("meta")
        if (each.get("property") or each.get("name") or "").lower() == "og:title"
    ][:1]
    return [words for each in titles if (words := {word.lower() for word in each[:500].split()})]
