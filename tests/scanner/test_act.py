"""The commands that act with dispatched events (docs/spec/scanner-protocol.md#commands-that-act)."""

from __future__ import annotations

from typing import Any

# The browser says where its own mouse is once the page is drawn; only what the scanner sends is logged.
LOG = (
    "window.log = []; for (const kind of '%s'.split(' ')) document.addEventListener(kind, (e) => {"
    " if (!(e.isTrusted && e instanceof MouseEvent)) log.push(e.type + (e.detail > 1 ? e.detail : '')) }, true)"
)


def logged(page: Any, kinds: str) -> None:
    page.run(LOG % kinds)


def log(page: Any) -> str:
    return str(page.run("log.splice(0).join(' ')"))


def test_click_sends_the_events_of_a_mouse(show: Any) -> None:
    page = show("<button id=b>Press</button>")
    logged(
        page,
        "pointerover mouseover pointermove mousemove pointerdown mousedown focusin pointerup mouseup click dblclick contextmenu auxclick",
    )
    data = page.do("click", selector="#b")
    assert (data["action"], data["selector"], data["navigation"]) == ("click", "#b", False)
    assert (
        log(page) == "pointerover mouseover pointermove mousemove pointerdown mousedown focusin pointerup mouseup click"
    )
    page.do("click", selector="#b", click_count=2)
    assert log(page).endswith("mouseup click pointerdown mousedown2 pointerup mouseup2 click2 dblclick2")
    page.do("click", selector="#b", button="right")
    assert log(page).endswith("mouseup contextmenu")
    assert page.refusal("click", selector="#b", button="fourth") == "INVALID_REQUEST no such button: fourth"


def test_click_reports_what_changed(show: Any) -> None:
    page = show(
        "<button onclick=\"document.body.append('x', 'y'); this.title = 't'\">a</button><a href='#there'>go</a>"
    )
    assert page.do("click", selector="button")["changes"] == {"added": 2, "removed": 0, "modified": 1}
    assert page.do("click", selector="a")["navigation"] is True


def test_click_works_on_links_boxes_and_forms(show: Any) -> None:
    page = show(
        "<label>Agree <input type=checkbox id=c></label><form onsubmit='window.sent = 1; return false'><button>Send</button></form>"
    )
    page.do("click", selector="label")
    assert page.run("c.checked") is True
    page.do("click", selector="button", modifiers=["Control"])
    assert page.run("window.sent") == 1


def test_hover_and_focus(show: Any) -> None:
    page = show(
        "<p id=p onmouseenter='window.over = 1' style='width:50px'>x</p><input id=i><div id=d>plain</div><button id=b disabled>n</button>"
    )
    page.do("hover", selector="#p")
    assert page.run("window.over") == 1
    page.do("focus", selector="#i")
    assert page.run("document.activeElement.id") == "i"
    assert page.refusal("focus", selector="#d") == "ELEMENT_NOT_INTERACTABLE a div does not take the focus"
    assert page.refusal("focus", selector="#b") == "ELEMENT_DISABLED the element is disabled"


def test_submit(show: Any) -> None:
    page = show(
        "<form id=f onsubmit='window.by = event.submitter && event.submitter.value; return false'><input id=i name=n>"
        "<button name=go value=first>x</button></form><form id=other><input></form><p id=p>out</p>"
    )
    assert page.do("submit", selector="#i")["valid"] is True
    assert page.run("window.by") == "first"
    assert page.refusal("submit", selector="#p") == "INVALID_ELEMENT_TYPE the element is in no form"
    assert page.refusal("submit") == "INVALID_ELEMENT_TYPE no field of a form has the focus"
    page.do("focus", selector="#i")
    assert page.do("submit")["action"] == "submit"


def test_submit_means_the_only_form_where_nothing_has_the_focus(show: Any) -> None:
    page = show("<form onsubmit='window.sent = true; return false'><input></form><form hidden></form>")
    page.do("submit")
    assert page.run("window.sent") is True


def test_scroll(show: Any) -> None:
    page = show(
        "<div style='height:5000px;width:3000px'></div><div id=box style='height:100px;overflow:auto'><p style='height:900px'>x</p></div>"
    )
    assert page.do("scroll", direction="down", amount=300)["scroll"]["y"] == 300
    assert page.do("scroll", direction="right", amount=50)["scroll"]["x"] == 50
    assert page.do("scroll", direction="up")["scroll"]["y"] == 0
    assert page.do("scroll", direction="down", container="#box", amount=40)["scroll"]["y"] == 40
    inner = page.find({"css": "#box p"})[0]["id"]
    assert page.do("scroll", direction="down", id=inner, amount=5)["scroll"]["y"] == 45
    assert page.do("scroll", element=inner)["scroll"]["y"] > 4000
    assert page.refusal("scroll", direction="sideways") == "INVALID_REQUEST no such direction: sideways"


def test_scroll_finds_the_page_s_own_scroller(show: Any) -> None:
    page = show(
        "<body style='margin:0;overflow:hidden'><main style='height:100vh;overflow:auto'><p style='height:4000px'>x</p></main>"
    )
    assert page.do("scroll", direction="down", amount=100)["scroll"]["y"] == 100


def test_type_sends_keys_and_input(show: Any) -> None:
    page = show("<input id=a value=old maxlength=3><textarea id=t></textarea>")
    logged(page, "keydown keypress beforeinput input keyup change")
    data = page.do("type", selector="#a", text="abcd")
    assert data["value"] == "abc"
    assert log(page) == (
        "beforeinput input keydown keypress beforeinput input keyup keydown keypress beforeinput input keyup "
        "keydown keypress beforeinput input keyup keydown keypress keyup change"
    )
    page.do("type", selector="#t", text="one\ntwo")
    assert page.do("type", selector="#t", text="!", clear=False)["value"] == "one\ntwo!"


def test_type_respects_a_page_that_refuses(show: Any) -> None:
    page = show("<input id=a><input id=b>")
    page.run(
        "a.onkeydown = (e) => { if (e.key === 'x') e.preventDefault() }; b.addEventListener('beforeinput', (e) => e.preventDefault())"
    )
    assert page.do("type", selector="#a", text="axb")["value"] == "ab"
    assert page.do("type", selector="#b", text="axb")["value"] == ""


def test_type_goes_past_a_framework_s_value(show: Any) -> None:
    page = show("<input id=a>")
    page.run(
        "window.seen = ''; Object.defineProperty(a, 'value', {get: () => 'shadowed', set() {}}); a.oninput = () => { seen += '.' }"
    )
    assert page.do("type", selector="#a", text="hi")["value"] == "hi"
    assert page.run("seen") == ".."


def test_type_sets_dates_and_edits_rich_text(show: Any) -> None:
    page = show("<input type=date id=d><input type=range id=r><div id=e contenteditable>old</div>")
    assert page.do("type", selector="#d", text="2026-11-21")["value"] == "2026-11-21"
    assert (
        page.refusal("type", selector="#d", text="tomorrow")
        == "INVALID_ELEMENT_TYPE not a value of a date field: tomorrow"
    )
    assert page.do("type", selector="#r", text="70")["value"] == "70"
    assert page.do("type", selector="#e", text="new")["value"] == "new"


def test_clear(show: Any) -> None:
    page = show("<input id=a value=x><div id=e contenteditable>x</div>")
    logged(page, "input change")
    assert page.do("clear", selector="#a")["value"] == ""
    assert log(page) == "input change"
    assert page.do("clear", selector="#e")["value"].strip() == ""


def test_check_and_uncheck(show: Any) -> None:
    page = show(
        "<input type=checkbox id=c><input type=radio name=r id=r><div role=checkbox aria-checked=false tabindex=0 id=w "
        "onclick=\"this.setAttribute('aria-checked', this.getAttribute('aria-checked') === 'false')\">w</div>"
        "<input type=checkbox id=h style='opacity:0;position:absolute'><label for=h>drawn</label><p id=p>x</p>"
    )
    logged(page, "click change")
    for selector in ("#c", "#r", "#w", "#h"):
        data = page.do("check", selector=selector)
        assert (data["checked"], data["changed"]) == (True, True), selector
    assert page.do("check", selector="#c")["changed"] is False
    assert page.do("uncheck", selector="#c")["checked"] is False
    assert page.refusal("uncheck", selector="#r").startswith("INVALID_ELEMENT_TYPE a radio button can't be unchecked")
    assert page.refusal("check", selector="#p") == "INVALID_ELEMENT_TYPE it can't be checked: p"


def test_select(show: Any) -> None:
    page = show(
        "<select id=s><option value=fr>France<option value=es>Spain<option disabled>Atlantis</select><p id=p>x</p>"
    )
    logged(page, "input change")
    assert page.do("select", selector="#s", text="spain") == {
        "action": "select",
        "id": 1,
        "value": "es",
        "text": "Spain",
        "previous": "France",
        "chosen": ["Spain"],
    }
    assert log(page) == "input change"
    assert page.do("select", selector="#s", value="fr")["text"] == "France"
    assert page.do("select", selector="#s", index=1)["text"] == "Spain"
    assert page.do("select", selector="#s", values=["France"])["text"] == "France"
    assert page.refusal("select", selector="#s", text="Mars") == 'OPTION_NOT_FOUND no option "Mars"'
    assert page.answer("select", selector="#s", text="Mars")["data"] == {
        "options": ["France", "Spain"],
        "count": 2,
    }
    assert page.refusal("select", selector="#s", index=9) == "OPTION_NOT_FOUND no option 9"
    assert page.refusal("select", selector="#s", text="Atlantis").startswith("ELEMENT_DISABLED")
    assert page.refusal("select", selector="#s").startswith("INVALID_REQUEST one of")
    assert page.refusal("select", selector="#p", text="x") == "INVALID_ELEMENT_TYPE a p has no options"


def test_select_several(show: Any) -> None:
    page = show("<select id=s multiple><option>a<option selected>b<option>c</select>")
    assert page.do("select", selector="#s", values=["a", "c"])["texts"] == ["a", "c"]
    assert page.run("[...s.selectedOptions].map(o => o.text).join('')") == "ac"
    assert page.do("get_value", id=1)["value"] == ["a", "c"]
