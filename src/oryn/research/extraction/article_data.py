"""The data of a page: of a product its name, price, availability and properties, the items of a list, the posts of a
thread with author and date. What the page declares for programs comes first (https://schema.org), then its elements."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from lxml.html import HtmlElement

from oryn.research.extraction.declarations import Declarations, types_of
from oryn.research.extraction.segments import PageSegments

MAX_ITEMS = 500
MAX_CHARACTERS = 10_000
"""Characters of a value that are kept."""
MIN_POSTS = 2
MIN_POSTS_SHARE = 0.5
"""The share of the text that was chosen that repeated elements have if they are the posts of a thread."""

_TAGS = re.compile(r"<[^<>]*>")
_PERSON = re.compile(r"author|user(?:name)?|poster|member|byline|creator|nick", re.IGNORECASE)
_POSTS = ("DiscussionForumPosting", "Question", "Answer", "Comment", "SocialMediaPosting")
_TIMES = re.compile(r"\d{4}-\d\d-\d\d")


def article_data(
    kind: str, declarations: Declarations, page: PageSegments, selected: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    """The data of a page of a kind, as plain JSON: `product`, `items` or `posts`; empty if there is none."""
    found: dict[str, Any] = {}
    if product := _product(declarations, page):
        found["product"] = product
    if kind in ("listing", "collection") and (items := list(_items(declarations))[:MAX_ITEMS]):
        found["items"] = items
    if kind == "forum":
        posts = list(posts_of(page, selected))
        declared = list(_declared_posts(declarations))
        if posts := posts if len(posts) >= len(declared) else declared:
            found["posts"] = posts[:MAX_ITEMS]
    return found


def _product(declarations: Declarations, page: PageSegments) -> dict[str, Any]:
    """The product that a page is about; empty if it declares none, or several."""
    items = [each for each in declarations.items if not {"Product", "ProductGroup"}.isdisjoint(types_of(each))]
    meta = declarations.meta
    if items:
        return _compact(_declared_product(items[0]))
    marked = [
        each for each in page.containers if (each.get("itemtype") or "").rstrip("/").endswith("schema.org/Product")
    ]
    if len(marked) == 1:
        return _compact(_microdata(marked[0]))
    if meta.get("og:type", "").endswith("product") or "product:price:amount" in meta:
        return _compact(
            {
                "name": meta.get("og:title"),
                "description": meta.get("og:description"),
                "price": meta.get("product:price:amount") or meta.get("og:price:amount"),
                "currency": meta.get("product:price:currency") or meta.get("og:price:currency"),
                "availability": meta.get("product:availability") or meta.get("og:availability"),
                "brand": meta.get("product:brand"),
            }
        )
    return {}


def _declared_product(item: dict[str, Any]) -> dict[str, Any]:
    offer = _first(item.get("offers"))
    variant = _first(item.get("hasVariant"))
    offer = offer or _first(variant.get("offers"))
    price = _first(offer.get("priceSpecification"))
    rating = _first(item.get("aggregateRating"))
    properties = {
        _text(each.get("name")): _text(each.get("value"))
        for each in _list(item.get("additionalProperty"))
        if isinstance(each, dict)
    }
    return {
        "name": _text(item.get("name")),
        "description": _text(item.get("description")),
        "price": _text(offer.get("price") or offer.get("lowPrice") or price.get("price")),
        "currency": _text(offer.get("priceCurrency") or price.get("priceCurrency")),
        "availability": _text(offer.get("availability")).rpartition("/")[2],
        "brand": _text(item.get("brand")),
        "sku": _text(item.get("sku")),
        "rating": _text(rating.get("ratingValue")),
        "reviews": _text(rating.get("reviewCount") or rating.get("ratingCount")),
        "properties": {name: value for name, value in properties.items() if name and value},
    }


def _microdata(scope: HtmlElement) -> dict[str, Any]:
    """The values of an item's properties (https://html.spec.whatwg.org/multipage/microdata.html#values)."""
    values: dict[str, str] = {}
    for element in scope.iter():
        if isinstance(element.tag, str):
            for name in (element.get("itemprop") or "").split():
                values.setdefault(name, _value(element))
    names = {"currency": "priceCurrency", "rating": "ratingValue", "reviews": "reviewCount"}
    found = {
        key: values.get(names.get(key, key), "")
        for key in ("name", "description", "price", "currency", "availability", "brand", "sku", "rating", "reviews")
    }
    found["availability"] = found["availability"].rpartition("/")[2]
    return dict(found)


def _value(element: HtmlElement) -> str:
    for attribute in ("content", "datetime", "href", "src", "value"):
        if attribute in element.attrib:
            return _text(element.get(attribute))
    return _text(element.text_content())


def _items(declarations: Declarations) -> Iterator[dict[str, str]]:
    for each in declarations.items:
        if "ItemList" not in types_of(each) and "CollectionPage" not in types_of(each):
            continue
        for entry in _list(each.get("itemListElement")):
            if isinstance(entry, dict):
                item = entry["item"] if isinstance(entry.get("item"), dict) else entry
                target = item.get("url") or item.get("@id") or entry.get("url") or entry.get("item")
                value = _compact({"name": _text(item.get("name") or entry.get("name")), "url": _text(target)})
                if value:
                    yield value


def _declared_posts(declarations: Declarations) -> Iterator[dict[str, Any]]:
    for each in declarations.items:
        if not set(_POSTS).isdisjoint(types_of(each)):
            text = _text(each.get("text") or each.get("articleBody"))
            if text:
                date = _text(each.get("datePublished") or each.get("dateCreated"))
                yield _compact({"author": _text(each.get("author")), "date": date, "text": text})


def post_elements(page: PageSegments, selected: npt.NDArray[np.bool_]) -> list[int]:
    """The containers that are the posts of a thread: elements beside each other, of the same tag and class, that have
    most of the text that was chosen; empty if there are none."""
    sizes = np.array([len(each.text) for each in page.segments]) * selected
    running = np.concatenate([[0], np.cumsum(sizes)])
    groups: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for at, element in enumerate(page.containers):
        if at and running[page.ends[at]] > running[page.begins[at]]:
            names = (element.get("class") or "").split()
            groups[page.parents[at], element.tag, names[0] if names else ""].append(at)
    best: list[int] = []
    most = MIN_POSTS_SHARE * float(running[-1])
    for (_, tag, _), members in groups.items():
        if len(members) < MIN_POSTS or tag in ("p", "tr", "td", "br", "h2", "h3", "blockquote", "pre"):
            continue
        size = float(sum(running[page.ends[at]] - running[page.begins[at]] for at in members))
        if size > 1.05 * most or (size > 0.95 * most and not best):
            best, most = members, size
    return best


def posts_of(page: PageSegments, selected: npt.NDArray[np.bool_]) -> Iterator[dict[str, Any]]:
    """The posts of a thread, by the elements of the page."""
    for at in post_elements(page, selected):
        text = "\n".join(
            page.segments[place].text for place in range(page.begins[at], page.ends[at]) if selected[place]
        )
        author, date = author_and_date(page.containers[at])
        yield _compact({"author": author, "date": date, "text": text[:MAX_CHARACTERS]})


def author_and_date(post: HtmlElement) -> tuple[str, str]:
    """Who has written a post, and when, by the elements within it; empty what it does not say."""
    author = date = ""
    for element in post.iter():
        if not isinstance(element.tag, str):
            continue
        if not date and (element.tag == "time" or "date" in (element.get("itemprop") or "").lower()):
            said = element.get("datetime") or element.get("content") or element.text_content()
            found = _TIMES.search(said)
            date = found[0] if found else _text(said)[:40]
        if not author:
            named = f"{element.get('class') or ''} {element.get('itemprop') or ''} {element.get('rel') or ''}"
            if _PERSON.search(named):
                words = _text(element.text_content())
                author = words if 0 < len(words) <= 60 else ""
    return author, date


def _compact(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", {}, [])}


def _first(value: Any) -> dict[str, Any]:
    return next((each for each in _list(value) if isinstance(each, dict)), {})


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    """A value of JSON-LD as a line: of a thing its name."""
    if isinstance(value, list):
        counted = Counter(text for each in value if not isinstance(each, list) and (text := _text(each)))
        return ", ".join(counted)
    if isinstance(value, dict):
        named = value.get("name") or value.get("@value") or value.get("value") or ""
        return _text(named) if not isinstance(named, dict | list) else ""
    if value is None or isinstance(value, bool):
        return ""
    return " ".join(_TAGS.sub(" ", str(value)[:MAX_CHARACTERS]).split())
