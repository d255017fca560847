"""What can be seen although it has no box of its own, and what can't although it has one."""

from __future__ import annotations

from typing import Any

import pytest

PICTURE = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="

WITHOUT_BOX = {
    "link around a card": "<a href=# style='display:contents'><div>Target</div></a>",
    "button around a text": "<button style='display:contents'>Target</button>",
    "in several wrappers": "<div style='display:contents'><a href=# style='display:contents'><b>Target</b></a></div>",
    "after an empty part": "<a href=# style='display:contents'><i></i><span hidden>x</span><b>Target</b></a>",
    "menu item": "<div role=menu><div role=menuitem tabindex=0 style='display:contents'><span>Target</span></div></div>",
    "in an invisible box": "<div style='visibility:hidden'><button style='display:contents;visibility:visible'>Target</button></div>",
    "invisible around a visible part": "<a href=# style='visibility:hidden'><b style='visibility:visible'>Target</b></a>",
    "inline link around a block": "<a href=#><div style='width:90px'>Target</div></a>",
    "link that floats out": "<a href=#><b style='float:left'>Target</b></a>",
}


@pytest.mark.parametrize("markup", WITHOUT_BOX.values(), ids=WITHOUT_BOX)
def test_what_has_no_box_is_seen_by_its_content(show: Any, markup: str) -> None:
    page = show(f"<p>Before</p>{markup}")
    assert '"Target"' in page.lines()
    assert "hidden" not in page.lines()
    place = page.do("locate", id=page.number("Target"))
    assert page.run(f"document.elementFromPoint({place['x']}, {place['y']}).textContent") == "Target"


HIDDEN = {
    "in a hidden box": "<div hidden><button style='display:contents'>Target</button></div>",
    "in a transparent box": "<div style='opacity:0'><button style='display:contents'>Target</button></div>",
    "itself invisible": "<button style='display:contents;visibility:hidden'>Target</button>",
    "not rendered": "<div style='content-visibility:hidden'><button style='display:contents'>Target</button></div>",
    "in closed details": "<details><summary>More</summary><a href=# style='display:contents'>Target</a></details>",
    "in a closed dialog": "<dialog><button style='display:contents'>Target</button></dialog>",
}


@pytest.mark.parametrize("markup", HIDDEN.values(), ids=HIDDEN)
def test_what_has_no_box_is_hidden_with_what_is_around_it(show: Any, markup: str) -> None:
    assert '"Target"' not in show(markup).lines()


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_the_host_of_a_shadow_tree_without_a_box(show: Any, mode: str) -> None:
    page = show("<x-link role=link tabindex=0 aria-label=Target style='display:contents'>unused</x-link>")
    page.run(
        "customElements.define('x-link', class extends HTMLElement { constructor() { super();"
        f" this.attachShadow({{mode: '{mode}'}}).innerHTML = '<div style=\"width:50px;height:20px\"><slot></slot></div>' }} }})"
    )
    assert page.lines().endswith('"Target"')


def test_the_label_of_a_hidden_box_has_no_box_either(show: Any) -> None:
    page = show(
        "<label style='display:contents'><input type=checkbox hidden><span style='display:inline-block'>Agree</span></label>"
    )
    assert page.lines() == '[1] checkbox "Agree" {unchecked}'


def test_texts_without_boxes_are_read(show: Any) -> None:
    page = show("<section style='display:contents'>One<p style='display:contents'>Two</p></section>")
    assert page.do("get_text")["text"].split() == ["One", "Two"]


AREAS = (
    "<map name=plan><area shape=rect coords='0,0,50,100' href=#a alt=West><area shape=circle coords='150,50,40' href=#b"
    " alt=East><area shape=poly coords='60,0,100,0,100,100,90,100,90,10,60,10' href=#c alt=Corridor><area shape=default"
    " href=#d alt=Grounds><area shape=rect coords='0,0,0,0' href=#e alt=Nothing></map>"
)
MAPPED = {
    "plain": "<img src={} width=200 height=100 usemap='#plan'>",
    "with a border and padding": "<img src={} width=200 height=100 usemap='#plan' style='border:9px solid;padding:21px'>",
    "scaled": "<div style='transform:scale(1.5);transform-origin:0 0'><img src={} width=200 height=100 usemap='#plan'></div>",
    "turned": "<img src={} width=200 height=100 usemap='#plan' style='rotate:90deg;margin:60px'>",
    "below the screen": "<div style='height:3000px'></div><img src={} width=200 height=100 usemap='#plan'><p style='height:3000px'>",
    "in a box that scrolls": "<div style='width:150px;height:90px;overflow:auto'><img src={} width=200 height=100 usemap='#plan'></div>",
}


@pytest.mark.parametrize("markup", MAPPED.values(), ids=MAPPED)
def test_areas_of_a_picture(show: Any, markup: str) -> None:
    page = show(markup.format(PICTURE) + AREAS)
    listed = '[1] link "West"\n[2] link "East"\n[3] link "Corridor"\n[4] link "Grounds"'
    assert page.lines() == listed
    for name in ("West", "East", "Corridor", "Grounds"):
        place = page.do("locate", id=page.number(name))
        assert page.run(f"document.elementFromPoint({place['x']}, {place['y']}).alt") == name


@pytest.mark.parametrize(
    "shape", ["rect coords='60,40,120,90'", "circle coords='90,60,20'", "poly coords='50,30,90,30,70,60'"]
)
def test_areas_that_their_picture_does_not_reach(show: Any, shape: str) -> None:
    areas = f"<map name=plan><area shape={shape} href=#a alt=Far><area shape=rect coords='10,5,400,300' href=#b alt=Near></map>"
    page = show(f"<img src={PICTURE} width=40 height=20 usemap='#plan'>{areas}")
    assert page.lines() == '[1] link "Near"'
    place = page.do("locate", id=1)
    assert page.run(f"document.elementFromPoint({place['x']}, {place['y']}).alt") == "Near"
    assert show(f"<img src={PICTURE} width=1 height=1 usemap='#plan'>{areas}").lines() == ""


def test_areas_of_a_hidden_picture_or_none(show: Any) -> None:
    page = show(f"<img src={PICTURE} width=200 height=100 usemap='#plan' style='visibility:hidden'>{AREAS}")
    assert page.lines() == ""
    assert show(AREAS).lines() == ""


BACKWARDS = {
    "right to left": "direction:rtl;overflow-x:auto;white-space:nowrap",
    "reversed row": "display:flex;flex-direction:row-reverse;overflow-x:scroll",
    "vertical lines from the right": "writing-mode:vertical-rl;height:60px;overflow-x:auto",
}


@pytest.mark.parametrize("style", BACKWARDS.values(), ids=BACKWARDS)
def test_a_strip_that_begins_at_the_right(show: Any, style: str) -> None:
    buttons = "".join(f"<button style='min-width:150px;min-height:40px'>B{number}</button>" for number in range(9))
    page = show(f"<div style='width:400px;{style}'>{buttons}</div>")
    assert page.names() == [f"B{number}" for number in range(9)]
    place = page.do("locate", id=page.number("B8"))
    assert page.run(f"document.elementFromPoint({place['x']}, {place['y']}).textContent") == "B8"


def test_a_list_that_begins_at_the_bottom(show: Any) -> None:
    buttons = "".join(f"<button style='min-height:90px'>B{number}</button>" for number in range(9))
    page = show(f"<div style='height:200px;display:flex;flex-direction:column-reverse;overflow:auto'>{buttons}</div>")
    assert page.names() == [f"B{number}" for number in range(9)]


def test_a_page_from_right_to_left(show: Any) -> None:
    page = show(
        "<html dir=rtl><div style='width:3000px;position:relative'><button style='position:absolute;left:0'>Far</button>"
        "<button style='position:absolute;left:-500px'>Beyond</button><p style='position:absolute;left:0;top:50px'>Words</p>"
        "</div>"
    )
    assert page.names() == ["Far", "Beyond"]
    assert page.run("document.documentElement.scrollLeft") == 0
    assert page.do("locate", id=page.number("Far"))["x"] > 0
    page = show("<div style='position:relative'><button style='position:absolute;left:-500px'>Beyond</button></div>")
    assert page.names() == []


OUTSIDE = {
    "drawer at the right": "position:fixed;top:0;right:-300px;width:300px",
    "drawer at the left": "position:fixed;top:0;left:-300px;width:300px",
    "drawer moved away": "position:fixed;top:0;right:0;width:300px;transform:translateX(100%)",
    "sheet at the bottom": "position:fixed;left:0;top:100%",
    "bar at the top": "position:fixed;left:0;top:-60px",
    "clipped by a path": "clip-path:inset(0 0 100% 0)",
    "a circle that opens": "clip-path:circle(0px at 10px 10px)",
}


@pytest.mark.parametrize("style", OUTSIDE.values(), ids=OUTSIDE)
def test_what_no_scrolling_leads_to_is_hidden(show: Any, style: str) -> None:
    page = show(
        f"<button>Menu</button><nav id=drawer style='{style}'><button>Inside</button></nav><p style='height:3000px'>"
    )
    assert page.lines() == '[1] button "Menu"\n[2] button "Inside" {hidden}'
    assert page.refusal("locate", id=2).startswith("ELEMENT_NOT_VISIBLE")
    page.run("drawer.style.cssText = 'position:fixed;top:0;left:0'")
    assert page.lines(keep_ids=True) == '[1] button "Menu"\n[2] button "Inside"'


@pytest.mark.parametrize(
    "style", ["position:absolute;top:-40px", "position:absolute;left:-999px", "transform:translateY(-200%)"]
)
def test_what_is_put_away_from_a_bar_in_sight_is_not_listed(show: Any, style: str) -> None:
    page = show(
        f"<header style='position:fixed;top:0;left:0;right:0'><form style='{style}'><button>Find</button></form>"
        "<button>Search</button></header>"
    )
    assert page.lines() == '[1] button "Search"'


def test_a_drawer_beside_a_page_that_does_not_scroll_sideways(show: Any) -> None:
    drawer = "<div style='position:absolute;top:0;left:100%'><button>Inside</button></div>"
    assert show(f"<style>body{{overflow-x:hidden}}</style>{drawer}").lines() == '[1] button "Inside" {hidden}'
    assert show(drawer).lines() == '[1] button "Inside"'


INSIDE = {
    "a bar that scrolls": "position:fixed;top:0;left:0;height:200px;overflow:auto",
    "fixed to what is transformed": "position:absolute;top:0",
}


@pytest.mark.parametrize("style", INSIDE.values(), ids=INSIDE)
def test_what_some_scrolling_leads_to_is_not_hidden(show: Any, style: str) -> None:
    inner = "position:fixed;top:2000px" if "absolute" in style else "display:block;margin-top:2000px"
    more = ";transform:translateX(0)" if "absolute" in style else ""
    page = show(f"<div style='{style}{more}'><button style='{inner}'>Inside</button></div><p style='height:4000px'>")
    assert page.lines() == '[1] button "Inside"'


PSEUDO = {
    "beside its place": "display:flex;position:relative}b::before{content:'U';position:absolute;top:-10px;left:-6px",
    "in the middle": "display:block;position:absolute;top:50px;left:80px}"
    "b::after{content:'';position:absolute;left:50%;top:50%;width:24px;height:24px;transform:translate(-50%,-50%);background:red",
    "in line": "display:inline-block;width:0;height:0;line-height:0}b::before{content:'×';font-size:20px;line-height:20px",
    "instead of a text": "display:inline-block;position:relative;font-size:0}"
    "b::after{content:'';position:absolute;width:16px;height:16px;background:red",
    "around it": "position:static}div{position:relative;padding:40px}"
    "b::after{content:'';position:absolute;inset:0;background:#eee",
}


@pytest.mark.parametrize("style", PSEUDO.values(), ids=PSEUDO)
def test_a_button_of_which_only_a_drawn_sign_is_seen(show: Any, style: str) -> None:
    page = show(
        f"<style>b{{margin:20px;border:0;padding:0;{style}}}</style><div style='margin:40px'><b role=button tabindex=0"
        " aria-label=Target></b></div>"
    )
    assert page.lines() == '[1] generic/button "Target"' or page.lines() == '[1] button "Target"'
    place = page.do("locate", id=1)
    assert page.run(f"document.elementFromPoint({place['x']}, {place['y']}).localName") == "b"


def test_an_empty_button_is_not_seen(show: Any) -> None:
    page = show(
        "<style>b{display:block;width:0}b::before{content:''}</style><b role=button tabindex=0 aria-label=Target></b>"
    )
    assert page.lines() == ""


@pytest.mark.parametrize(
    "markup", ["<button title=Underline class=u></button>", "<button title=Underline><i class=u></i></button>"]
)
def test_a_letter_that_only_a_style_draws_is_no_name_beside_a_tooltip(show: Any, markup: str) -> None:
    style = "<style>.u::before{content:'U'}</style>"
    assert show(style + markup).lines() == '[1] button "Underline"'
    assert show(style + markup.replace(" title=Underline", "")).lines() == '[1] button "U"'
