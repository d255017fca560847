"""The data of products, lists and threads, as pages declare them or show them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from oryn.research.extraction.article_data import article_data
from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.segments import PageSegments
from oryn.research.html.tree import parse_html

PRODUCT = {
    "@type": "Product",
    "name": "Ice skates",
    "brand": {"@type": "Brand", "name": "Linden"},
    "offers": {"@type": "Offer", "price": 49.9, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"},
    "additionalProperty": [{"@type": "PropertyValue", "name": "Weight", "value": "1.2 kg"}],
}
EXPECTED = {
    "name": "Ice skates",
    "price": "49.9",
    "currency": "EUR",
    "availability": "InStock",
    "brand": "Linden",
    "properties": {"Weight": "1.2 kg"},
}


def data_of(kind: str, page: str) -> dict[str, Any]:
    tree = parse_html(page)
    assert tree is not None
    segments = PageSegments(tree)
    return article_data(kind, Declarations(tree), segments, np.ones(len(segments.segments), dtype=bool))


def json_ld(value: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script><body><p>Text.</p></body>'


@pytest.mark.parametrize("declared", [PRODUCT, [PRODUCT], {"@graph": [{"@type": "WebPage"}, PRODUCT]}])
def test_a_product_by_json_ld(declared: Any) -> None:
    assert data_of("product", json_ld(declared)) == {"product": EXPECTED}


def test_a_product_by_microdata() -> None:
    page = (
        '<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Ice skates</h1><div itemprop="offers">'
        '<span itemprop="price" content="49.9">€ 49,90</span><meta itemprop="priceCurrency" content="EUR">'
        '<link itemprop="availability" href="https://schema.org/InStock"></div><b itemprop="brand">Linden</b></div>'
    )
    expected = {name: value for name, value in EXPECTED.items() if name != "properties"}
    assert data_of("product", page) == {"product": expected}


def test_a_product_by_open_graph() -> None:
    page = (
        '<meta property="og:type" content="product"><meta property="og:title" content="Ice skates">'
        '<meta property="product:price:amount" content="49.9"><p>Steel.</p>'
    )
    assert data_of("product", page) == {"product": {"name": "Ice skates", "price": "49.9"}}


def test_the_items_of_a_list() -> None:
    items = [
        {"@type": "ListItem", "position": 1, "name": "Ferns", "url": "https://linden.example/ferns"},
        {
            "@type": "ListItem",
            "position": 2,
            "item": {"@type": "Course", "name": "Moss", "url": "https://linden.example/moss"},
        },
    ]
    assert data_of("listing", json_ld({"@type": "ItemList", "itemListElement": items})) == {
        "items": [
            {"name": "Ferns", "url": "https://linden.example/ferns"},
            {"name": "Moss", "url": "https://linden.example/moss"},
        ]
    }
    assert data_of("article", json_ld({"@type": "ItemList", "itemListElement": items})) == {}


def test_the_posts_of_a_thread() -> None:
    posts = "".join(
        f'<div class="post"><span class="username">{name}</span><time datetime="2025-11-{day}T09:00:00Z">then</time>'
        f"<div>{text}</div></div>"
        for name, day, text in (
            ("Maren", "19", "Is the ice at the pier safe enough to walk on today?"),
            ("Ole", "20", "It holds, I measured eleven centimetres of it this morning."),
        )
    )
    found = data_of("forum", f"<main>{posts}</main><footer>Imprint</footer>")["posts"]
    assert [(post["author"], post["date"]) for post in found] == [("Maren", "2025-11-19"), ("Ole", "2025-11-20")]
    assert "eleven centimetres" in found[1]["text"]


@pytest.mark.parametrize(
    "script", ["{broken", "[" * 5000, '{"@type": 7, "offers": [[]]}', '{"@type": "Product", "name": {"name": {}}}']
)
def test_declarations_in_any_shape(script: str) -> None:
    page = f'<script type="application/ld+json">{script}</script><p>Text.</p>'
    assert data_of("product", page) == {}
