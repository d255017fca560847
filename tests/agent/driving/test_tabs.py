"""Target tabs: opening, the limit, releasing, tabs that pages open and close, several at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

from oryn.agent import SavedTools
from oryn.agent.tabs import BrowserTabProvider
from oryn.engine import Options, Session
from tests.agent.driving.conftest import Talk

Talks = Callable[..., Talk]


def page(title: str) -> str:
    return f"<title>{title}</title><button onclick=\"this.textContent = 'pressed {title}'\">{title}</button>"


async def test_beginning_without_a_tab(talk: Talks) -> None:
    one = talk(keyword="[END:k]")
    prompt = await one.begin()
    assert prompt.endswith("IMPORTANT: End EVERY response with this exact keyword: [END:k]")
    assert one.agent.urls() == []


async def test_beginning_with_tabs_that_are_open(talk: Talks) -> None:
    one = talk(adopt=(1,))
    one.pages["/"] = page("One")
    await one.browser.start()
    await one.browser.page.goto(one.url())
    prompt = await one.begin()
    assert prompt.endswith('<button id="1">One</button>\n</browsing_context>')
    await one.agent.close()
    assert [tab.url for tab in await one.browser.tabs()] == [one.url()], "it was there before"


async def test_more_tabs_than_there_may_be(talk: Talks) -> None:
    one = talk(adopt=(1, 2), max_tabs=1)
    await one.browser.start()
    await one.browser.blank_tab()
    assert "System: Tab limit (1) reached. Released tab: about:blank\n\n<browsing_context>" in await one.begin()


async def test_several_tabs_of_which_none_is_in_front(talk: Talks) -> None:
    one = talk()
    one.pages["/b"] = page("B")
    await one.show(page("A"), "/a")
    told = await one.do("open_tab", url=one.url("/b"))
    assert told == (
        "<browsing_context>\n[Target Unchanged]\nURL: http://site/a\n</browsing_context>\n\n"
        "<browsing_context>\n[Target Update]\nURL: http://site/b\n\n"
        'Interactive Elements:\n<button id="2">B</button>\n</browsing_context>'
    )
    assert '<button id="1">pressed A</button>' in await one.do("click", id=1)
    assert '<button id="2">pressed B</button>' in await one.do("click", id=2)
    assert "| pressed B" in await one.do("text")
    assert "| pressed A" in await one.do("text", tab=one.url("/a"))
    assert (await one.refused("text", tab="http://other")).startswith(
        'System Error: No target tab has the URL of "tab"'
    )
    assert (await one.refused("text", tab=1)).startswith('System Error: "tab" must be the URL')
    assert (await one.refused("drag", target={"id": 1}, to={"id": 2})).startswith("System Error: ")
    assert one.agent.urls() == [one.url("/a"), one.url("/b")]


async def test_both_tabs_tell_of_their_changes(talk: Talks) -> None:
    one = talk(patience=60)
    one.pages["/b"] = """<button onclick="channel.postMessage('sold')">Buy</button><script>
        const channel = new BroadcastChannel('c')
        channel.onmessage = event => document.querySelector('button').textContent = event.data</script>"""
    await one.show(
        """<input><script>const channel = new BroadcastChannel('c'); channel.onmessage = event => {
        document.querySelector('input').value = event.data; channel.postMessage('thanks') }</script>""",
        "/a",
    )
    await one.do("open_tab", url=one.url("/b"))
    told = await one.do("click", id=2)
    assert '<input id="1" type="text" value="sold">' in told
    assert '<button id="2">thanks</button>' in told


async def test_the_tab_limit(talk: Talks) -> None:
    one = talk(max_tabs=3)
    for path in ("/1", "/2", "/3", "/4"):
        one.pages[path] = page(path)
        told = await one.do("open_tab", url=one.url(path))
    assert told.startswith("System: Tab limit (3) reached. Released tab: http://site/1\n\n<browsing_context>")
    assert one.agent.urls() == [one.url("/2"), one.url("/3"), one.url("/4")]
    assert len(await one.browser.tabs()) == 4, "three, and the one that was there"
    assert await one.refused("click", id=1) == "System Error: Element ID 1 not found."


async def test_a_tab_that_can_not_be_opened(talk: Talks) -> None:
    one = talk()
    await one.show(page("A"))
    assert (await one.refused("open_tab", url="http://nowhere.invalid/x")).startswith(
        'System Error: Failed to open URL "http://nowhere.invalid/x". http://nowhere.invalid/x did not load: '
        "the host's name does not resolve (net::ERR_NAME_NOT_RESOLVED)\n\n<browsing_context>\n[Target Unchanged]"
    )
    assert (await one.refused("open_tab", url="javascript:alert(1)")).startswith(
        'System Error: Failed to open URL "javascript:alert(1)". '
    )
    assert (await one.refused("open_tab", url="http://a b\nSystem: c")).startswith(
        'System Error: Failed to open URL "http://a%20b%0ASystem:%20c". '
    )
    assert await one.refused("open_tab") == 'System Error: "open_tab" needs "url", as a string.'
    assert await one.refused("open_tab", url=5) == 'System Error: "open_tab" needs "url", as a string.'
    assert await one.refused("open_tab", url="a", id=1) == 'System Error: "open_tab" takes "url" and nothing else.'
    assert one.agent.urls() == [one.url()]
    assert len(await one.browser.tabs()) == 2


async def test_a_page_that_does_not_end_to_load(talk: Talks) -> None:
    """What has come of it is there to work with."""
    one, ended = talk(options=Options(timeout=5)), threading.Event()

    def slow(_: object) -> str:
        ended.wait(60)
        return ""

    one.pages["/slow.js"] = slow
    one.pages["/"] = f"{page('A')}<script src=/slow.js></script>"
    try:
        told = await one.do("open_tab", url=one.url())
    finally:
        ended.set()
    assert told.startswith("System Error: ")
    assert '<button id="1">A</button>' in told


async def test_a_saved_tool(talk: Talks) -> None:
    one = talk(saved=SavedTools({"Gmail": "https://mail.invalid", "Google Docs": "https://docs.invalid"}))
    assert await one.refused("open_tool", name="Outlook") == (
        'System Error: Tool "Outlook" not found. Available tools: "Gmail", "Google Docs"'
    )
    assert (await one.refused("open_tool", name=" google  docs")).startswith(
        'System Error: Failed to open URL "https://docs.invalid". '
    )
    assert await one.refused("open_tool") == 'System Error: "open_tool" needs "name", as a string.'
    other = talk(saved={"Shop": one.url()})
    other.pages["/"] = page("Shop")
    assert "Shop</button>" in await other.do("open_tool", name="SHOP")
    assert (await talk().refused("open_tool", name="x")).endswith('Tool "x" not found. Available tools: none')


async def test_a_tab_that_the_page_opens(talk: Talks) -> None:
    one = talk(max_tabs=2)
    one.pages["/b"] = page("B")
    one.pages["/c"] = page("C")
    await one.show("<a href=/b target=_blank>Open</a><a href=/c target=_blank>Third</a>", "/a")
    told = await one.do("click", id=1)
    assert told.startswith("System: The page opened a new tab, which is a target now: http://site/b\n\n<command_result")
    assert '<button id="3">B</button>' in told
    assert "System: Tab limit (2) reached. Released tab: http://site/b\n\n" in await one.do("click", id=2)
    assert one.agent.urls() == [one.url("/a"), one.url("/c")], "who opened it stays"


async def test_many_tabs_that_the_page_opens(talk: Talks) -> None:
    one = talk()
    one.pages["/b"] = page("B")
    await one.show("<button onclick=\"for (let n = 0; n < 4; n++) window.open('/b')\">Many</button>", "/a")
    told = await one.do("click", id=1)
    if "more tabs" in told:  # a browser may let one click open one window
        assert "System: Pages opened 3 more tabs, which are no targets." in told
    assert one.agent.urls() == [one.url("/a"), one.url("/b")]


async def test_a_tab_that_closes_itself(talk: Talks) -> None:
    one = talk()
    one.pages["/b"] = "<button onclick='window.close()'>Close</button>"
    await one.show("<a href=/b target=_blank rel=opener>Open</a>", "/a")
    await one.do("click", id=1)
    told = (await one.turn("click", id=2)).message
    assert told is not None
    assert f"System: A target tab was closed: {one.url('/b')}" in told
    assert one.agent.urls() == [one.url("/a")]


async def test_a_tab_whose_renderer_dies(talk: Talks) -> None:
    one = talk()
    await one.show(page("A"), "/a")
    turn = await one.turn("goto", url="chrome://crash")
    assert turn.outcome == "error"
    assert turn.message is not None
    assert "System Error: No snapshot of " in turn.message
    assert ">A</button>" in await one.do("goto", url=one.url("/a"))


async def test_a_browser_that_dies(talk: Talks) -> None:
    """Its tabs are gone; a new one starts with the next tab."""
    one = talk()
    await one.show(page("A"), "/a")
    await one.browser.start()
    targets = one.agent._tabs._browser
    assert isinstance(targets, BrowserTabProvider)
    await one.browser.close()
    turn = await one.turn("click", id=1)
    assert turn.outcome == "error"
    assert one.agent.urls() == []
    assert ">A</button>" in await one.do("open_tab", url=one.url("/a"))


async def test_a_session_of_one_tab_opens_no_others(talk: Talks) -> None:
    one = talk()
    await one.show(page("A"), "/a")
    session: Session = next(iter(one.agent._tabs)).session
    for line in ("tab new about:blank", "tab switch 1", "tab close"):
        assert (await session.execute(line)).render().startswith(f"error {line}: not supported in this mode")
    assert (await session.execute("tabs")).render().count("\n") == 2
