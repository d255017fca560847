"""What a person acts on without a control: canvases, things to drag, items that open a menu under the mouse."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

CANVAS = "<canvas width=600 height=300></canvas>"


@pytest.mark.parametrize(
    "script",
    [
        "document.querySelector('canvas').onclick = () => { document.title = 'pressed' }",
        "document.addEventListener('pointerdown', () => { document.title = 'pressed' })",
        "window.onmouseup = () => { document.title = 'pressed' }",
    ],
)
async def test_a_page_that_is_one_canvas_is_not_empty(oryn: Driver, script: str) -> None:
    await oryn.show(f"{CANVAS}<script>{script}</script>")
    assert "nothing to act on" not in await oryn.ok("reload")
    assert '[1] generic/canvas ""' in await oryn.ok("observe")
    assert '~ title: "pressed"' in await oryn.ok("click canvas")


async def test_a_canvas_in_a_shadow_root_or_frame(oryn: Driver) -> None:
    await oryn.show(f"<x-board></x-board><script>customElements.define('x-board', class extends HTMLElement {{"
                    f"constructor() {{ super(); this.attachShadow({{mode: 'open'}}).innerHTML = `{CANVAS}` }} }})</script>")  # fmt: skip
    assert "generic/canvas" in await oryn.ok("observe")
    await oryn.show(f'<iframe width=700 height=400 srcdoc="{CANVAS}"></iframe>')
    assert "generic/canvas" in await oryn.ok("observe")


async def test_a_canvas_beside_controls_is_listed_unless_it_is_small_or_a_picture(oryn: Driver) -> None:
    await oryn.show(
        "<button>New</button><canvas aria-label=Board></canvas><canvas role=img aria-label=Chart></canvas>"
        "<canvas width=20 height=20 aria-label=Spark></canvas><canvas style='pointer-events: none'></canvas>"
        "<canvas width=30 height=30 tabindex=0 aria-label=Dial></canvas>"
    )
    lines = [line for line in (await oryn.ok("observe")).splitlines() if "canvas" in line]
    assert lines == ['[2] generic/canvas "Board"', '[3] generic/canvas "Dial"']


async def test_what_can_be_dragged_is_listed(oryn: Driver) -> None:
    await oryn.show(
        "<div draggable=true>Card A</div><div><p draggable=true>Card B</p></div><p draggable=false>Text</p>"
    )
    seen = await oryn.ok("observe")
    assert '"Card A"' in seen and '"Card B"' in seen and "Text" not in seen


@pytest.mark.parametrize("hidden", ["display: none", "visibility: hidden"])
async def test_an_item_that_opens_a_menu_under_the_mouse_is_listed(oryn: Driver, hidden: str) -> None:
    await oryn.show(
        f"<style>.sub {{ {hidden} }} li:hover .sub {{ display: block; visibility: visible }}</style>"
        "<ul><li><span>Products</span><div class=sub><a href=#p>Phones</a></div></li>"
        "<li><a href=#c>Company</a><div class=sub><a href=#j>Jobs</a></div></li><li>Plain</li></ul>"
    )
    seen = await oryn.ok("observe")
    assert '"Products"' in seen and "Plain" not in seen
    answer = await oryn.ok('hover "Products"')
    assert '+ [3] link "Phones"' in answer and "\n- " not in answer


async def test_so_is_what_opens_something_by_its_handler(oryn: Driver) -> None:
    await oryn.show("<div onmouseenter='m.hidden = false'>More</div><p id=m hidden><a href=#a>About</a></p>")
    assert 'generic "More"' in await oryn.ok("observe")
    assert '+ [2] link "About"' in await oryn('hover "More"')


async def test_a_pattern_without_parts_is_not_printed(oryn: Driver) -> None:
    await oryn.show("<dialog id=d><p>Wait a moment</p><input aria-label=Code></dialog><script>d.showModal()</script>")
    assert "modal:" not in (await oryn.ok("observe")).splitlines()
