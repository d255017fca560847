"""locate: where to press, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.scanner import ENTRY

AT = "position:fixed;left:100px;top:100px;width:200px;height:40px"


def test_the_centre_of_a_free_element(show: Any) -> None:
    page = show(f"<button style='{AT}'>Press</button>")
    data = page.do("locate", id=page.number("Press"))
    assert (data["x"], data["y"], data["tag"], data["type"]) == (200, 120, "button", "button")
    assert data["rect"] == {"x": 100, "y": 100, "width": 200, "height": 40}
    assert page.do("locate", selector="button")["x"] == 200
    assert page.do("locate", selector="button", offset={"x": 10, "y": -5})["x"] == 210


def test_covered_says_by_what(show: Any) -> None:
    page = show(f"<button style='{AT}'>Press</button><div id=shade style='position:fixed;inset:0'>We use cookies</div>")
    answer = page.answer("locate", selector="button")
    assert answer["code"] == "ELEMENT_NOT_INTERACTABLE"
    assert answer["data"] == {"covered_by": 'div#shade "We use cookies"'}
    assert page.do("locate", selector="button", force=True)["x"] == 200


@pytest.mark.parametrize(
    "dialog",
    [
        "<div role=dialog style='position:fixed;inset:0'>{}</div>",
        "<div class=modal-wrap style='position:fixed;inset:0'><div style='position:fixed;inset:9px'>{}</div></div>",
        "<div style='position:fixed;inset:0;z-index:2'></div><div role=dialog style='position:fixed;z-index:3'>{}</div>",
    ],
    ids=["dialog", "by class", "backdrop beside it"],
)
def test_the_buttons_of_a_dialog_that_covers(show: Any, dialog: str) -> None:
    buttons = "<button>Keep</button><a href=#>More</a><button hidden>No</button><button>Keep</button>" + "".join(
        f"<button>{number}</button>" for number in range(9)
    )
    page = show(f"<button id=under style='{AT}'>Press</button>{dialog.format(buttons)}")
    answer = page.answer("locate", selector="#under")
    assert answer["code"] == "ELEMENT_NOT_INTERACTABLE"
    assert answer["data"]["buttons"] == ["Keep", "More", "0", "1"]


def test_a_layer_without_buttons_names_none(show: Any) -> None:
    page = show(
        f"<button id=under style='{AT}'>Press</button><div style='position:fixed;inset:0'>Wait</div>"
        "<div role=dialog hidden><button>Close</button></div>"
    )
    assert "buttons" not in page.answer("locate", selector="#under")["data"]


@pytest.mark.parametrize(
    "layer",
    [
        "<header style='position:fixed;top:90px;left:0;right:0;height:60px'>Shop <a href=#>Home</a></header>",
        "<div style='position:absolute;left:50px;top:50px;width:400px;height:200px'>Pane <button>Sort</button></div>",
        "<i style='position:fixed;left:90px;top:90px;width:220px;height:60px'></i>",
    ],
    ids=["header", "pane", "empty box"],
)
def test_what_is_no_dialog_has_no_buttons_of_one(show: Any, layer: str) -> None:
    chat = "<div role=dialog style='position:fixed;right:0;bottom:0'><button>Send</button></div>"
    page = show(f"<button id=under style='{AT}'>Press</button>{chat}{layer}")
    answer = page.answer("locate", selector="#under")
    assert answer["code"] == "ELEMENT_NOT_INTERACTABLE"
    assert "buttons" not in answer["data"]


def test_a_cookie_banner_names_its_buttons(show: Any) -> None:
    page = show(
        f"<button id=under style='{AT}'>Press</button><div id=consent style='position:fixed;top:90px;left:0;right:0;"
        "height:60px'>We use cookies <button>Reject</button><button>Accept</button></div>"
    )
    assert page.answer("locate", selector="#under")["data"]["buttons"] == ["Reject", "Accept"]


def test_another_point_when_the_centre_is_covered(show: Any) -> None:
    page = show(
        f"<button style='{AT}'>Press</button><i style='position:fixed;left:150px;top:90px;width:100px;height:60px'></i>"
    )
    data = page.do("locate", selector="button")
    assert page.run(f"document.elementFromPoint({data['x']}, {data['y']}).localName") == "button"


def test_points_are_whole_pixels_of_the_page(show: Any) -> None:
    page = show(
        "<button style='position:fixed;left:10.4px;top:10.7px;width:33.3px;height:21.9px'>a</button>"
        "<iframe src=/inner style='position:fixed;left:100.3px;top:50.6px;border:0'></iframe>",
        inner="<body style='margin:0'><button style='width:33px;height:21px'>b</button>",
    )
    for name in ("a", "b"):
        data = page.do("locate", id=page.number(name))
        assert round(data["x"], 6) % 1 == 0 and round(data["y"], 6) % 1 == 0, name


def test_a_link_over_two_lines(show: Any) -> None:
    page = show(
        "<p style='width:300px;font:20px monospace'>some text before <a href=#>a link that breaks</a> after</p>"
    )
    data = page.do("locate", selector="a")
    assert page.run(f"document.elementFromPoint({data['x']}, {data['y']}).localName") == "a"


def test_children_hosts_and_labels_count_as_the_element(show: Any) -> None:
    page = show(
        f"<button id=a style='{AT}'><span style='display:block;height:100%'>in</span></button><div id=host></div>"
        "<label style='display:block;width:300px;position:relative'>Agree <input type=checkbox id=c>"
        "<span style='position:absolute;inset:0'></span></label>"
    )
    page.run("host.attachShadow({mode: 'open'}).innerHTML = '<button>in the shadow</button>'")
    assert page.do("locate", selector="#a")["x"] == 200
    assert page.do("locate", id=page.number("in the shadow"))["tag"] == "button"
    assert page.do("locate", selector="#c")["tag"] == "input"


def test_hidden_native_box_is_pressed_by_its_label(show: Any) -> None:
    page = show("<input type=radio id=r style='display:none'><label for=r>Choice</label>")
    assert page.do("locate", selector="#r")["tag"] == "label"


def test_scrolls_into_view(show: Any) -> None:
    page = show(
        "<div style='height:3000px'></div><div style='height:100px;overflow:auto'><p style='height:900px'></p><button>Deep</button></div>"
    )
    data = page.do("locate", selector="button")
    assert 0 < data["y"] < 720
    assert page.run(f"document.elementFromPoint({data['x']}, {data['y']}).localName") == "button"
    page.run("scrollTo(0, 0)")
    assert page.answer("locate", selector="button", scroll_into_view=False)["code"] == "ELEMENT_NOT_VISIBLE"


def test_refusals(show: Any) -> None:
    page = show(
        "<button id=a hidden>a</button><button id=b disabled>b</button><fieldset disabled><input id=c></fieldset>"
    )
    assert page.refusal("locate", selector="#a") == "ELEMENT_NOT_VISIBLE the element is not visible"
    assert page.refusal("locate", selector="#b") == "ELEMENT_DISABLED the element is disabled"
    assert page.refusal("locate", selector="#c", purpose="type") == "ELEMENT_DISABLED the element is disabled"
    assert page.do("locate", selector="#b", purpose="hover")["tag"] == "button"
    assert page.refusal("locate") == "INVALID_REQUEST id or selector is required"
    assert page.refusal("locate", selector="#none") == "ELEMENT_NOT_FOUND no element matches #none"


def test_waits_for_an_animation_to_rest(show: Any) -> None:
    page = show(
        "<style>@keyframes slide { from { transform: translateX(600px) } }</style>"
        f"<button style='{AT};animation:slide .2s linear'>Press</button>"
    )
    assert page.do("locate", selector="button")["x"] == 200
    endless = show(
        f"<style>@keyframes spin {{ to {{ rotate: 360deg }} }}</style><button style='{AT};animation:spin 1s infinite'>x</button>"
    )
    answer = endless.answer("locate", selector="button", timeout=600_000)  # longer than a test may take
    assert answer["ok"]


@pytest.mark.parametrize("move", ["rotate: 360deg", "scale: 1.5"])
def test_an_element_that_rotates_or_scales_about_its_center_can_be_pressed(show: Any, move: str) -> None:
    """However fast: the frames of a busy machine are few and far apart."""
    style = f"<style>@keyframes move {{ to {{ {move} }} }}</style>"
    page = show(f"{style}<button style='{AT};animation:move .2s infinite'>x</button>")
    for _ in range(5):
        data = page.do("locate", selector="button")
        assert (round(data["x"]), round(data["y"])) == (200, 120)


def test_points_of_frames_are_points_of_the_page(show: Any) -> None:
    page = show(
        "<iframe src=/inner style='position:fixed;left:50px;top:60px;width:300px;height:200px;border:7px solid;padding:3px'></iframe>",
        inner=f"<body style='margin:0'><button style='{AT.replace('100px', '10px')}'>Press</button>",
    )
    data = page.do("locate", id=page.number("Press"))
    assert (data["x"], data["y"]) == (50 + 7 + 3 + 110, 60 + 7 + 3 + 30)
    page.run(
        "document.body.insertAdjacentHTML('beforeend', '<div id=shade style=\"position:fixed;inset:0;z-index:9\">x</div>')"
    )
    assert page.answer("locate", id=page.number("Press"))["data"] == {"covered_by": 'div#shade "x"'}


def test_prepare(show: Any) -> None:
    page = show(
        "<input id=a value=old><input id=b type=date><textarea id=c readonly></textarea><button id=d>d</button>"
        "<div id=e contenteditable>text</div><input id=f disabled><label id=g>in <input></label><input id=h hidden>"
    )
    assert page.do("prepare", selector="#a", clear=True) == {
        "mode": "keys",
        "empty": False,
        "control": True,
        "lines": False,
    }
    assert page.run("document.activeElement.id + getSelection().toString()") == "aold"
    page.do("prepare", selector="#a", clear=False)
    assert page.run("a.selectionStart") == 3
    assert page.do("prepare", selector="#b")["mode"] == "set"
    assert page.do("prepare", selector="#e", clear=True)["mode"] == "editor"
    assert page.run("getSelection().toString()") == "text"
    assert page.do("prepare", selector="#g")["empty"] is True
    assert page.refusal("prepare", selector="#c") == "ELEMENT_DISABLED the field is read-only"
    assert page.refusal("prepare", selector="#f") == "ELEMENT_DISABLED the field is disabled"
    assert page.refusal("prepare", selector="#d") == "INVALID_ELEMENT_TYPE a button can't be typed into"
    assert page.refusal("prepare", selector="#h") == "ELEMENT_NOT_VISIBLE the element is not visible"


@pytest.mark.parametrize(
    ("change", "is_awaited"),
    [
        ("p.textContent += 1", False),
        ("p.firstChild.data += 1", False),
        ("p.append(document.createElement('b'))", True),
        ("p.style.width = '9px'", True),
    ],
)
def test_a_change_of_text_alone_is_no_motion(show: Any, change: str, is_awaited: bool) -> None:
    page = show("<p id=p>1</p><button>Press</button>")
    located = f"{ENTRY}(JSON.stringify({{cmd: 'locate', selector: 'button'}}), true)"
    page.in_page(f"{located}; 0")
    assert page.run(f"{change}; {located} instanceof Promise") is is_awaited


def test_whether_the_mouse_is_there_already(show: Any) -> None:
    page = show(f"<button style='{AT}'>Press <b style='position:absolute;left:0'>here</b></button>")
    assert page.do("locate", selector="button")["hovered"] is False
    page.move_mouse(200, 120)
    assert page.do("locate", selector="button")["hovered"] is True
    page.move_mouse(105, 120)
    assert page.do("locate", selector="b")["hovered"] is True
    assert page.do("locate", selector="button")["hovered"] is False


@pytest.mark.parametrize("style", ["clip:rect(0,0,0,0)", "pointer-events:none"])
def test_a_box_that_takes_no_presses_is_pressed_by_its_label(show: Any, style: str) -> None:
    page = show(
        f"<div style='position:relative'><input type=radio name=r id=a style='position:absolute;{style}'>"
        f"<label for=a style='display:block;{AT}'>Day</label>"
        f"<input type=radio name=r id=b style='position:absolute;{style}'>"
        f"<label for=b style='display:block;{AT};left:400px'>Week</label></div>"
    )
    assert page.names() == ["Day", "Week"]
    assert page.do("locate", id=page.number("Week"))["x"] == 500


def test_a_transparent_box_over_what_is_drawn_for_it_is_pressed_itself(show: Any) -> None:
    box = "<input type=checkbox aria-label='{}' style='position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0'>"
    page = show(
        f"<span style='{AT}'>{box.format('Drawn')}<svg width=200 height=40><path d='M0 0h10v10z'/></svg></span>"
        f"<span style='position:relative'>{box.format('Undrawn')}</span>"
    )
    assert page.names() == ["Drawn"]
    assert page.do("locate", id=page.number("Drawn"))["x"] == 200


def test_a_transparent_field_under_its_combo_box_is_pressed_through_it(show: Any) -> None:
    page = show(
        f"<div style='{AT}'><div style='background:#eee;height:40px'><input role=combobox aria-label=Tags readonly"
        " style='position:absolute;inset:0;width:100%;z-index:-1;opacity:0'></div></div>"
    )
    assert page.do("locate", id=page.number("Tags"))["y"] > 100
