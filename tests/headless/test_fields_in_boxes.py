"""A text that fits a box and the field in it means the field, for verbs that are for fields."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

LIST = """<ul role=listbox id=list hidden><li role=option>Berlin</li><li role=option>Bern</li></ul><script>
const field = document.querySelector('input'), list = document.getElementById('list');
field.onmousedown = field.oninput = () => { list.hidden = false };
list.onmousedown = (event) => { field.value = event.target.textContent; list.hidden = true; event.preventDefault() };
</script>"""
FIELD = "<input aria-label=City aria-controls=list>"
STYLE = "style='display:block;padding:60px 400px 60px 60px'"
BOXES = {
    "button": f"<div role=button tabindex=0 aria-label=City {STYLE}>{FIELD}</div>",
    "search box": f"<div role=searchbox tabindex=0 aria-label=City {STYLE}>{FIELD}</div>",
    "combo box": f"<div role=combobox tabindex=0 aria-haspopup=listbox aria-label=City {STYLE}>{FIELD}</div>",
    "list of what is chosen": f"<div role=listbox aria-label=City tabindex=0 {STYLE}><b role=option>Rom</b>{FIELD}</div>",
    "custom element": f"<x-city role=combobox aria-label=City {STYLE}>{FIELD}</x-city>",
}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
@pytest.mark.parametrize("command", ['select "City" "Bern"', 'type "City" "Bern"'])
async def test_the_field_is_meant(oryn: Driver, box: str, command: str) -> None:
    await oryn.show(box + LIST)
    answer = await oryn.ok(command)
    assert 'input/text "City" {focused} value: "Bern"' in answer and "# note" not in answer


async def test_so_is_a_box_to_tick(oryn: Driver) -> None:
    await oryn.show(
        "<div role=treeitem aria-label=Terms tabindex=0><span role=checkbox aria-checked=false aria-label=Terms"
        " onclick=\"this.setAttribute('aria-checked', this.ariaChecked !== 'true')\">x</span></div>"
    )
    assert '~ [2] checkbox "Terms" {checked}' in await oryn.ok('check "Terms"')
    assert '~ [2] checkbox "Terms" {unchecked}' in await oryn.ok('uncheck "Terms"')


async def test_an_editable_part_is_a_field(oryn: Driver) -> None:
    await oryn.show(
        "<div role=group aria-label=Message tabindex=0 onclick=0><p>To Ada</p>"
        "<div contenteditable aria-label=Message>Hi</div></div>"
    )
    assert "# note" not in await oryn.ok('type "Message" "Hello"')
    assert (await oryn.ok('value css("[contenteditable]")')).endswith('"Hello"')


async def test_a_list_is_meant_before_a_field_that_fits_less(oryn: Driver) -> None:
    await oryn.show(
        "<div role=listbox aria-label=City tabindex=0><input aria-label='Filter City'>"
        "<p role=option tabindex=-1 aria-selected=false onclick=\"this.ariaSelected = 'true'\">Bern</p></div>"
    )
    assert "Bern" in await oryn.ok('select "City" "Bern"')
    assert (await oryn.ok('value css("input")')).endswith('""')


async def test_a_click_is_for_the_box(oryn: Driver) -> None:
    await oryn.show(
        f"<div role=button tabindex=0 aria-label=City onclick=\"document.title = 'box'\" {STYLE}>{FIELD}</div>"
    )
    assert '~ title: "box"' in await oryn.ok('click "City"')
