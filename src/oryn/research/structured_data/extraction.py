"""`extract_data`: the values of a JSON Schema from one page, each with its place. No network; CPU-bound."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import lxml.html
from lxml.html import HtmlElement

from oryn.core.records import field
from oryn.core.text_safety import shortened
from oryn.core.text_safety import url as display_url
from oryn.errors import NeedsBrowser, NoText
from oryn.research.documents import FetchedPage, JsonRecord
from oryn.research.fetching.charset import decode_body
from oryn.research.fetching.content_type import kind_of
from oryn.research.html.js_shell import shell_reason
from oryn.research.html.permalinks import empty_permalinks
from oryn.research.html.tree import limit_attributes
from oryn.research.structured_data.embedded import Node, metadata_facts, nodes_of
from oryn.research.structured_data.facts import (
    MAX_ELEMENTS,
    ElementPaths,
    Fact,
    content_elements,
    element_value,
    labelled_facts,
    named_facts,
    text_of,
)
from oryn.research.structured_data.records import best_records, shape_facts
from oryn.research.structured_data.resolution import Found, Scope
from oryn.research.structured_data.schema import SchemaField, read_schema, words_of
from oryn.research.structured_data.selectors import SelectorLearner
from oryn.research.structured_data.values import absolute, clean

MAX_BODY_BYTES = 10_000_000
"""The maximum number of bytes of a page that are read."""
MAX_MODEL_CHARACTERS = 24_000
"""The maximum length of a page's text for a model."""
MAX_PLACE_CHARACTERS = 300
MAX_DOUBTS = 20
_NOT_MAIN = frozenset(
    ["BreadcrumbList", "ListItem", "WebSite", "SearchAction", "ReadAction", "ImageObject", "SiteNavigationElement"]
)
"""Types of entities that are about the site, and not about the page."""


class ValuePlace(JsonRecord):
    """Where a value stands. `pointer` is its JSON Pointer in the data (RFC 6901), `source` the kind of the place
    (`json-ld`, `table`, `list` …), `path` an XPath or JSON path of the page, `text` what stands there."""

    pointer: str
    source: str
    path: str
    text: str
    url: str = ""


class PageData(JsonRecord):
    """The values of a schema that a page has. `data` follows the schema, with null for what the page does not say;
    `places` has the place of each value, `missing` the JSON Pointers of the nulls, `doubts` what is not certain.
    `next_url` is the following page of a list, if the page links to one. `title` is the page's."""

    url: str
    data: Any
    places: tuple[ValuePlace, ...] = ()
    missing: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    next_url: str = ""
    title: str = ""
    learnt: tuple[tuple[str, str], ...] = ()
    """JSON Pointers with selectors that have found, or would find, the same value on this page."""
    refuted: tuple[str, ...] = ()
    """Pointers whose selector has found something else than the page says."""
    text: str = ""
    """The text that readers see, if it was requested."""


class DataRequest(FetchedPage):
    """A page, and the JSON Schema of what to read from it. `selectors` are those of earlier pages of the site by JSON
    Pointer; `proven` the pointers whose selector has found the right value on more than one page. `quotes` are texts of
    the page by JSON Pointer, for which selectors are wanted. `with_text` requests the page's text. `shells`
    reads pages that need a browser as they are."""

    schema: dict[str, Any] = field(factory=dict)
    selectors: tuple[tuple[str, str], ...] = ()
    proven: tuple[str, ...] = ()
    quotes: tuple[tuple[str, str], ...] = ()
    with_text: bool = False
    shells: bool = False


def read_data(request: DataRequest) -> PageData:
    """The data of a page; the function of an extraction process. Raises `SchemaInvalid`, `NoText`, and `NeedsBrowser`
    for a page whose data would be created by a script."""
    return extract_data(request, request.schema)


def extract_data(page: FetchedPage, schema: Any) -> PageData:
    """The values of `schema` on a page. Raises `SchemaInvalid`; `NoText` if the page is no HTML; `NeedsBrowser` as
    `read_data`, which reads a `DataRequest`."""
    root_field = read_schema(schema)
    if kind_of(page.content_type, page.body) != "html":
        raise NoText(f"{display_url(page.url)} is not HTML: a schema needs a page of HTML")
    root = parse_html(page)
    may_be_shell = isinstance(page, DataRequest) and not page.shells and page.source in ("http", "cache")
    if may_be_shell and (why := shell_reason(root)):
        raise NeedsBrowser(f"{display_url(page.url)} needs a browser: {why}", why=why)
    reader = PageReader(root, page.url)
    data = reader.read(root_field)
    if isinstance(page, DataRequest):
        data = reader.with_selectors(data, root_field, page)
        if page.with_text:
            data = data.replace(text=reader.text())
    if len(page.body) > MAX_BODY_BYTES:
        data = data.replace(doubts=(f"only the first {MAX_BODY_BYTES} bytes of the page were read", *data.doubts))
    return data


def parse_html(page: FetchedPage) -> HtmlElement:
    """The document of a page. Raises `NoText` if it is empty."""
    text = limit_attributes(decode_body(page.body[:MAX_BODY_BYTES], page.charset).replace("\x00", ""))
    if not text.strip():
        raise NoText(f"{display_url(page.url)} is empty")
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    empty_permalinks(root)
    return root


class PageReader:
    """Reads the fields of a schema from a document. `url` is that of the page."""

    def __init__(self, root: HtmlElement, url: str) -> None:
        self._root = root
        base = root.find(".//base")
        self._url = url
        self._base = (base.get("href") if base is not None else None) or url
        if not self._base.startswith(("http://", "https://")):
            self._base = url
        self._nodes, self._doubts = nodes_of(root)
        body = root.find("body")
        self._elements = list(islice(content_elements(body if body is not None else root), MAX_ELEMENTS))
        if len(self._elements) == MAX_ELEMENTS:
            self._doubts.append(f"only the first {MAX_ELEMENTS} elements of the page were read")
        self._paths = ElementPaths()
        self._places: list[ValuePlace] = []
        self._missing: list[str] = []
        self._page_facts: list[Fact] | None = None

    def read(self, field: SchemaField) -> PageData:
        """The data, its places and doubts."""
        data = self._list(field, "") if field.type == "array" else self._object(field, "")
        title = next((text_of(each) for each in self._root.iter("title")), "")
        return PageData(
            url=self._url,
            data=data,
            places=tuple(self._places),
            missing=tuple(self._missing),
            doubts=tuple(dict.fromkeys(self._doubts))[:MAX_DOUBTS],
            next_url=next_page(self._root, self._base),
            title=title,
        )

    def with_selectors(self, data: PageData, field: SchemaField, request: DataRequest) -> PageData:
        """The data with what proven selectors find, and the selectors that this page teaches or refutes."""
        learner = SelectorLearner(self._root, self._elements, self._base)
        outcome = learner.apply(field, data.data, request.selectors, request.proven)
        learnt = {**dict(learner.learn(field, data.data, dict(request.quotes))), **dict(outcome.confirmed)}
        places = tuple(ValuePlace(pointer, "selector", self._paths.path(element), text_of(element))
                       for pointer, element in outcome.added)  # fmt: skip
        added = {each.pointer for each in places}
        return data.replace(
            places=data.places + places,
            missing=tuple(each for each in data.missing if each not in added),
            learnt=tuple(learnt.items()),
            refuted=outcome.refuted,
            doubts=data.doubts
            + tuple(f"{pointer}: found by the selector of another page" for pointer in sorted(added)),
        )

    def text(self) -> str:
        """The text that readers see, a line for each element that has text of its own."""
        lines: list[str] = []
        size = 0
        for element in self._elements:
            own = clean((element.text or "") + "".join(child.tail or "" for child in element))
            if own and (line := text_of(element)) and not (lines and line in lines[-1]):
                lines.append(line)
                size += len(line)
                if size > MAX_MODEL_CHARACTERS:
                    break
        return "\n".join(lines)[:MAX_MODEL_CHARACTERS]

    def _object(self, field: SchemaField, pointer: str, facts: Sequence[Fact] | None = None) -> dict[str, Any]:
        simple = [each for each in field.properties if not each.is_record and not _is_record_list(each)]
        scope = Scope(self._facts(field) if facts is None else facts, self._base, self._doubts)
        found = scope.choose(simple)
        data: dict[str, Any] = {}
        for each in field.properties:
            key = f"{pointer}/{_escape(each.name)}"
            if each.is_record:
                data[each.name] = self._nested(each, key, scope)
            elif _is_record_list(each):
                data[each.name] = self._list(each, key)
            else:
                data[each.name] = self._value(found.get(each.name), key)
        return data

    def _nested(self, field: SchemaField, pointer: str, scope: Scope) -> dict[str, Any] | None:
        """An object in an object: the part of the page's data of that name, or facts of the page itself."""
        inner = [fact for node in self._main_nodes(field) for key in node.properties if field.match(words_of(key))
                 for child in node.children(key)[:1] for fact in child.facts()]  # fmt: skip
        places, missing = len(self._places), len(self._missing)
        data = self._object(field, pointer, inner or self._prefixed(field, scope))
        if all(value is None for value in data.values()):
            del self._places[places:], self._missing[missing:]
            self._missing.append(pointer)
            return None
        return data

    def _prefixed(self, field: SchemaField, scope: Scope) -> list[Fact]:
        """The facts of a page for the parts of an object, also if their labels begin with its name."""
        own = field.phrases[0] if field.phrases else ()
        cut = [fact._replace(label=fact.label[len(own) :]) for fact in scope.facts
               if len(fact.label) > len(own) and fact.label[: len(own)] == own]  # fmt: skip
        generic = {"name", "description", "url", "image", "date", "type"}
        names = {each.concept for each in field.properties} - generic
        return cut + [fact for fact in scope.facts if names and not generic & {*fact.label}]

    def _list(self, field: SchemaField, pointer: str) -> list[Any] | None:
        item = field.item
        if item is None or not item.is_record:
            found = Scope(self._facts(field), self._base, self._doubts).choose([field])
            value = self._value(found.get(field.name), pointer or "/")
            return value if isinstance(value, list) else None
        rows = best_records(field, self._root, self._elements, self._nodes, self._base, self._doubts)
        if not rows:
            self._missing.append(pointer or "/")
            return [] if pointer == "" else None
        return [
            {
                each.name: self._value(row.get(each.name), f"{pointer}/{number}/{_escape(each.name)}")
                for each in item.properties
            }
            for number, row in enumerate(rows)
        ]

    def _value(self, found: Found | None, pointer: str) -> Any:
        if found is None:
            self._missing.append(pointer)
            return None
        fact = found.fact
        place = fact.place or ("" if fact.element is None else self._paths.path(fact.element))
        text = shortened("; ".join(fact.texts), MAX_PLACE_CHARACTERS)
        self._places.append(ValuePlace(pointer, fact.source, place, text))
        return found.value

    def _facts(self, field: SchemaField) -> list[Fact]:
        if self._page_facts is None:
            self._page_facts = [
                *(fact for node in self._main_nodes(field) for fact in node.facts()),
                *metadata_facts(self._root),
                *labelled_facts(self._elements),
                *named_facts(self._elements),
                *self._headline_facts(),
            ]
        return self._page_facts

    def _headline_facts(self) -> list[Fact]:
        facts: list[Fact] = []
        headings = [each for each in self._root.iter("h1") if text_of(each)]
        if headings:
            facts.append(
                Fact(
                    ("name",), (text_of(headings[0]),), "heading", "", 0.86 if len(headings) == 1 else 0.7, headings[0]
                )
            )
        facts += [each for each in shape_facts(self._elements) if each.source in ("amount", "time")]
        links = (each for each in self._root.iter("link") if (each.get("rel") or "").lower() == "canonical")
        facts += [Fact(("url",), (each.get("href") or "",), "metadata", "", 0.9, each) for each in links]
        for element in self._elements:
            if element.tag == "a" and (href := element.get("href") or "").startswith(("tel:", "mailto:")):
                label = "phone" if href.startswith("tel:") else "email"
                facts.append(Fact((label,), (text_of(element) or href.partition(":")[2],), "link", "", 0.75, element))
        return facts

    def _main_nodes(self, field: SchemaField) -> list[Node]:
        """The entity that the page is about: the one that answers most fields; of several of one type the one with the
        page's headline or address."""
        candidates = [node for node in self._nodes if node.type not in _NOT_MAIN]
        scored = [(sum(any(each.match(words_of(key)) for key in node.properties) for each in field.properties), node)
                  for node in candidates[:500]]  # fmt: skip
        best = max((score for score, _ in scored), default=0)
        if best == 0:
            return []
        finalists = [node for score, node in scored if score == best]
        if len(finalists) > 1:
            headline = next((text_of(each).casefold() for each in self._root.iter("h1")), "")
            own = [node for node in finalists if self._is_about(node, headline)]
            if not own and len({node.type for node in finalists}) == 1 and finalists[0].type:
                return []
            finalists = own or finalists
        return finalists[:1]

    def _is_about(self, node: Node, headline: str) -> bool:
        name = node.properties.get("name") or node.properties.get("headline")
        text = element_value(name) if isinstance(name, HtmlElement) else str(name or "")
        return bool(text) and text.casefold().strip() == headline


def _is_record_list(field: SchemaField) -> bool:
    return field.type == "array" and field.item is not None and field.item.is_record


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


_NEXT_LABELS = frozenset(
    ("next", "next page", "weiter", "nächste", "nächste seite", "suivant", "siguiente", "older", "older posts")
)
_NEXT_NAMES = frozenset({"next", "pagination-next", "next-page", "pagination__next"})


def next_page(root: HtmlElement, base: str) -> str:
    """The URL of the following page of a list, or an empty string."""
    for element in root.iter("link", "a"):
        href = element.get("href")
        if href and "next" in (element.get("rel") or "").lower().split():
            return absolute(href.strip(), base) or ""
    for element in root.iter("a"):
        if not (href := element.get("href")) or href.startswith("#"):
            continue
        label = (element.get("aria-label") or text_of(element)).strip(" ›»→>").casefold()
        names = f"{element.get('class') or ''} {element.get('id') or ''}".lower().split()
        if label in _NEXT_LABELS or not _NEXT_NAMES.isdisjoint(names):
            return absolute(href.strip(), base) or ""
    return ""
