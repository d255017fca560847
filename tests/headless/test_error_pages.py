"""Pages of the browser's own in the place of one that did not load, with a server whose certificate nobody vouches for:
nothing in them can be seen, pressed, typed into or run, by any way there is; and every way leads on from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.headless.conftest import Driver, Pages
from tests.headless.untrusted_server import UntrustedServer, untrusted_server

pytestmark = pytest.mark.whole_browser

ICON = "<link rel=icon href=data:,>"
HOME = f"{ICON}<title>home</title><a href='{{}}'>bad</a><button>ok</button>"
AT_WARNING = "ok url\n\nchrome-error://chromewebdata/"
CODE = "net::ERR_CERT_AUTHORITY_INVALID"


@pytest.fixture(scope="module")
def untrusted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UntrustedServer]:
    with untrusted_server(tmp_path_factory.mktemp("certificate")) as served:
        yield served


@pytest.fixture
def shop(
    browser: ChromiumBrowser, pages: Pages, run: Any, tmp_path: Path, untrusted: UntrustedServer
) -> Iterator[Driver]:
    """A session with a home page; nothing of it may ever come to the server that is not trusted."""
    pages.bodies.clear()
    untrusted.requests.clear()
    options = Options(timeout=60, files_root=(tmp_path,))
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=options)
    pages["/"] = HOME.format(untrusted.url())
    yield Driver(session, pages)
    run(session.close())
    assert untrusted.requests == []


@pytest.fixture(scope="module")
def session(browser: ChromiumBrowser, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("session")
    session = Session(ChromiumBrowser(runtime_dir=folder, shared_with=browser), options=Options(timeout=60))
    yield session
    run(session.close())


@pytest.fixture
def warning_page(session: Session, pages: Pages, untrusted: UntrustedServer, run: Any) -> Iterator[Driver]:
    """A session at the warning, to which other tests have come before; nothing of them may lead away from it."""
    driver = Driver(session, pages)
    untrusted.requests.clear()
    if run(driver("url")) != AT_WARNING:
        pages.bodies.clear()
        pages["/"] = HOME.format(untrusted.url())
        run(at_warning(driver, untrusted))
    yield driver
    assert untrusted.requests == []
    assert run(driver("url")) == AT_WARNING


async def at_warning(shop: Driver, untrusted: UntrustedServer) -> None:
    await shop.ok(f"goto {shop.pages.url()}")
    answer = await shop(f"goto {untrusted.url()}")
    assert answer.startswith(
        f"error goto {untrusted.url()}: {untrusted.url()} did not load: the server's certificate is not valid ({CODE})"
    )
    assert "certificate_pins" in answer, "how a person allows it"


@pytest.mark.slow
async def test_it_has_no_elements_and_says_what_it_is(shop: Driver, untrusted: UntrustedServer) -> None:
    await at_warning(shop, untrusted)
    for line in ("observe", "observe --full", "observe --hidden", "snapshot"):
        answer = await shop.ok(line)
        assert "[1]" not in answer and "@e1" not in answer, answer
        assert f"commands can't touch: {untrusted.url()} did not load" in answer and CODE in answer
    told = await shop.session.execute("observe", json=True)
    assert '"elements":[]' in told.render() and CODE in told.render()
    assert await shop.ok("url") == AT_WARNING
    assert "ok screenshot" in await shop.ok("screenshot")
    assert "home" in await shop.ok("back")


TOUCHES = [
    'click "Advanced"', "click 1", "click css(#details-button)", 'click "Back to safety"', "click xpath(//button)",
    'type css(body) "thisisunsafe"', "press t", "press enter", "press Control+a", "keydown t",
    "hover css(button)", "focus css(button)", "scroll down", "submit", 'select css(select) "a"', "check css(input)",
    'eval "document.title"', 'eval "certificateErrorPageController.proceed()"', 'wait until "1"',
    "exists '#proceed-link'", "count button", "value css(input)", "highlight css(button)",
    "dismiss popup", 'login "ann" "secret"', 'search "x"', "drag css(button) to css(button)",
    "click css(button) --right", "click css(button) --double",
]  # fmt: skip


@pytest.mark.parametrize("line", TOUCHES)
async def test_page_commands_are_rejected_on_an_error_page(
    warning_page: Driver, untrusted: UntrustedServer, line: str
) -> None:
    answer = await warning_page.session.execute(line)
    assert answer.error is not None, answer.render()
    if answer.error.code != "ELEMENT_NOT_FOUND":  # numbers that nobody was told
        assert answer.error.code == "CANNOT_ACCESS_PAGE", answer.render()
        assert f"{untrusted.url()} did not load" in answer.error.message


@pytest.mark.slow
async def test_input_is_refused_beneath_the_commands(shop: Driver, untrusted: UntrustedServer) -> None:
    """As the live page and whoever drives a page by points gets it."""
    from oryn.errors import CannotAccessPage

    await at_warning(shop, untrusted)
    page = shop.session.page
    file = str(untrusted)

    async def aim() -> tuple[float, float]:
        return 2, 2

    for act in (
        lambda: page.mouse.move(300, 300), lambda: page.mouse.click(300, 300), lambda: page.mouse.wheel(3, 3, 0, 9),
        lambda: page.mouse.drag(1, 1, aim), lambda: page.keyboard.press(["t"]), lambda: page.keyboard.down("t"),
        lambda: page.keyboard.type("thisisunsafe"), lambda: page.drop_files(3, 3, [file]), lambda: page.evaluate("1"),
        lambda: page.set_files(1, [file]), lambda: page.scanner({"cmd": "execute", "script": "1"}),
        lambda: page.scanner({"cmd": "keys", "events": []}), lambda: page.scanner({"cmd": "click", "id": 1}),
    ):  # fmt: skip
        with pytest.raises(CannotAccessPage):
            await act()
    await page.keyboard.up(["t"])  # what is held may always be let go


@pytest.mark.slow
async def test_a_key_that_was_held_before_is_let_go(shop: Driver, untrusted: UntrustedServer) -> None:
    await shop.ok(f"goto {shop.pages.url()}")
    await shop.ok("keydown shift")
    await shop(f"goto {untrusted.url()}")
    assert "error" in await shop("press t")
    await shop.ok("keyup shift")


SCRIPTS = {
    "proceeds": "addEventListener('load', () => setTimeout(() => certificateErrorPageController.proceed()))",
    "hoisted": "function addEventListener() { certificateErrorPageController.proceed() }\n"
    "function setTimeout() { certificateErrorPageController.proceed() }",
    "strict": "'use strict'; setInterval(() => certificateErrorPageController.proceed(), 10)",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
async def test_no_script_of_the_users_runs_in_it(
    shop: Driver, untrusted: UntrustedServer, name: str, tmp_path: Path
) -> None:
    (tmp_path / "a.js").write_text(f"{SCRIPTS[name]}\nwindow.ran = 'yes' // to the end")
    await shop.ok(f"goto {shop.pages.url()}")
    await shop.ok("script add a.js")
    await at_warning(shop, untrusted)
    assert CODE in await shop("refresh")
    assert untrusted.requests == []
    await shop.ok(f"goto {shop.pages.url()}")
    if name != "hoisted":
        assert "yes" in await shop.ok('eval "window.ran"'), "it runs elsewhere"


async def test_a_script_can_not_end_what_keeps_it_out(shop: Driver, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("} window.ran = 1; {")
    await shop.ok(f"goto {shop.pages.url()}")
    assert (await shop("script add a.js")).startswith("error script add a.js")


@pytest.mark.slow
@pytest.mark.parametrize("line", ["back", "goto {home}", "tab new {home}"])
async def test_navigation_leaves_an_error_page(shop: Driver, untrusted: UntrustedServer, line: str) -> None:
    await at_warning(shop, untrusted)
    assert CODE in await shop("refresh")
    answer = await shop.ok(line.format(home=shop.pages.url()))
    assert '"home"' in answer
    await shop.ok("observe")
    await shop.ok('click "ok"')
    assert CODE in await shop('click "bad"'), "and a link there says why it leads nowhere"
    assert "CANNOT_ACCESS_PAGE" in (await shop.session.execute("press a", json=True)).render()


@pytest.mark.slow
async def test_a_popup_that_shows_it(shop: Driver, untrusted: UntrustedServer) -> None:
    shop.pages["/"] = f"{ICON}<title>home</title><a target=_blank href='{untrusted.url()}'>bad</a><button>ok</button>"
    await shop.ok(f"goto {shop.pages.url()}")
    await shop('click "bad"')
    await shop.ok("tab switch 2")
    assert "[1]" not in await shop.ok("observe")
    assert "error press t" in await shop("press t")
    await shop.ok("tab switch 1")
    await shop.ok('click "ok"')


@pytest.mark.slow
async def test_what_does_not_load_for_other_reasons(shop: Driver) -> None:
    await shop.ok(f"goto {shop.pages.url()}")
    for url, code in (("http://nowhere.invalid/", "NAME_NOT_RESOLVED"), ("http://127.0.0.1:1/", "UNSAFE_PORT")):
        assert code in await shop(f"goto {url}")
        answer = await shop.ok("observe")
        assert "[1]" not in answer and f"{url} did not load" in answer and code in answer
        answer = await shop("press space")
        assert answer.startswith("error press space") and code in answer
    shop.pages["/empty"] = (503, {}, "")
    assert "HTTP 503" in await shop.ok(f"goto {shop.pages.url('/empty')}")
    assert "answered HTTP 503 and no page" in await shop.ok("observe")


@pytest.mark.slow
async def test_a_network_that_comes_back(shop: Driver) -> None:
    await shop.ok(f"goto {shop.pages.url()}")
    await shop.ok("offline on")
    assert "INTERNET_DISCONNECTED" in await shop("refresh")
    assert "CANNOT_ACCESS_PAGE" in (await shop.session.execute("press space", json=True)).render(), "no game is played"
    await shop.ok("offline off")
    assert '"home"' in await shop.ok("refresh")
    assert '"ok"' in await shop.ok("observe")


# --- frames ---

FRAMES = """{icon}<title>home</title><style>iframe {{ border: 0 }} body {{ margin: 0 }}</style>
<iframe id=f src="{url}" style="width: 300px; height: 200px"></iframe>
<button id=over style="position: absolute; left: 100px; top: 50px; width: 80px; height: 30px">over</button><input id=i>
<iframe id=g srcdoc="<style>body {{ margin: 0 }}</style><iframe src='{url}' style='border: 0; height: 100px'></iframe>"
  style="position: absolute; left: 0; top: 300px"></iframe>"""


@pytest.mark.slow
async def test_a_frame_that_shows_it(shop: Driver, untrusted: UntrustedServer) -> None:
    from oryn.errors import CannotAccessPage

    shop.pages["/"] = FRAMES.format(icon=ICON, url=untrusted.url())
    await shop.ok(f"goto {shop.pages.url()}")
    answer = await shop.ok("observe")
    assert 'button "over"' in answer and "Proceed" not in answer and "Reload" not in answer
    assert (await shop.ok("text")).count("|") == 1, "what it says is not the page's"
    page = shop.session.page
    with pytest.raises(CannotAccessPage, match="did not load"):
        await page.mouse.click(20, 20)
    with pytest.raises(CannotAccessPage, match="did not load"):
        await page.mouse.click(20, 320)
    await shop.ok('click "over"')
    await page.mouse.click(600, 400)
    assert "CANNOT_ACCESS_PAGE" in (await shop.session.execute("click css(#f)", json=True)).render()
    await shop.ok('type css(#i) "abc"')
    await shop.ok('eval "f.focus()"')
    assert "CANNOT_ACCESS_PAGE" in (await shop.session.execute("press t", json=True)).render()
    await shop.ok('eval "g.contentDocument.querySelector(`iframe`).focus()"')
    assert "CANNOT_ACCESS_PAGE" in (await shop.session.execute("press t", json=True)).render()
    await shop.ok('eval "i.focus()"')
    await shop.ok("press t")
    assert '"abct"' in await shop.ok("value css(#i)")
    await shop.ok("frame css(#f)")
    assert "[1]" not in await shop.ok("observe")
    assert "CANNOT_ACCESS_PAGE" in (await shop.session.execute('eval "1"', json=True)).render()
    await shop.ok("frame main")
    assert '"over"' in await shop.ok("observe")
