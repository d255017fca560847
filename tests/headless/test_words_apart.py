"""Words that stand apart from each other are no text of an element: one in a control, the next in another row."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

HIT = "document.title = 'hit'"
CART = f"""<style>nav button, nav a {{ display: inline-block }}</style>
<table><tr><th>Plant<th>Price<th>
<tr><td>Fern <td>€12 <td><button onclick="{HIT}" aria-label="Remove Fern">Remove</button>
<tr><th>Total <td>€12 <td></table>
<ul><li><a href=# onclick="{HIT}">Apples</a><li>Pears<li><div><span>Blue</span> <span>plums</span></div></ul>
<div role=list><div role=listitem tabindex=0 onclick="{HIT}">First</div><div role=listitem>Second</div></div>
<nav><button onclick="{HIT}">Save</button> <button onclick="{HIT}">Close</button> <span>Help</span></nav>
<div style="display:flex"><div onclick="{HIT}" style="cursor:pointer">Edit</div> <div>Profile</div></div>"""


@pytest.mark.parametrize(
    "words",
    ["Remove Total", "Price Fern", "Apples Pears", "Pears Blue", "First Second", "Save Close", "Close Help",
     "Edit Profile"],
)  # fmt: skip
@pytest.mark.parametrize("listening", [False, True])
async def test_words_of_different_rows_or_controls_are_no_target(oryn: Driver, words: str, listening: bool) -> None:
    page = CART
    if listening:  # one listener for all that the page has, as frameworks add
        page = (
            f'<div id=root style="cursor:pointer">{CART}</div><script>root.addEventListener("click", () => 0)</script>'
        )
    await oryn.show(page)
    assert (await oryn(f'click "{words}"')).startswith(f'error click "{words}": element not found')
    assert (await oryn(f"click /{words}/")).startswith(f"error click /{words}/: element not found")
    assert (await oryn.ok(f'exists "{words}"')).endswith("\n\nno")
    assert (await oryn.ok("title")).endswith('""')


@pytest.mark.parametrize("words", ["Fern €12", "Blue plums", "Total €12"])
async def test_words_of_one_row_are(oryn: Driver, words: str) -> None:
    await oryn.show(CART)
    assert (await oryn.ok(f'exists "{words}"')).endswith("\n\nyes")
    await oryn.ok(f'hover "{words}"')


@pytest.mark.parametrize("words", ["I agree to the Terms of sale", "Terms of sale", "the Terms"])
async def test_the_press_is_beside_a_link_that_has_only_some_of_the_words(oryn: Driver, words: str) -> None:
    await oryn.show(
        f"""<p onclick="if (event.target === this) {HIT}" style="cursor:pointer">I agree to the
        <a href="#terms">Terms</a> of sale.</p>"""
    )
    assert '~ title: "hit"' in await oryn.ok(f'click "{words}"')


async def test_words_apart_do_not_hide_those_that_stand_together(oryn: Driver) -> None:
    await oryn.show(f"""<table><tr><td><button>Remove</button><tr><td>Total<tr><td>
        <span onclick="{HIT}" style="cursor:pointer"><i>Remove</i> <b>Total</b></span></table>""")
    assert '~ title: "hit"' in await oryn.ok('click "Remove Total"')


async def test_a_control_has_the_words_of_its_lines(oryn: Driver) -> None:
    await oryn.show(f"""<a href=# onclick="{HIT}"><ul><li>Orders</li><li>12 open</li></ul></a>""")
    assert '~ title: "hit"' in await oryn.ok('click "Orders 12 open"')
