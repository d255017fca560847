"""The mouse and the keyboard: what a page gets of them, which takes them for a person's."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.embedded.input_tab import INPUT_PAGE, InputTab, tab
from tests.headless.conftest import Pages

__all__ = ["tab"]

PRESS = ("pointerdown", "mousedown", "pointerup", "mouseup", "click")


@pytest.fixture(autouse=True)
def displayed(run: Any, tab: InputTab, pages: Pages) -> None:
    pages.bodies.clear()
    pages["/"] = INPUT_PAGE
    run(tab.goto(pages.url("/")))


async def test_a_click_is_trusted(tab: InputTab) -> None:
    await tab.mouse.click(50.7, 40.2)
    assert await tab.events("mousemove", *PRESS) == [
        "mousemove button  0 0 50 40",
        "pointerdown button  0 1 50 40",
        "mousedown button  0 1 50 40",
        "pointerup button  0 0 50 40",
        "mouseup button  0 0 50 40",
        "click button  0 0 50 40",
    ]


async def test_modifiers_are_held_for_a_click(tab: InputTab) -> None:
    await tab.mouse.click(50, 50, modifiers=["control", "shift", "alt"])
    await tab.mouse.click(50, 50, modifiers=["meta"])
    await tab.mouse.click(50, 50)
    assert [line.split()[2] for line in await tab.events("click")] == ["csa", "m", "0"]


async def test_held_keys_are_held_for_a_click(tab: InputTab) -> None:
    await tab.keyboard.down("shift")
    await tab.mouse.click(50, 50)
    await tab.keyboard.up(["shift"])
    await tab.mouse.click(50, 50)
    assert [line.split()[2] for line in await tab.events("click")] == ["s", "0"]


@pytest.mark.parametrize(("button", "number", "bits"), [("middle", 1, 4), ("right", 2, 2)])
async def test_other_buttons(tab: InputTab, button, number, bits) -> None:
    await tab.mouse.click(50, 50, button=button)
    found = await tab.events("mousedown", "mouseup", "contextmenu")
    assert f"mousedown button  {number} {bits} 50 50" in found
    assert f"mouseup button  {number} 0 50 50" in found
    assert any(line.startswith("contextmenu") for line in found) == (button == "right")


async def test_a_double_click_is_one_event_more(tab: InputTab) -> None:
    await tab.mouse.click(50, 50, count=2)
    kinds = [line.split()[0].rstrip("!") for line in await tab.events("click", "dblclick")]
    assert kinds == ["click", "click", "dblclick"]


WORDS = (
    "<style>body {{ margin: 0; font: 20px monospace }} input {{ font: inherit; border: 0; padding: 0 }}</style>"
    "<p style='margin: 0'>{text}</p><input value='{text}'>"
)


@pytest.mark.parametrize(("letter", "word"), [(2, "alpha"), (6.2, "beta"), (8, "beta"), (9.7, "beta"), (12, "gamma")])
async def test_a_double_click_chooses_a_word(tab: InputTab, pages: Pages, letter: float, word: str) -> None:
    pages["/words"] = WORDS.format(text="alpha beta gamma")
    await tab.goto(pages.url("/words"))
    width = await tab.js(
        "(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('p'));"
        " return range.getBoundingClientRect().width / 16 })()"
    )
    x = width * letter
    await tab.mouse.click(x, 10, count=2)
    assert str(await tab.js("String(getSelection())")).strip() == word
    await tab.mouse.click(x, 35, count=2)
    field = "document.querySelector('input')"
    assert str(await tab.js(f"{field}.value.slice({field}.selectionStart, {field}.selectionEnd)")).strip() == word


async def test_a_double_click_where_nothing_is_to_be_chosen(tab: InputTab, pages: Pages) -> None:
    pages["/words"] = WORDS.format(text="alpha") + "<script>onmousedown = (event) => event.preventDefault()</script>"
    await tab.goto(pages.url("/words"))
    await tab.mouse.click(20, 10, count=2)
    assert await tab.js("String(getSelection())") == ""


async def test_a_button_is_held_between_press_and_release(tab: InputTab) -> None:
    await tab.mouse.press(20, 20)
    await tab.mouse.move(60, 60)
    assert tab.mouse.held == "left"
    await tab.mouse.release(80, 80)
    assert await tab.events("mousedown", "mousemove", "mouseup", "click") == [
        "mousemove button  0 0 20 20",
        "mousedown button  0 1 20 20",
        "mousemove button  0 1 60 60",
        "mousemove button  0 1 80 80",
        "mouseup button  0 0 80 80",
        "click button  0 0 80 80",
    ]


async def test_the_wheel_scrolls_what_is_below_it(tab: InputTab) -> None:
    for x, y, dx, dy, scrolled in (
        (520, 20, 0, 120, [0, 120, 0]),
        (520, 20, 0, 120, [0, 240, 0]),
        (520, 20, 40, 0, [40, 240, 0]),
        (300, 300, 0, 200, [40, 240, 200]),
    ):
        await tab.mouse.wheel(x, y, dx, dy)
        end = time.monotonic() + 5
        while (found := await tab.js("[scroller.scrollLeft, scroller.scrollTop, scrollY]")) != scrolled:
            assert time.monotonic() < end, found  # the page draws it later
    assert [line.split()[-2:] for line in await tab.events("wheel")] == [
        ["0", "120"],
        ["0", "120"],
        ["40", "0"],
        ["0", "200"],
    ]


async def test_an_element_is_dragged(tab: InputTab) -> None:
    await tab.js(
        "document.body.innerHTML = `<p id=source draggable=true style='top:0'>Source</p>"
        "<div id=target style='top:200px;width:100px;height:100px'></div>`;"
        "source.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'payload');"
        "target.ondragover = (event) => event.preventDefault();"
        "target.ondrop = (event) => { document.title = event.dataTransfer.getData('text/plain') }; 0"
    )

    async def destination() -> tuple[float, float]:
        return 50, 250

    await tab.mouse.drag(10, 20, destination)
    assert await tab.js("document.title") == "payload"


async def test_a_tap_is_a_touch_and_a_click(tab: InputTab) -> None:
    await tab.js("button.ontouchstart = button.ontouchend = ({ type, touches }) => log.push([type, touches.length]); 0")
    await tab.mouse.tap(50, 50)
    found = await tab.events()
    assert found.index("touchstart 1") < found.index("touchend 0") < found.index("click button  0 0 50 50")


async def test_a_touch_that_the_page_keeps_is_no_click(tab: InputTab) -> None:
    await tab.js("button.addEventListener('touchend', (event) => event.preventDefault()); 0")
    await tab.mouse.tap(50, 50)
    assert await tab.events("click") == []


async def test_text_is_typed_with_keys(tab: InputTab) -> None:
    await tab.mouse.click(50, 140)
    await tab.events()
    await tab.keyboard.type("aB;\n")
    assert await tab.events("keydown", "keypress", "beforeinput", "input", "keyup") == [
        "keydown area  a KeyA 65",
        "keypress area  a KeyA 97",
        "beforeinput area  insertText a",
        "input area  insertText a",
        "keyup area  a KeyA 65",
        "keydown area  B KeyB 66",
        "keypress area  B KeyB 66",
        "beforeinput area  insertText B",
        "input area  insertText B",
        "keyup area  B KeyB 66",
        "keydown area  ; Semicolon 186",
        "keypress area  ; Semicolon 59",
        "beforeinput area  insertText ;",
        "input area  insertText ;",
        "keyup area  ; Semicolon 186",
        "keydown area  Enter Enter 13",
        "keypress area  Enter Enter 13",
        "beforeinput area  insertLineBreak None",
        "input area  insertLineBreak None",
        "keyup area  Enter Enter 13",
    ]


TEXTS = (
    "Zoë 日本語 한글",
    "\U0001f600 \U0001f44d\U0001f3fd \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
    "e\u0301\u0302 \U0001f3f4\U000e0067\U000e007f",
    "<&\"'\\>",
)


@pytest.mark.parametrize("text", TEXTS)
async def test_any_text_is_typed(tab: InputTab, text) -> None:
    await tab.mouse.click(50, 140)
    await tab.keyboard.type(text)
    assert await tab.js("area.value") == text


async def test_half_a_character_becomes_a_replacement(tab: InputTab) -> None:
    await tab.mouse.click(50, 140)
    await tab.keyboard.type("a\ud83db")
    assert await tab.js("area.value") == "a\ufffdb"


async def test_a_combination_selects_and_erases(tab: InputTab) -> None:
    await tab.mouse.click(50, 140)
    await tab.keyboard.type("some words")
    await tab.events()
    await tab.keyboard.press(["control", "a"])
    assert await tab.events("keydown", "keypress", "keyup") == [
        "keydown area c Control ControlLeft 17",
        "keydown area c a KeyA 65",
        "keyup area c a KeyA 65",
        "keyup area  Control ControlLeft 17",
    ]
    await tab.keyboard.press(["backspace"])
    assert await tab.js("area.value") == ""


async def test_the_cursor_moves_and_selects(tab: InputTab) -> None:
    await tab.mouse.click(50, 140)
    await tab.keyboard.type("one\ntwo")
    await tab.keyboard.press(["shift", "home"])
    assert await tab.js("[area.selectionStart, area.selectionEnd]") == [4, 7]
    for key, place in (("arrowleft", 4), ("arrowup", 0), ("arrowright", 1), ("end", 3), ("home", 0)):
        await tab.keyboard.press([key])
        assert [key, *await tab.js("[area.selectionStart, area.selectionEnd]")] == [key, place, place]


async def test_tab_moves_the_focus_and_enter_submits(tab: InputTab) -> None:
    await tab.mouse.click(50, 210)
    await tab.keyboard.press(["tab"])
    assert await tab.js("document.activeElement.id") == "second"
    await tab.keyboard.press(["shift", "tab"])
    assert await tab.js("document.activeElement.id") == "first"
    await tab.keyboard.press(["tab"])
    await tab.keyboard.press(["enter"])
    assert len(await tab.events("submit")) == 1


async def test_keys_are_held(tab: InputTab) -> None:
    await tab.mouse.click(50, 210)
    await tab.events()
    assert await tab.keyboard.down("d")
    assert not await tab.keyboard.down("d")
    assert await tab.keyboard.down("shift")
    await tab.keyboard.press(["a"])
    await tab.keyboard.up(["shift", "d"])
    assert await tab.keyboard.down("d")
    await tab.keyboard.up(["d"])
    assert await tab.js("first.value") == "ddAd"
    assert [line.split()[0] + line.split()[-2] for line in await tab.events("keydown", "keyup")] == [
        *("keydownKeyD", "keydownKeyD", "keydownShiftLeft", "keydownKeyA", "keyupKeyA"),
        *("keyupShiftLeft", "keyupKeyD", "keydownKeyD", "keyupKeyD"),
    ]


@pytest.mark.parametrize("key", ["escape", "insert", "pagedown", "f1", "f12", "delete", "alt", "meta", "space"])
async def test_named_keys(tab: InputTab, key) -> None:
    await tab.mouse.click(50, 210)
    await tab.events()
    await tab.keyboard.press([key])
    down, up = await tab.events("keydown", "keyup")
    assert down.split()[0] == "keydown" and up.split()[0] == "keyup"
    assert down.replace(" m ", "  ").replace(" a ", "  ").split()[2:] == up.split()[2:]


async def test_text_is_inserted_in_one_piece(tab: InputTab) -> None:
    await tab.mouse.click(50, 210)
    await tab.events()
    await tab.keyboard.insert("日本 words")
    assert await tab.js("first.value") == "日本 words"
    assert await tab.events("keydown", "keyup", "input") == ["input first  insertText 日本 words"]


async def test_a_long_text_is_typed_at_once(tab: InputTab) -> None:
    await tab.mouse.click(50, 140)
    await tab.keyboard.type("x" * 3000)
    assert await tab.js("area.value.length") == 3000


async def test_copy_and_paste(tab: InputTab) -> None:
    await tab.mouse.click(50, 210)
    await tab.keyboard.type("words")
    await tab.keyboard.press(["control", "a"])
    await tab.keyboard.press(["control", "c"])
    assert await tab.clipboard.read() == "words"
    await tab.keyboard.press(["control", "x"])
    assert await tab.js("first.value") == ""
    await tab.mouse.click(50, 140)
    await tab.events()
    await tab.keyboard.press(["control", "v"])
    assert await tab.js("area.value") == "words"
    assert await tab.events("paste") == ["paste area "]


async def test_what_was_written_into_the_clipboard_is_pasted(tab: InputTab) -> None:
    await tab.clipboard.write("of the session")
    await tab.mouse.click(50, 140)
    await tab.events()
    await tab.keyboard.press(["control", "v"])
    assert await tab.js("area.value") == "of the session"
    assert await tab.events("copy", "paste", "input") == ["paste! area ", "input area  insertText of the session"]
    await tab.keyboard.press(["control", "shift", "v"])
    assert await tab.js("area.value") == "of the sessionof the session"
    await tab.clipboard.write("")
    await tab.keyboard.press(["control", "v"])
    assert await tab.js("area.value") == "of the sessionof the session"


async def test_a_page_may_take_a_paste_for_itself(tab: InputTab) -> None:
    await tab.js(
        "area.onpaste = (event) => { event.preventDefault(); document.title = event.clipboardData.getData('text') }; 0"
    )
    await tab.clipboard.write("of the session")
    await tab.mouse.click(50, 140)
    await tab.keyboard.press(["control", "v"])
    assert await tab.js("[document.title, area.value]") == ["of the session", ""]
    await tab.js("area.onkeydown = (event) => event.preventDefault(); document.title = ''; 0")
    await tab.keyboard.press(["control", "v"])
    assert await tab.js("[document.title, area.value]") == ["", ""]


async def test_what_a_page_copies_itself_is_pasted(tab: InputTab) -> None:
    await tab.js(
        "area.oncopy = (event) => { event.preventDefault(); event.clipboardData.setData('text', 'of the page') };"
        "area.value = 'words'; 0"
    )
    await tab.mouse.click(50, 140)
    await tab.keyboard.press(["control", "a"])
    await tab.keyboard.press(["control", "c"])
    assert await tab.clipboard.read() == "of the page"
    await tab.keyboard.press(["control", "v"])
    assert await tab.js("area.value") == "of the page"


async def test_input_goes_into_frames(tab: InputTab, pages: Pages) -> None:
    pages["/in"] = INPUT_PAGE
    for host in (None, "localhost"):
        url = pages.url("/in", host=host) if host else pages.url("/in")
        pages["/around"] = (
            f"<body style='margin:0'><iframe src='{url}' style='border:0;width:700px;height:400px'></iframe>"
        )
        await tab.goto(pages.url("/around"))
        await tab.mouse.click(50, 210)
        await tab.keyboard.type("in")
        await tab.keyboard.insert("side")
        await tab.clipboard.write("r")
        await tab.keyboard.press(["control", "v"])
        await tab.mouse.click(50, 50, count=2)
        node = tab.frame_tree.top.children[0]
        expression = "[first.value, log.filter(([kind]) => /^(click|dblclick)/.test(kind)).length]"
        params = {"expression": expression, "contextId": node.context, "returnByValue": True}
        answer = await tab.channel.call("Runtime.evaluate", params)
        assert answer["result"]["value"] == ["insider", 4]
