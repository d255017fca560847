"""Graphs from real pages on loopback: a site that is walked, hits of a search; with a scripted model and without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.errors import NoText
from oryn.models import ChatModel, ModelEndpoint
from oryn.research import Research
from oryn.research.documents import ResearchProgress
from oryn.research.embedding import Embedder
from oryn.research.graph import KnowledgeGraph
from oryn.research.options import ResearchOptions
from scripts.scripted_endpoint import MODEL, Says
from scripts.scripted_endpoint import Endpoint as Served
from tests.research.server import Reply, Site

HISTORY = """
Heron Bridge is a stone bridge over the river Ell between Norwick and Vale. It was opened in 1911 by Jonas Reed, who was
mayor of Norwick for nine years. The flood of 1986 took two of its arches, and Heron Bridge was closed until 1988.
Heron Bridge carries 21,000 vehicles a day, more than any other bridge of the county.
"""
MILL = """
The mill at Vale ground flour for three hundred years. Jonas Reed, the mayor, sold it in 1907 to pay for Heron Bridge,
of which only the drawings existed then. Today the mill is a museum with a small café, open from April to October.
"""


def page(title: str, *paragraphs: str, links: str = "") -> str:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<html lang=en><title>{title}</title><body><article><h1>{title}</h1>{body}</article>{links}</body></html>"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        links = '<ul><li><a href="/bridge">The bridge</a><li><a href="/mill">The mill</a><li><a href="/gone">x</a></ul>'
        site.page(
            "/", page("Norwick history", "All that is known of the town and its buildings, collected.", links=links)
        )
        site.page("/bridge", page("Heron Bridge", HISTORY))
        site.page("/mill", page("The mill at Vale", MILL))
        yield site


@pytest.fixture
def research(tmp_path: Path, embedder: Embedder) -> Research:
    async def loaded() -> Embedder:
        return embedder

    options = ResearchOptions(page_cache=tmp_path / "pages", index=tmp_path / "index", allow_private=True, throttle=0)
    return Research(options, embedder=loaded)


def statements(graph: KnowledgeGraph) -> dict[str, list[str]]:
    return {category.label: [leaf.label for leaf in category.children] for category in graph.root.children}


@pytest.mark.slow
async def test_a_site_is_walked_and_every_statement_stands_in_its_passage(research: Research, site: Site) -> None:
    told: list[ResearchProgress] = []
    async with research:
        graph = await research.graph("Heron Bridge", website=site.url("/"), progress=told.append)
    said = statements(graph)
    assert said["What it is"][0] == "Heron Bridge is a stone bridge over the river Ell between Norwick and Vale."
    assert "The flood of 1986 took two of its arches, and Heron Bridge was closed until 1988." in said["Dates"]
    assert any("21,000 vehicles a day" in each for each in said["Numbers"])
    passages = {passage.id: passage for passage in graph.passages}
    cited = {each.number: each.url for each in graph.cited}
    leaves = [node for node in graph.root.walk() if not node.children]
    assert len(leaves) >= 4
    for leaf in leaves:
        assert leaf.passages and all(passages[id].url in {cited[n] for n in leaf.sources} for id in leaf.passages)
        assert all(leaf.label in " ".join(passages[id].text.split()) for id in leaf.passages)
    assert [each.url for each in graph.left_out] == [site.url("/gone")]
    assert graph.by == "" and {"embed", "outline"} <= {each.stage for each in told}


async def test_a_url_is_an_entity_whose_site_is_walked(research: Research, site: Site) -> None:
    async with research:
        graph = await research.graph(site.url("/bridge"))
    assert graph.entity == "Heron Bridge"
    assert "What it is" in statements(graph)


@pytest.mark.slow
async def test_a_model_says_what_the_passages_say(research: Research, site: Site) -> None:
    def answer(messages: list[dict[str, str]]) -> Says:
        place = next(
            line[1 : line.index("]")] for line in messages[-1]["content"].split("\n") if "stone bridge" in line
        )
        statement = {"text": "A stone bridge over the Ell", "passages": [int(place)]}
        invented = {"text": "Designed by Leonardo", "passages": [int(place)]}
        return Says(json.dumps({"categories": [{"name": "What it is", "statements": [statement, invented]}]}))

    with Served(answer) as served:
        model = ChatModel(ModelEndpoint(served.url, MODEL), pause=0)
        async with research:
            graph = await research.graph("Heron Bridge", website=site.url("/"), model=model)
    assert statements(graph) == {"What it is": ["A stone bridge over the Ell"]}
    assert (graph.by, graph.unsupported) == (MODEL, 1)
    assert [each.url for each in graph.cited] == [site.url("/bridge")]


@pytest.mark.slow
async def test_nothing_to_read_is_an_error_that_says_why(research: Research, site: Site) -> None:
    site.put("/broken", Reply("no", status=500))
    async with research:
        with pytest.raises(NoText, match="no page mentions It") as caught:
            await research.graph("It", website=site.url("/broken"))
    assert site.url("/broken") in caught.value.message
