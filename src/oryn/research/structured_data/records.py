"""Rows of a page that are records of the same kind: tables with a header, entities of one type, repeated elements."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lxml.html import HtmlElement

from oryn.research.structured_data.embedded import Node
from oryn.research.structured_data.facts import (
    Fact,
    content_elements,
    element_value,
    labelled_facts,
    named_facts,
    table_records,
    text_of,
)
from oryn.research.structured_data.resolution import Found, Matches, Scope
from oryn.research.structured_data.schema import SchemaField, Words, words_of
from oryn.research.structured_data.values import MONEY

MAX_RECORDS = 10_000
"""The maximum number of rows of a table, or of entities of one type."""
MAX_REPEATED = 1_000
"""The maximum number of repeated elements."""
MAX_GROUPS = 60
"""The maximum number of groups of repeated elements that are tried, the largest first."""
PROBE = 6
"""The number of rows by which groups are compared."""
MAX_RECORD_ELEMENTS = 400
"""An element with more descendants is no row."""

_STATE = re.compile(r"^(active|odd|even|first|last|selected|open|col-?\d*|is-|has-|js-)|\d")
_RATING = re.compile(r"(\d(?:[.,]\d)?)\s*(?:/|out of)\s*(?:5|10)\b")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


class RecordGroup(NamedTuple):
    """Candidates for the rows of a list: each row has its facts; `about` are the words of its container; `total` is the
    number of rows on the page."""

    rows: Sequence[Sequence[Fact] | HtmlElement]
    about: Words
    total: int
    source: str


def best_records(
    field: SchemaField, root: HtmlElement, elements: Sequence[HtmlElement], nodes: Sequence[Node], base: str,
    doubts: list[str],
) -> list[dict[str, Found]]:  # fmt: skip
    """The rows for a list of objects, each with its answers by the name of the property; empty if nothing fits."""
    assert field.item is not None
    fields = [each for each in field.item.properties if not each.is_record]
    best: tuple[float, RecordGroup] | None = None
    for group in _groups(field, root, elements, nodes):
        score = _fitness(group, fields, base)
        if field.phrases and any(field.match(group.about[end:]) for end in range(len(group.about))):
            score *= 1.5
        if score > (best[0] if best else 0.0):
            best = score, group
    if best is None:
        return []
    group = best[1]
    matches: Matches = {}
    limit = MAX_REPEATED if group.source == "repeated" else MAX_RECORDS
    rows = [found for row in group.rows[:limit] if (found := _resolve(row, fields, base, doubts, matches))]
    needed = _needed(fields)
    complete = [found for found in rows if len(found) >= needed]
    if group.total > limit:
        doubts.append(f"{field.name or 'list'}: only the first {limit} of {group.total} rows were read")
    if left := len(group.rows[:limit]) - len(complete):
        doubts.append(f"{field.name or 'list'}: {left} rows without enough values were left out")
    return complete


def _needed(fields: Sequence[SchemaField]) -> int:
    return max(1, (len(fields) + 1) // 2) if len(fields) < 4 else len(fields) // 2


def _fitness(group: RecordGroup, fields: Sequence[SchemaField], base: str) -> float:
    probe = group.rows[:PROBE]
    found = [_resolve(row, fields, base, []) for row in probe]
    filled = [len(each) for each in found]
    if not filled or sum(count >= _needed(fields) for count in filled) < max(1, len(probe) * 0.6):
        return 0.0
    if len(found) > 1 and all(_signature(each) == _signature(found[0]) for each in found):
        return 0.0
    certainty = sum(each.score for row in found for each in row.values()) / len(probe)
    return certainty * (1 + min(len(group.rows), 50) / 200)


def _signature(found: dict[str, Found]) -> str:
    return repr({name: each.value for name, each in found.items()})


def _resolve(
    row: Sequence[Fact] | HtmlElement,
    fields: Sequence[SchemaField],
    base: str,
    doubts: list[str],
    matches: Matches | None = None,
) -> dict[str, Found]:
    facts = list(_element_facts(row, fields)) if isinstance(row, HtmlElement) else row
    return Scope(facts, base, doubts if len(doubts) < 50 else [], matches).choose(fields)


def _groups(
    field: SchemaField, root: HtmlElement, elements: Sequence[HtmlElement], nodes: Sequence[Node]
) -> Iterator[RecordGroup]:
    by_type: dict[tuple[str, str], list[Node]] = defaultdict(list)
    for node in nodes:
        by_type[node.source, node.type].append(node)
        for key in node.properties:
            if field.phrases and field.match(words_of(key)) and len(children := node.children(key)) > 0:
                facts = [child.facts() for child in children]
                yield RecordGroup(facts, words_of(key), len(facts), node.source)
    for (source, type_), same in by_type.items():
        if len(same) >= 2 and type_ not in ("ListItem", "BreadcrumbList"):
            yield RecordGroup([node.facts() for node in same[:MAX_RECORDS]], words_of(type_), len(same), source)
    for table in [element for element in elements if element.tag == "table"][:50]:
        records, total = table_records(table, MAX_RECORDS)
        if records:
            yield RecordGroup(records, _about(table), total, "table")
    yield from _repeated(elements)


def _repeated(elements: Sequence[HtmlElement]) -> Iterator[RecordGroup]:
    found: list[tuple[int, list[HtmlElement]]] = []
    for parent in elements:
        if len(parent) < 2 or parent.tag in ("tr", "dl", "p", "table", "thead", "tbody"):
            continue
        groups: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
        for child in parent:
            if isinstance(child.tag, str) and child.tag not in ("script", "style", "br", "hr") and len(child):
                groups[child.tag, _stable_class(child)].append(child)
        found += [(len(same), same) for same in groups.values() if len(same) >= 2]
    found.sort(key=lambda each: -each[0])
    for size, same in found[:MAX_GROUPS]:
        if all(sum(1 for _ in each.iterdescendants()) <= MAX_RECORD_ELEMENTS for each in same[:PROBE]):
            parent = same[0].getparent()
            yield RecordGroup(same, _about(parent if parent is not None else same[0]), size, "repeated")


def _stable_class(element: HtmlElement) -> str:
    classes = (element.get("class") or "").split()
    return " ".join(sorted(each for each in classes if not _STATE.search(each)))


def _about(element: HtmlElement) -> Words:
    """The words of the heading before an element, of its caption, or of its names."""
    caption = element.find("caption") if element.tag == "table" else None
    if caption is not None:
        return words_of(text_of(caption))[:8]
    current: HtmlElement | None = element
    for _ in range(3):
        if current is None:
            break
        before = current.getprevious()
        if before is not None and before.tag in _HEADINGS:
            return words_of(text_of(before))[:8]
        if (named := current.get("id")) and current is element:
            return words_of(named)[:8]
        current = current.getparent()
    return words_of(element.get("class") or "")[:8]


def _element_facts(row: HtmlElement, fields: Sequence[SchemaField]) -> Iterator[Fact]:
    elements = list(content_elements(row, whole=True))
    yield from labelled_facts(elements)
    yield from named_facts(elements, repeated=True)
    yield from shape_facts(elements)
    if row.tag == "a" and row.get("href"):
        yield Fact(("url",), (row.get("href"),), "link", "", 0.75, row)


def shape_facts(elements: Sequence[HtmlElement]) -> Iterator[Fact]:
    """Facts of a row by the form of what it has: its heading is its name, the only amount of money its price."""
    headings = [each for each in elements if each.tag in _HEADINGS]
    links = [each for each in elements if each.tag == "a" and each.get("href")]
    named = headings or [each for each in links if len(text_of(each)) > 2][:1]
    named = named or [each for each in elements if each.tag in ("strong", "b") and len(text_of(each)) > 2][:1]
    if named and (text := text_of(named[0])):
        yield Fact(("name",), (text,), "heading", "", 0.7, named[0])
    if links:
        inner = next((link for head in headings for link in head.iter("a") if link.get("href")), None)
        outer = next((link for head in headings for link in head.iterancestors("a") if link.get("href")), None)
        link = inner if inner is not None else outer if outer is not None else links[0]
        yield Fact(("url",), (link.get("href"),), "link", "", 0.72, link)
    yield from _amounts(elements)
    for image in [each for each in elements if each.tag == "img"][:1]:
        yield Fact(("image",), (element_value(image),), "image", "", 0.72, image)
    times = [each for each in elements if each.tag == "time"]
    if len(times) == 1:
        yield Fact(("date",), (element_value(times[0]),), "time", "", 0.72, times[0])
    for element in elements:
        if found := _RATING.search(element.get("aria-label") or element.get("title") or ""):
            yield Fact(("rating",), (found[1],), "name", "", 0.75, element)
            break


def _amounts(elements: Sequence[HtmlElement]) -> Iterator[Fact]:
    found: dict[str, HtmlElement] = {}
    for element in elements:
        if element.tag in ("del", "s", "strike") or any(
            each.tag in ("del", "s", "strike") for each in element.iterancestors()
        ):
            continue
        text = text_of(element) if len(element) <= 4 else ""
        if text and len(text) <= 40 and (amount := MONEY.fullmatch(text)):
            found.setdefault(amount[0], element)
    if len(found) == 1:
        [(text, element)] = found.items()
        yield Fact(("price",), (text,), "amount", "", 0.7, element)
