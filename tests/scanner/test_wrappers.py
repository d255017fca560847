"""Boxes that listen for clicks around other controls: what they add, and what only surrounds, labels or dims."""

from __future__ import annotations

from typing import Any


def lines(page: Any) -> list[str]:
    return page.lines().splitlines()


def test_a_box_around_a_field_is_that_field(show: Any) -> None:
    page = show(
        "<label id=l>Age</label><div id=box>Age <div role=combobox tabindex=0 aria-labelledby=l>Ten</div>"
        "<i aria-hidden=true>Age</i></div><div id=row>kg <input aria-label=Weight> of 90</div>"
        "<script>for (const each of [l, box, row]) each.addEventListener('click', () => 0)</script>"
    )
    assert lines(page) == ['[1] generic/combobox "Age" value: "Ten"', '[2] input/text "Weight"']


def test_a_row_that_is_pressed_stays_beside_its_field(show: Any) -> None:
    page = show(
        "<table><tr onclick='0'><td>Fern<td><input aria-label=Amount></table>"
        "<div onclick='0' style='cursor:pointer'>Rose <input aria-label=Count></div>"
    )
    assert page.names() == ["Fern", "Amount", "Rose", "Count"]


def test_a_list_of_items_is_those_items(show: Any) -> None:
    page = show(
        "<div id=tree>Plants<div role=treeitem tabindex=0>Fern</div><div role=treeitem tabindex=-1>Rose</div></div>"
        "<div id=tabs>Menu<b role=tab>One</b><b role=tab>Two</b></div>"
        "<script>for (const each of [tree, tabs]) each.addEventListener('click', () => 0)</script>"
    )
    assert page.names() == ["Fern", "Rose", "One", "Two"]


def test_a_box_of_a_shadow_root_holds_what_is_slotted_into_it(show: Any) -> None:
    page = show(
        "<x-tabs>Words <button>Save</button><button>Print</button></x-tabs><script>"
        "const root = document.querySelector('x-tabs').attachShadow({mode: 'open'});"
        "root.innerHTML = '<div id=box><slot></slot></div>'; root.firstChild.onclick = () => 0</script>"
    )
    assert page.names() == ["Save", "Print"]


def test_a_message_with_a_button_is_a_message(show: Any) -> None:
    page = show(
        "<div id=bar role=presentation><p role=alert>Fern deleted <button>Undo</button></p></div>"
        "<div id=plain role=presentation><p role=status>Saved</p></div><div id=log role=log>Ann: hi <button>Copy</button></div>"
        "<script>for (const each of [bar, plain, log]) each.addEventListener('click', () => 0)</script>"
    )
    assert page.names() == ["Undo", "Copy"]


def test_what_dims_the_page_is_no_control(show: Any) -> None:
    page = show(
        "<button>Under it</button><div class=dimmer style='position:fixed;inset:0' id=cover></div>"
        "<div class=corner style='position:fixed;right:0;bottom:0;width:40px;height:40px' id=corner></div>"
        "<script>for (const each of [cover, corner]) each.addEventListener('mousedown', () => 0)</script>"
    )
    assert page.names() == ["Under it", "corner"]


def test_the_content_of_an_item_adds_nothing_to_it(show: Any) -> None:
    page = show(
        "<div role=treeitem tabindex=0><div id=content class=tree-rich><span aria-hidden=true>Grid</span></div></div>"
        "<script>content.addEventListener('click', () => 0)</script>"
    )
    assert len(page.scan()["elements"]) == 1


def test_a_name_has_no_password_in_it(show: Any) -> None:
    page = show(
        "<div onclick='0' style='cursor:pointer'>Account <input type=password aria-label=Key value=s3cret>"
        "<input aria-label=User value=ann></div>"
    )
    assert page.names()[0] == "Account ann"


def test_class_names_of_a_library_tell_what_an_icon_is_for(show: Any) -> None:
    page = show(
        "<div onclick='0'><svg width=20 height=20 onclick='0' class='LibSvgIcon-root LibSvgIcon-fontSizeMedium"
        " LibTag-deleteIcon'><path d='M0 0h10v10z'/></svg>Fern</div>"
    )
    assert page.names() == ["Fern", "delete"]


def test_a_group_and_what_draws_a_control_are_no_controls(show: Any) -> None:
    page = show(
        "<fieldset id=a><legend>Size</legend><input type=radio aria-label=S><input type=radio aria-label=M></fieldset>"
        "<div role=slider tabindex=0 aria-label=Score><span id=b class=symbols>x</span></div>"
        "<div id=c style='cursor:pointer'>Tags <input role=combobox readonly aria-label=Tags><button>Remove</button></div>"
        "<div id=d tabindex=-1 class=shade style='position:fixed;inset:0;pointer-events:none'></div>"
        "<script>for (const each of [a, b, c, d]) each.addEventListener('click', () => 0)</script>"
    )
    assert page.names() == ["S", "M", "Score", "Tags", "Remove"]


def test_a_nameless_combo_box_around_one_that_is_a_field_is_left_out(show: Any) -> None:
    page = show("<div role=combobox aria-expanded=false><input role=combobox aria-label=City><button>▾</button></div>")
    assert page.lines() == '[1] input/text "City"\n[2] button "▾"'


def test_what_draws_a_box_in_its_label_is_that_box_wherever_it_lies(show: Any) -> None:
    page = show(
        "<div style='height:3000px'></div><label for=b><input type=checkbox id=b style='position:absolute;clip:rect(0 0 0 0);"
        "width:1px;height:1px'><span class=app-switch__control aria-hidden=true style='cursor:pointer;"
        "display:inline-block;width:40px;height:20px'></span> Wifi</label><script>scrollTo(0, 9999)</script>"
    )
    assert lines(page) == ['[1] checkbox "Wifi" {unchecked}']
    assert page.names(viewport_only=True) == ["Wifi"]
    assert page.names(near="Wifi") == ["Wifi"]
    page.run("scrollTo(0, 0)")
    assert page.names(viewport_only=True) == []
