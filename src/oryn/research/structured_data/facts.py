"""Labelled values of a page's visible part: rows of tables, definition lists, `Label: value`, elements by their names.

A fact is a label with the texts that stand under it, and its place. Whether it answers a field decides
`oryn.research.structured_data.resolution`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from lxml.html import HtmlElement

from oryn.research.structured_data.schema import Words, label_words, words_of
from oryn.research.structured_data.values import clean

MAX_LABEL_CHARACTERS = 48
MAX_LABEL_WORDS = 6
MAX_VALUE_CHARACTERS = 4_000
MAX_TEXT_ELEMENTS = 1_000
MAX_ELEMENTS = 30_000
"""The maximum number of elements of a page that are read."""
MAX_TREE_DEPTH = 250
"""Elements that are nested deeper are not read."""
MAX_PAIR_CHARACTERS = 600
"""The maximum length of the text of an element that may be a label with its value."""

SKIPPED = frozenset("script style noscript template nav footer svg select iframe head form".split())
_ASIDE = re.compile(
    r"\b(related|recommend\w*|similar|also[-_ ]?(bought|like|viewed)|upsell|cross[-_]?sell|breadcrumbs?|"
    r"recently|sponsored|advert\w*|cookie\w*|newsletter|more-from|you-may)",
    re.I,
)
_BLOCKS = frozenset("div p ul ol dl table section article h1 h2 h3 h4 h5 h6 form header main tr li dd dt".split())
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_COLON = re.compile(r"\s*+([^:：\s][^:：]{0,47}?)\s*+[:：]\s++(.+)", re.S)
_HASH = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])\w{4,}|[A-Za-z]*+\d++[A-Za-z]\w*")
_NOISE = frozenset(
    "product item value text main page detail details info information box wrapper container header block field content"
    " data js col cell row el list listing entry label component module section area single big large small bold"
    " primary inner outer span div sc css tw txt lbl val hero card summary overview p m the js btn".split()
)
"""Words of class names that don't name what the element has."""
_NAME_ATTRIBUTES = ("itemprop", "data-testid", "data-test", "data-qa", "data-field", "data-name", "data-label", "id")


class Fact(NamedTuple):
    """`label` in words; `texts` under it; `source` of the kind `table`, `list`, `text`, `name`, `json-ld` …; `place` an
    XPath or a JSON path; if it is empty, it is that of `element`; `weight` how reliable the form is, from 0 to 1;
    `values` the values before they became texts; `name` the label as the page has it, if it is visible."""

    label: Words
    texts: tuple[str, ...]
    source: str
    place: str
    weight: float
    element: HtmlElement | None = None
    values: tuple[Any, ...] = ()
    name: str = ""


class ElementPaths:
    """XPaths of many elements. The index of an element among its siblings is counted once for all of them."""

    def __init__(self) -> None:
        self._paths: dict[HtmlElement, str] = {}

    def path(self, element: HtmlElement) -> str:
        """The absolute XPath of an element."""
        missing = []
        current: HtmlElement | None = element
        while current is not None and current not in self._paths:
            missing.append(current)
            current = current.getparent()
        for each in reversed(missing):
            parent = each.getparent()
            if parent is None:
                self._paths[each] = f"/{each.tag}"
            elif each not in self._paths:
                self._number(parent)
        return self._paths[element]

    def _number(self, parent: HtmlElement) -> None:
        children = [child for child in parent if isinstance(child.tag, str)]
        counts = Counter(child.tag for child in children)
        seen: Counter[str] = Counter()
        for child in children:
            seen[child.tag] += 1
            index = f"[{seen[child.tag]}]" if counts[child.tag] > 1 else ""
            self._paths[child] = f"{self._paths[parent]}/{child.tag}{index}"


def text_of(element: HtmlElement) -> str:
    """The text of an element without that of scripts, styles and deleted parts; empty if the element has more than
    `MAX_TEXT_ELEMENTS` others in it, and is no value."""
    if not len(element) and isinstance(element.tag, str):
        return clean(element.text or "")
    parts: list[str] = []
    return clean("".join(parts)) if _collect(element, parts) else ""


def _collect(element: HtmlElement, parts: list[str]) -> bool:
    stack: list[tuple[HtmlElement, bool]] = [(element, False)]
    left = MAX_TEXT_ELEMENTS
    while stack:
        current, closing = stack.pop()
        left -= not closing
        if left < 0:
            return False
        if closing:
            if current.tag in _BLOCKS or current.tag in ("td", "th"):
                parts.append(" ")
            if current is not element and current.tail:
                parts.append(current.tail)
            continue
        hidden = not isinstance(current.tag, str) or current.tag in (
            "script",
            "style",
            "template",
            "del",
            "s",
            "strike",
            "svg",
        )
        stack.append((current, True))
        if hidden and current is not element:
            continue
        if current.tag == "br":
            parts.append(" ")
        if current.text and isinstance(current.tag, str):
            parts.append(current.text)
        stack += [(child, False) for child in reversed(current)]
    return True


def element_value(element: HtmlElement) -> str:
    """The machine-readable value of an element, or its text.

    https://html.spec.whatwg.org/multipage/microdata.html#values"""
    match element.tag:
        case "meta":
            return str(element.get("content") or "")
        case "img" | "source" | "video" | "audio" | "embed":
            return str(element.get("src") or element.get("data-src") or "")
        case "link":
            return str(element.get("href") or "")
        case "a":
            return str(element.get("href") or "") if element.get("itemprop") in ("url", "sameAs") else text_of(element)
        case "time":
            return str(element.get("datetime") or text_of(element))
        case "data" | "meter":
            return str(element.get("value") or text_of(element))
    return str(element.get("content") or text_of(element))


def content_elements(root: HtmlElement, *, whole: bool = False) -> Iterator[HtmlElement]:
    """The elements below `root` that belong to its own content, in order: without menus, footers, and what is related
    to it. `whole` leaves out only what nobody sees."""
    stack = [(root, 0)]
    while stack:
        element, depth = stack.pop()
        if not isinstance(element.tag, str) or (element is not root and _is_skipped(element, whole)):
            continue
        yield element
        if depth < MAX_TREE_DEPTH:
            stack += [(child, depth + 1) for child in reversed(element)]


def _is_skipped(element: HtmlElement, whole: bool) -> bool:
    if element.tag in SKIPPED and not (element.tag == "form" and len(element) > 3):
        return True
    if element.get("hidden") is not None or "display:none" in (element.get("style") or "").replace(" ", ""):
        return True
    if whole or element.tag in ("body", "main", "html"):
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return bool(_ASIDE.search(names)) or element.get("role") in ("navigation", "contentinfo", "search")


def labelled_facts(elements: Iterable[HtmlElement]) -> Iterator[Fact]:
    """The facts of elements with labels that readers see."""
    for element in elements:
        match element.tag:
            case "tr":
                yield from _row_facts(element)
            case "table":
                yield from _single_record_facts(element)
            case "dl":
                yield from _definition_facts(element)
            case "td" | "th" | "dt" | "dd" | "thead" | "tbody" | "html" | "body":
                if element.tag == "td" and element.get("data-label"):
                    yield from _fact(element.get("data-label"), element, "table", 0.9)
            case tag:
                if tag in _HEADINGS or (tag in ("p", "div", "strong") and len(element) <= 1):
                    yield from _section_facts(element)
                yield from _pair_facts(element)


def _fact(
    label: str | None, element: HtmlElement, source: str, weight: float, text: str | None = None
) -> Iterator[Fact]:
    label = clean(label or "").rstrip(":： ")
    if (
        not label
        or len(label) > MAX_LABEL_CHARACTERS
        or not (words := label_words(label))
        or len(words) > MAX_LABEL_WORDS
    ):
        return
    items = [each for each in element.iter("li") if isinstance(each.tag, str)]
    texts = (
        [text_of(each) for each in items]
        if items and text is None
        else [text if text is not None else text_of(element)]
    )
    texts = [each for each in texts if each and len(each) <= MAX_VALUE_CHARACTERS]
    if texts:
        yield Fact(words, tuple(texts), source, "", weight, element, name=label)


def _row_facts(row: HtmlElement) -> Iterator[Fact]:
    cells = [cell for cell in row if cell.tag in ("td", "th")]
    kinds = [cell.tag for cell in cells]
    if len(cells) == 2 and kinds != ["th", "th"]:
        yield from _fact(text_of(cells[0]), cells[1], "table", 0.95 if kinds[0] == "th" else 0.92)
    elif len(cells) >= 4 and len(cells) % 2 == 0 and kinds == ["th", "td"] * (len(cells) // 2):
        for label, value in zip(cells[::2], cells[1::2], strict=True):
            yield from _fact(text_of(label), value, "table", 0.94)


def _single_record_facts(table: HtmlElement) -> Iterator[Fact]:
    """A table of one row of values below one of labels."""
    rows = list(islice(table.iter("tr"), 3))
    if len(rows) != 2:
        return
    labels, values = ([cell for cell in row if cell.tag in ("td", "th")] for row in rows)
    if len(labels) == len(values) > 2 and all(cell.tag == "th" for cell in labels):
        for label, value in zip(labels, values, strict=True):
            yield from _fact(text_of(label), value, "table", 0.9)


def _definition_facts(definitions: HtmlElement) -> Iterator[Fact]:
    label = ""
    values: list[HtmlElement] = []

    def flush() -> Iterator[Fact]:
        if len(values) == 1:
            yield from _fact(label, values[0], "list", 0.95)
        elif values and (words := label_words(label)):
            texts = tuple(filter(None, map(text_of, values)))
            yield Fact(words, texts, "list", "", 0.95, values[0], name=clean(label).rstrip(":： "))

    for entry in definitions.iter("dt", "dd"):
        if entry.tag == "dt":
            yield from flush()
            label, values = text_of(entry), []
        else:
            values.append(entry)
    yield from flush()


def _section_facts(heading: HtmlElement) -> Iterator[Fact]:
    """What follows a heading: a list, or a paragraph."""
    label = text_of(heading) if len(heading) <= 2 else ""
    following = heading.getnext()
    if not label or len(label) > MAX_LABEL_CHARACTERS or following is None or not isinstance(following.tag, str):
        return
    is_heading = heading.tag in _HEADINGS or label.endswith(":")
    if following.tag in ("ul", "ol") and (is_heading or heading.tag == "p"):
        yield from _fact(label, following, "list", 0.85)
    elif (
        is_heading
        and following.tag in ("p", "div", "span", "address")
        and len(text_of(following)) <= MAX_VALUE_CHARACTERS
    ):
        yield from _fact(label, following, "text", 0.72)


def _pair_facts(element: HtmlElement) -> Iterator[Fact]:
    """A label and its value in one element: `Label: value`, or two elements beside each other."""
    children = [
        child for child in element if isinstance(child.tag, str) and child.tag not in ("br", "svg", "img", "hr", "i")
    ]
    if not children and element.tag not in ("a", "button") and element.text and ":" in element.text:
        if len(element.text) <= MAX_PAIR_CHARACTERS and (found := _COLON.fullmatch(element.text)):
            yield from _fact(found[1], element, "text", 0.88, clean(found[2]))
        return
    if not children or len(children) > 60 or element.tag in ("ul", "ol", "tbody", "main", "article", "section"):
        if len(children) > 60 or element.tag not in ("section", "article"):
            return
    own = clean((element.text or "") + "".join(child.tail or "" for child in element))
    if own:
        yield from _inline_facts(element, children)
    elif len(children) == 2:
        yield from _two_facts(*children)
    elif len(children) >= 4 and len(children) % 2 == 0 and all(_is_short(child) for child in children):
        yield from _alternating_facts(children)


def _inline_facts(element: HtmlElement, children: list[HtmlElement]) -> Iterator[Fact]:
    """`<b>Label:</b> value`, several of them, or `Label: <b>value</b>`."""
    for child in children:
        if child.tag in ("b", "strong", "span", "em", "label") and (label := text_of(child)):
            tail, following = clean(child.tail or ""), child.getnext()
            if not (label.endswith((":", "：")) or tail.startswith(":")):
                continue
            value = tail.lstrip(": ")
            while (
                following is not None
                and following.tag in ("a", "span", "em", "time", "data")
                and not text_of(following).endswith((":", "："))
            ):
                value = f"{value} {text_of(following)} {clean(following.tail or '')}".strip()
                following = following.getnext()
            if value and len(value) <= MAX_PAIR_CHARACTERS:
                yield from _fact(label, element, "text", 0.88, value)
    text = clean(element.text or "")
    if text.endswith((":", "：")) and len(children) <= 3 and not any(child.tag in _BLOCKS for child in children):
        rest = clean(" ".join(f"{text_of(child)} {child.tail or ''}" for child in children))
        yield from _fact(text, element if len(children) != 1 else children[0], "text", 0.87, rest)


def _two_facts(first: HtmlElement, second: HtmlElement) -> Iterator[Fact]:
    label, value = text_of(first), text_of(second)
    if (
        not label
        or not value
        or len(label) > MAX_LABEL_CHARACTERS + 100
        or any(each.tag in ("table", "ul") for each in first)
    ):
        return
    if len(label) <= MAX_LABEL_CHARACTERS and first.tag not in ("a", "button") and not label.endswith("."):
        yield from _fact(label, second, "text", 0.86)
    if (
        len(value) <= MAX_LABEL_CHARACTERS
        and any(char.isdigit() for char in label)
        and not any(map(str.isdigit, value))
    ):
        yield from _fact(value, first, "text", 0.8)


def _is_short(element: HtmlElement) -> bool:
    return element.tag not in ("ul", "ol", "table") and len(text_of(element)) <= 120


def _alternating_facts(children: list[HtmlElement]) -> Iterator[Fact]:
    signs = [(child.tag, child.get("class") or "") for child in children]
    distinct = len(set(signs[::2])) == 1 and len(set(signs[1::2])) == 1
    if not distinct:
        return
    weight = 0.85 if signs[0] != signs[1] else 0.75
    for label, value in zip(children[::2], children[1::2], strict=True):
        yield from _fact(text_of(label), value, "text", weight)


def named_facts(elements: Sequence[HtmlElement], *, repeated: bool = False) -> Iterator[Fact]:
    """The facts of elements whose class, id or test attributes name what they have. `repeated`: the elements are those
    of one of many rows."""
    uses = Counter(token for element in elements for token in (element.get("class") or "").split())
    nouns = _nouns(uses)
    for element in elements:
        if element.tag in ("body", "html", "main", "ul", "ol", "table", "tbody", "form", "button", "input"):
            continue
        labels: dict[Words, float] = {}
        for token in (element.get("class") or "").split():
            for words in _name_words(token):
                labels.setdefault(words, 0.8)
                if len(words) > 1 and words[0] in nouns and (repeated or uses[token] == 1):
                    labels.setdefault(words[1:], 0.78)
        for attribute in _NAME_ATTRIBUTES:
            for words in _name_words(element.get(attribute) or ""):
                labels.setdefault(words, 0.82)
        if not labels:
            continue
        value = element_value(element)
        if value and len(value) <= MAX_VALUE_CHARACTERS:
            for words, weight in labels.items():
                yield Fact(words, (_without_label(value, words),), "name", "", weight, element)


def _nouns(uses: Iterable[str]) -> frozenset[str]:
    """The first words of several class names, which name the thing and not its property: `recipe-title`,
    `recipe-author`, `recipe-time`."""
    followers: dict[str, set[Words]] = defaultdict(set)
    for token in uses:
        for words in _name_words(token):
            if len(words) > 1:
                followers[words[0]].add(words[1:])
    return frozenset(word for word, rest in followers.items() if len(rest) >= 2)


def _name_words(token: str) -> Iterator[Words]:
    """The words of a class name that may name a property: `ProductPrice_x7f2` and `product__price` are `price`."""
    if not token or len(token) > 60:
        return
    parts = [part for part in re.split(r"[-_]+", token) if part and not _HASH.fullmatch(part)]
    words = tuple(word for part in parts for word in words_of(part))
    reduced = tuple(word for word in words if word not in _NOISE)
    if 0 < len(reduced) <= 3:
        yield reduced
    if len(words) > len(reduced) and 0 < len(words) <= 3:
        yield words


def _without_label(value: str, words: Words) -> str:
    label, mark, rest = value.partition(":")
    if mark and len(label) <= MAX_LABEL_CHARACTERS and rest.strip() and not label.strip().isdigit():
        if not rest.startswith("//") and set(label_words(label)) & set(words):
            return rest.strip()
    return value


def table_records(table: HtmlElement, limit: int) -> tuple[list[list[Fact]], int]:
    """The rows of a table below its header, as facts by column, and how many rows there are."""
    rows = list(table.iter("tr"))
    head = next((row for row in rows[:5] if sum(cell.tag in ("th", "td") for cell in row) >= 2), None)
    if head is None or not _is_header(head):
        return [], len(rows)
    labels = list(_columns(head))
    records: list[list[Fact]] = []
    begin = rows.index(head) + 1
    spans: dict[int, tuple[int, HtmlElement]] = {}
    for row in rows[begin : begin + limit]:
        cells: dict[int, HtmlElement] = {}
        column = 0
        for cell in (cell for cell in row if cell.tag in ("td", "th")):
            while column in spans and spans[column][0] > 0:
                cells[column] = spans[column][1]
                column += 1
            cells[column] = cell
            if (down := _span(cell, "rowspan")) > 1:
                spans[column] = (down, cell)
            column += _span(cell, "colspan")
        spans = {place: (left - 1, cell) for place, (left, cell) in spans.items() if left > 1}
        if len(cells) < 2 or (len(cells) < len(labels) / 2):
            continue
        texts = ((labels[place], text_of(cell), cell) for place, cell in cells.items() if place < len(labels))
        records.append(
            [Fact(label_words(name), (text,), "table", "", 0.95, cell, name=name) for name, text, cell in texts if text]
        )
    return records, len(rows) - begin


def _is_header(row: HtmlElement) -> bool:
    cells = [cell for cell in row if cell.tag in ("td", "th")]
    if row.getparent() is not None and row.getparent().tag == "thead":
        return True
    if all(cell.tag == "th" for cell in cells):
        return True
    following = row.getnext()
    if following is None or any(cell.tag == "th" for cell in cells):
        return False
    texts = [text_of(cell) for cell in cells]
    bold = all(cell.find(".//b") is not None or cell.find(".//strong") is not None for cell in cells)
    digits = any(char.isdigit() for cell in following for char in text_of(cell))
    return all(texts) and not any(char.isdigit() for text in texts for char in text) and (bold or digits)


def _columns(head: HtmlElement) -> Iterator[str]:
    for cell in head:
        if cell.tag in ("td", "th"):
            label = text_of(cell)
            for _ in range(_span(cell, "colspan")):
                yield label


def _span(cell: HtmlElement, name: str) -> int:
    try:
        return max(1, min(1000, int(cell.get(name) or 1)))
    except ValueError:
        return 1
