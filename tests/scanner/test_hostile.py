"""Worlds that fight back: clobbered properties, overridden built-ins, throwing getters, endless and vanishing pages."""

from __future__ import annotations

from typing import Any

import pytest

CLOBBERED = (
    "attributes children childNodes firstChild parentNode nextSibling localName nodeType tagName id className textContent "
    "getAttribute hasAttribute querySelectorAll matches closest contains getBoundingClientRect ownerDocument shadowRoot "
    "isConnected innerHTML outerHTML checkValidity submit requestSubmit focus elements scrollTop"
)


def test_clobbered_form(show: Any) -> None:
    inputs = "".join(f"<input type=hidden name={name}>" for name in CLOBBERED.split())
    page = show(
        f"<form id=f onclick='0' tabindex=0>{inputs}<label>Name <input name=user></label><button>Send</button></form>"
    )
    assert [e["text"] for e in page.scan()["elements"]][-2:] == ["Name", "Send"]
    assert page.do("get_text", selector="form")["text"] == "Name Send"
    assert page.find({"text": "Send", "relation": {"kind": "inside", "to": {"css": "form"}}})[0]["text"] == "Send"
    assert page.do("get_html", selector="form")["html"].startswith("<form id=")
    page.run("f.addEventListener('submit', (e) => { e.preventDefault(); window.sent = true })")
    page.do("submit", selector="form")
    assert page.run("window.sent") is True


def test_an_element_of_the_scanners_name_does_not_keep_it_out(show: Any) -> None:
    assert show("<p id=__oryn_scanner><p id=__oryn_element>").raw('{"cmd": "version"}')["ok"]


def test_clobbered_document(show: Any) -> None:
    names = "body documentElement title activeElement getElementById querySelectorAll elementFromPoint readyState defaultView createElement styleSheets"
    images = "".join(f"<img name={name}>" for name in names.split())
    page = show(f"<title>Real</title>{images}<form name=scrollingElement></form><button>Press</button>")
    assert page.lines() == '[1] button "Press"'
    assert page.scan()["page"]["title"] == "Real"
    assert page.do("locate", id=1)["tag"] == "button"
    assert page.do("get_text")["text"] == "Press"


def test_overridden_built_ins(show: Any) -> None:
    page = show("<button id=b>Press</button><input title=t value=v>")
    page.run(
        """(() => {
      Array.prototype.toJSON = () => 'forged';
      Object.prototype.toJSON = () => 'forged';
      for (const name of ['push', 'map', 'filter', 'slice', 'indexOf', 'join']) Array.prototype[name] = () => { throw 1 };
      String.prototype.trim = String.prototype.replace = () => 'forged';
      JSON.stringify = () => 'forged';
      JSON.parse = () => ({cmd: 'forged'});
      Map.prototype.get = Set.prototype.has = () => { throw 2 };
      Element.prototype.getBoundingClientRect = () => ({width: 0});
      Element.prototype.getAttribute = () => 'forged';
      Node.prototype.addEventListener = EventTarget.prototype.addEventListener = () => { throw 3 };
      Object.defineProperty(Node.prototype, 'textContent', {get() { throw 4 }});
      Object.defineProperty(HTMLInputElement.prototype, 'value', {get() { return 'forged' }});
      window.getComputedStyle = () => { throw 5 };
      window.MutationObserver = window.Promise = class { constructor() { throw 6 } };
    })()"""
    )
    answer = page.answer("scan", fields=["value"])
    assert [(e["text"], e.get("value")) for e in answer["data"]["elements"]] == [("Press", None), ("t", "v")]
    assert page.do("locate", id=1)["tag"] == "button"
    assert page.do("settle")["quiet"] is True


def test_getters_that_throw_on_elements(show: Any) -> None:
    page = show("<button id=b>Press</button>")
    page.run(
        "for (const name of ['textContent', 'localName', 'shadowRoot', 'parentNode']) Object.defineProperty(b, name, {get() { throw 1 }})"
    )
    assert page.lines() == '[1] button "Press"'


def test_page_that_removes_itself_while_scanned(show: Any) -> None:
    page = show("<div id=root>" + "".join(f"<button>{n}</button>" for n in range(500)) + "</div>")
    page.run("setInterval(() => { document.documentElement.remove(); }, 1)")
    for _ in range(5):
        assert page.answer("scan")["ok"]
    assert page.scan()["elements"] == []
    assert page.do("get_text")["text"] == ""
    assert page.answer("find", target={"text": "1"})["ok"]
    assert page.do("settle", timeout=50)["mutated"] in (True, False)
    page.run("document.open(); document.write('<button>again</button>'); document.close()")


@pytest.mark.slow
def test_hundred_thousand_elements(show: Any) -> None:
    page = show("<div id=root></div>")
    page.run("root.innerHTML = '<p><a href=#>x</a></p>'.repeat(50000) + '<p>y</p>'")
    data = page.scan(max_elements=10)
    assert data["stats"]["scanned"] >= 100_000 and data["stats"]["total"] == 50_000
    assert [m["tag"] for m in page.find({"text": "y"}, any=True)] == ["p"]


@pytest.mark.slow
def test_sixty_frames_deep(show: Any) -> None:
    page = show("<iframe id=f></iframe>")
    page.run(
        """(() => { let d = document;
      for (let i = 0; i < 60; i++) {
        const frame = d.body.appendChild(d.createElement('iframe'));
        frame.style.cssText = 'width:600px;height:400px;border:0';
        d = frame.contentDocument;
      }
      d.body.innerHTML = '<button>deep</button>'; })()"""
    )
    assert [e["text"] for e in page.scan(include_hidden=True)["elements"]] == ["deep"]
    assert page.do("get_frames")["frames"][-1]["nested_level"] == 59


def test_a_thousand_levels_deep(show: Any) -> None:
    page = show("<div id=root></div>")
    page.run(
        "let e = root; for (let i = 0; i < 1000; i++) e = e.appendChild(document.createElement('div')); e.innerHTML = '<b onclick=0>deep</b>'"
    )
    assert [e["text"] for e in page.scan()["elements"]] == ["deep"]
    assert page.do("get_text")["text"] == "deep"
    assert page.answer("find", target={"text": "deep"}, any=True)["ok"]


def test_malformed_requests(show: Any) -> None:
    page = show("<button>a</button>")
    for request in ("{", "[]", "null", "1", '{"cmd": 1}', ""):
        assert page.raw(request)["code"] == "INVALID_REQUEST", request
    assert page.refusal("constructor") == "UNKNOWN_COMMAND unknown command: constructor"
    assert page.refusal("locate", id="1") == "INVALID_REQUEST id must be an integer"
    assert page.refusal("locate", id=99) == "ELEMENT_NOT_FOUND element 99 not found"


def test_the_page_cannot_see_the_scanner(show: Any) -> None:
    page = show("<button>a</button>")
    page.scan()
    assert (
        page.run("typeof __oryn_scanner + Object.keys(window).filter((k) => k.includes('oryn')).length") == "undefined0"
    )
