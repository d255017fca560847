"""Controls that custom elements draw in their shadow trees, and controls that are transparent under what the page draws."""

from __future__ import annotations

from typing import Any

import pytest

TEXT_FIELD = """<script>customElements.define('x-field', class extends HTMLElement { constructor() { super();
  this.attachShadow({mode: 'open'}).innerHTML = `<style>.box { position: relative; width: 200px; height: 40px; border: 1px solid }
    .label { position: absolute; left: 8px; top: 10px; pointer-events: none } .content { opacity: 0; height: 40px }
    .box:focus-within .content { opacity: 1 } input { width: 180px; height: 24px; border: 0 }</style>
    <div class=box><span class=label aria-hidden=true>${this.getAttribute('label')}</span>
    <div class=content><div><input aria-label="${this.getAttribute('label')}"></div></div></div>` } })</script>"""


async def test_a_field_that_is_transparent_under_its_label_is_typed_into(oryn: Any) -> None:
    await oryn.show(f"<x-field label=Name></x-field>{TEXT_FIELD}")
    assert '[1] input/text "Name"' in await oryn.ok("observe")
    assert '~ [1] input/text "Name" {focused} value: "Ada"' in await oryn.ok('type "Name" "Ada"')


async def test_a_transparent_field_in_a_closed_layer_is_not_listed(oryn: Any) -> None:
    await oryn.show(
        "<main><p>Ferns</p></main><div style='position:absolute;top:0;left:0;width:400px;height:300px;opacity:0'>"
        "<p>Search</p><input aria-label=Term></div>"
    )
    assert "no interactive elements" in await oryn.ok("observe")


BOX = """<script>customElements.define('x-box', class extends HTMLElement { static formAssociated = true; constructor() { super();
  this.attachInternals(); this.attachShadow({mode: 'open', delegatesFocus: true}).innerHTML =
    '<input type=checkbox style="width:20px;height:20px">' } })</script>"""


async def test_the_label_of_a_custom_element_is_for_its_only_control(oryn: Any) -> None:
    await oryn.show(f"{BOX}<label><x-box></x-box>Agree</label><x-box id=news></x-box><label for=news>News</label>")
    assert '[1] checkbox "Agree" {unchecked}\n[2] checkbox "News" {unchecked}' in await oryn.ok("observe")
    assert '~ [1] checkbox "Agree" {checked, focused}' in await oryn.ok('check "Agree"')
    assert '~ [2] checkbox "News" {checked, focused}' in await oryn.ok('check "News"')


async def test_the_only_control_of_a_custom_element_has_the_name_that_its_host_was_given(oryn: Any) -> None:
    await oryn.show(
        "<x-combo aria-label=City></x-combo><script>document.querySelector('x-combo').attachShadow({mode: 'open'})"
        ".innerHTML = '<div><input role=combobox></div>'</script>"
    )
    assert '[1] input/text "City"' in await oryn.ok("observe")


@pytest.mark.slow
async def test_options_that_show_what_is_slotted_into_them_are_chosen_by_that_text(oryn: Any) -> None:
    await oryn.show(
        "<div id=box role=combobox tabindex=0 aria-label=Fruit aria-expanded=false aria-controls=list>Pick</div>"
        "<div id=list role=listbox hidden><x-option>Apple</x-option><x-option>Banana</x-option></div><script>"
        "customElements.define('x-option', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:"
        " 'open'}).innerHTML = '<li role=option><slot></slot></li>'; this.onclick = () => { box.textContent ="
        " this.textContent; list.hidden = true } } });"
        "box.onclick = () => { list.hidden = false; box.ariaExpanded = 'true' }</script>"
    )
    assert '"Fruit"' in await oryn.ok('select "Fruit" "Banana"')
    assert await oryn.session.page.evaluate("box.textContent") == "Banana"


DRAWN = "<style>input {{ opacity: 0; width: 16px; height: 16px }} .box {{ display: inline-block }} {more}</style>"


@pytest.mark.slow
async def test_a_transparent_box_that_the_box_around_it_draws_is_checked(oryn: Any) -> None:
    style = DRAWN.format(more=".box::after { content: '☐' }")
    await oryn.show(f"{style}<p>Rows</p><div><div class=box><input type=checkbox aria-label='Select row'></div></div>")
    assert '[1] checkbox "Select row" {unchecked}' in await oryn.ok("observe")
    assert "{checked, focused}" in await oryn.ok('check "Select row"')


async def test_a_transparent_range_beside_what_draws_it_is_listed_and_set(oryn: Any) -> None:
    await oryn.show(
        "<div style='position:relative;width:200px;height:40px'><input type=range aria-label=Volume style='position:"
        "absolute;inset:0;opacity:0;width:200px'><div style='height:4px;margin-top:8px;background:red'></div></div>"
    )
    assert '[1] input/range "Volume" value: "50"' in await oryn.ok("observe")
    assert 'value: "60"' in await oryn.ok('type "Volume" "60"')


async def test_a_select_that_is_cut_off_whole_is_left_to_its_widget(oryn: Any) -> None:
    await oryn.show(
        "<label for=field>Labels</label><select id=native multiple aria-label=Labels style='position:absolute;width:9px;"
        "clip:rect(0 0 0 0);clip-path:inset(50%);overflow:hidden'><option>red<option>green</select>"
        "<input id=field role=combobox aria-controls=list aria-expanded=false><ul id=list role=listbox hidden>"
        "<li role=option>red<li role=option>green</ul><script>field.onclick = () => { list.hidden = false };"
        "list.onclick = e => { field.value = e.target.textContent; list.hidden = true }</script>"
    )
    assert "select/multiple" not in await oryn.ok("observe")
    assert '[1] input/text "Labels" {collapsed} value: "green"' in await oryn.ok('select "Labels" "green"')


async def test_a_combo_box_whose_field_takes_no_presses_is_pressed_around_it(oryn: Any) -> None:
    await oryn.show(
        "<div id=box style='padding:8px;width:200px'><input role=combobox aria-label=Fruit aria-controls=list aria-expanded"
        "=false style='pointer-events:none;width:180px'></div><div id=list role=listbox hidden><div role=option>Apple</div>"
        "<div role=option>Banana</div></div><script>box.onmousedown = () => { list.hidden = false };"
        "list.onclick = e => { box.firstChild.value = e.target.textContent; list.hidden = true }</script>"
    )
    assert 'value: "Banana"' in await oryn.ok('select "Fruit" "Banana"')


# As Fluent UI's web components say what they are: https://html.spec.whatwg.org/multipage/custom-elements.html#element-internals
INTERNALS = """<script>
class Box extends HTMLElement { static formAssociated = true; internals = this.attachInternals();
  constructor() { super(); this.internals.role = 'checkbox'; this.internals.ariaChecked = 'false' }
  connectedCallback() { this.tabIndex = 0; this.onclick = () => {
    this.internals.ariaChecked = String(this.internals.ariaChecked !== 'true'); document.title += this.id } } }
customElements.define('x-box', Box);
customElements.define('x-level', class extends HTMLElement { static formAssociated = true; internals = this.attachInternals();
  connectedCallback() { Object.assign(this.internals, {role: 'slider', ariaLabel: 'Level', ariaValueNow: '3', ariaValueMax: '9'}) } });
customElements.define('x-plain', class extends HTMLElement { });
customElements.define('x-fold', class extends HTMLElement { internals = this.attachInternals();
  connectedCallback() { this.tabIndex = 0; Object.assign(this.internals, {role: 'button', ariaExpanded: 'false'});
    this.onclick = () => { this.internals.ariaExpanded = 'true' } } });
</script><style>x-level { display: block; height: 20px }</style>"""


@pytest.mark.slow
async def test_what_custom_elements_tell_the_browser_alone(oryn: Any) -> None:
    await oryn.show(
        INTERNALS
        + "<label for=a>Ads</label><x-box id=a></x-box><x-box id=b>News</x-box><x-box id=c role=switch aria-checked=true>"
        "Beta</x-box><x-level></x-level><x-plain tabindex=0>Plain</x-plain><x-fold>More</x-fold>"
    )
    assert (await oryn.ok("observe")).splitlines()[2:] == [
        '[1] checkbox "Ads" {unchecked}',
        '[2] checkbox "News" {unchecked}',
        '[3] checkbox/switch "Beta" {checked}',
        '[4] generic/slider "Level" value: "3"',
        '[5] generic "Plain"',
        '[6] button "More" {collapsed}',
    ]
    assert '~ [2] checkbox "News" {checked' in await oryn.ok('check "News"')
    assert (await oryn.ok('is checked "News"')).endswith("yes")
    assert "already" in await oryn.ok('check "News"')
    assert '~ [6] button "More" {expanded' in await oryn.ok('click "More"')
    snapshot = await oryn.ok("snapshot")
    assert 'checkbox "News" @e2 {checked' in snapshot and 'slider "Level"' in snapshot


async def test_a_custom_element_that_only_listens(oryn: Any) -> None:
    await oryn.show(
        """<x-gift></x-gift><x-other>text</x-other><script>for (const name of ['x-gift', 'x-other'])
        customElements.define(name, class extends HTMLElement { internals = this.attachInternals();
        connectedCallback() { if (name === 'x-other') return;
          Object.assign(this.internals, {role: 'checkbox', ariaLabel: 'Gift wrap', ariaChecked: 'false'});
          this.addEventListener('click', () => { this.internals.ariaChecked = 'true' }) } })</script>
        <style>x-gift { display: block; width: 20px; height: 20px }</style>"""
    )
    assert '[1] checkbox "Gift wrap" {unchecked}' in await oryn.ok("observe")
    assert '~ [1] checkbox "Gift wrap" {checked' in await oryn.ok('check "Gift wrap"')


async def test_a_custom_element_that_comes_later_and_in_a_frame(oryn: Any) -> None:
    await oryn.show(f"<p>first</p><iframe id=f></iframe>{INTERNALS}")
    await oryn.ok("observe")
    await oryn.ok(
        """eval "document.body.append(Object.assign(document.createElement('x-box'), {textContent: 'Late'}))" """
    )
    assert '[1] checkbox "Late" {unchecked}' in await oryn.ok("observe")
