"""Labelled values of a page as lines of text, so that a question can be answered with one: `Length | 388 m`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from lxml.html import HtmlElement

from oryn.research.structured_data.embedded import Node, nodes_of
from oryn.research.structured_data.facts import Fact, content_elements, labelled_facts, table_records, text_of
from oryn.research.structured_data.schema import words_of
from oryn.research.structured_data.values import clean

MAX_ROWS = 300
"""The maximum number of rows of a page that are added to its passages."""
MAX_TABLE_ROWS = 60
"""Rows of a longer table are not labelled: it is a listing."""
MAX_VALUE_CHARACTERS = 200
MAX_ELEMENTS = 10_000
MAX_FACTS = 1_000
MAX_SIBLINGS = 20
"""Siblings before a table, and elements in it, among which its heading is looked for."""
MIN_WEIGHT = 0.8
"""Facts of a less reliable form are no rows."""

_CLUTTER = frozenset({"WebSite", "WebPage", "BreadcrumbList", "ListItem", "SiteNavigationElement", "ImageObject",
                      "SearchAction", "VideoObject", "FAQPage", "Question", "Answer", "ItemList"})  # fmt: skip
"""Types of JSON-LD that describe the page, and not its subject."""
_TECHNICAL = frozenset("name url image logo description text articleBody headline mainEntityOfPage sameAs identifier "
                       "potentialAction breadcrumb publisher thumbnailUrl hasPart isPartOf review reviews comment "
                       "itemListElement contentUrl inLanguage recipeIngredient recipeInstructions".split())  # fmt: skip
"""Properties that are no values to ask for, or are in the text of the page."""
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"^\W*+(?:\S++\s++){4,}+\S+[.!?]$")
_BYLINE = re.compile(r"(?:(?:written|posted|published|described|reviewed|edited|photos?|text) )?by", re.I)
_GENERIC = frozenset((word,) for word in "value values data detail details figure description info information".split())
"""Labels of a second column that say nothing of its values."""
_SEPARATOR = re.compile(r"(?:(?<!\s)\s++|)\|\s*+")


def rows_of(tree: HtmlElement, text: str) -> tuple[str, ...]:
    """The rows of a page that are no lines of its `text`, each once. A row is `label | value`, or `thing | label |
    value` in a table of several things and for JSON-LD with a name. `tree` stays as it is."""
    lines = {_key(line) for line in text.splitlines()}
    rows: dict[str, str] = {}
    content = clean(text).casefold()
    for row, is_visible in _rows(tree):
        if is_visible and content and not all(part.casefold() in content for part in row.split(" | ")):
            continue  # of a comment or another part of the page that is not its content
        key = _key(row)
        if key not in lines:
            rows.setdefault(key, row)
        if len(rows) >= MAX_ROWS:
            break
    return tuple(rows.values())


def _key(row: str) -> str:
    return _SEPARATOR.sub("|", row.strip(" |").replace(": ", "|")).casefold()


def _rows(tree: HtmlElement) -> Iterator[tuple[str, bool]]:
    """The rows, each with whether readers see it."""
    elements = []
    for element in content_elements(tree):
        elements.append(element)
        if len(elements) >= MAX_ELEMENTS:
            break
    for table in elements:
        if table.tag == "table" and table.find(".//table") is None:
            yield from ((row, True) for row in _table_rows(table))
    yield from ((row, True) for row in _property_rows(elements))
    for node in nodes_of(tree)[0]:
        if node.source == "json-ld" and node.type not in _CLUTTER:
            yield from ((row, False) for row in _node_rows(node))


def _table_rows(table: HtmlElement) -> Iterator[str]:
    """The cells of a table with a header, each with what its row is about and the label of its column."""
    records, count = table_records(table, MAX_TABLE_ROWS)
    if count > MAX_TABLE_ROWS or max(map(len, records), default=0) < 2:
        return
    for record in records:
        subject, *values = record
        if len(values) == 1 and values[0].label in _GENERIC:
            # `Property | Value`: each row is a label with its value.
            yield from _line("", subject.texts[0], values[0].texts)
            continue
        if len(values) == 1 and len(records) > 1 and not subject.name:
            continue
        for value in values:
            if value.name and _LETTER.search(subject.texts[0]) and len(subject.texts[0]) <= MAX_VALUE_CHARACTERS:
                yield from _line(subject.texts[0], value.name, value.texts)
            elif value.name and subject.name:
                yield from _line(f"{subject.name} {subject.texts[0]}", value.name, value.texts)


def _property_rows(elements: Iterable[HtmlElement]) -> Iterator[str]:
    """Labels with one value on the page. A label with several values is a column of a list."""
    facts = [fact for fact in islice(labelled_facts(elements), MAX_FACTS) if fact.weight >= MIN_WEIGHT and fact.name]
    facts = [fact for fact in facts if not _is_link_list(fact)]
    values = Counter((fact.label, fact.texts) for fact in facts)
    labels = Counter(label for label, _ in values)
    for fact in facts:
        if labels[fact.label] == 1:
            yield from _line("", fact.name, fact.texts)
    sections: dict[HtmlElement | None, str] = {}
    for fact in facts:
        if labels[fact.label] > 1 and fact.source in ("table", "list"):
            ancestors = () if fact.element is None else fact.element.iterancestors()
            container = next((each for each in ancestors if each.tag in ("table", "dl", "ul", "section")), None)
            if container not in sections:
                sections[container] = _section(container)
            section = sections[container]
            yield from _line(section, fact.name, fact.texts)


def _section(container: HtmlElement | None) -> str:
    """The caption of a table, or the heading before or in a table, list or section."""
    if container is None:
        return ""
    caption = container.find("./caption")
    if caption is not None:
        return text_of(caption)
    before = islice(container.itersiblings(preceding=True), MAX_SIBLINGS)
    for each in (*before, *islice(container.iterchildren(), MAX_SIBLINGS)):
        if isinstance(each.tag, str) and re.fullmatch("h[1-6]", each.tag):
            return text_of(each)
    return ""


def _is_link_list(fact: Fact) -> bool:
    element = fact.element
    return element is not None and sum(1 for _ in element.iter("a")) > 5


def _node_rows(node: Node) -> Iterator[str]:
    subject = node.properties.get("name")
    if not isinstance(subject, str) or not subject.strip():
        return
    for name, value in node.properties.items():
        if name.startswith("@") or name in _TECHNICAL:
            continue
        if name == "additionalProperty":
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict) and isinstance(each.get("name"), str):
                    yield from _line(subject, each["name"], _texts(each))
            continue
        yield from _line(subject, " ".join(words_of(name)).capitalize(), _texts(value))
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and name in ("offers", "aggregateRating"):
                yield from _part_rows(subject, each)


def _part_rows(subject: str, part: dict[str, Any]) -> Iterator[str]:
    for name, value in part.items():
        if name.startswith("@") or name in _TECHNICAL or name == "priceCurrency":
            continue
        unit = f" {part['priceCurrency']}" if name.lower().endswith("price") and part.get("priceCurrency") else ""
        texts = [text + unit for text in _texts(value)]
        yield from _line(subject, " ".join(words_of(name)).capitalize(), texts)


def _texts(value: Any, depth: int = 0) -> list[str]:
    """The texts of a JSON-LD value."""
    match value:
        case bool():
            return ["yes" if value else "no"]
        case str():
            text = clean(value)
            return [text.rpartition("/")[2] if text.startswith(("http://schema.org/", "https://schema.org/")) else text]
        case int() | float():
            return [str(value)]
        case list():
            return [text for each in value[:20] for text in _texts(each, depth + 1)] if depth < 3 else []
        case dict():
            return _texts_of_entity(value, depth)
    return []


def _texts_of_entity(value: dict[str, Any], depth: int) -> list[str]:
    unit = value.get("unitText") or value.get("currency") or value.get("unitCode") or ""
    low, high = value.get("minValue"), value.get("maxValue")
    if low is not None and high is not None:
        return [f"{low}–{high} {unit}".strip()]
    for key in ("value", "@value", "name"):
        if key in value and depth < 4:
            return [f"{text} {unit}".strip() for text in _texts(value[key], depth + 1)]
    address = [value.get(key) for key in ("streetAddress", "postalCode", "addressLocality", "addressCountry")]
    parts = [each for each in address if isinstance(each, str) and each]
    return [", ".join(parts)] if parts else []


def _line(subject: str, label: str, texts: Iterable[str]) -> Iterator[str]:
    """The row; none without a label and a value."""
    value = ", ".join(_readable(text) for text in texts if text)
    label = clean(label).rstrip(":： ")
    if not label or not value or value == label or len(value) > MAX_VALUE_CHARACTERS or value.startswith("http"):
        return
    if _SENTENCE.search(value) or _BYLINE.fullmatch(label):
        return  # a heading and its paragraph, or who has written the page
    parts = [clean(part).replace("|", "/") for part in (subject, label, value) if part]
    yield " | ".join(parts)


def _readable(text: str) -> str:
    """An ISO 8601 duration followed by the same in words."""
    found = _DURATION.fullmatch(text.strip()) if text.strip().startswith("P") else None
    if found is None or not any(found.groups()):
        return text
    units = ("days", "h", "min", "s")
    words = " ".join(f"{number} {unit}" for number, unit in zip(found.groups(), units, strict=True) if number)
    return f"{words} ({text.strip()})"
