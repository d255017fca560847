"""Input in the user's own browser without its debugger: whole lines, and what pages see of them."""

from __future__ import annotations

import pytest

from tests.extension.driver import NOTE, PairedBrowser, paired_browser, untrusted

__all__ = ["paired_browser", "untrusted"]


@pytest.mark.slow
async def test_a_click_is_a_scripts_and_is_noted_once(untrusted: PairedBrowser) -> None:
    await untrusted.show("<button onclick='this.textContent = event.isTrusted'>b</button>")
    first, second = await untrusted.raw("click b"), await untrusted.raw("click 1")
    assert '"false"' in first
    assert f"# note\n{NOTE}\n" in first
    assert NOTE not in second


@pytest.mark.slow
async def test_typing_and_sending(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        "<form onsubmit='document.title = query.value; return false'><label>Query <input name=query></label></form>"
    )
    assert 'value: "Grüße 👩"' in await untrusted('type Query "Grüße 👩"')
    assert 'value: "Grüße 👩!"' in await untrusted('type Query "!" --append --enter')
    assert (await untrusted("title")).endswith('"Grüße 👩!"')
    await untrusted.ok("press control+a")
    await untrusted.ok("press backspace")
    assert (await untrusted("value Query")).endswith('""')
    await untrusted.ok('type Query "slowly" --delay 5')
    await untrusted.ok("clear Query")
    assert (await untrusted("value Query")).endswith('""')


@pytest.mark.slow
async def test_a_form_goes_to_its_page(untrusted: PairedBrowser) -> None:
    untrusted.pages["/sent"] = "<title>Sent</title>"
    await untrusted.show("<form action=/sent><label>Name <input name=n></label><button>Send</button></form>")
    await untrusted.ok("type Name Ada")
    assert "/sent?n=Ada" in await untrusted("press enter")


@pytest.mark.slow
async def test_boxes_and_lists(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        "<label><input type=checkbox> Agree</label><label><input type=radio name=r> Red</label>"
        "<label>Size <select><option>S<option>M<option>L</select></label>"
    )
    assert "checked" in await untrusted("check Agree")
    assert "checked" in await untrusted("check Red")
    assert "unchecked" in await untrusted("uncheck Agree")
    await untrusted.ok("focus Size")
    await untrusted.ok("press arrowdown")
    assert (await untrusted("value Size")).endswith('"M"')


@pytest.mark.slow
async def test_the_ways_to_click(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        "<button>b</button><script>window.log = []; const note = (e) => log.push(e.type + (e.ctrlKey ? '+' : ''));"
        "for (const kind of ['click', 'dblclick', 'contextmenu', 'auxclick']) addEventListener(kind, note)</script>"
    )
    for line in ("click b --double", "click b --right", "click b --middle", "click b --ctrl", "click at(20,20)"):
        await untrusted.ok(line)
    assert await untrusted.value("log.join(' ')") == ("click click dblclick contextmenu auxclick auxclick click+ click")


@pytest.mark.slow
async def test_keys_are_held_and_let_go(untrusted: PairedBrowser) -> None:
    await untrusted.show("<label>Name <input></label>")
    await untrusted.ok("click Name")
    await untrusted.ok("keydown shift")
    await untrusted.ok("press a")
    assert await untrusted("keys") == "ok keys\n\nshift"
    await untrusted.ok("keyup all")
    await untrusted.ok("press b")
    assert (await untrusted("value Name")).endswith('"Ab"')


@pytest.mark.slow
async def test_a_menu_that_opens_under_the_mouse(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        "<ul><li id=m>Menu<a id=i href='#chosen' hidden>Item</a></ul>"
        "<script>m.onmouseenter = () => { i.hidden = false }; m.onmouseleave = () => { i.hidden = true }</script>"
    )
    assert '"Item"' in await untrusted("hover css(#m)")
    assert "#chosen" in await untrusted("click Item")


@pytest.mark.slow
async def test_drags(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        "<div id=a draggable=true style='width:80px'>card</div><div id=z style='height:80px' ondragover='return false'"
        " ondrop='this.textContent = event.dataTransfer.getData(`text`)'>place</div>"
        "<script>a.ondragstart = (e) => e.dataTransfer.setData('text', 'dropped')</script>"
    )
    await untrusted.ok("drag css(#a) to css(#z)")
    assert await untrusted.value("z.textContent") == "dropped"


@pytest.mark.slow
async def test_frames_of_the_same_and_of_another_origin(untrusted: PairedBrowser) -> None:
    for host in ("127.0.0.1", "localhost"):
        untrusted.pages["/inner"] = "<label>Inner <input></label><button onclick='this.textContent = 1'>Press</button>"
        inner = untrusted.pages.url("/inner", host)
        await untrusted.show(f"<label>Outer <input></label><iframe src='{inner}' style='margin:50px'></iframe>")
        assert 'value: "typed é"' in await untrusted('type Inner "typed é"')
        assert '"1"' in await untrusted("click Press")
        assert 'value: "out"' in await untrusted("type Outer out")
        assert (await untrusted("value Inner")).endswith('"typed é"')


@pytest.mark.slow
async def test_a_link_into_a_new_tab(untrusted: PairedBrowser) -> None:
    untrusted.pages["/new"] = "<title>New</title>"
    await untrusted.show("<title>Old</title><a href=/new target=_blank>Link</a>")
    told = await untrusted("click Link")
    assert "+ tab" in told
    assert '"New"' in told
    assert (await untrusted("title")).endswith('"Old"')
    rows = (await untrusted("tabs")).splitlines()
    number = next(row.split()[0].lstrip("*[").rstrip("]") for row in rows if '"New"' in row)
    await untrusted.ok(f"tab close {number}")


@pytest.mark.slow
async def test_what_a_script_does_not_get(untrusted: PairedBrowser) -> None:
    await untrusted.show("<label>File <input type=file></label><label>Text <input value=text></label>")
    assert "the page asks for a file" in await untrusted("click File")
    await untrusted.ok("click Text")
    for keys in ("control+c", "control+x", "control+v"):
        assert await untrusted(f"press {keys}") == (
            f"error press {keys}: not supported in this mode\n\n"
            "# hint\nThe clipboard needs 'Real keys and mouse', a setting of the extension in Chromium."
        )


@pytest.mark.slow
async def test_a_key_that_leaves_the_page(untrusted: PairedBrowser) -> None:
    untrusted.pages["/next"] = (
        "<title>Next</title><script>onkeydown = () => { document.title = 'pressed again' }</script>"
    )
    await untrusted.show("<script>onkeydown = () => { location = '/next' }</script>")
    assert '"Next"' in await untrusted("press x")
    assert (await untrusted("title")).endswith('"Next"')


@pytest.mark.slow
async def test_single_events_of_the_mouse_and_a_touch(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        "<div id=pad aria-label=Pad style='width:200px;height:100px;background:#eee'></div><script>let seen = [];"
        "for (const kind of ['mousedown', 'mousemove', 'mouseup', 'touchstart', 'touchend', 'click', 'wheel'])"
        " pad.addEventListener(kind, (e) => seen.push(kind + (e.buttons || '')))</script>"
    )
    await untrusted.ok("mouse down css(#pad)")
    await untrusted.ok("mouse move at(30,30)")
    await untrusted.ok("mouse up at(40,30)")
    await untrusted.ok("mouse wheel css(#pad)")
    events = (await untrusted.value("seen.splice(0).join(' ')")).split()
    assert [each for each in events if each != "mousemove"] == [
        "mousedown1",
        "mousemove1",
        "mousemove1",
        "mouseup",
        "click",
        "wheel",
    ]
    await untrusted.ok("tap css(#pad)")
    events = (await untrusted.value("seen.splice(0).join(' ')")).split()
    assert [each for each in events if "move" not in each] == [
        "touchstart",
        "touchend",
        "mousedown1",
        "mouseup",
        "click",
    ]


async def test_a_slider_and_a_drag_by_an_offset(untrusted: PairedBrowser) -> None:
    await untrusted.show(
        "<div id=thumb role=slider tabindex=0 aria-label=Level aria-valuemin=0 aria-valuemax=50 aria-valuenow=5"
        " style='width:20px;height:20px'></div><script>const now = () => +thumb.getAttribute('aria-valuenow');"
        "thumb.onkeydown = (e) => { const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];"
        " if (by) thumb.setAttribute('aria-valuenow', now() + by) };"
        "onmouseup = (e) => { document.title = e.clientX }</script>"
    )
    assert 'value: "12"' in await untrusted('type "Level" "12"')
    await untrusted.ok('drag "Level" --offset 50,0')
    assert await untrusted.value("document.title") == "68"
