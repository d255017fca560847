"""A person logs in, in a window on a real display; what the session had goes there, and comes back with the login."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest

from oryn.daemon.login.window import has_display
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.display import Display, virtual_display
from tests.headless.conftest import Pages

pytestmark = pytest.mark.whole_browser

LOGIN = """<title>Log in</title><form method=post action=/enter>
<label>User <input name=user autofocus></label> <button>Enter</button></form>"""
ACCOUNT = """<title>Account</title><script>
sessionStorage.visits = 1 + +(sessionStorage.visits || 0);
localStorage.cart = (localStorage.cart || '') + 'x';
</script><p id=who></p><script>who.textContent = document.cookie + ' ' + localStorage.before</script>"""


@pytest.fixture(scope="module")
def display() -> Iterator[Display]:
    with virtual_display() as shown:
        yield shown


@pytest.fixture(scope="module")
def shared(display: Display, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    daemon = RunningDaemon(tmp_path_factory.mktemp("login"), {"DISPLAY": display.name, "WAYLAND_DISPLAY": ""})
    yield daemon
    assert run(daemon.stop()) == 0, daemon.log()
    run(daemon.no_process())


@pytest.fixture
def daemon(shared: RunningDaemon, run: Any) -> Iterator[RunningDaemon]:
    """With a display, and no session open."""
    yield shared
    run(shared.ok({"argv": ["close", "--all"]}))


@pytest.fixture
def shop(pages: Pages) -> Pages:
    def enter(request: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], str]:
        return 303, {"Location": "/account?n=1", "Set-Cookie": "sid=ada"}, ""

    pages["/"] = "<title>Shop</title><p>before</p>"
    pages["/login"], pages["/enter"], pages["/account"] = LOGIN, enter, ACCOUNT
    return pages


async def log_in(daemon: RunningDaemon, session: str = "default") -> None:
    """Do in the window what a person does there, once it shows the form."""
    await wait_for_window(daemon, session)
    await daemon.ok('type "User" "ada"', session=session)
    await daemon.ok('click "Enter"', session=session)


async def wait_for_window(daemon: RunningDaemon, session: str = "default") -> None:
    """Wait until the session is in its window."""
    async with asyncio.timeout(40):
        while True:
            answer = await daemon.ask('wait visible "User"', session=session, timeout_ms=2000)
            seen = await daemon.ask("eval navigator.userAgent", session=session)
            if answer["ok"] and seen["ok"] and "HeadlessChrome" not in seen["data"]["result"]:
                return


async def close_window(display: Display, title: str, login: asyncio.Task[dict[str, Any]]) -> None:
    """Close the window, as a person does who presses the keys again when nothing happens."""
    while not login.done():
        with suppress(subprocess.SubprocessError):  # it is closed, and the rest only takes long
            await asyncio.to_thread(display.press, title, "ctrl+w")
        await asyncio.wait([login], timeout=4)


def start_login(daemon: RunningDaemon, *words: str, **envelope: Any) -> asyncio.Task[dict[str, Any]]:
    return asyncio.ensure_future(daemon.ask({"argv": ["login", *words]}, **envelope))


@pytest.mark.slow
async def test_a_login_ends_where_the_url_fits_and_stays_in_the_session(daemon: RunningDaemon, shop: Pages) -> None:
    await daemon.ok(f"goto {shop.url('/')}")
    await daemon.ok('storage set before "kept"')
    await daemon.ok('cookies set theme "dark"')
    login = start_login(daemon, shop.url("/login"), "--until", "*/account*")
    await log_in(daemon)
    answer = await login
    assert answer["text"] == (
        f'ok login {shop.url("/login")} --until "*/account*"\n\n'
        f'@ {shop.url("/account?n=1").removeprefix("http://")} "Account"\n\n'
        "# note\nthe URL matches: the person appears to be logged in"
    )
    assert answer["data"]["result"] == {"ended": "fits"}
    assert "HeadlessChrome" in (await daemon.ok("eval navigator.userAgent"))["data"]["result"]
    assert (await daemon.ok("text #who"))["text"].endswith("| theme=dark; sid=ada kept")
    # Once in the window, and once more in the session's own browser.
    stored = await daemon.ok('eval "sessionStorage.visits + localStorage.cart"')
    assert stored["data"]["result"] == "2xx"


@pytest.mark.slow
async def test_indexed_db_goes_there_and_back(daemon: RunningDaemon, shop: Pages) -> None:
    put = "eval \"new Promise((done) => { indexedDB.open('%s', 1).onsuccess = () => done(1) })\""
    names = 'eval "indexedDB.databases().then((all) => all.map((each) => each.name).sort())"'
    await daemon.ok(f"goto {shop.url('/')}")
    await daemon.ok(put % "before")
    login = start_login(daemon, shop.url("/login"))
    await wait_for_window(daemon)
    assert (await daemon.ok(names))["data"]["result"] == ["before"]
    await daemon.ok(put % "token")
    await daemon.ok({"argv": ["login_done"]})
    assert (await login)["ok"]
    assert (await daemon.ok(names))["data"]["result"] == ["before", "token"]


@pytest.mark.slow
async def test_login_done_ends_it_where_the_person_is(daemon: RunningDaemon, shop: Pages) -> None:
    login = start_login(daemon, shop.url("/login"))
    await log_in(daemon)
    said = await daemon.ok({"action": "login_done"})
    account = f'@ {shop.url("/account?n=1").removeprefix("http://")} "Account"'
    note = "# note\nlogin_done: the person reported that they are logged in"
    assert said["text"] == f"ok login_done\n\n{account}\n\n{note}"
    assert (await login)["text"] == f"ok login {shop.url('/login')}\n\n{account}\n\n{note}"
    assert (await daemon.ok("cookies list"))["text"].endswith('sid "ada" 127.0.0.1')


@pytest.mark.slow
async def test_login_done_without_a_login(daemon: RunningDaemon, shop: Pages) -> None:
    answer = await daemon.ask({"argv": ["login_done"]}, session="nobody")
    assert answer["error_kind"] == "session_not_found"
    await daemon.ok(f"goto {shop.url()}")
    answer = await daemon.ask({"argv": ["login_done"]})
    assert answer["error_kind"] == "not_running"
    assert answer["text"] == (
        "error login_done: no login is in progress\n\n# hint\n'login <url>' opens a window for a person."
    )


@pytest.mark.slow
async def test_the_window_closed_is_the_end(daemon: RunningDaemon, display: Display, shop: Pages) -> None:
    login = start_login(daemon, shop.url("/login"))
    await wait_for_window(daemon)
    await asyncio.to_thread(display.type, "Log in", "ada\n")
    await close_window(display, "Account", login)
    answer = await login
    assert answer["ok"], answer["text"]
    assert answer["data"]["result"] == {"ended": "closed"}
    assert answer["text"].endswith("the window was closed: run 'observe' to see whether the person is logged in")
    assert (await daemon.ok("text #who"))["text"].endswith("| sid=ada undefined")


@pytest.mark.slow
async def test_the_window_closed_too_early(daemon: RunningDaemon, display: Display, shop: Pages) -> None:
    login = start_login(daemon, shop.url("/login"), "--until", "/account")
    await wait_for_window(daemon)
    await close_window(display, "Log in", login)
    answer = await login
    assert answer["error_kind"] == "login_not_done"
    here = shop.url("/login").removeprefix("http://")
    assert answer["error"] == f'the window was closed before the URL was "/account": the page is {here}'
    assert (await daemon.ok("url"))["text"].endswith(shop.url("/login"))


@pytest.mark.slow
async def test_login_times_out_without_a_person(daemon: RunningDaemon, shop: Pages) -> None:
    answer = await daemon.ask(
        {"action": "login", "args": {"url": shop.url("/login"), "success_url": "/account", "timeout": 0.5}}
    )
    assert answer["error_kind"] == "timeout"
    here = shop.url("/login").removeprefix("http://")
    assert answer["error"] == f"no login within 0.5 s: the page is {here}"
    assert answer["hint"] == "The person's progress is saved: run 'login' again with more --timeout."
    assert "HeadlessChrome" in (await daemon.ok("eval navigator.userAgent"))["data"]["result"]


@pytest.mark.slow
async def test_a_session_that_is_closed_meanwhile(daemon: RunningDaemon, shop: Pages) -> None:
    login = start_login(daemon, shop.url("/login"), session="brief")
    await wait_for_window(daemon, "brief")
    await daemon.ok({"argv": ["close"]}, session="brief")
    answer = await login
    assert answer["error_kind"] == "session_not_found"
    assert answer["error"] == "the session was closed while a person was logging in"
    await daemon.no_process()


@pytest.mark.slow
async def test_a_daemon_that_ends_meanwhile(
    daemon_of: Callable[..., RunningDaemon], display: Display, shop: Pages
) -> None:
    daemon = daemon_of(DISPLAY=display.name)
    login = start_login(daemon, shop.url("/login"))
    await wait_for_window(daemon)
    assert await daemon.stop() == 0, daemon.log()
    await daemon.no_process()
    assert "Traceback" not in daemon.log()
    with suppress(httpx.HTTPError):  # it may still be told that its session is closed
        assert not (await login)["ok"]


@pytest.mark.slow
async def test_two_people_at_once_and_one_of_them_twice(daemon: RunningDaemon, shop: Pages) -> None:
    first = start_login(daemon, shop.url("/login"), "--until", "/account", session="first")
    second = start_login(daemon, shop.url("/login"), "--until", "/account", session="second")
    await wait_for_window(daemon, "first")
    again = await daemon.ask({"argv": ["login", shop.url("/login")]}, session="first")
    assert again["error_kind"] == "already_running"
    assert again["error"] == "a person is logging in already"
    await log_in(daemon, "second")
    assert (await second)["ok"]
    assert not first.done()
    assert "sid" not in (await daemon.ok("cookies list", session="first"))["text"]
    await log_in(daemon, "first")
    assert (await first)["ok"]


@pytest.mark.slow
async def test_a_profile_keeps_the_login(daemon: RunningDaemon, shop: Pages) -> None:
    settings = {"profile": "shopper"}
    await daemon.ok(f"goto {shop.url()}", session="kept", settings=settings)
    login = start_login(daemon, shop.url("/login"), "--until", "/account", session="kept")
    await log_in(daemon, "kept")
    assert (await login)["ok"], login.result()["text"]
    assert "HeadlessChrome" in (await daemon.ok("eval navigator.userAgent", session="kept"))["data"]["result"]
    assert 'sid "ada"' in (await daemon.ok("cookies list", session="kept"))["text"]
    await daemon.ok({"argv": ["close"]}, session="kept")
    await daemon.ok(f"goto {shop.url()}", session="kept", settings=settings)
    assert (await daemon.ok("eval localStorage.cart", session="kept"))["data"]["result"] == "xx"


@pytest.mark.slow
async def test_a_session_with_a_window_of_its_own_stays_in_it(daemon: RunningDaemon, shop: Pages) -> None:
    await daemon.ok(f"goto {shop.url()}", session="seen", settings={"headful": True})
    login = start_login(daemon, shop.url("/login"), "--until", "/account", session="seen")
    await log_in(daemon, "seen")
    answer = await login
    assert answer["ok"], answer["text"]
    assert "HeadlessChrome" not in (await daemon.ok("eval navigator.userAgent", session="seen"))["data"]["result"]
    assert (await daemon.ok("eval localStorage.cart", session="seen"))["data"]["result"] == "x"


@pytest.mark.slow
async def test_a_window_of_its_own_that_is_closed(daemon: RunningDaemon, display: Display, shop: Pages) -> None:
    await daemon.ok(f"goto {shop.url()}", session="seen", settings={"headful": True})
    login = start_login(daemon, shop.url("/login"), session="seen")
    await log_in(daemon, "seen")
    await close_window(display, "Account", login)
    assert login.result()["data"]["result"] == {"ended": "closed"}
    await daemon.ok(f"goto {shop.url('/account')}", session="seen")
    assert (await daemon.ok("text #who", session="seen"))["text"].endswith("| sid=ada undefined")


@pytest.mark.slow
async def test_a_page_that_does_not_come_leaves_the_session_as_it_was(daemon: RunningDaemon, shop: Pages) -> None:
    await daemon.ok(f"goto {shop.url()}")
    answer = await daemon.ask({"argv": ["login", "http://127.0.0.1:1/"]})
    assert answer["error_kind"] == "navigation_error"
    assert (await daemon.ok("url"))["text"].endswith(shop.url())
    assert "HeadlessChrome" in (await daemon.ok("eval navigator.userAgent"))["data"]["result"]


@pytest.mark.parametrize(
    ("environment", "platform", "shown"),
    [
        ({}, "darwin", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"DISPLAY": ":1"}, "linux", True),
        ({"DISPLAY": ""}, "linux", False),
    ],
)
def test_where_a_window_can_be_shown(environment: dict[str, str], platform: str, shown: bool) -> None:
    assert has_display(environment, platform) is shown


@pytest.mark.slow
async def test_login_respects_the_session_policy(
    daemon_of: Callable[..., RunningDaemon], display: Display, shop: Pages
) -> None:
    daemon = daemon_of(DISPLAY=display.name, ORYN_DENIED_DOMAINS="bank.example")
    answer = await daemon.ask({"argv": ["login", "https://bank.example/login"]})
    assert answer["error_kind"] == "domain_not_allowed"
    answer = await daemon.ask({"argv": ["login", shop.url("/login")]}, session="looking", settings={"read_only": True})
    assert answer["error_kind"] == "read_only"


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ({"argv": ["login"]}, "missing_argument"),
        ({"action": "login", "args": {}}, "missing_argument"),
        ({"argv": ["login", "http://a.example", "--until"]}, "missing_argument"),
        ({"action": "login", "args": {"url": "http://a.example", "until": [5]}}, "invalid_value"),
        ({"argv": ["login_done", "now"]}, "unexpected_input"),
    ],
)
async def test_bad_input(daemon: RunningDaemon, request_: dict[str, Any], kind: str) -> None:
    assert (await daemon.ask(request_))["error_kind"] == kind
