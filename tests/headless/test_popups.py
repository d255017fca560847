"""`dismiss` on popups of many makes: what counts as one, how it is closed, and what is never pressed."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

BOX = "position:fixed;right:20px;bottom:20px;width:200px;height:100px;z-index:9999;background:#eee"
PAGE = (
    "<title>Page</title><h1>Shop</h1><button id=buy onclick=\"document.title='bought'\">Buy</button>"
    "<p>Some text of the page.</p>"
)
CLOSE = "onclick=\"document.querySelector('#box').remove()\""

POPUPS = {
    "a small fixed box": f"<div id=box style='{BOX}'>Get our news <button {CLOSE}>×</button></div>",
    "a word": f"<div id=box style='{BOX}'>Get our news <button>Sign up</button><button {CLOSE}>No thanks</button></div>",
    "not now": f"<div id=box style='{BOX}'>Take the survey? <a href=# {CLOSE}>Not now</a><a href=/survey>Yes</a></div>",
    "a label": f"<div id=box style='{BOX}'>Hello there <button aria-label='Close dialog' {CLOSE}><svg width=9 height=9 /></button></div>",
    "an icon in the corner": f"<div id=box style='{BOX}'><button {CLOSE} style='position:absolute;top:4px;right:4px'>"
    "<svg width=9 height=9 /></button><h2>Offer</h2><button onclick=\"document.title='bought'\">Buy now</button></div>",
    "an absolute box": f"<div id=box style='{BOX.replace('fixed', 'absolute')}'>Get our news <button {CLOSE}>Close</button></div>",
    "a popover": f"<div id=box popover=manual>Get our news <button {CLOSE}>Close</button></div><script>box.showPopover()</script>",
    "an open dialog": f"<dialog id=box open style='{BOX}'>Get our news <button {CLOSE}>Maybe later</button></dialog>",
    "a box in a backdrop": f"<div id=box style='position:fixed;inset:0;z-index:99;display:flex;align-items:end;"
    f"justify-content:end'><div style='width:200px;height:100px'>Get our news <button {CLOSE}>×</button></div></div>",
    "a shadow root": "<div id=box></div><script>const root = box.attachShadow({mode: 'open'});"
    f"root.innerHTML = `<div style='{BOX}'>Get our pending_notes <button>×</button></div>`;"
    "root.querySelector('button').onclick = () => box.remove()</script>",
    "a box that fades": f"<div id=box style='{BOX};transition:opacity .3s'>Get our news <button onclick=\""
    "box.style.opacity=0;box.ontransitionend=()=>box.remove()\">×</button></div>",
}  # fmt: skip


@pytest.mark.parametrize("name", POPUPS)
@pytest.mark.parametrize("command", ["dismiss popups", "dismiss popup"])
async def test_a_popup_is_closed(oryn: Driver, name: str, command: str) -> None:
    await oryn.show(PAGE + POPUPS[name])
    answer = await oryn.ok(command)
    assert "closed " in answer and " with [" in answer, answer
    assert await oryn.session.page.evaluate("document.querySelector('#box') === null"), answer
    assert '"Page"' in await oryn("title")
    assert (await oryn("dismiss popups")).startswith("error dismiss popups: no popup is open")


async def test_a_popup_is_a_pattern_of_the_page(oryn: Driver) -> None:
    await oryn.show(PAGE + POPUPS["a small fixed box"])
    assert "popup: close [2]" in await oryn("observe")


NOT_POPUPS = {
    "a sticky header": "<header style='position:fixed;inset:0 0 auto;height:60px'>Shop <a href=#>Home</a><button>Close</button></header>",
    "a bar of links": "<div style='position:fixed;inset:0 0 auto;height:60px'><nav><a href=#>Home</a></nav><button>×</button></div>",
    "a chat launcher": f"<div style='{BOX}'><button>Chat with us</button></div>",
    "a tooltip": f"<div role=tooltip style='{BOX}'>Copies the link <button>Close</button></div>",
    "a status": f"<div role=status style='{BOX}'>Saved <button aria-label=Close>×</button></div>",
    "a toast": f"<div class=toast-container style='{BOX}'><div class=toast>Saved <button aria-label=Close>×</button></div></div>",
    "a basket": f"<aside style='{BOX}'>Basket<ul><li>Fern <button>×</button><li>Moss <button>×</button></ul><button>Pay</button></aside>",
    "cards that are placed": "".join(
        f"<div class=card style='position:absolute;left:{x}px;top:200px;z-index:10'>Card <button>×</button></div>"
        for x in (0, 200, 400)
    ),
    "a part of the layout": "<div style='position:absolute;top:90px;left:0;width:300px;z-index:1'>Pane <button>Close</button></div>",
    "the page itself": "<div style='position:fixed;inset:0;z-index:1;overflow:auto'><h2>App</h2><p>Text <button>Close</button>"
    "<p>More <button>Save</button></div>",
    "a side bar": f"<div style='{BOX}'><div role=tablist><button role=tab>Open</button></div><p><button>close</button>Fern</div>",
    "a menu": f"<div role=menu style='{BOX}'><div role=menuitem tabindex=0>Close</div></div>",
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_POPUPS)
async def test_what_is_no_popup(oryn: Driver, name: str) -> None:
    if name == "the page itself":
        await oryn.show(NOT_POPUPS[name])
        assert "popup:" not in await oryn("observe")
        return
    await oryn.show(PAGE + NOT_POPUPS[name])
    assert "popup:" not in await oryn("observe")
    assert (await oryn("dismiss popups")).startswith("error dismiss popups: no popup is open")


NEVER = "document.title = 'pressed'"
STUBBORN = {
    "Escape": (
        f"<div id=box role=dialog style='{BOX}'>Join us <button onclick=\"{NEVER}\">Accept</button></div>"
        "<script>addEventListener('keydown', (event) => { if (event.key === 'Escape') box.remove() })</script>"
    ),
    "a press beside it": (
        "<div id=box style='position:fixed;inset:0;background:#0008;z-index:9'><div role=dialog style='margin:200px auto;"
        f'width:200px;height:100px;background:#fff\'>Join us <button onclick="{NEVER}">Sign up</button></div></div>'
        "<script>box.onclick = (event) => { if (event.target === box) box.remove() }</script>"
    ),
    "a press beside it, in the top layer": (
        f"<dialog id=box style='width:200px;height:100px'>Join us <button onclick=\"{NEVER}\">Subscribe</button></dialog>"
        "<script>box.showModal(); box.oncancel = (event) => event.preventDefault();"
        "addEventListener('keydown', (event) => event.preventDefault());"
        "box.onclick = (event) => { if (event.target === box && event.offsetX < 0) box.remove() }</script>"
    ),
}


@pytest.mark.parametrize("how", STUBBORN)
async def test_a_popup_without_a_button_that_closes_it(oryn: Driver, how: str) -> None:
    await oryn.show(PAGE + STUBBORN[how])
    answer = await oryn.ok("dismiss popups")
    assert 'closed "Join us' in answer and f"with {how.split(',')[0]}" in answer, answer
    assert await oryn.session.page.evaluate("document.querySelector('#box') === null")
    assert '"Page"' in await oryn("title")


async def test_a_button_that_does_nothing_is_followed_by_escape(oryn: Driver) -> None:
    await oryn.show(
        PAGE + f"<div id=box style='{BOX}'>Get our news <button>×</button></div><script>"
        "addEventListener('keydown', (event) => { if (event.key === 'Escape') box.remove() })</script>"
    )
    assert 'closed "Get our news' in (answer := await oryn.ok("dismiss popups")) and "with Escape" in answer


async def test_a_popup_that_stays_open_is_an_error_with_its_buttons(oryn: Driver) -> None:
    await oryn.show(
        PAGE + f"<div id=box role=dialog aria-label=Rules style='{BOX}'>Our rules <button onclick=\"{NEVER}\">I agree"
        "</button><button>Close</button></div>"
    )
    answer = await oryn("dismiss popups")
    assert answer.startswith('error dismiss popups: "Rules" stays open after [3] "Close", Escape, a press beside it')
    assert 'Its buttons: "I agree", "Close"' in answer
    assert '"Page"' in await oryn("title")


@pytest.mark.slow
async def test_one_that_stays_does_not_keep_the_others_open(oryn: Driver) -> None:
    await oryn.show(
        PAGE + "<div role=dialog aria-label=Chat style='position:fixed;right:0;bottom:0'><button>Send</button></div>"
        f"<div id=box style='{BOX.replace('right', 'left')}'>Get our news <button {CLOSE}>×</button></div>"
    )
    answer = await oryn.ok("dismiss popups")
    assert 'closed "Get our news' in answer
    assert '"Chat" stays open' in answer


@pytest.mark.slow
async def test_several_popups_are_closed_and_one_alone_by_its_text(oryn: Driver) -> None:
    both = "".join(
        f"<div class=box style='{BOX};right:{right}px'>{text} <button onclick='this.parentNode.remove()'>×</button></div>"
        for right, text in ((20, "Get our news"), (400, "Take the survey"))
    )
    await oryn.show(PAGE + both)
    assert 'closed "Take the survey' in await oryn.ok('dismiss "survey"')
    assert await oryn.session.page.evaluate("document.querySelectorAll('.box').length") == 1
    await oryn.show(PAGE + both)
    assert (await oryn.ok("dismiss popups")).count("closed ") == 2


async def test_a_popup_that_is_rendered_anew_is_not_closed(oryn: Driver) -> None:
    await oryn.show(
        PAGE + "<div id=root></div><script>const render = () => { root.innerHTML = `<div style='"
        + BOX + "'>Get our news <button onclick='render()'>×</button></div>` }; render()</script>"
    )  # fmt: skip
    assert "stays open after" in await oryn("dismiss popups")


@pytest.mark.slow
async def test_a_cookie_banner_is_refused_and_never_accepted(oryn: Driver) -> None:
    banner = "<div id=cookie-consent style='position:fixed;bottom:0'>We use cookies <button onclick=\"{}\">Accept all</button>{}</div>"
    await oryn.show(PAGE + banner.format(NEVER, "<button onclick='this.parentNode.remove()'>Reject all</button>"))
    assert 'with [3] "Reject all"' in await oryn.ok("dismiss banner")
    await oryn.show(PAGE + banner.format(NEVER, ""))
    answer = await oryn("dismiss popups")
    assert "stays open after Escape" in answer and "accept cookies" in answer
    assert '"Page"' in await oryn("title")


async def test_what_has_the_text_and_is_no_popup_is_not_pressed(oryn: Driver) -> None:
    await oryn.show(PAGE)
    assert (await oryn('dismiss "Buy"')).startswith('error dismiss "Buy": no popup with the text "Buy" is open')
    assert '"Page"' in await oryn("title")


@pytest.mark.slow
async def test_a_small_popup_that_covers_names_its_buttons(oryn: Driver) -> None:
    await oryn.show(
        "<button style='position:fixed;right:40px;bottom:40px' onclick='document.title=1'>Go</button>"
        + f"<div id=box style='{BOX}'>Get our news <button {CLOSE}>No thanks</button></div>"
    )
    answer = await oryn('click "Go"')
    assert "covered by div#box" in answer and 'The dialog\'s buttons: "No thanks"' in answer
    await oryn.ok("dismiss popups")
    await oryn.ok('click "Go"')


@pytest.mark.parametrize("around", ["position:fixed;inset:0;z-index:9", ""], ids=["in a layer", "beside each other"])
async def test_a_corner_popup_over_a_backdrop_is_closed_by_a_press_on_that(oryn: Driver, around: str) -> None:
    await oryn.show(
        f"<button>Under it</button><div id=layer style='{around}'><div id=shade style='position:fixed;inset:0'></div>"
        "<div style='position:absolute;right:9px;bottom:9px;z-index:10'>Words alone</div></div><script>"
        "shade.onclick = () => layer.remove()</script>"
    )
    answer = await oryn.ok("dismiss popups")
    assert "a press beside it" in answer
    await oryn.ok('click "Under it"')
