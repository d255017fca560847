"""Presses on elements that a page puts back into the document whenever the mouse comes over them.

Charts and maps raise what the mouse is over: SVG draws the last child on top. A browser then reports the mouse as coming
over the element once more, and sends the press to the parent."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

RAISE = "this.parentNode.appendChild(this)"
SHAPES = (
    "<svg width=300 height=100 id=map><g id=fern><rect width=90 height=90 fill=green /><text y=40>Fern</text></g>"
    "<g id=moss><rect x=100 width=90 height=90 fill=brown /><text x=100 y=40>Moss</text></g></svg><p id=out></p>"
)
TAKEN = (
    f"<svg width=99 height=99><text y=40 style='cursor: pointer' onmouseover='{RAISE}'"
    " onclick='this.textContent = `Taken`'>Fern</text></svg>"
)
SEEN = (
    "<script>const seen = []; for (const kind of ['mouseover', 'mouseout', 'mouseenter', 'mouseleave', 'mousedown',"
    "'mouseup', 'click']) document.getElementById('{0}').addEventListener(kind, (event) => "
    "{{ if (event.target.id) seen.push(kind + ' ' + event.target.id) }})</script>"
)


@pytest.mark.parametrize("over", ["mouseover", "mouseenter", "pointerover", "pointerenter", "mousemove"])
@pytest.mark.parametrize(
    ("line", "pressed"),
    [
        ("click", "click"),
        ("click", "mousedown"),
        ("click", "mouseup"),
        ("click", "pointerup"),
        ("click --double", "dblclick"),
        ("click --right", "contextmenu"),
        ("click --middle", "auxclick"),
    ],
)
async def test_an_element_that_is_raised_under_the_mouse_is_pressed(
    oryn: Driver, over: str, line: str, pressed: str
) -> None:
    verb, _, option = line.partition(" ")
    await oryn.show(
        f"{SHAPES}<script>for (const each of [fern, moss]) {{ each.style.cursor = 'pointer';"
        f"each.addEventListener('{over}', function () {{ {RAISE} }});"
        f"each.addEventListener('{pressed}', () => {{ out.textContent = 'Took ' + each.id }}) }}</script>"
    )
    assert '+ text "Took fern"' in await oryn.ok(f'{verb} "Fern" {option}'.strip())
    assert '~ text "Took moss"' in await oryn.ok(f'{verb} "Moss" {option}'.strip())


async def test_an_element_in_an_open_shadow_root_is_raised_and_pressed(oryn: Driver) -> None:
    await oryn.show(
        "<div id=host></div><p id=out></p><script>const root = host.attachShadow({mode: 'open'});"
        f"root.innerHTML = `<svg width=99 height=99><text y=40 style='cursor: pointer' onmouseover='{RAISE}'>Fern</text>"
        "</svg>`; root.querySelector('text').onclick = () => { out.textContent = 'Took fern' }</script>"
    )
    assert '+ text "Took fern"' in await oryn.ok('click "Fern"')


async def test_the_page_is_notified_of_the_mouse_as_ever(oryn: Driver) -> None:
    page = "<div id=all><button id=a>Fern</button><button id=b>Moss</button></div>" + SEEN.format("all")
    await oryn.show(page)
    await oryn.ok('click "Fern"')
    await oryn.ok('click "Moss"')
    assert (await oryn.session.page.evaluate("seen.join()")).split(",") == [
        *("mouseover a", "mouseenter all", "mousedown a", "mouseup a", "click a"),
        *("mouseout a", "mouseover b", "mousedown b", "mouseup b", "click b"),
    ]


async def test_what_a_page_draws_under_the_resting_mouse_is_notified(oryn: Driver) -> None:
    await oryn.show(
        "<div id=row style='position:relative;width:200px;height:40px;cursor:pointer'>Fern<b id=more hidden"
        " style='position:absolute;inset:0'>More</b></div>" + SEEN.format("row") + "<script>row.onmouseenter = () => {"
        " more.hidden = false }; let armed = false; more.onmouseenter = () => { armed = true };"
        "more.onclick = () => { document.title = armed ? 'armed' : 'not armed' }</script>"
    )
    assert '"armed"' in await oryn.ok('click css("#row")')


async def test_the_page_is_notified_of_the_mouse_between_two_presses(oryn: Driver) -> None:
    await oryn.show("<div id=all><button id=a>Fern</button><button id=b>Moss</button></div>" + SEEN.format("all"))
    await oryn.ok('click "Fern"')
    await oryn.ok('hover "Moss"')
    await oryn.ok('hover "Fern"')
    seen = (await oryn.session.page.evaluate("seen.join()")).split(",")
    assert seen[-4:] == ["mouseout a", "mouseover b", "mouseout b", "mouseover a"]


async def test_a_raised_element_in_a_frame_is_pressed(oryn: Driver) -> None:
    oryn.pages["/map"] = TAKEN
    await oryn.show("<iframe src=/map></iframe>")
    assert 'generic "Taken"' in await oryn.ok('click "Fern"')


async def test_a_raised_element_is_tapped(oryn: Driver) -> None:
    await oryn.show(TAKEN)
    assert 'generic "Taken"' in await oryn.ok('tap "Fern"')


async def test_a_raised_element_is_dragged(oryn: Driver) -> None:
    await oryn.show(
        f"{SHAPES}<script>fern.style.cursor = 'move'; fern.onmouseover = function () {{ {RAISE} }};"
        "fern.onmousedown = (event) => { event.preventDefault(); document.onmouseup = (up) => {"
        " out.textContent = `Moved by ${up.clientX - event.clientX}` } }</script>"
    )
    assert '+ text "Moved by 60"' in await oryn.ok('drag "Fern" --offset 60,0')


async def test_the_mouse_goes_down_on_a_raised_element(oryn: Driver) -> None:
    await oryn.show(
        f"{SHAPES}<script>fern.style.cursor = 'pointer'; fern.onmouseover = function () {{ {RAISE} }};"
        "fern.onmousedown = () => { out.textContent = 'Took fern' }</script>"
    )
    assert '+ text "Took fern"' in await oryn.ok('mouse down "Fern"')
    await oryn.ok("mouse up")
