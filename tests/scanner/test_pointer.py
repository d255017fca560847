"""The mouse that the scanner dispatches itself: its events, and what a browser does for them."""

from __future__ import annotations

from typing import Any

# The browser says where its own mouse is once the page is drawn: such events are trusted, and not logged.
LOG = """<script>
  window.log = [];
  window.isDispatched = (e) => !(e.isTrusted && e instanceof MouseEvent);
  const about = (e) => e.type + ':' + (e.target.id || e.target.nodeName || 'window').toLowerCase();
  window.hear = (kinds) => kinds.split(' ').forEach((kind) => addEventListener(kind, (e) => {
    if (isDispatched(e) && log[log.length - 1] !== about(e)) log.push(about(e));
  }, true));
</script>"""


def log(page: Any) -> str:
    return str(page.run("log.splice(0).join(' ')"))


def point(page: Any, selector: str) -> dict[str, float]:
    data = page.do("locate", selector=selector, purpose="any", force=True)
    return {"x": data["x"], "y": data["y"]}


def click(page: Any, selector: str, **parameters: Any) -> dict[str, Any]:
    return dict(page.do("pointer", kind="click", **point(page, selector), **parameters))


def drag(page: Any, start: dict[str, float], end: dict[str, float], last: str = "up") -> None:
    page.do("pointer", kind="down", **start)
    for share in (0.2, 0.6, 1):
        at = {key: start[key] + (end[key] - start[key]) * share for key in start}
        page.do("pointer", kind="move", **at, captured=True)
    page.do("pointer", kind=last, **end, captured=True)


def test_a_click_is_what_a_hand_makes(show: Any) -> None:
    page = show(LOG + "<button id=b>Press</button>")
    page.run("hear('pointermove mousemove pointerdown mousedown focusin pointerup mouseup click auxclick contextmenu')")
    told = click(page, "#b")
    assert told == {"frame": None, "opened": [], "chooser": False}
    assert log(page) == ("pointermove:b mousemove:b pointerdown:b mousedown:b focusin:b pointerup:b mouseup:b click:b")
    click(page, "#b", button="middle")
    assert log(page).endswith("mouseup:b auxclick:b")
    click(page, "#b", button="right")
    assert log(page).endswith("mousedown:b contextmenu:b pointerup:b mouseup:b auxclick:b")


def test_counts_buttons_and_modifiers(show: Any) -> None:
    page = show(
        "<button id=b>Press</button><script>window.seen = []; onclick = ondblclick = (e) =>"
        " seen.push([e.type, e.detail, e.button, e.shiftKey, e.ctrlKey, e instanceof PointerEvent])</script>"
    )
    click(page, "#b", count=2, modifiers=["shift"])
    assert page.run("seen") == [
        ["click", 1, 0, True, False, True],
        ["click", 2, 0, True, False, True],
        ["dblclick", 2, 0, True, False, False],
    ]  # fmt: skip


def test_only_what_the_mouse_comes_over_and_leaves_hears_of_it(show: Any) -> None:
    page = show(
        LOG + "<style>div {padding: 20px; width: 200px}</style><div id=o><div id=a>a</div><div id=b>b</div></div>"
    )
    page.run(
        "[o, a, b].forEach(each => { for (const kind of ['enter', 'leave', 'over', 'out'])"
        " each.addEventListener('mouse' + kind, e => isDispatched(e) && log.push(kind + ':' + each.id)) })"
    )
    page.do("pointer", kind="move", **point(page, "#a"))
    assert log(page) == "over:a over:o enter:o enter:a"
    page.do("pointer", kind="move", **point(page, "#b"))
    assert log(page) == "out:a out:o leave:a over:b over:o enter:b"


def test_a_press_moves_the_focus_also_away(show: Any) -> None:
    page = show("<input id=i><label id=l for=c>box</label><input type=checkbox id=c><p id=p>text</p>")
    click(page, "#i")
    assert page.run("document.activeElement.id") == "i"
    click(page, "#l")
    assert page.run("[document.activeElement.id, c.checked]") == ["c", True]
    click(page, "#p")
    assert page.run("document.activeElement === document.body")


def test_what_the_page_refuses(show: Any) -> None:
    page = show(
        LOG + "<input id=i onmousedown='return false'><button id=b onpointerdown='event.preventDefault()'>b</button>"
        "<button id=d disabled>d</button>"
    )
    page.run("hear('mousedown mouseup click')")
    click(page, "#i")
    assert page.run("document.activeElement === document.body")
    log(page)
    click(page, "#b")
    assert log(page) == "click:b"
    click(page, "#d")
    assert log(page) == ""


def test_a_click_needs_both_ends_of_the_press(show: Any) -> None:
    page = show(LOG + "<div id=o><button id=a>a</button><button id=b>b</button></div>")
    page.run("hear('click')")
    page.do("pointer", kind="down", **point(page, "#a"))
    page.do("pointer", kind="up", **point(page, "#b"))
    assert log(page) == "click:o"
    page.do("pointer", kind="up", **point(page, "#b"))
    assert log(page) == ""


def test_links_into_new_tabs_are_handed_over(show: Any) -> None:
    page = show(
        "<a id=n target=_blank href='/x'>new</a> <a id=h href='#here'>here</a> <a id=m href='mailto:x@y'>mail</a>"
        " <a id=r target=_blank href='/y' onclick='return false'>no</a>"
    )
    url = page.base + "/x"
    assert click(page, "#n")["opened"] == [url]
    assert click(page, "#n", modifiers=["control"])["opened"] == [url]
    assert click(page, "#n", button="middle")["opened"] == [url]
    assert click(page, "#r")["opened"] == []
    assert click(page, "#h")["opened"] == []
    assert page.run("location.hash") == "#here"


def test_a_field_that_asks_for_files_says_so(show: Any) -> None:
    page = show("<input type=file id=f><button id=b onclick='f.click()'>choose</button>")
    assert click(page, "#f")["chooser"] is True
    assert click(page, "#b")["chooser"] is True


def test_a_list_that_is_open(show: Any) -> None:
    page = show(
        "<select id=m multiple><option>a<option>b<option>c</select><script>window.told = [];"
        "m.oninput = m.onchange = (e) => told.push(e.type)</script>"
    )
    click(page, "#m option:nth-child(2)")
    assert page.run("[[...m.selectedOptions].map(o => o.text), told.splice(0)]") == [["b"], ["input", "change"]]
    click(page, "#m option:nth-child(3)", modifiers=["control"])
    assert page.run("[...m.selectedOptions].map(o => o.text)") == ["b", "c"]
    click(page, "#m option:nth-child(1)")
    assert page.run("[...m.selectedOptions].map(o => o.text)") == ["a"]


def test_a_slider_comes_to_the_mouse(show: Any) -> None:
    page = show(
        "<input type=range id=r min=0 max=10 value=5 style='width:200px;margin:0'><script>window.told = [];"
        "r.oninput = r.onchange = (e) => told.push(e.type + r.value)</script>"
    )
    middle = point(page, "#r")
    drag(page, middle, {"x": middle["x"] + 60, "y": middle["y"]})
    assert page.run("r.value") == "8"
    assert page.run("told[told.length - 1]") == "change8"


def test_the_cursor_and_what_is_chosen(show: Any) -> None:
    page = show("<p id=p style='width:max-content'>Some words here</p>")
    left, top, width, height = page.run("(({x, y, width, height}) => [x, y, width, height])(p.getBoundingClientRect())")
    drag(page, {"x": left + 1, "y": top + height / 2}, {"x": left + width - 1, "y": top + height / 2})
    assert page.run("getSelection().toString()") == "Some words here"
    page.do("pointer", kind="click", x=left + width / 2, y=top + height / 2, count=2)
    assert page.run("getSelection().toString().trim()") == "words"
    page.do("pointer", kind="click", x=left + 2, y=top + height / 2)
    page.do("pointer", kind="click", x=left + width - 1, y=top + height / 2, modifiers=["shift"])
    assert page.run("getSelection().toString()") == "Some words here"


DRAGGED = (
    LOG
    + """<style>div {width: 80px; height: 80px; margin: 20px}</style>
  <div id=a draggable=true>a</div><div id=z>z</div><div id=w>w</div><script>
  hear('dragstart pointercancel dragenter dragleave drop dragend mouseup click');
  a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'carried');
  z.ondragover = (e) => e.preventDefault();
  z.ondrop = (e) => { z.textContent = e.dataTransfer.getData('text/plain') };
</script>"""
)


def test_what_is_draggable_is_dragged(show: Any) -> None:
    page = show(DRAGGED)
    drag(page, point(page, "#a"), point(page, "#z"))
    assert log(page) == "dragstart:a pointercancel:a dragenter:a dragenter:z dragleave:a drop:z dragend:a"
    assert page.run("z.textContent") == "carried"
    click(page, "#w")
    assert log(page) == "mouseup:w click:w"


def test_where_nothing_takes_it_nothing_is_dropped(show: Any) -> None:
    page = show(DRAGGED)
    drag(page, point(page, "#a"), point(page, "#w"))
    assert log(page).endswith("dragleave:w dragend:a")
    drag(page, point(page, "#a"), point(page, "#z"), last="cancel")
    assert "drop:" not in log(page)
    assert page.run("z.textContent") == "z"


def test_where_nothing_is_draggable_the_page_gets_the_mouse(show: Any) -> None:
    page = show(
        "<div id=s style='position:absolute;left:100px;top:100px;width:40px;height:40px'></div><script>"
        "let held = false; s.onmousedown = () => { held = true; return false }; onmouseup = () => { held = false };"
        "onmousemove = (e) => { if (held && e.buttons === 1) s.style.left = e.clientX - 20 + 'px' }</script>"
    )
    drag(page, {"x": 120, "y": 120}, {"x": 320, "y": 120})
    assert page.run("[s.style.left, held]") == ["300px", False]


def test_the_wheel(show: Any) -> None:
    page = show(
        "<div id=b style='height:100px;overflow:auto'><div style='height:900px'></div></div>"
        "<div style='height:3000px'></div>"
    )
    page.do("pointer", kind="wheel", **point(page, "#b"), dy=50)
    assert page.run("[b.scrollTop, scrollY]") == [50, 0]
    page.run("b.onwheel = () => false")
    page.do("pointer", kind="wheel", **point(page, "#b"), dy=50)
    assert page.run("b.scrollTop") == 50
    page.do("pointer", kind="wheel", x=300, y=400, dy=200)
    assert page.run("scrollY") == 200


def test_frames(show: Any) -> None:
    inner = "<button id=b style='position:absolute;left:30px;top:20px;width:80px;height:40px' onclick='window.n = 1'>b</button>"
    page = show("<iframe id=f src='/inner' style='margin:40px;border:5px solid'></iframe>", inner=inner)
    data = page.do("pointer", kind="click", x=40 + 5 + 60 + 8, y=40 + 5 + 30 + 8)
    assert data["frame"] is None
    assert page.run("f.contentWindow.n") == 1
    page = show(f"<iframe src='{page.other}/inner' style='margin:40px;border:5px solid'></iframe>", inner=inner)
    numbered = page.scan()["next_id"]
    data = page.do("pointer", kind="click", x=40 + 5 + 60 + 8, y=40 + 5 + 30 + 8)
    assert (data["x"], data["y"]) == (60, 30)
    assert data["frame"] == -1
    assert page.scan(keep_ids=True)["next_id"] == numbered


def test_bad_requests(show: Any) -> None:
    page = show("")
    assert page.refusal("pointer", kind="throw", x=1, y=1) == "INVALID_REQUEST no such kind: throw"
    assert page.refusal("pointer", kind="move") == "INVALID_REQUEST x and y are required"
    assert page.refusal("pointer", kind="click", x=1, y=1, button="fourth") == "INVALID_REQUEST no such button: fourth"
