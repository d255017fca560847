"""`verify` of a press: what has become of the press that `locate` was told of."""

from __future__ import annotations

from typing import Any

BUTTONS = """<div id=gap></div><button id=keep style="display:block;height:40px">Keep</button>
<button id=drop style="display:block;height:40px">Drop</button><p style="height:40px">Words</p>"""


def press(show: Any, html: str, script: str = "0") -> dict[str, Any]:
    """Locate the button "Keep", run a script, press where it was, and verify that."""
    page = show(html)
    number = page.number("Keep")
    place = page.do("locate", id=number, presses=1)
    page.run(script)
    page.press_mouse(place["x"], place["y"])
    return dict(page.do("verify", id=number, expects={"kind": "pressed"}))


def test_a_press_that_reaches_its_element(show: Any) -> None:
    assert press(show, BUTTONS) == {"holds": True}


def test_a_press_on_another_control_is_not_to_be_made_again(show: Any) -> None:
    verdict = press(show, BUTTONS, "document.body.prepend(document.getElementById('drop'))")
    assert verdict["now"] == 'button#drop "Drop" was pressed instead'
    assert (verdict["fate"], verdict["again"]) == ("missed", False)


def test_a_press_on_what_is_no_control_may_be_made_again(show: Any) -> None:
    verdict = press(show, BUTTONS, "document.getElementById('gap').style.height = '60px'")
    assert (verdict["fate"], verdict["again"]) == ("missed", True)


def test_of_a_press_that_nobody_has_seen_nothing_is_said(show: Any) -> None:
    page = show(BUTTONS)
    assert page.do("verify", id=page.number("Keep"), expects={"kind": "pressed"})["gone"]


def test_an_element_that_has_gone_and_one_that_was_replaced(show: Any) -> None:
    gone = BUTTONS + "<script>keep.onmousedown = () => keep.remove()</script>"
    assert press(show, gone) == {"holds": False, "gone": True}
    replaced = BUTTONS + "<script>keep.onmousedown = () => keep.replaceWith(keep.cloneNode(true))</script>"
    assert press(show, replaced)["fate"] == "replaced"
