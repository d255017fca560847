"""A person logs in, in a window on a real display; what the session had goes there, and comes back with the login."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from oryn.daemon.window import require_display
from oryn.errors import NoDisplay
from tests.daemon.display import virtual_display
from tests.daemon.running import RunningDaemon
from tests.headless.conftest import Pages

LOGIN = """<title>Log in</title><form method=post action=/enter>
<label>User <input name=user></label> <button>Enter</button></form>"""
ACCOUNT = """<title>Account</title><script>
sessionStorage.visits = 1 + +(sessionStorage.visits || 0);
localStorage.cart = (localStorage.cart || '') + 'x';
</script><p id=who></p><script>who.textContent = document.cookie + ' ' + localStorage.before</script>"""


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with virtual_display() as name:
        yield name


@pytest.fixture(scope="module")
def shared(display: str, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    daemon = RunningDaemon(tmp_path_factory.mktemp("login"), {"DISPLAY": display, "WAYLAND_DISPLAY": ""})
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


async def person(daemon: RunningDaemon, session: str = "default") -> None:
    """Do in the window what a person does there, once it shows the form."""
    await window(daemon, session)
    await daemon.ok('type "User" "ada"', session=session)
    await daemon.ok('click "Enter"', session=session)


async def window(daemon: RunningDaemon, session: str = "default") -> None:
    """Wait until the session is in its window."""
    async with asyncio.timeout(60):
        while True:
            answer = await daemon.ask('wait visible "User"', session=session, timeout_ms=2000)
            seen = await daemon.ask("eval navigator.userAgent", session=session)
            if answer["ok"] and "HeadlessChrome" not in seen["data"]["result"]:
                return


def logging_in(daemon: RunningDaemon, *words: str, **envelope: Any) -> asyncio.Task[dict[str, Any]]:
    return asyncio.ensure_future(daemon.ask({"argv": ["login", *words]}, **envelope))


async def test_a_login_ends_where_the_url_fits_and_stays_in_the_session(daemon: RunningDaemon, shop: Pages) -> None:
    await daemon.ok(f"goto {shop.url('/')}")
    await daemon.ok('storage set before "kept"')
    await daemon.ok('cookies set theme "dark"')
    login = logging_in(daemon, shop.url("/login"), "--until", "*/account*")
    await person(daemon)
    answer = await login
    assert answer["text"] == (
        f'ok login {shop.url("/login")} --until "*/account*"\n\n'
        f'@ {shop.url("/account?n=1").removeprefix("http://")} "Account"\n\n'
        "# note\nthe person is logged in, as far as the URL tells"
    )
    assert answer["data"]["result"] == {"ended": "fits"}
    assert "HeadlessChrome" in (await daemon.ok("eval navigator.userAgent"))["data"]["result"]
    assert (await daemon.ok("text #who"))["text"].endswith("| theme=dark; sid=ada kept")
    # Once in the window, and once more in the session's own browser.
    assert (await daemon.ok("eval sessionStorage.visits + localStorage.cart"))["data"]["result"] == "2xx"
