"""Elements that are called alike are told apart by the row, card or section that they are in."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

ROW = "<button onclick=\"document.title = '{0}'\">Details</button>"
PAGES = {
    "rows of a table": "<table><tr><th>Order<th>Total<th></tr>"
    + "".join(f"<tr><td>{n}<td>12 €<td>{ROW.format(n)}" for n in (1003, 1004, 1005))
    + "</table>",
    "rows by roles": "<div role=table>"
    + "".join(
        f"<div role=row><span role=cell>open</span><span role=cell>{n}</span><span role=cell>{ROW.format(n)}</span></div>"
        for n in (1003, 1004, 1005)
    )
    + "</div>",
    "cards": "<main>"
    + "".join(
        f"<div class=card><img alt='' src='data:,'><p>Order</p><h3>{n}</h3><p>12 €</p><div>{ROW.format(n)}</div></div>"
        for n in (1003, 1004, 1005)
    )
    + "</main>",
    "items of a list": "<ul>"
    + "".join(f"<li>{ROW.format(n)} <a href='#{n}'>{n}</a></li>" for n in (1003, 1004, 1005))
    + "</ul>",
    "sections under headings": "<h1>Orders</h1>"
    + "".join(f"<h2>{n}</h2><p>A text of it.</p>{ROW.format(n)}" for n in (1003, 1004, 1005)),
    "custom elements": "<order-row n=1003></order-row><order-row n=1004></order-row><order-row n=1005></order-row>"
    "<script>customElements.define('order-row', class extends HTMLElement { connectedCallback() {"
    "const n = this.getAttribute('n'); this.attachShadow({mode: 'open'}).innerHTML ="
    "`<div><b>${n}</b> <button>Details</button></div>`;"
    "this.shadowRoot.querySelector('button').onclick = () => { document.title = n } } })</script>",
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
async def test_an_observation_names_what_they_are_in(oryn: Driver, page: str) -> None:
    await oryn.show(page)
    lines = [line for line in (await oryn.ok("observe")).splitlines() if '"Details"' in line]
    assert [line.partition(" ")[2] for line in lines] == [f'button "Details" in "{n}"' for n in (1003, 1004, 1005)]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
async def test_which_is_a_target(oryn: Driver, page: str) -> None:
    await oryn.show(page)
    for number in (1004, 1003, 1005):
        answer = await oryn.ok(f'click button "Details" in "{number}"')
        assert f'~ title: "{number}"' in answer and "# note" not in answer


@pytest.mark.slow
async def test_four_orders_with_equal_links(oryn: Driver) -> None:
    orders = {
        "Order 1001 of Ada Lovelace, London:": "Order 1001 of Ada",
        "Standing order of the museum in Berlin": "Standing order of the museum in Berlin",
        "Standing order of the museum in Bern, monthly": "Standing order of the museum in Bern",
        "Order 1004:": "Order 1004",
    }
    rows = "".join(f"<li><p>{order}</p><a href='#{number}'>Details</a></li>" for number, order in enumerate(orders))
    await oryn.show(f"<h1>Orders</h1><ul>{rows}</ul>")
    lines = [line for line in (await oryn.ok("observe")).splitlines() if '"Details"' in line]
    assert lines == [f'[{at}] link "Details" in "{context}"' for at, context in enumerate(orders.values(), 1)]
    for number, context in enumerate(orders.values()):
        answer = await oryn.ok(f'click link "Details" in "{context}"')
        assert f"#{number}" in answer and "# note" not in answer


async def test_equal_matches_are_noted_with_it(oryn: Driver) -> None:
    await oryn.show(PAGES["rows of a table"])
    answer = await oryn.ok('click "Details"')
    assert 'took [1] in "1003", also [2] in "1004", [3] in "1005"' in answer


async def test_fields_of_two_forms(oryn: Driver) -> None:
    await oryn.show(
        "<form><h2>Log in</h2><label>E-mail <input></label><button>Go</button></form>"
        "<form><h2>Register</h2><label>E-mail <input></label><button>Go</button></form>"
    )
    seen = await oryn.ok("observe")
    assert '[1] input/email "E-mail" in "Log in"' in seen and '[3] input/email "E-mail" in "Register"' in seen
    await oryn.ok('type [3] input/email "E-mail" in "Register" "ada@example.org"')
    assert (await oryn.ok("value 3")).endswith('"ada@example.org"')


async def test_only_equal_names_have_it_and_minimal_lines_do_not(oryn: Driver) -> None:
    await oryn.show(
        "<table><tr><td>1003<td><button>Edit</button><button>Pay</button>"
        "<tr><td>1004<td><button>Edit</button></table><p>x <button>Same</button><button>Same</button></p>"
    )
    seen = await oryn.ok("observe")
    assert '[1] button "Edit" in "1003"' in seen
    assert [line for line in seen.splitlines() if '"Pay"' in line] == ['[2] button "Pay"']
    assert '[4] button "Same"\n[5] button "Same"' in seen
    assert " in " not in await oryn.ok("observe --minimal")
