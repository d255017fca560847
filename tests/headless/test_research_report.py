"""The pages of a report and of a graph in a browser: their styles hold, their links lead where they should, nothing in
them runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.research.graph.test_parts import example as graph
from tests.research.report.example import example

pytestmark = pytest.mark.browser


@pytest.mark.slow
async def test_a_number_leads_to_the_sentence_in_its_passage(oryn: Any) -> None:
    await oryn.show(example().html)
    await oryn.ok("click css(\"a[href='#sentence-2']\")")
    assert (await oryn('eval "location.hash"')).endswith("| #sentence-2")
    marked = await oryn("eval \"document.querySelector(':target').textContent\"")
    assert marked.endswith(f"| {example().sentences[1].text}")
    assert (await oryn("eval \"document.querySelector('article:has(:target)').id\"")).endswith("| passage-a1")


@pytest.mark.slow
async def test_its_style_is_let_in_and_what_pages_say_stays_text(oryn: Any) -> None:
    await oryn.show(example().html)
    assert (await oryn("eval \"getComputedStyle(document.querySelector('article')).borderTopStyle\"")).endswith(
        "| solid"
    )
    assert (await oryn('eval "document.scripts.length + document.images.length"')).endswith("| 0")
    assert "<script>alert(1)</script>" in await oryn.ok("text")


async def test_the_picture_of_a_graph_has_its_colours_within_its_policy(oryn: Any) -> None:
    await oryn.show(graph().html)
    fills = "[...document.querySelectorAll('.category text')].map((text) => getComputedStyle(text).fill).join()"
    assert (await oryn(f'eval "{fills}"')).endswith("| rgb(29, 78, 216),rgb(4, 120, 87)")
    assert (await oryn("eval \"getComputedStyle(document.querySelector('svg path')).fill\"")).endswith("| none")
    assert "Content Security Policy" not in await oryn("console")
