"""The commands that read (docs/spec/scanner-protocol.md#commands-that-read)."""

from __future__ import annotations

import json
from typing import Any

import pytest


def test_get_value(show: Any) -> None:
    page = show(
        "<input value=v title=a><input type=checkbox checked title=b><select title=c><option value=1>one</select><p id=p>x</p>"
    )
    page.scan()
    assert [page.do("get_value", id=n)["value"] for n in (1, 2, 3)] == ["v", True, "1"]
    assert page.refusal("get_value", selector="#p") == "INVALID_ELEMENT_TYPE a p has no value"


def test_text_as_it_is_rendered(show: Any) -> None:
    page = show(
        "<h1>Title</h1><p>One <b>two</b>\n three<br>four</p><p>five</p><div>six</div><div>seven</div>"
        "<div style='display:none'>no</div><div style='visibility:hidden'>no<i style='visibility:visible'>yes</i></div>"
        "<pre>a\n  b</pre><ul><li>x</li><li>y</li></ul><script>no</script><style>no</style><input value=no>"
        "<p style='text-transform:uppercase'>up</p>"
    )
    assert page.do("get_text")["text"] == (
        "Title\n\nOne two three\nfour\n\nfive\n\nsix\nseven\nyes\na\n  b\nx\ny\n\nUP"
    )


def test_text_agrees_with_inner_text(show: Any) -> None:
    page = show(
        "<main><h2>A</h2><p>b <a href=#>c</a>, d</p><table><tr><th>k<th>v<tr><td>1<td>2</table><section><p>e</p></section>"
        "<dl><dt>t<dd>d</dl><span>x</span> <span>y</span><button>go</button> now<div><div>deep</div></div>tail</main>"
    )
    assert page.do("get_text", selector="main")["text"] == page.run("document.querySelector('main').innerText")


def test_descriptions_of_svg_are_no_text(show: Any) -> None:
    page = show(
        "<main><svg><desc>Created with Fernplot</desc><metadata>x</metadata><g><desc>y</desc><text y=20>2024</text></g>"
        "</svg></main>"
    )
    assert page.do("get_text", selector="main")["text"] == "2024"
    assert page.run("document.querySelector('main').innerText") == "2024"


def test_tables_have_tabs(show: Any) -> None:
    page = show("<table><tr><td>Name</td><td>Ann</td></tr><tr><td>Age</td><td> 40 </td></tr></table>")
    assert page.do("get_text", selector="table")["text"] == "Name\tAnn\nAge\t40"


def test_text_of_shadow_roots_and_frames(show: Any) -> None:
    page = show("before<div id=host>slotted</div><iframe src=/inner></iframe>after", inner="<p>framed</p>")
    page.run("host.attachShadow({mode: 'open'}).innerHTML = '<p>shadow</p><slot></slot>'")
    assert page.do("get_text")["text"] == "before\n\nshadow\n\nslotted\n\nframed\n\nafter"


def test_html(show: Any) -> None:
    page = show("<div id=a><b>x</b></div>")
    assert page.do("get_html", selector="#a") == {"html": '<div id="a"><b>x</b></div>'}
    assert page.do("get_html", selector="#a", outer=False) == {"html": "<b>x</b>"}
    assert page.do("get_html")["html"].startswith("<html>")


def test_bounds_and_state(show: Any) -> None:
    page = show(
        "<p id=a style='position:absolute;left:10px;top:700px;width:100px;height:50px' data-x=1>x</p><p id=b hidden></p>"
    )
    number = page.find({"css": "#a"})[0]["id"]
    assert page.do("get_bounds", id=number) == {
        "x": 10,
        "y": 716,
        "width": 100,
        "height": 50,
        "visible": True,
        "in_viewport": "partial",
    }
    data = page.do("get_state", id=number)
    assert data["attributes"]["data-x"] == "1" and data["state"]["in_viewport"] is True
    assert page.do("get_state", selector="#b")["state"]["visible"] is False


def test_exists(show: Any) -> None:
    page = show("<p>x</p>")
    assert page.do("exists", selector="p") == {"exists": True}
    assert page.do("exists", selector="q") == {"exists": False}
    assert page.refusal("exists", selector=">") == "SELECTOR_INVALID not a CSS selector: >"
    assert page.refusal("exists") == "INVALID_REQUEST selector or text is required"


def test_a_text_exists(show: Any) -> None:
    """Also across cells, without the text of the controls between them; not if it is hidden or within a word."""
    page = show(
        "<p hidden>Secret</p><output>23</output><p>Sa<b>ved</b> at <i>9</i></p><progress value=.7 aria-label=Upload></progress>"
        "<table><tr><td>Fern<td><button>More</button> 2<td>€36</table><div id=host></div>"
    )
    page.run("host.attachShadow({mode: 'open'}).innerHTML = '<p>In the shadow</p>'")
    for text, exists in {
        "saved at 9": True, "Fern 2 €36": True, "Fern More 2": True, "Fern*36": True, "23": True, "Upload 70%": True,
        "in the shadow": True, "3": False, "Secret": False, "€3": False, "9*saved": False,
    }.items():  # fmt: skip
        assert page.do("exists", text=text) == {"exists": exists}, text


def test_extract(show: Any) -> None:
    page = show(
        "<html lang=en><head><title>T</title><meta name=description content=D><meta property='og:type' content=article><link rel=canonical href=/c></head>"
        "<body><nav><a href=/a>A <b>b</b></a></nav><a href='https://x.org/'><img alt=Pic src=/i.png></a>"
        "<table><caption>Cap</caption><tr><th>k<th>v<tr><td colspan=2>wide<tr><td>1<td>2</table><p class=q data-n=1>css</p>"
    )
    assert page.do("extract", type="links")["data"] == [
        {"href": page.base + "/a", "text": "A b"},
        {"href": "https://x.org/", "text": "Pic"},
    ]
    assert len(page.do("extract", type="links", selector="nav")["data"]) == 1
    assert page.do("extract", type="images")["data"] == [{"src": page.base + "/i.png", "alt": "Pic"}]
    assert page.do("extract", type="tables")["data"] == [
        {"caption": "Cap", "rows": [["k", "v"], ["wide", ""], ["1", "2"]]}
    ]
    assert page.do("extract", type="meta")["data"] == {
        "title": "T", "url": page.base + "/", "lang": "en", "description": "D", "og:type": "article", "canonical": page.base + "/c"
    }  # fmt: skip
    assert page.do("extract", type="css", selector=".q")["data"] == [
        {"tag": "p", "text": "css", "attributes": {"class": "q", "data-n": "1"}}
    ]
    assert page.do("extract", type="css", selector=".q", within="nav")["data"] == []
    assert page.refusal("extract", type="css") == "INVALID_REQUEST selector is required"
    assert page.refusal("extract", type="all") == "INVALID_REQUEST no such extraction: all"


def test_storage(show: Any) -> None:
    page = show("")
    page.run("localStorage.clear()")
    assert page.do("storage", action="set", key="a", value="1") == {"value": "1"}
    assert page.do("storage", action="get", key="a") == {"value": "1"}
    assert page.do("storage", action="get", key="b") == {"value": None}
    assert page.do("storage", action="list") == {"entries": {"a": "1"}}
    assert page.do("storage", area="session", action="list") == {"entries": {}}
    assert page.do("storage", action="delete", key="a") == {"value": "1"}
    assert page.do("storage", action="clear") == {"entries": {}}
    assert page.refusal("storage", action="drop") == "INVALID_REQUEST no such storage action: drop"
    assert page.refusal("storage", area="disk", action="list") == "INVALID_REQUEST no such storage area: disk"


@pytest.mark.parametrize("command", ["get_console", "get_errors"])
def test_what_the_page_logs_is_the_backends(show: Any, command: str) -> None:
    page = show("<script>console.log('one'); broken()</script>")
    assert page.refusal(command) == f"UNKNOWN_COMMAND unknown command: {command}"
    assert "console" not in page.do("version")["features"]


def test_highlight(show: Any) -> None:
    page = show("<button>a</button><button hidden>b</button>")
    number = page.number("a")
    assert page.do("highlight", id=number, duration=0)["highlighted"] is True
    assert page.lines() == '[1] button "a"'
    assert page.do("locate", selector="button")["tag"] == "button"
    assert page.do("highlight_clear") == {"cleared": 1}
    assert page.refusal("highlight", id=1, color="red;x") == "INVALID_REQUEST no such color: red;x"


def test_execute(show: Any) -> None:
    page = show("<title>T</title>")

    def result(script: str, *args: Any) -> Any:
        answer = page.raw(json.dumps({"cmd": "execute", "script": script, "args": args}))
        return answer["data"]["result"] if answer["ok"] else f"{answer['code']} {answer['error']}"

    assert result("document.title") == "T"
    assert result("return arguments[0] + 1", 4) == 5
    assert result("const x = await 2; return x") == 2
    assert result("throw new Error('no')") == "SCRIPT_ERROR no"
    assert str(result("(")).startswith("SCRIPT_ERROR")
