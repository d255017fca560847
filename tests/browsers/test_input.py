"""Trusted input: what the page's events say."""

from __future__ import annotations

import pytest

from oryn.errors import DialogOpen, InvalidValue

pytestmark = pytest.mark.browser

LOGGED = """<script>
  window.log = [];
  for (const kind of ['click', 'dblclick', 'auxclick', 'contextmenu', 'keydown', 'keyup'])
    addEventListener(kind, event => log.push([kind, event]), {capture: true, passive: true});
  window.seen = (kind, ...names) => log.filter(([k]) => k === kind).map(([_, event]) => names.map(name => event[name]));
</script>"""


@pytest.fixture
def show(page, server):
    async def act(html: str) -> None:
        await page.goto(server.page(LOGGED + html))

    return act


async def test_a_click_is_trusted(page, show, point):
    await show("<button id=b>b</button>")
    await page.mouse.click(*await point("#b"))
    assert await page.evaluate("seen('click', 'isTrusted', 'button', 'detail')") == [[True, 0, 1]]
    assert await page.evaluate("navigator.userActivation.hasBeenActive")


async def test_buttons_and_modifiers(page, show, point):
    await show("<button id=b>b</button>")
    x, y = await point("#b")
    await page.mouse.click(x, y, count=2)
    await page.mouse.click(x, y, button="right")
    await page.mouse.click(x, y, button="middle")
    await page.mouse.click(x, y, modifiers=["control", "shift", "alt", "meta"])
    assert await page.evaluate("seen('dblclick', 'isTrusted')") == [[True]]
    assert await page.evaluate("seen('contextmenu', 'button')") == [[2]]
    assert await page.evaluate("seen('auxclick', 'button')") == [[2], [1]]
    held = await page.evaluate("seen('click', 'ctrlKey', 'shiftKey', 'altKey', 'metaKey')")
    assert held[-1] == [True, True, True, True]


@pytest.mark.slow
async def test_hover_and_wheel(page, show, point):
    await show("<style>#b:hover {color: red}</style><button id=b>b</button><div style='height: 9000px'>")
    await page.mouse.move(*await point("#b"))
    assert await page.evaluate("getComputedStyle(b).color") == "rgb(255, 0, 0)"
    await page.mouse.wheel(400, 400, 0, 300)
    await page.scanner({"cmd": "wait_for", "condition": "change", "timeout": 2000})
    assert await page.evaluate("scrollY") > 0


TEXTS = [
    "Hello, World! 09 ~`|\\{}[]<>?/:;\"'+-_=@#$%^&*()",
    "Grüße, Καλημέρα, 你好",
    "👩‍👩‍👧 flags 🇩🇪",
    "mixed é and e\u0301",
]


@pytest.mark.parametrize("text", TEXTS)
async def test_text_arrives_as_it_is(page, show, text):
    await show("<input id=i autofocus>")
    await page.evaluate("i.focus()")
    await page.keyboard.type(text)
    assert await page.evaluate("i.value") == text


async def test_half_a_surrogate_pair_is_replaced(page, show):
    await show("<input id=i>")
    await page.evaluate("i.focus()")
    await page.keyboard.type("a\ud83db")
    assert await page.evaluate("i.value") == "a\ufffdb"


async def test_keys_say_what_they_are(page, show):
    await show("<input id=i>")
    await page.evaluate("i.focus()")
    await page.keyboard.type("aB?")
    assert await page.evaluate("seen('keydown', 'key', 'code', 'keyCode', 'shiftKey', 'isTrusted')") == [
        ["a", "KeyA", 65, False, True],
        ["B", "KeyB", 66, True, True],
        ["?", "Slash", 191, True, True],
    ]
    assert len(await page.evaluate("seen('keyup', 'key')")) == 3


@pytest.mark.parametrize("piece", ["é", "ß", "Ж", "字", "😀", "e\u0301"])
async def test_characters_of_other_keyboards_have_keys(page, show, piece):
    await show("<input id=i>")
    await page.evaluate(
        "i.focus(); window.told = []; for (const kind of ['keydown', 'keypress', 'input', 'keyup'])"
        " i.addEventListener(kind, (e) => told.push([kind, e.isTrusted, e.data || e.code, e.keyCode || 0]))"
    )
    await page.keyboard.type(piece)
    assert await page.evaluate("i.value") == piece
    assert await page.evaluate("told") == [
        ["keydown", True, "", 0], ["keypress", True, "", await page.evaluate("i.value.charCodeAt(0)")],
        ["input", True, piece, 0], ["keyup", True, "", 0],
    ]  # fmt: skip


async def test_an_emoji_of_many_parts_is_one_piece(page, show):
    await show("<input id=i oninput='seenInput = event.data' onkeydown='downs = (window.downs || 0) + 1'>")
    await page.evaluate("i.focus()")
    await page.keyboard.type("👩‍👩‍👧")
    assert await page.evaluate("[i.value, seenInput, downs]") == ["👩‍👩‍👧", "👩‍👩‍👧", 1]


async def test_lines_and_tabs(page, show):
    await show("<textarea id=t></textarea><input id=i>")
    await page.evaluate("t.focus()")
    await page.keyboard.type("one\r\ntwo\nthree\tfour")
    assert await page.evaluate("[t.value, i.value]") == ["one\ntwo\nthree", "four"]


async def test_delay_goes_key_by_key(page, show):
    await show("<input id=i>")
    await page.evaluate("i.focus()")
    await page.keyboard.type("abc", delay=0.02)
    assert await page.evaluate("i.value") == "abc"


async def test_enter_submits(page, show):
    await show("<form action=/ok><input id=i name=title></form>")
    await page.evaluate("i.focus()")
    await page.keyboard.type("sent")
    checkpoint = page.checkpoint()
    await page.keyboard.press(["enter"])
    assert (await page.settle(checkpoint)).navigation is not None
    assert page.url.endswith("/ok?title=sent")


async def test_editing_commands(page, show):
    await show("<input id=i value=before>")
    await page.evaluate("i.focus()")
    await page.keyboard.press(["control", "a"])
    assert await page.evaluate("[i.selectionStart, i.selectionEnd]") == [0, 6]
    await page.keyboard.press(["control", "x"])
    assert await page.evaluate("i.value") == ""
    await page.keyboard.press(["control", "v"])
    await page.keyboard.press(["control", "v"])
    assert await page.evaluate("i.value") == "beforebefore"
    await page.keyboard.press(["control", "z"])
    assert await page.evaluate("i.value") == "before"


async def test_cursor_keys(page, show):
    await show("<input id=i value=before>")
    await page.evaluate("i.focus(); i.setSelectionRange(6, 6)")
    await page.keyboard.press(["arrowleft"])
    await page.keyboard.press(["backspace"])
    await page.keyboard.press(["home"])
    await page.keyboard.press(["delete"])
    await page.keyboard.press(["shift", "end"])
    assert await page.evaluate("[i.value, i.selectionStart, i.selectionEnd]") == ["efoe", 0, 4]


async def test_shortcuts_type_nothing(page, show):
    await show("<input id=i>")
    await page.evaluate("i.focus()")
    await page.keyboard.press(["control", "shift", "k"])
    assert await page.evaluate("i.value") == ""
    assert (await page.evaluate("seen('keydown', 'key', 'ctrlKey', 'shiftKey')"))[-1] == ["K", True, True]
    await page.keyboard.press(["shift", "a"])
    assert await page.evaluate("i.value") == "A"


async def test_tab_moves_the_focus(page, show):
    await show("<input id=a><input id=b>")
    await page.evaluate("a.focus()")
    await page.keyboard.press(["tab"])
    assert await page.evaluate("document.activeElement.id") == "b"
    await page.keyboard.press(["shift", "tab"])
    assert await page.evaluate("document.activeElement.id") == "a"


async def test_no_such_key(page):
    with pytest.raises(InvalidValue):
        await page.keyboard.press(["hyper"])


async def test_a_click_that_asks_returns(page, show, point):
    await show("<button id=b onclick='confirm(1)'>b</button>")
    await page.mouse.click(*await point("#b"))
    assert page.dialog is not None
    await page.answer_dialog(True)


async def test_text_that_a_dialog_cuts_off(page, show):
    await show("<input id=i onkeydown=\"if (event.key === 'b') confirm('b?')\">")
    await page.evaluate("i.focus()")
    with pytest.raises(DialogOpen):
        await page.keyboard.type("abcdef")
    await page.answer_dialog(True)


@pytest.mark.slow
async def test_input_into_frames(page, server, point):
    inner = server.page("<input id=i style='position:absolute;left:20px;top:30px'>")
    for host in ("127.0.0.1", "localhost"):
        address = inner.replace("127.0.0.1", host)
        await page.goto(server.page(f"<iframe id=f src='{address}' style='margin:40px;border:5px solid'></iframe>"))
        frame = page.frames()[1]
        # A frame gets no input before the browser has drawn it.
        drawn = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        await page.evaluate(drawn, frame)
        place = await page.scanner({"cmd": "locate", "selector": "#i"}, frame)
        await page.mouse.click(*await page.to_viewport(place["data"]["x"], place["data"]["y"], frame))
        await page.keyboard.type("typed é")
        assert await page.evaluate("i.value", frame) == "typed é"
