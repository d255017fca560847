"""The keyboard that the scanner dispatches itself: its events, and what a browser does for them."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.browsers.common.keyboard import KeyEvent, KeySequencer, split_text
from oryn.browsers.common.synthetic_input import to_scanner_event


def send_keys(page: Any, key_events: list[KeyEvent]) -> dict[str, Any]:
    return dict(page.do("keys", events=[to_scanner_event(key_event) for key_event in key_events]))


def press(page: Any, *combinations: str) -> dict[str, Any]:
    """`press(page, "control+a", "delete")`."""
    sequencer = KeySequencer("linux")
    return send_keys(page, [key_event for each in combinations for key_event in sequencer.press(each.split("+"))])


def write(page: Any, text: str) -> dict[str, Any]:
    sequencer = KeySequencer("linux")
    return send_keys(page, [key_event for piece in split_text(text) for key_event in sequencer.type(piece)])


def focus(page: Any, name: str) -> None:
    page.run(f"document.getElementById({name!r}).focus()")


def focused(page: Any) -> str:
    return str(page.run("document.activeElement.id || document.activeElement.localName"))


LOG_KEYS = """<script>window.log = []; for (const kind of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup'])
  addEventListener(kind, (e) => log.push(kind + ':' + (e.key || e.inputType)), true)</script>"""


def test_a_key_and_what_follows_it(show: Any) -> None:
    page = show(LOG_KEYS + "<input id=i>")
    focus(page, "i")
    assert write(page, "a") == {"done": 2, "frame": None, "opened": [], "chooser": False}
    assert page.run("log.splice(0).join(' ')") == "keydown:a keypress:a beforeinput:insertText input:insertText keyup:a"
    press(page, "backspace")
    assert page.run("log.join(' ')") == (
        "keydown:Backspace beforeinput:deleteContentBackward input:deleteContentBackward keyup:Backspace"
    )


def test_what_events_say(show: Any) -> None:
    page = show("<script>window.log = []; onkeydown = onkeyup = onkeypress = (e) => log.push([e.type, e.key, e.code,"
                " e.keyCode, e.charCode, e.location, e.shiftKey, e.ctrlKey, e.repeat])</script>")  # fmt: skip
    press(page, "shift+a")
    assert page.run("log.splice(0)") == [
        ["keydown", "Shift", "ShiftLeft", 16, 0, 1, True, False, False],
        ["keydown", "A", "KeyA", 65, 0, 0, True, False, False],
        ["keypress", "A", "KeyA", 65, 65, 0, True, False, False],
        ["keyup", "A", "KeyA", 65, 0, 0, True, False, False],
        ["keyup", "Shift", "ShiftLeft", 16, 0, 1, False, False, False],
    ]
    page.do(
        "keys", events=[{"kind": "down", "key": "x", "code": "KeyX", "key_code": 88, "location": 0, "repeat": True}]
    )
    assert page.run("log") == [["keydown", "x", "KeyX", 88, 0, 0, False, False, True]]


@pytest.mark.parametrize(
    "text", ["Hello, World! 09 ~`|\\{}[]<>?/:;\"'+-_=@#$%^&*()", "Grüße, 你好 👩‍👩‍👧", "mixed é and e\u0301"]
)
@pytest.mark.parametrize("field", ["<input id=i>", "<textarea id=i></textarea>", "<div contenteditable id=i></div>"])
def test_text_arrives_as_it_is(show: Any, field: str, text: str) -> None:
    page = show(field)
    focus(page, "i")
    write(page, text)
    assert page.run("i.value ?? i.textContent.replaceAll('\\xa0', ' ')") == text


def test_a_field_takes_what_it_takes_of_a_hand(show: Any) -> None:
    page = show(
        "<input id=m maxlength=3><input id=n type=number><input id=r readonly value=r><input id=d disabled value=d>"
    )
    for name, text in (("m", "abcdef"), ("n", "1x2"), ("r", "no")):
        focus(page, name)
        write(page, text)
    assert page.run("[m.value, n.value, r.value]") == ["abc", "12", "r"]


def test_the_page_may_refuse_a_key_or_its_text(show: Any) -> None:
    page = show("<input id=a onkeydown='return event.key !== \"x\"'><input id=b onkeypress='return event.key !== \"x\"'>"
                "<input id=c onbeforeinput='return event.data !== \"x\"'>")  # fmt: skip
    for name in "abc":
        focus(page, name)
        write(page, "1x2")
        assert page.run(f"{name}.value") == "12"


def test_lines_and_paragraphs(show: Any) -> None:
    page = show("<textarea id=t></textarea><div contenteditable id=d></div>")
    focus(page, "t")
    write(page, "one\r\ntwo\n3")
    assert page.run("t.value") == "one\ntwo\n3"
    focus(page, "d")
    write(page, "one\ntwo")
    press(page, "shift+enter")
    assert page.run("d.innerHTML").startswith("one<div>two<br>")


def test_moving_and_erasing(show: Any) -> None:
    page = show("<input id=i value=before>")
    page.run("i.focus(); i.setSelectionRange(6, 6)")
    press(page, "arrowleft", "backspace", "home", "delete", "shift+end")
    assert page.run("[i.value, i.selectionStart, i.selectionEnd]") == ["efoe", 0, 4]
    write(page, "two words")
    press(page, "control+backspace")
    assert page.run("i.value") == "two "
    press(page, "control+arrowleft", "control+delete", "delete")
    assert page.run("i.value") == ""
    write(page, "three")
    press(page, "control+a")
    assert page.run("[i.selectionStart, i.selectionEnd]") == [0, 5]
    press(page, "delete", "control+z")
    assert page.run("i.value") == "three"


def test_lines_up_and_down(show: Any) -> None:
    page = show("<textarea id=t>one\ntwo\nthree</textarea>")
    page.run("t.focus(); t.setSelectionRange(0, 0)")
    press(page, "arrowdown", "end")
    write(page, "!")
    press(page, "control+home")
    write(page, "?")
    assert page.run("t.value") == "?one\ntwo!\nthree"


def test_a_change_is_told_when_it_is_over(show: Any) -> None:
    page = show("<input id=i onchange='window.n = (window.n || 0) + 1'><input id=j>")
    focus(page, "i")
    write(page, "ab")
    assert page.run("window.n ?? 0") == 0
    press(page, "tab")
    assert page.run("window.n") == 1


FORM = """<form onsubmit="window.sent = event.submitter ? event.submitter.id : 'nobody'; return false"
  onchange="window.told = 1"><input id=i>%s</form>"""


@pytest.mark.parametrize(
    ("rest", "by"),
    [
        ("<button type=button>x</button><button id=s>send</button><button id=t>other</button>", "s"),
        ("<input type=submit id=s>", "s"),
        ("", "nobody"),
        ("<input>", None),
        ("<button id=s disabled>send</button>", None),
    ],
)
def test_enter_sends_the_form(show: Any, rest: str, by: str | None) -> None:
    page = show(FORM % rest)
    focus(page, "i")
    write(page, "x\n")
    assert page.run("window.sent") == by
    assert page.run("window.told") == 1


def test_enter_and_space_press_what_has_the_focus(show: Any) -> None:
    page = show("<button id=b>b</button><a id=l href='#l'>l</a><input type=checkbox id=c><details><summary id=s>s</summary>x"
                "</details><a id=n href='/n' target=_blank>n</a><div id=d tabindex=0 role=button>d</div>"
                "<script>window.log = []; onclick = (e) => log.push(e.target.id)</script>")  # fmt: skip
    for name, key in (("b", "enter"), ("b", "space"), ("l", "enter"), ("c", "space"), ("s", "space"), ("s", "enter")):
        focus(page, name)
        press(page, key)
    assert page.run("[log.splice(0).join(''), c.checked, document.querySelector('details').open]") == [
        "bblcss",
        True,
        False,
    ]
    for name, key in (("l", "space"), ("c", "enter"), ("d", "enter"), ("d", "space")):
        focus(page, name)
        press(page, key)
    assert page.run("log.join('')") == ""
    focus(page, "n")
    assert press(page, "enter")["opened"] == [page.base + "/n"]


def test_space_presses_when_it_goes_up_where_it_went_down(show: Any) -> None:
    page = show("<button id=a onclick='window.n = 1' onkeydown='return !window.no'>a</button><button id=b>b</button>")
    focus(page, "a")
    sequencer = KeySequencer("linux")
    send_keys(page, sequencer.hold("space")[1])
    assert page.run("window.n ?? 0") == 0
    send_keys(page, sequencer.release(["space"]))
    assert page.run("n") == 1
    page.run("window.n = 0; window.no = true")
    press(page, "space")
    page.run("window.no = false")
    send_keys(page, sequencer.hold("space")[1])
    focus(page, "b")
    send_keys(page, sequencer.release(["space"]))
    assert page.run("n") == 0


def test_a_select_goes_by_arrows_and_letters(show: Any) -> None:
    page = show("<select id=s><option>Apple<option>Banana<option disabled>Cherry<option>Date<option>Blueberry</select>"
                "<script>window.told = []; s.oninput = s.onchange = (e) => told.push(e.type)</script>")  # fmt: skip
    focus(page, "s")
    seen = []
    for key in ("arrowdown", "arrowdown", "arrowup", "end", "home", "pagedown"):
        press(page, key)
        seen.append(page.run("s.value"))
    assert seen == ["Banana", "Date", "Banana", "Blueberry", "Apple", "Blueberry"]
    page.run("s.value = 'Apple'; told.splice(0)")
    press(page, "b", "l")
    assert page.run("[s.value, told.join(' ')]") == ["Blueberry", "input change input change"]
    press(page, "end")
    assert page.run("told.length") == 4


def test_radio_buttons_and_sliders(show: Any) -> None:
    page = show(
        "<input type=radio name=r id=a checked><input type=radio name=r id=b disabled><input type=radio name=r id=c>"
        "<input type=radio name=other id=o><input type=range id=g max=20 value=10><input type=number id=n value=3 max=4>"
    )
    focus(page, "a")
    press(page, "arrowdown")
    assert (focused(page), page.run("c.checked")) == ("c", True)
    press(page, "arrowright")
    assert (focused(page), page.run("a.checked")) == ("a", True)
    focus(page, "g")
    seen = []
    for key in ("arrowright", "arrowdown", "pageup", "home", "end"):
        press(page, key)
        seen.append(page.run("g.value"))
    assert seen == ["11", "10", "12", "0", "20"]
    focus(page, "n")
    press(page, "arrowup", "arrowup")
    assert page.run("n.value") == "4"


def test_tab_goes_round(show: Any) -> None:
    page = show(
        "<a id=a href=#>a</a><input id=h hidden><input id=i value=text><button id=d disabled>d</button>"
        "<input type=radio name=r id=r1><input type=radio name=r id=r2 checked><div id=x tabindex=-1>x</div>"
        "<p inert><button id=n>n</button></p><div id=host></div><p id=p tabindex=0>p</p><button id=first tabindex=1>f</button>"
        "<script>host.attachShadow({mode: 'open'}).innerHTML = '<button id=s>s</button>'</script>"
    )
    seen = []
    for _ in range(7):
        press(page, "tab")
        seen.append(focused(page))
    assert seen == ["first", "a", "i", "r2", "host", "p", "first"]
    press(page, "shift+tab", "shift+tab")
    assert focused(page) == "host"
    focus(page, "i")
    press(page, "shift+tab", "tab")
    assert page.run("[i.selectionStart, i.selectionEnd]") == [0, 4]
    focus(page, "x")
    press(page, "tab")
    assert focused(page) == "host"


def test_tab_stays_in_a_modal_dialog_and_escape_closes_it(show: Any) -> None:
    page = show(
        "<button id=o>o</button><dialog id=d><button id=a>a</button><button id=b>b</button></dialog>"
        "<div id=p popover>pop</div><script>d.showModal(); d.oncancel = () => { window.cancelled = 1 }</script>"
    )
    press(page, "tab", "tab")
    assert focused(page) == "a"
    page.run("p.showPopover()")
    press(page, "escape")
    assert page.run("[d.open, window.cancelled]") == [False, 1]
    press(page, "escape")
    assert page.run("p.matches(':popover-open')") is False


def test_tab_begins_where_the_mouse_was(show: Any) -> None:
    page = show("<button id=a>a</button><p id=p>text</p><button id=b>b</button>")
    place = page.do("locate", selector="#p", purpose="any")
    page.do("pointer", kind="click", x=place["x"], y=place["y"])
    press(page, "tab")
    assert focused(page) == "b"


def test_keys_for_nothing_scroll(show: Any) -> None:
    page = show("<div style='height:5000px'></div>")
    view = page.run("innerHeight")
    press(page, "arrowdown")
    assert page.run("scrollY") == 40
    press(page, "end")
    assert page.run("scrollY") == 5000 + 16 - view or page.run("scrollY") > 4000
    press(page, "home", "space")
    assert page.run("scrollY") == pytest.approx(0.8 * view, abs=2)
    press(page, "shift+space", "pagedown", "pageup")
    assert page.run("scrollY") == 0


def test_the_clipboard_is_not_for_scripts(show: Any) -> None:
    page = show("<input id=i value=text>")
    focus(page, "i")
    told = press(page, "control+a", "control+c", "delete")
    assert told["missing"] == "clipboard"
    assert told["done"] == 4 + 2
    assert page.run("i.value") == "text"
    page.run("i.onkeydown = () => false")
    assert "missing" not in press(page, "control+v")


def test_shortcuts_type_nothing(show: Any) -> None:
    page = show("<input id=i>")
    focus(page, "i")
    press(page, "control+shift+k", "alt+a", "meta+a")
    assert page.run("i.value") == ""


def test_the_focus_may_move_on_while_typing(show: Any) -> None:
    page = show("<input id=a maxlength=1 oninput='b.focus()'><input id=b>")
    focus(page, "a")
    write(page, "12")
    assert page.run("[a.value, b.value]") == ["1", "2"]


def test_a_promise_of_the_page_settles_between_two_keys(show: Any) -> None:
    page = show("<input id=i oninput='Promise.resolve().then(() => { i.value = i.value.toUpperCase() })'>")
    focus(page, "i")
    write(page, "abc")
    assert page.run("i.value") == "ABC"


def test_frames(show: Any) -> None:
    page = show("<iframe id=f src='/inner'></iframe>", inner="<input id=i>")
    page.run("f.contentDocument.getElementById('i').focus()")
    assert write(page, "in")["frame"] is None
    assert page.run("f.contentDocument.getElementById('i').value") == "in"
    page = show(f"<input id=i><iframe id=f src='{page.other}/inner'></iframe>", inner="<input id=i>")
    focus(page, "i")
    told = press(page, "a", "tab", "b")
    assert (told["done"], told["frame"]) == (3, -1)
    assert page.run("i.value") == "a"


def test_bad_requests(show: Any) -> None:
    page = show("")
    assert page.refusal("keys") == "INVALID_REQUEST events must be a list"
    assert page.refusal("keys", events=[{"kind": "hold"}]) == "INVALID_REQUEST no such kind: hold"
