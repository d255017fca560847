"""Frames of the same origin, and open shadow roots: inside the scan, in document order
(docs/spec/scanner-protocol.md#frames-and-shadow-trees)."""

from __future__ import annotations

from typing import Any

INNER = "<title>Inner</title><button>in the frame</button><iframe src=/deep name=deep></iframe>"


def test_frames_and_shadow_roots_are_inside_the_scan(show: Any) -> None:
    page = show(
        "<button>first</button><iframe src=/inner id=f></iframe><div id=host><button>light</button></div><button>last</button>",
        inner=INNER,
        deep="<button>deep</button>",
    )
    page.run("host.attachShadow({mode: 'open'}).innerHTML = '<button>shadow</button><slot></slot>'")
    elements = page.scan(fields=["frame"])["elements"]
    assert [(e["text"], e.get("frame")) for e in elements] == [
        ("first", None), ("in the frame", "#f"), ("deep", 'iframe[name="deep"]'), ("shadow", None), ("light", None), ("last", None)
    ]  # fmt: skip


def test_content_of_a_hidden_frame_is_hidden(show: Any) -> None:
    page = show(
        "<iframe src=/inner style='display:none'></iframe><iframe src=/inner style='visibility:hidden'></iframe>",
        inner=INNER,
    )
    assert page.lines() == ""


def test_a_shadow_root_that_comes_late(show: Any) -> None:
    page = show("<div id=host></div><x-late></x-late>")
    assert page.lines() == ""
    page.run("host.attachShadow({mode: 'open'}).innerHTML = '<button>late</button>'")
    assert page.lines() == '[1] button "late"'
    page.run(
        "customElements.define('x-late', class extends HTMLElement { constructor() { super();"
        " this.attachShadow({mode: 'open'}).innerHTML = '<button>later</button>' } })"
    )
    assert page.lines() == '[1] button "late"\n[2] button "later"'


def test_a_frame_that_changes(show: Any) -> None:
    page = show("<iframe id=f src=/inner></iframe>", inner="<button id=b>one</button>")
    assert page.lines() == '[1] button "one"'
    page.run("f.contentDocument.getElementById('b').textContent = 'two'")
    assert page.lines() == '[1] button "two"'
    page.run("await new Promise((loaded) => { f.onload = loaded; f.srcdoc = '<button>three</button>' }); 0")
    assert page.lines() == '[1] button "three"'
    page.run("f.remove()")
    assert page.lines() == ""
    assert page.refusal("locate", id=99) == "ELEMENT_NOT_FOUND element 99 not found"


def test_elements_of_a_removed_frame_are_stale(show: Any) -> None:
    page = show("<iframe id=f src=/inner></iframe>", inner="<button>one</button>")
    number = page.number("one")
    page.run("f.remove()")
    assert page.refusal("locate", id=number) == f"ELEMENT_STALE element {number} is no longer on the page"


def test_acting_in_a_frame(show: Any) -> None:
    page = show(
        "<iframe src=/inner></iframe>", inner="<input title=t><button onclick='this.textContent = 1'>b</button>"
    )
    page.scan()
    assert page.do("type", id=1, text="hello")["value"] == "hello"
    page.do("click", id=2)
    assert page.lines() == '[1] input/text "t" value: "hello"\n[2] button "1" {focused}'


def test_get_frames(show: Any) -> None:
    page = show(
        f"<iframe src=/inner name=one></iframe><iframe src='{show.other}/x' id=two></iframe>",
        inner=INNER,
        deep="<p>deep</p>",
    )
    frames = page.do("get_frames")["frames"]
    assert [(f["name"], f["selector"], f["nested_level"], f["accessible"]) for f in frames] == [
        ("one", 'iframe[name="one"]', 0, True), ("deep", 'iframe[name="deep"]', 1, True), ("", "#two", 0, False)
    ]  # fmt: skip
    assert frames[0]["src"] == page.base + "/inner"


def test_switch_frame(show: Any) -> None:
    page = show(
        f"<button>out</button><iframe src=/inner name=one></iframe><iframe id=two src='{show.other}/x'></iframe>",
        inner=INNER,
        deep="<p>deep</p>",
    )
    assert page.do("switch_frame", name="one")["frame"]["url"] == page.base + "/inner"
    assert page.lines() == '[1] button "in the frame"'
    assert page.scan()["page"]["title"] == "Inner"
    assert page.do("get_text")["text"] == "in the frame\n\ndeep"
    page.do("switch_frame", selector="[name=deep]")
    assert page.do("get_text")["text"] == "deep"
    page.do("switch_frame", parent=True)
    assert page.lines() == '[1] button "in the frame"'
    assert page.do("switch_frame", main=True)["frame"]["main"] is True
    assert page.names()[0] == "out"
    assert page.refusal("switch_frame", name="none") == "FRAME_NOT_FOUND no such frame"
    assert page.refusal("switch_frame", selector="#two") == "FRAME_NOT_FOUND the frame is of another origin"
    assert page.refusal("switch_frame").startswith("INVALID_REQUEST one of")


def test_the_current_frame_goes(show: Any) -> None:
    page = show("<button>out</button><iframe src=/inner name=one></iframe>", inner=INNER)
    assert page.raw('{"cmd": "switch_frame", "name": "one"}')["ok"]
    page.run("document.querySelector('[name=one]').remove()")
    assert page.raw('{"cmd": "scan"}')["error"] == "the current frame is gone, the main frame is current now"
    assert page.raw('{"cmd": "scan"}')["data"]["stats"]["total"] == 1


def test_the_element_behind_a_number(show: Any) -> None:
    page = show("<button id=b>a</button>")
    page.raw('{"cmd": "scan"}')
    assert page.in_page("__oryn_element(1).id + __oryn_element(9)") == "bnull"


def test_an_editor_that_is_a_frame_of_its_own(show: Any) -> None:
    page = show(
        "<iframe title=Essay srcdoc='<body contenteditable><p>Once</p></body>'></iframe>"
        "<iframe srcdoc='<body contenteditable aria-label=Note>'></iframe><iframe srcdoc='<body>plain'></iframe>"
        "<iframe title=Old></iframe><script>frames[3].document.designMode = 'on'</script>"
    )
    seen = page.scan(max_elements=0)["elements"]
    assert [(each["role"], each["text"], each.get("value")) for each in seen] == [
        ("textbox", "Essay", "Once"), ("textbox", "Note", None), ("textbox", "Old", None),
    ]  # fmt: skip
