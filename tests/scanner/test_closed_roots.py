"""Closed shadow roots, which no script can reach from their hosts, are read like open ones."""

from __future__ import annotations

from typing import Any

import pytest

CLOSED = "attachShadow({mode: 'closed'}).innerHTML ="
CUSTOM = f"""<script>customElements.define('x-save', class extends HTMLElement {{ constructor() {{ super();
this.{CLOSED} '<button><slot></slot></button>' }} }})</script>"""


def attach(host: str, html: str) -> str:
    return f"{host}.{CLOSED} `{html}`"


def test_elements_names_and_text_are_seen(show: Any) -> None:
    page = show(
        f"<h1>Title</h1><div id=host></div><p>after</p><script>{attach('host', '<p>inside</p><button>Go</button>')}</script>"
    )
    assert page.lines() == '[1] button "Go"'
    assert page.do("get_text")["text"] == "Title\n\ninside\n\nGo\n\nafter"
    assert [match["text"] for match in page.find({"css": "p"}, any=True)] == ["inside", "after"]


def test_slots_nested_roots_and_page_order(show: Any) -> None:
    page = show(
        CUSTOM + "<button>first</button><x-save>Save</x-save><section><template shadowrootmode=closed>"
        "<x-save>Deep</x-save><article><template shadowrootmode=open><a href=#>open inside</a></template></article>"
        "<slot></slot></template><a href=#>slotted</a></section><button>last</button>"
    )
    assert page.names() == ["first", "Save", "Deep", "open inside", "slotted", "last"]


def test_in_frames_of_the_same_origin(show: Any) -> None:
    page = show("<iframe src=/inner></iframe>", inner=CUSTOM + "<x-save>Framed</x-save>")
    assert page.names() == ["Framed"]


def test_a_root_that_comes_late(show: Any) -> None:
    page = show("<div id=host></div><x-late>Later</x-late>" + "<p class=a>text</p>" * 60)
    assert page.names() == []
    page.run(attach("host", "<button>late</button>"))
    assert page.names() == ["late"]
    page.run(
        "customElements.define('x-late', class extends HTMLElement { constructor() { super(); this."
        + CLOSED
        + " '<button><slot></slot></button>' } })"
    )
    assert page.names() == ["late", "Later"]


def test_changes_inside_are_noticed(show: Any) -> None:
    page = show(f"<div id=host></div><script>window.root = host.{'attachShadow({mode: `closed`})'};"
                "root.innerHTML = '<p>one</p><button>Go</button>'</script>")  # fmt: skip
    page.scan()
    assert page.do("watch")["texts"] == []
    page.run("root.firstChild.textContent = 'two'")
    assert [(row["change"], row["text"]) for row in page.do("changed_texts")["texts"]] == [("changed", "two")]
    page.run("root.lastChild.textContent = 'Stop'")
    assert page.names() == ["Stop"]


def test_waiting_for_what_a_closed_root_will_have(show: Any) -> None:
    page = show("<main id=main></main>" + "<p>text</p>" * 60)
    page.run(
        "setTimeout(() => { const host = document.createElement('div');"
        + attach("host", "<button>There</button>")
        + "; main.append(host) }, 300)"
    )
    assert page.do("wait_for", condition="visible", text="There", timeout=20000)["met"]


def test_a_wait_keeps_its_time_limit(show: Any) -> None:
    page = show("<div id=host></div>")
    page.run("setInterval(() => host.style.width = Math.random() * 100 + 'px', 20)")
    assert page.refusal("wait_for", condition="visible", text="Never", timeout=500) == (
        "TIMEOUT visible did not come within 500 ms"
    )


def test_the_browser_s_own_roots_are_not_entered(show: Any) -> None:
    page = show(
        "<input aria-label=Name placeholder=hint><details open><summary>More</summary>text</details><video controls></video>"
    )
    assert page.names() == ["Name", "More"]
    assert page.do("scan")["stats"]["scanned"] == page.run("document.querySelectorAll('*').length")


def test_hidden_hosts_hide_what_they_have(show: Any) -> None:
    page = show(f"<div id=host hidden></div><script>{attach('host', '<button>Go</button>')}</script>")
    assert page.names() == []
    page.run("host.hidden = false")
    assert page.names() == ["Go"]


@pytest.mark.slow
def test_a_host_among_many_alike_is_found(show: Any) -> None:
    cells = "<div class=cell style='height: 9px'></div>" * 3000
    page = show(
        f"{cells}<div class=cell id=host></div><div id=chat></div>{cells}<script>{attach('chat', '<a href=#>Chat</a>')}</script>"
    )
    assert page.names() == ["Chat"]


def test_the_page_does_not_notice(show: Any) -> None:
    page = show(
        "<script>window.calls = []; for (const kind of [Element, ShadowRoot, Document, Node]) "
        "for (const name of Object.getOwnPropertyNames(kind.prototype)) { "
        "const {value, get} = Object.getOwnPropertyDescriptor(kind.prototype, name); "
        "if (typeof value === 'function' && name.startsWith('query')) kind.prototype[name] = function (...all) "
        "{ calls.push([String(this), ...all].join(' ')); return value.apply(this, all) } }</script><div id=host></div>"
        f"<script>host.onclick = () => 0; {attach('host', '<button>Go</button>')}; window.names = 0; names = Object.getOwnPropertyNames(window).length</script>"
    )
    assert "Go" in page.names()
    assert page.run("calls.filter((each) => each.includes('ShadowRoot'))") == []
    assert page.run("[host.shadowRoot, Object.getOwnPropertyNames(window).length - names]") == [None, 0]


def test_listeners_of_the_page_stay_known(show: Any) -> None:
    """Scripts of the page's own world walk past closed roots: their positions are others than the scanner's."""
    page = show(
        f"<div id=host></div><div id=a>Silent</div><script>{attach('host', '<p>1</p><p>2</p><button>Go</button>')};"
        "a.addEventListener('click', () => 0)</script>"
    )
    assert page.names() == ["Go", "Silent"]


@pytest.mark.slow
def test_roots_in_roots_without_end_are_answered(show: Any) -> None:
    page = show("<div id=host></div>")
    page.run(
        "let at = document.body; for (let i = 0; i < 60; i++) { const host = document.createElement('div'); at.append(host);"
        "at = host.attachShadow({mode: 'closed'}); at.append(Object.assign(document.createElement('button'), {textContent: i})) }"
    )
    seen = page.names()
    assert seen[:15] == [str(level) for level in range(15)]
    for _ in range(5):
        seen = page.names()
    assert len(seen) == 60


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["open", "closed"])
def test_whatever_stands_right_in_a_root(show: Any, mode: str) -> None:
    page = show("<div id=host></div>")
    page.run(
        "const root = host.attachShadow({mode: '"
        + mode
        + "'}); for (const tag of ('li td th tr tbody option optgroup summary legend'"
        " + ' label caption figcaption dt dd a button input select textarea p h1 ul img svg').split(' ')) {"
        "const one = document.createElement(tag); one.textContent = '1'; one.onclick = () => 0; one.tabIndex = 0; root.append(one) };"
        "const drawn = document.createElementNS('http://www.w3.org/2000/svg', 'g'); drawn.setAttribute('tabindex', 0);"
        "drawn.setAttribute('onclick', '0'); root.append(drawn, drawn.cloneNode(), 'text')"
    )
    assert "1" in page.names()
    for command in ("tree", "get_text", "watch", "changed_texts"):
        page.do(command)
    assert page.find({"text": "1"})
