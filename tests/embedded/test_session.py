"""Whole lines through sessions in WPE WebKit."""

from __future__ import annotations

import base64
import re
import socket
import threading
from pathlib import Path

import pytest

from oryn.browsers.webkit import WebKitBrowser
from tests.embedded.conftest import Driver, Pages

pytestmark = pytest.mark.browser

FORM = """<title>Form</title>
<input aria-label=Name><input type=checkbox aria-label=Stay>
<button onclick="out.textContent = `trusted ${event.isTrusted}`">Check</button>
<p id=out></p>"""


async def test_observe_click_type(embedded: Driver) -> None:
    await embedded.show(FORM)
    observed = await embedded("observe")
    assert '[1] input/text "Name"' in observed and '[3] button "Check"' in observed
    assert 'value: "Ann ☃"' in await embedded.ok('type "Name" "Ann ☃"')
    assert "{checked" in await embedded.ok('check "Stay"')
    assert '"trusted true"' in await embedded.ok('click "Check"')


async def test_keys_are_the_browsers_own(embedded: Driver) -> None:
    await embedded.show(
        "<input aria-label=In><p id=log></p><script>addEventListener('keydown',"
        "e => log.textContent += `${e.key}${e.code}${e.isTrusted} `)</script>"
    )
    await embedded.ok('type "In" "aß" --enter')
    assert "| aKeyAtrue ßUnidentifiedtrue EnterEntertrue" in await embedded.ok("text")
    await embedded.ok("press control+a")
    await embedded.ok("press x")
    assert '"x"' in await embedded.ok('value "In"')


async def test_a_double_click_and_a_right_click(embedded: Driver) -> None:
    await embedded.show(
        "<button ondblclick=\"out.textContent='two'\" oncontextmenu=\"out.textContent='menu'\">B</button><p id=out></p>"
    )
    assert '"two"' in await embedded.ok('click "B" --double')
    assert '"menu"' in await embedded.ok('click "B" --right')


async def test_a_click_that_navigates_waits_for_a_slow_page(embedded: Driver, pages: Pages) -> None:
    arrived = threading.Event()

    def slow(_: object) -> str:
        arrived.wait(1.2)  # longer than the wait for a navigation to begin
        return "<title>Slow</title>"

    pages["/slow"] = slow
    await embedded.show("<title>First</title><a href=/slow>Go</a>")
    assert '/slow "Slow"' in await embedded.ok('click "Go"')
    assert '"First"' in await embedded.ok("back")


async def test_a_request_that_a_click_starts_is_waited_for(embedded: Driver, pages: Pages) -> None:
    pages["/data"] = lambda _: (threading.Event().wait(0.8), "fresh")[1]
    await embedded.show(
        "<button onclick=\"fetch('/data').then(r => r.text()).then(t => out.textContent = t)\">Load</button>"
        "<p id=out></p>"
    )
    assert '"fresh"' in await embedded.ok('click "Load"')


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same origin", "other origin"])
async def test_elements_in_frames(embedded: Driver, pages: Pages, host: str) -> None:
    pages["/inner"] = '<button onclick="this.textContent = `inner ${event.isTrusted}`">In</button>'
    await embedded.show(f"<p style='height: 900px'>high</p><iframe src='{pages.url('/inner', host)}'></iframe>")
    assert 'button "In"' in await embedded("observe")
    assert '"inner true"' in await embedded.ok('click "In"')


async def test_elements_that_only_listen(embedded: Driver) -> None:
    await embedded.show(
        "<button onclick=\"const d = document.createElement('div'); d.textContent = 'Later';"
        "d.addEventListener('click', () => out.textContent = 'pressed'); document.body.append(d)\">Add</button>"
        "<p id=out></p>"
    )
    await embedded.ok('click "Add"')
    assert '"Later"' in await embedded("observe")
    assert '"pressed"' in await embedded.ok('click "Later"')


async def test_dialogs(embedded: Driver) -> None:
    await embedded.show(
        "<button onclick=\"out.textContent = confirm('Sure?')\">Ask</button>"
        "<button onclick=\"alert('Done'); out.textContent = 'after'\">Say</button>"
        "<button onclick=\"out.textContent = prompt('Who?', 'Ann')\">Name</button><p id=out></p>"
    )
    assert 'dialog confirm "Sure?"' in await embedded.ok('click "Ask"')
    assert (await embedded("observe")).startswith("error")
    assert '"false"' in await embedded.ok("dialog dismiss")
    assert 'dialog alert "Done" (accepted)' in await embedded.ok('click "Say"')
    assert 'dialog prompt "Who?"' in await embedded.ok('click "Name"')
    assert '"Bob"' in await embedded.ok('dialog accept "Bob"')


async def test_pages_whose_random_numbers_are_the_same(embedded: Driver) -> None:
    """As pages with a seed for their random numbers have them: documents are told apart without."""
    seeded = "<title>%s</title><script>let n = 0; Math.random = () => ++n / 100</script><button>Go</button>"
    for name in ("one", "two", "three"):
        await embedded.show(seeded % name)
        assert f'"{name}"' in await embedded.ok("observe")


async def test_a_dialog_while_a_page_loads_is_no_reason_to_hang(embedded: Driver) -> None:
    embedded.pages["/"] = "<title>T</title><script>document.title = confirm('early')</script>"
    answer = await embedded(f"goto {embedded.pages.url()}")
    assert "a confirm dialog is open" in answer and "early" in answer
    await embedded.ok("dialog accept")
    assert '"true"' in await embedded.ok("title")


async def test_tabs_that_pages_open(embedded: Driver, pages: Pages) -> None:
    pages["/other"] = "<title>Other</title>"
    await embedded.show("<title>One</title><a target=_blank href=/other>Open</a>")
    assert "tab 2" in await embedded.ok('click "Open"')
    assert '"Other"' in await embedded.ok("tab switch 2")
    await embedded.ok("tab close")
    assert '"One"' in await embedded.ok("title")
    await embedded.ok(f"tab new {pages.url('/other')}")
    assert '"Other"' in await embedded.ok("title")
    await embedded.ok("tab close")


OPENED = {
    "a link": "<a target=_blank href=/slow>Open</a>",
    "a script": "<button onclick=\"window.open('/slow')\">Open</button>",
    "a form": "<form target=_blank action=/slow><button>Open</button></form>",
}


@pytest.mark.parametrize("opener", OPENED)
async def test_a_slow_page_in_a_new_tab_is_waited_for(embedded: Driver, pages: Pages, opener: str) -> None:
    def slow(_: object) -> str:
        threading.Event().wait(1.2)  # longer than the wait for a navigation to begin
        return "<title>Slow</title>"

    pages["/slow"] = slow
    await embedded.show(f"<title>One</title>{OPENED[opener]}")
    opened = re.search(r"^\+ tab (\d+) (\S+)", await embedded.ok('click "Open"'), re.MULTILINE)
    assert opened and "/slow" in opened[2]
    await embedded.ok(f"tab close {opened[1]}")


async def test_a_target_that_names_a_frame_opens_no_tab(embedded: Driver, pages: Pages) -> None:
    pages["/inner"] = "<p>Inside</p>"
    await embedded.show(
        "<title>One</title><a target=inner href=/inner>Show</a><iframe name=inner></iframe>"
        "<svg width=50 height=20><a href=#here target=_self><text y=15>Draw</text></a></svg>"
    )
    checkpoint = embedded.session.page.checkpoint()
    await embedded.ok('click "Show"')
    await embedded.ok('click "Draw"')
    assert not embedded.session.page.requested_tabs.since(checkpoint)
    assert "Inside" in await embedded.ok("text")


async def test_an_empty_new_tab_is_not_waited_for(embedded: Driver) -> None:
    await embedded.show("<title>One</title><button onclick='window.open()'>Open</button>")
    opened = re.search(r"^\+ tab (\d+) about:blank", await embedded.ok('click "Open"'), re.MULTILINE)
    assert opened
    await embedded.ok(f"tab close {opened[1]}")


async def test_a_page_that_loads_in_a_tab_behind_is_listed(embedded: Driver, pages: Pages) -> None:
    pages["/later"] = "<title>Later</title>"
    await embedded.show("<title>One</title><button onclick='there = window.open()'>Open</button>")
    opened = re.search(r"^\+ tab (\d+) about:blank", await embedded.ok('click "Open"'), re.MULTILINE)
    assert opened
    await embedded.ok("eval \"there.location = '/later'; 0\"")
    await embedded.ok("wait until \"there.document.title === 'Later'\"")
    assert f'{opened[1]} {pages.url("/later").removeprefix("http://")} "Later"' in await embedded.ok("tabs")
    await embedded.ok(f"tab close {opened[1]}")


async def test_cookies_and_storage(embedded: Driver, tmp_path: Path) -> None:
    await embedded.show("<title>S</title>")
    await embedded.ok("cookies set a b")
    await embedded.ok("storage set k v")
    await embedded.ok(f"state save {tmp_path / 'kept.json'}")
    await embedded.ok("cookies clear")
    await embedded.ok("storage clear")
    assert 'a "b"' not in await embedded.ok("cookies list")
    await embedded.ok(f"state load {tmp_path / 'kept.json'}")
    assert 'a "b"' in await embedded.ok("cookies list")
    assert '"v"' in await embedded.ok("storage get k")
    assert (await embedded("cookies set x y --domain other.example")).startswith("error")
    await embedded.ok("cookies clear")


async def test_console_and_errors(embedded: Driver) -> None:
    await embedded.show(
        '<button onclick="console.warn(\'careful %d\', 3)">Warn</button><button onclick="nothing()">Fail</button>'
    )
    await embedded.ok("console clear")
    await embedded.ok('click "Warn"')
    await embedded.ok('click "Fail"')
    assert "careful 3" in await embedded.ok("console")
    assert "ReferenceError" in await embedded.ok("errors")


async def test_screenshots(embedded: Driver, tmp_path: Path) -> None:
    await embedded.show("<body style='margin:0'><button style='width:120px;height:40px;border:0'>B</button>")
    for line, size in (
        ("screenshot", (1280, 720)),
        ('screenshot "B"', (120, 40)),
        ("screenshot --annotate", (1280, 720)),
        ("screenshot --fullpage", (1280, 720)),
    ):
        file = tmp_path / f"{size[0]}{len(line)}.png"
        await embedded.ok(f"{line} --output {file}")
        data = file.read_bytes()
        assert data[:8] == base64.b64decode("iVBORw0KGgo=")
        assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == size


async def test_a_picture_of_more_than_is_in_view(embedded: Driver, tmp_path: Path) -> None:
    """Its parts are where they are on the page: a canvas of the page reads the file's pixels."""
    await embedded.show(
        "<title>Long</title><body style='margin:0;width:1500px'>"
        + "".join(f"<div style='height:500px;background:rgb({10 * each},0,0)'></div>" for each in range(1, 6))
        + "<div role=button style='height:900px;background:rgb(0,90,0)'>Tall</div>"
    )
    await embedded.session.browser.page.evaluate("scrollTo(0, 300)")
    whole, part = tmp_path / "whole.png", tmp_path / "part.png"
    await embedded.ok(f"screenshot --fullpage --output {whole} --timeout 40s")
    assert await embedded.session.browser.page.evaluate("scrollY") == 300, "it is where it was"
    await embedded.ok(f'screenshot "Tall" --output {part} --timeout 40s')
    assert await pixels(embedded, whole.read_bytes(), [(5, 5), (1490, 1300), (5, 2499), (1490, 3399)]) == [
        "1500x3400", "10,0,0", "30,0,0", "50,0,0", "0,90,0",
    ]  # fmt: skip
    assert await pixels(embedded, part.read_bytes(), [(300, 5), (1490, 899)]) == ["1500x900", "0,90,0", "0,90,0"]


async def pixels(embedded: Driver, file: bytes, points: list[tuple[int, int]]) -> list[str]:
    """The size of a picture, and the colours at these points."""
    data = base64.b64encode(file).decode()
    script = f"""const bytes = Uint8Array.from(atob('{data}'), (each) => each.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes]));
    const canvas = Object.assign(document.createElement('canvas'), {{ width: picture.width, height: picture.height }});
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    return [`${{picture.width}}x${{picture.height}}`, ...{[list(each) for each in points]}.map(([x, y]) =>
      [...context.getImageData(x, y, 1, 1).data].slice(0, 3).join())];"""
    found: list[str] = await embedded.session.browser.page.evaluate(script)
    return found


async def test_a_script_on_a_page_whose_policy_forbids_eval(embedded: Driver) -> None:
    policy = {"Content-Security-Policy": "default-src 'self'"}
    embedded.pages["/"] = 200, policy, "<title>Strict</title><p>words</p>"
    await embedded.ok(f"goto {embedded.pages.url('/')}")
    for script, value in (
        ("document.title", "Strict"),
        ("let a = 2; a + 3", "5"),
        ("await Promise.resolve(7)", "7"),
    ):
        assert value in await embedded.ok(f'eval "{script}"')
    assert (await embedded('eval "const b = 1; return b + 1"')).startswith("error")
    assert "boom" in await embedded("eval \"throw new Error('boom')\"")
    assert (await embedded('eval "1 +"')).startswith("error")


async def test_files_for_an_input(embedded: Driver, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("words")
    await embedded.show(
        '<input type=file aria-label=File onchange="this.files[0].text().then(t => out.textContent = t)"><p id=out></p>'
    )
    await embedded.ok(f'upload "File" {tmp_path / "notes.txt"}')
    await embedded.ok('wait visible "words"')


async def test_dragging(embedded: Driver) -> None:
    await embedded.show(
        "<div draggable=true style='width:90px;height:40px'>Card</div>"
        "<div style='width:200px;height:90px' ondragover='event.preventDefault()' "
        "ondrop=\"out.textContent = 'dropped'\">Pile</div><p id=out></p>"
    )
    assert '"dropped"' in await embedded.ok('drag "Card" to "Pile"')


async def test_what_scripts_return(embedded: Driver) -> None:
    await embedded.show("<title>T</title>")
    for script, value in (
        ("1 + 1", "2"),
        ("let x = 3; x * 2", "6"),
        ("await Promise.resolve(7)", "7"),
        ("({a: [1, null]})", '"a"'),
        ("document.body", "body"),
        ("1 / 0", "Infinity"),
        ("undefined", ""),
    ):
        assert value in await embedded.ok(f'eval "{script}"'), script
    assert "TypeError" in await embedded('eval "null.x"')


async def test_a_page_that_replaces_functions_can_still_be_used(embedded: Driver) -> None:
    script = "setTimeout = requestAnimationFrame = () => 0; String.prototype.toJSON = () => 'spoilt'"
    await embedded.show(f"<button onclick=\"this.textContent = 'pressed'\">B</button><script>{script}</script>")
    assert '[1] button "B"' in await embedded("observe")
    assert '"pressed"' in await embedded.ok('click "B"')


@pytest.mark.parametrize(
    "script",
    [
        "JSON.stringify = () => 'x'",
        "JSON = { parse: () => 0, stringify: () => { throw 1 } }",
        "Promise.prototype.catch = () => 0",
        "Array.prototype.push = () => 0",
        "Array.prototype.map = () => 0",
        "Object.prototype.toJSON = () => 'spoilt'",
        *(
            f"setTimeout(() => {{ Array.prototype.map = JSON.stringify = () => 'late' }}, {delay})"
            for delay in range(0, 100, 10)
        ),
    ],
)
async def test_a_page_that_replaces_what_the_driver_needs(embedded: Driver, script: str) -> None:
    """JavaScript's own functions are put back while a command runs, and the page's afterwards."""
    await embedded.show(f"<button onclick=\"this.textContent = 'pressed'\">B</button><script>{script}</script>")
    assert '[1] button "B"' in await embedded("observe")
    assert "pressed" in await embedded.ok('click "B"')
    assert '[1] button "B"' in await embedded.show("<button>B</button>") + await embedded("observe")


async def test_a_script_has_the_functions_of_the_page(embedded: Driver) -> None:
    await embedded.show("<script>JSON.stringify = () => 'x'</script>")
    page = embedded.session.browser.page
    assert await page.evaluate("JSON.stringify({a: 1})") == "x"
    assert await page.evaluate("await new Promise((done) => setTimeout(done, 50))") is None
    assert await page.evaluate("({a: [1]})") == {"a": [1]}


@pytest.mark.parametrize("script", ["Promise = function () {}", "String.prototype.split = () => 0"])
async def test_a_page_that_has_replaced_functions_is_read(embedded: Driver, script: str) -> None:
    embedded.pages["/"] = f"<button>B</button><script>{script}</script>"
    await embedded(f"goto {embedded.pages.url()}")
    assert '[1] button "B"' in await embedded.ok("observe")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:{port}/", "net::ERR_CONNECTION_REFUSED"),
        ("http://127.0.0.1:1/", "net::ERR_UNSAFE_PORT"),
        ("http://nowhere.invalid/", "net::ERR_NAME_NOT_RESOLVED"),
    ],
)
async def test_failed_loads(embedded: Driver, wpe: WebKitBrowser, url: str, reason: str) -> None:
    await embedded.show("<title>Before</title>")
    with socket.socket() as nobody:  # it is bound, and does not listen
        nobody.bind(("127.0.0.1", 0))
        answer = await embedded(f"goto {url.format(port=nobody.getsockname()[1])}")
    assert answer.startswith("error") and reason in answer
    assert "a page of the browser's own" in await embedded("observe")
    assert (await embedded('click "x"')).startswith("error")
    assert await embedded.show("<title>After</title>")
