"""Data by a JSON Schema: what pages of many templates say, and nothing that they don't."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.structured_data import PAGES, URL, leaves
from benchmarks.structured_pages import Template, document, list_of, object_schema
from benchmarks.structured_pages.development import DEVELOPMENT
from benchmarks.structured_pages.held_out import HELD_OUT
from oryn.errors import NoText, SchemaInvalid
from oryn.models.endpoint import ChatMessage
from oryn.research import Research, ResearchOptions
from oryn.research.extractor import page_of_html
from oryn.research.structured_data import PageData, extract_data
from tests.research.server import Site

PRODUCT = object_schema(name="string", price="number", sku="string")


def read(html: str, schema: Any) -> PageData:
    return extract_data(page_of_html(html, URL), schema)


@pytest.mark.parametrize("template", [*DEVELOPMENT, *HELD_OUT], ids=lambda template: template.__name__)
def test_a_template_is_read_and_nothing_is_invented(template: Template) -> None:
    for number in range(PAGES):
        sample = template(number)
        found = read(sample.html, sample.schema)
        for pointer, expected, got in leaves(sample.data, found.data):
            assert got == expected, pointer
        empty = {"", *found.missing}
        assert all(place.pointer not in empty and place.path and place.text for place in found.places)


def test_every_value_has_its_place() -> None:
    found = read(document("x", "<main><h1>Fern</h1><dl><dt>SKU</dt><dd>F-1</dd></dl></main>"), PRODUCT)
    assert found.data == {"name": "Fern", "price": None, "sku": "F-1"}
    assert found.missing == ("/price",)
    sku = next(place for place in found.places if place.pointer == "/sku")
    assert (sku.source, sku.path, sku.text) == ("list", "/html/body/main/dl/dd", "F-1")


@pytest.mark.parametrize(
    "schema",
    [[], {}, {"type": "string"}, {"type": "object"}, {"properties": {"a": {"type": "nothing"}}}, {"type": "array"},
     {"properties": {"a": {"$ref": "https://elsewhere.example/schema"}}}, {"properties": {"a": {"$ref": "#/$defs/b"}}}],
    ids=json.dumps,
)  # fmt: skip
def test_a_schema_without_fields_is_an_error(schema: Any) -> None:
    with pytest.raises(SchemaInvalid):
        read("<p>x</p>", schema)


@pytest.mark.slow
def test_a_pattern_that_does_not_end_is_named() -> None:
    schema = {"type": "object", "properties": {"code": {"type": "string", "pattern": "^(a|a)*$"}}}
    with pytest.raises(SchemaInvalid, match=re.escape("the pattern ^(a|a)*$ takes longer than 1 s")):
        read(f"<dl><dt>Code</dt><dd>{'a' * 60}!</dd></dl>", schema)


def test_a_recursive_schema_ends() -> None:
    schema = {"properties": {"name": {"type": "string"}, "part": {"$ref": "#"}}}
    assert read("<h1>Fern</h1>", schema).data["name"] == "Fern"


def test_nothing_fits() -> None:
    found = read(document("x", "<p>It rained.</p>"), object_schema(horsepower="number", torque="number"))
    assert found.data == {"horsepower": None, "torque": None} and not found.places


def test_null_is_allowed_in_a_schema() -> None:
    either = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schema = {"properties": {"price": {"type": ["number", "null"]}, "sku": either}}
    found = read("<table><tr><th>SKU</th><td>A1</td></tr><tr><th>Price</th><td>on request</td></tr></table>", schema)
    assert found.data == {"price": None, "sku": "A1"}


def test_sources_that_differ_are_doubtful() -> None:
    data = json.dumps({"@type": "Product", "name": "Fern", "offers": {"price": "18"}})
    html = f'<script type="application/ld+json">{data}</script><h1>Fern</h1><dl><dt>Price</dt><dd>€ 25</dd></dl>'
    found = read(html, PRODUCT)
    assert found.data["price"] == 18 and any("price" in doubt for doubt in found.doubts)


def test_several_numbers_are_no_number() -> None:
    html = "<dl><dt>Price</dt><dd>€ 18 to € 25</dd></dl>"
    assert read(html, PRODUCT).data["price"] is None


@pytest.mark.slow
def test_a_table_of_many_rows_says_how_many_were_read() -> None:
    rows = "".join(f"<tr><td>n{number}</td><td>{number}</td></tr>" for number in range(12_000))
    found = read(f"<table><tr><th>Name</th><th>Price</th></tr>{rows}</table>", list_of(name="string", price="number"))
    assert len(found.data) == 10_000 and found.data[9_999] == {"name": "n9999", "price": 9999}
    assert "list: only the first 10000 of 12000 rows were read" in found.doubts


def test_json_ld_of_five_megabytes_and_a_broken_block() -> None:
    products = [{"@type": "Product", "name": f"P{number}", "sku": "x" * 400} for number in range(12_000)]
    html = (
        f'<h1>P7</h1><script type="application/ld+json">{json.dumps(products)}</script>'
        f'<script type="application/ld+json">{{"a": {"[" * 100_000}</script>'
    )
    found = read(html, object_schema(name="string"))
    assert found.data == {"name": "P7"} and any("not valid JSON" in doubt for doubt in found.doubts)


def test_a_picture_has_no_data() -> None:
    page = page_of_html("x", URL).replace(content_type="image/png", body=b"\x89PNG\r\n\x1a\n")
    with pytest.raises(NoText):
        extract_data(page, PRODUCT)


class ScriptedModel:
    """Answers with the same values each time."""

    name = "scripted"

    def __init__(self, *values: tuple[str, str, str]) -> None:
        named = [dict(zip(("pointer", "value", "quote"), each, strict=True)) for each in values]
        self.answer = json.dumps({"values": named})
        self.requests: list[list[ChatMessage]] = []

    async def reply(self, messages: list[ChatMessage], listener: Any, *, schema: Any = None) -> Any:
        from oryn.models.responses import ModelReply

        self.requests.append(list(messages))
        return ModelReply(text=self.answer)


def options(folder: Path) -> ResearchOptions:
    return ResearchOptions(page_cache=folder / "pages", index=folder / "index", throttle=0, allow_private=True)


async def test_a_model_that_invents_adds_nothing(tmp_path: Path) -> None:
    page = "<main><h1>Fern</h1><p>You pay eighteen fifty: 18.50 in all.</p></main>"
    invented = ("/sku", "F-99", "the number F-99"), ("/x", "1", "18.50")
    model: Any = ScriptedModel(("/price", "18.50", "18.50 in all"), *invented)
    with Site() as site:
        site.page("/", page)
        async with Research(options(tmp_path)) as research:
            found = await research.extract_data(site.url("/"), PRODUCT, model=model)
    assert found.data == {"name": "Fern", "price": 18.5, "sku": None}
    assert "2 values of the model were dropped: the page does not say them" in found.doubts
    assert next(place for place in found.places if place.pointer == "/price").source == "model"


async def test_a_selector_is_learnt_proved_and_used(tmp_path: Path) -> None:
    """Pages with JSON-LD teach where the price stands; the third page has none."""

    def page(name: str, price: str, *, data: bool) -> str:
        block = json.dumps({"@type": "Product", "name": name, "offers": {"price": price}})
        script = f'<script type="application/ld+json">{block}</script>' if data else ""
        return f"<main>{script}<h1>{name}</h1><div class='zx'><b class='qq'>{price}</b></div></main>"

    with Site() as site:
        for number in range(3):
            site.page(f"/{number}", page(f"Fern {number}", f"{number + 11}.50", data=number < 2))
        async with Research(options(tmp_path)) as research:
            found = [await research.extract_data(site.url(f"/{number}"), PRODUCT) for number in range(3)]
    assert [each.data["price"] for each in found] == [11.5, 12.5, 13.5]
    assert found[2].places[-1].source == "selector"
    assert "/price: found by the selector of another page" in found[2].doubts


async def test_a_list_over_pages(tmp_path: Path) -> None:
    def page(number: int) -> str:
        rows = "".join(f"<tr><td>n{number}{row}</td><td>{row}</td></tr>" for row in range(3))
        following = f'<a rel="next" href="/{number + 1}">more</a>' if number < 2 else ""
        return f"<table><tr><th>Name</th><th>Price</th></tr>{rows}</table>{following}"

    with Site() as site:
        for number in range(3):
            site.page(f"/{number}", page(number))
        async with Research(options(tmp_path)) as research:
            schema = list_of(name="string", price="number")
            every = await research.extract_data(site.url("/0"), schema, follow_next=True)
            two = await research.extract_data(site.url("/0"), schema, follow_next=True, pages=2)
    assert [row["name"] for row in every.data] == [f"n{number}{row}" for number in range(3) for row in range(3)]
    last = next(place for place in every.places if place.pointer == "/8/name")
    assert last.url == site.url("/2") and last.text == "n22"
    assert len(two.data) == 6 and "the list goes on: only 2 pages were read" in two.doubts
