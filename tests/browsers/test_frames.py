"""Frames of every kind: same origin, another port (same process), another host (a process of its own)."""

from __future__ import annotations

import pytest

from oryn.errors import ElementNotInteractable, FrameNotFound

pytestmark = pytest.mark.browser


def url_on_host(server, html: str, host: str = "127.0.0.1") -> str:
    return server.page(html).replace("127.0.0.1", host)


async def texts(page) -> list[str]:
    """The body text of each root, as its own scanner reads it."""
    return [(await page.scanner({"cmd": "get_text", "selector": "b"}, root))["data"]["text"] for root in page.roots()]


async def test_same_origin_frames_belong_to_their_parents_scan(page, server):
    await page.goto(
        url_on_host(
            server,
            f"<b>top</b><iframe name=inner src='{url_on_host(server, '<b>in</b>')}'></iframe>"
            "<iframe srcdoc='<b>x</b>'></iframe>",
        )
    )
    assert len(page.frames()) == 3
    assert page.frames()[1].name == "inner"
    assert await texts(page) == ["top"]


def test_a_context_knows_the_origin_better_than_a_tree_that_comes_later():
    """The events of a frame and the answer with the tree come in either order when the browser is busy."""
    from types import SimpleNamespace

    from oryn.browsers.cdp.frames import CdpFrameTree

    listeners = {}
    session = SimpleNamespace(id="s", on=lambda name, listener: listeners.setdefault(name, listener))
    frames = CdpFrameTree(SimpleNamespace(session=session, signal=SimpleNamespace(notify=lambda: None)), "top")
    frames.listen(session)
    here = "http://127.0.0.1:1"
    top = {"id": "top", "url": f"{here}/", "loaderId": "1", "securityOrigin": here}
    listeners["Page.frameNavigated"]({"frame": top})
    listeners["Page.frameAttached"]({"frameId": "inner", "parentFrameId": "top"})
    context = {"id": 7, "origin": here, "auxData": {"frameId": "inner", "isDefault": True}}
    listeners["Runtime.executionContextCreated"]({"context": context})
    inner = {"id": "inner", "parentId": "top", "url": "about:srcdoc", "loaderId": "2", "securityOrigin": "://"}
    frames.adopt(session, {"frame": top, "childFrames": [{"frame": inner}]})
    assert len(frames.all()) == 2
    assert len(frames.roots(None)) == 1, "the frame is read with its parent, and once"


async def test_an_origin_in_the_same_process(page, server, other_port):
    await page.goto(url_on_host(server, f"<b>top</b><iframe src='{url_on_host(other_port, '<b>port</b>')}'></iframe>"))
    assert await texts(page) == ["top", "port"]


@pytest.mark.slow
async def test_a_process_of_its_own(page, server):
    await page.goto(
        url_on_host(server, f"<b>top</b><iframe src='{url_on_host(server, '<b>host</b>', 'localhost')}'></iframe>")
    )
    assert await texts(page) == ["top", "host"]
    assert len(page.channel.sessions) == 2


@pytest.mark.slow
async def test_sandboxed_and_data_frames_are_origins_of_their_own(page, server):
    await page.goto(
        url_on_host(
            server,
            "<b>top</b><iframe sandbox='allow-scripts' srcdoc='<b>sand</b>'></iframe>"
            "<iframe src='data:text/html,<b>data</b>'></iframe>",
        )
    )
    assert await texts(page) == ["top", "sand", "data"]


async def test_blank_frames_belong_to_their_parent(page, server):
    await page.goto(
        url_on_host(
            server, "<b>top</b><iframe id=f></iframe><script>f.contentDocument.body.innerHTML = '<b>blank</b>'</script>"
        )
    )
    assert await texts(page) == ["top"]


@pytest.mark.slow
async def test_frames_within_frames(page, server, other_port):
    deepest = url_on_host(server, "<b>deepest</b>")
    middle = url_on_host(server, f"<b>middle</b><iframe src='{deepest}'></iframe>", "localhost")
    await page.goto(
        url_on_host(
            server,
            f"<b>top</b><iframe src='{middle}'></iframe><iframe src='{url_on_host(other_port, '<b>last</b>')}'></iframe>",
        )
    )
    assert await texts(page) == ["top", "middle", "deepest", "last"]
    assert [frame.level for frame in page.frames()] == [0, 1, 2, 1]
    parent = page.frames()[1]
    assert [frame.url for frame in page.roots(parent)] == [middle, deepest]


@pytest.mark.slow
async def test_a_frame_moves_between_processes(page, server, wait_until):
    near, far = url_on_host(server, "<b>near</b>"), url_on_host(server, "<b>far</b>", "localhost")
    await page.goto(url_on_host(server, f"<b>top</b><iframe id=f src='{near}'></iframe>"))
    for url, seen in ((far, ["top", "far"]), (near, ["top"]), (far, ["top", "far"])):
        await page.evaluate(f"new Promise(r => {{ f.onload = r; f.src = {url!r} }})")
        await wait_until(lambda url=url: [frame.url for frame in page.frames()][1:] == [url])
        assert await texts(page) == seen
    assert len(page.frames()) == 2


@pytest.mark.slow
async def test_a_frame_that_goes_away(page, server, wait_until):
    for host in ("127.0.0.1", "localhost"):
        await page.goto(url_on_host(server, f"<iframe id=f src='{url_on_host(server, '<b>in</b>', host)}'></iframe>"))
        frame = page.frames()[1]
        await page.evaluate("f.remove()")
        await wait_until(lambda: len(page.frames()) == 1)
        with pytest.raises(FrameNotFound):
            await page.scanner({"cmd": "scan"}, frame)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_frame_that_goes_away_during_a_call(page, server, host):
    await page.goto(url_on_host(server, f"<iframe id=f src='{url_on_host(server, '<b>in</b>', host)}'></iframe>"))
    frame = page.frames()[1]
    await page.evaluate("void setTimeout(() => f.remove(), 200)")
    with pytest.raises(FrameNotFound):
        await page.scanner({"cmd": "wait_for", "condition": "exists", "selector": "#never"}, frame, timeout=5)


@pytest.mark.slow
async def test_sixty_deep(page, server):
    url = url_on_host(server, "<b>bottom</b>")
    for level in range(60):
        url = url_on_host(
            server, f"<b>{level}</b><iframe src='{url}'></iframe>", "localhost" if level % 20 == 0 else "127.0.0.1"
        )
    await page.goto(url, timeout=60)
    assert page.frames()[-1].level >= 59
    assert (await page.scanner({"cmd": "scan"}))["ok"]
    for root in page.roots():
        assert (await page.scanner({"cmd": "scan"}, root))["ok"]


@pytest.mark.slow
async def test_the_frame_of_an_element(page, server, other_port):
    for url in (
        url_on_host(server, "<b>a</b>"),
        url_on_host(other_port, "<b>b</b>"),
        url_on_host(server, "<b>c</b>", "localhost"),
    ):
        await page.goto(url_on_host(server, f"<button id=b>no frame</button><iframe id=f src='{url}'></iframe>"))
        found = await page.scanner({"cmd": "find", "target": {"css": "#f"}})
        number = found["data"]["matches"][0]["id"]
        assert (await page.frame_of(number)).url == url
        button = await page.scanner({"cmd": "find", "target": {"css": "#b"}})
        with pytest.raises(FrameNotFound):
            await page.frame_of(button["data"]["matches"][0]["id"])


@pytest.mark.slow
async def test_points_of_nested_frames(page, server):
    inner = url_on_host(
        server,
        "<button id=b style='position:absolute;left:10px;top:10px' onclick='document.title=\"hit\"'>b</button>",
        "localhost",
    )
    middle = url_on_host(
        server,
        f"<iframe src='{inner}' style='position:absolute;left:50px;top:60px;border:3px solid;padding:7px'></iframe>",
    )
    await page.goto(
        url_on_host(
            server,
            f"<div style='height:2000px'></div><iframe src='{middle}' style='width:500px;height:400px'></iframe>",
        )
    )
    frame = page.frames()[2]
    place = (await page.scanner({"cmd": "locate", "selector": "#b"}, frame))["data"]
    await page.mouse.click(*await page.to_viewport(place["x"], place["y"], frame))
    assert await page.evaluate("document.title", frame) == "hit"


@pytest.mark.slow
async def test_a_covered_frame(page, server):
    url = url_on_host(server, "<button id=b>b</button>", "localhost")
    await page.goto(
        url_on_host(server, f"<iframe src='{url}'></iframe><div id=veil style='position:fixed;inset:0'></div>")
    )
    with pytest.raises(ElementNotInteractable, match="div#veil"):
        await page.to_viewport(10, 10, page.frames()[1])


async def test_scripts_of_a_page_do_not_reach_the_scanner(page, server):
    await page.goto(
        url_on_host(
            server,
            "<b>safe</b><script>JSON.stringify = Array.prototype.toJSON = () => 'mine';"
            "globalThis.__oryn_scanner = () => 'mine'</script>",
        )
    )
    assert await texts(page) == ["safe"]
    assert await page.evaluate("typeof __oryn_element") == "undefined"
