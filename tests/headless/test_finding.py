"""Finding without reading the page: `find`, and looks at a part of the page."""

from __future__ import annotations

import pytest

from oryn.errors import InvalidValue
from oryn.language import parse
from tests.headless.conftest import Driver

PAGE = """<link rel=icon href=data:,><title>orders</title><h1>Shop</h1>
<nav aria-label=Main><a href="#a">Home</a> <a href="#b">Orders</a></nav>
<h2>Orders</h2><table><tr><th>Order<th>Name<th>
<tr><td>1003<td>Ada Lovelace<td><button onclick="document.title = 'sent 1003'">Send</button>
<tr><td>1004<td>Grace Hopper<td><button onclick="document.title = 'sent 1004'">Send</button></table>
<h2>Address</h2><form aria-label=Address><label>Street <input name=street></label><label>City <input name=city></label>
<button type=button>Save the address</button></form>
<p>Orders are sent within 2\u20133 days.</p><p hidden>Orders of last year</p>"""


async def test_find_says_where_a_text_stands(oryn: Driver) -> None:
    await oryn.show(PAGE)
    answer = await oryn.ok('find "grace"')
    assert 'in "1004" under "Orders": "1004 Grace Hopper Send"' in answer
    assert len(answer.splitlines()) == 3


async def test_find_lists_controls_and_texts_in_order_with_numbers_that_are_targets(oryn: Driver) -> None:
    await oryn.show(PAGE)
    places = (await oryn.session.execute('find "send"')).data
    assert [(place["type"], place["row"], place["section"]) for place in places] == [
        ("button", "1003", "Orders"),
        ("button", "1004", "Orders"),
    ]
    await oryn.ok(f"click {places[1]['id']}")
    assert "sent 1004" in await oryn.ok("title")
    heading = (await oryn.session.execute('find "Orders" --limit 9')).data
    assert len(heading) == 3
    assert heading[-1]["text"] == "" or "within" in heading[-1].get("around", heading[-1]["text"])


async def test_find_counts_what_is_hidden_and_what_the_limit_leaves_out(oryn: Driver) -> None:
    await oryn.show(PAGE)
    answer = await oryn.ok('find "Orders" --limit 1')
    assert "2 more places" in answer
    assert "1 more is hidden" in answer


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ('find "2-3 days"', 1),  # typed with a hyphen
        ('find "end"', 2),  # inside of a word
        ('find "100[34]" --regex', 2),
        ('find "100[34]"', 0),
        ('find ".error"', 0),
        ('find "send" --within row "1003"', 1),
        ('find "save" --within form "Address"', 1),
        ('find "send" --within "Address"', 0),
    ],
)
async def test_what_find_finds(oryn: Driver, line: str, count: int) -> None:
    await oryn.show(PAGE)
    assert len((await oryn.session.execute(line)).data) == count


async def test_a_text_that_is_nowhere_is_no_error(oryn: Driver) -> None:
    await oryn.show(PAGE)
    assert '"unicorn" is nowhere on the page' in await oryn.ok('find "unicorn"')


async def test_observe_within_a_target(oryn: Driver) -> None:
    await oryn.show(PAGE)
    answer = await oryn.ok('observe --within form "Address"')
    assert [line.split('"')[1] for line in answer.splitlines() if line.startswith("[")] == [
        "Street",
        "City",
        "Save the address",
    ]
    row = await oryn.ok('observe --within row "1004"')
    assert row.count("[") == 1
    under = await oryn.ok('observe --within heading "Address"')
    assert "Street" in under
    assert "Send" not in under


async def test_observe_of_some_roles(oryn: Driver) -> None:
    await oryn.show(PAGE)
    assert (await oryn.ok("observe --roles link")).count("link") == 2
    answer = await oryn.ok('observe --roles textbox,link --within "Address"')
    assert "Street" in answer
    assert "Save" not in answer
    with pytest.raises(InvalidValue, match="not a role"):
        parse("observe --roles banana")


async def test_numbers_are_those_of_the_whole_page(oryn: Driver) -> None:
    await oryn.show(PAGE)
    part = await oryn.ok('observe --within form "Address"')
    whole = await oryn.ok("observe")
    for line in part.splitlines():
        if line.startswith("["):
            assert line.partition(" ")[0] in whole


async def test_snapshot_within_to_a_depth_and_of_roles(oryn: Driver) -> None:
    await oryn.show(PAGE)
    part = await oryn.ok('snapshot --within form "Address"')
    assert 'form "Address"' in part
    assert "Grace" not in part
    flat = await oryn.ok("snapshot --depth 1")
    assert "inside)" in flat
    assert "Grace" not in flat
    buttons = await oryn.ok("snapshot --roles button,row")
    assert 'button "Send"' in buttons
    assert "heading" not in buttons
    assert sum(line.startswith("- row") for line in buttons.splitlines()) == 3
    assert any(line.startswith("  - button") for line in buttons.splitlines())


async def test_a_reference_of_a_part_is_a_target(oryn: Driver) -> None:
    await oryn.show(PAGE)
    rows = (await oryn.session.execute('snapshot --within row "1004" --roles button')).data
    await oryn.ok(f"click {rows[0]['ref']}")
    assert "sent 1004" in await oryn.ok("title")


async def test_a_part_of_a_frame(oryn: Driver) -> None:
    oryn.pages["/part"] = PAGE
    await oryn.show("<button>Outside</button><iframe src=/part width=600 height=600></iframe>")
    answer = await oryn.ok('observe --within form "Address"')
    assert "Street" in answer
    assert "Outside" not in answer
    assert len((await oryn.session.execute('find "grace"')).data) == 1
