"""The packs that ship, each on pages of the project's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.demo.server import Shop
from oryn.intents import FileIntentLibrary


@pytest.fixture
def packed(oryn: Any, tmp_path: Path) -> Any:
    oryn.session.library = lambda: FileIntentLibrary(tmp_path / "intents", tmp_path / "packs")
    return oryn


# --- shop: the demo, and one that says it in other words -------------------------------------------------------------


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop(0) as running:
        yield running


@pytest.mark.slow
async def test_shop(packed: Any, shop: Shop) -> None:
    await packed.ok("pack load shop")
    await packed.ok(f"goto localhost:{shop.port}")
    answer = await packed.ok('run buy --product "Boston fern" --count 2')
    assert answer.endswith(f'# changes\n@ localhost:{shop.port}/cart "Cart · Fernhill"')
    assert "Boston fern\t2\t€36" in await packed("extract tables")
    await packed.ok('run remove_from_cart --product "Boston fern"')
    assert "Your cart is empty." in await packed("text")
    await packed.ok('run find_product --product "Monstera"')
    assert "/plants/monstera" in await packed("url")
    await packed.ok("run add_to_cart")
    await packed.ok(f"goto localhost:{shop.port}")
    await packed.ok("run open_cart")
    assert "/cart" in await packed("url")
    assert "element not found" in await packed('run find_product --product "Triffid" --query "fern"')


BASKETS = """<title>Tea</title><form action=/search role=search><input type=search name=q aria-label=Search></form>
 <button onclick="document.title = 'In the basket'">Add to basket</button><a href=/basket>Basket</a>"""


@pytest.mark.slow
async def test_shop_in_other_words(packed: Any) -> None:
    packed.pages["/search"] = "<title>Found</title><a href=/>Green tea</a>"
    packed.pages["/basket"] = (
        "<title>Basket</title><ul><li>Green tea <button onclick=this.parentNode.remove()>Delete</button></ul>"
    )
    await packed.show(BASKETS)
    await packed.ok("pack load shop")
    await packed.ok("run add_to_cart")
    assert '"In the basket"' in await packed("title")
    assert '"Tea"' in await packed.ok('run find_product --product "Green tea" --query tea')
    await packed.ok('run remove_from_cart --product "Green tea"')
    assert "Delete" not in await packed("observe")


# --- search results ---------------------------------------------------------------------------------------------------

RESULTS = """<title>{n}</title><header><a href=/>Home</a><form action=/search role=search><input type=search name=q aria-label=Search></form></header>
 <main><h3><a href=/one>First result</a></h3><h3><a href=/two>Second result</a></h3></main>{next}"""


@pytest.mark.slow
async def test_search_results(packed: Any) -> None:
    packed.pages["/one"] = "<title>One</title>"
    packed.pages["/page2"] = "<title>Page 2</title>"
    page = RESULTS.format(n="Results", next='<a href="/page2">Next</a>')
    await packed.show(page, "/search")
    assert (await packed("run results")).endswith("# hint\nPack search_results has it: pack load search_results")
    assert await packed("pack load search_results") == (
        "ok pack load search_results\n\nactive here: next_results, open_result, refine, results"
    )
    answer = await packed.ok("run results")
    assert "First result" in answer
    assert "/two" in answer
    assert "Home" not in answer
    assert '"Page 2"' in await packed.ok("run next_results")
    assert (await packed("run results")).startswith("error run results: no intent results for this page")
    await packed.ok("back")
    assert '"One"' in await packed.ok('run open_result --title "First result"')
    await packed.ok("back")
    answer = await packed.ok('run refine --query "red shoes"')
    assert "Second result" in answer
    assert "q=red+shoes" in answer


@pytest.mark.slow
async def test_search_results_without_landmarks(packed: Any) -> None:
    packed.pages["/page2"] = "<title>Page 2</title>"
    await packed.show(
        '<title>R</title><ol><li><a href=/one>First</a></ol><a rel="nofollow next" href=/page2>»</a>', "/search"
    )
    await packed.ok("pack load search_results")
    answer = await packed.ok("run results")
    assert "First" in answer
    assert "»" not in answer
    assert '"Page 2"' in await packed.ok("run next_results")
    await packed.show("<title>R</title><a href=/one>Only</a>", "/search")
    assert "Only" in await packed.ok("run results")
    assert (await packed("run next_results")).startswith("error run next_results: ")


# --- documentation ----------------------------------------------------------------------------------------------------

MANUAL = """<title>Start</title><nav><a href=/docs/start>Start</a><a href=/docs/more>More</a></nav>
 <form action=/docs/found role=search><input type=search name=q aria-label=Search></form>
 <main><h1>Start</h1><p>Install it.</p><pre>pip install it</pre><pre>it --help</pre></main><a href=/docs/more>Next</a>"""


@pytest.mark.slow
async def test_documentation(packed: Any) -> None:
    packed.pages["/docs/more"] = "<title>More</title><article>More of it.</article>"
    packed.pages["/docs/found"] = "<title>Found</title><a href=/docs/more>How to get more</a>"
    await packed.show(MANUAL, "/docs/start")
    assert await packed("pack load documentation") == (
        "ok pack load documentation\n\nactive here: contents, examples, look_up, next_page, read_page"
    )
    assert "| pip install it\n| it --help" in await packed.ok("run examples")
    contents = await packed.ok("run contents")
    assert "/docs/more" in contents
    assert "Next" not in contents
    read = await packed.ok("run read_page")
    assert "Install it." in read
    assert "Next" not in read
    assert '"More"' in await packed.ok("run next_page")
    assert "| More of it." in await packed.ok("run read_page")
    await packed.ok("back")
    assert '"Found"' in await packed.ok("run look_up --query more")
    await packed.ok("back")
    assert "| More of it." in await packed.ok('run look_up --query more --open "How to get more"')


async def test_documentation_without_landmarks(packed: Any) -> None:
    packed.pages["/docs/b"] = "<title>B</title>"
    await packed.show("<title>A</title><p>All of it.</p><a rel=next href=/docs/b>→</a>", "/docs/a")
    await packed.ok("pack load documentation")
    assert "All of it." in await packed.ok("run read_page")
    assert "/docs/b" in await packed.ok("run contents")
    assert '"B"' in await packed.ok("run next_page")
