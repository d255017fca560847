"""`credentials` in the user's own browser: its extensions are asked before its user, and no request is held back."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.browsers.base.network import HttpCredentials
from oryn.browsers.extension.web_request import HttpAuthHandler
from scripts.extension.browser import ExtendedBrowser
from tests.extension.conftest import RecordingServer
from tests.extension.driver import PairedBrowser, paired_browser, untrusted
from tests.extension.popup_user import User, paired_with
from tests.headless.conftest import Pages
from tests.headless.test_network_conditions import PAGE, guarded

__all__ = ["paired_browser", "untrusted"]


def elsewhere(oryn: PairedBrowser, path: str) -> str:
    """Another origin: the browser remembers by itself what a server has taken once."""
    return oryn.pages.url(path).replace("127.0.0.1", "localhost")


@pytest.mark.slow
async def test_a_server_that_asks_gets_the_login(untrusted: PairedBrowser) -> None:
    untrusted.pages["/in"] = guarded("ada", "l0ve:lace")
    assert await untrusted('credentials "ada" "l0ve:lace"') == 'ok credentials "ada" "••••"'
    await untrusted.ok(f"goto {untrusted.pages.url('/in')}")
    assert "welcome" in await untrusted("text")
    await untrusted.ok("credentials clear")


async def test_wrong_ones_are_tried_once(untrusted: PairedBrowser) -> None:
    asked = []
    untrusted.pages["/right"] = lambda handler: asked.append(1) or guarded("ada", "right")(handler)
    await untrusted.ok('credentials "ada" "wrong"')
    answer = await untrusted(f"goto {untrusted.pages.url('/right')}")
    assert "who are you?" in await untrusted("text"), answer
    assert len(asked) == 2
    assert "wrong" not in answer
    await untrusted.ok("credentials clear")


async def test_what_a_page_loads_gets_it_too(untrusted: PairedBrowser) -> None:
    untrusted.pages["/api"] = guarded("ada", "b")
    await untrusted.show(PAGE)
    await untrusted.ok('credentials "ada" "b"')
    asked = "fetch('/api').then(answer => answer.status)"
    assert await untrusted.value(asked) == "200"
    await untrusted.ok("credentials clear")


async def test_other_tabs_of_the_user_get_none(untrusted: PairedBrowser) -> None:
    """Also not one that is in front, before a command has gone there."""
    asked = []

    def answer(handler: Any) -> Any:
        asked.append(handler.headers["Authorization"])
        return guarded("a", "b")(handler)

    untrusted.pages["/mine"] = answer
    await untrusted.show(PAGE)
    await untrusted.ok('credentials "a" "b"')
    theirs = await untrusted.browser.open(elsewhere(untrusted, "/mine"))
    assert asked == [None]
    await untrusted.browser.close_tab(theirs)
    await untrusted.ok("credentials clear")


@pytest.mark.slow
async def test_a_worker_that_is_stopped_leaves_no_request_waiting(
    fresh_browser: ExtendedBrowser, recording_server: RecordingServer, pages: Pages
) -> None:
    user = await User.at(fresh_browser)
    connection, _ = await paired_with(user, recording_server)
    pages["/"], pages["/later"] = PAGE, guarded("a", "b")
    await fresh_browser.open(pages.url())
    await connection.send('1:credentials "a" "b"')
    assert await recording_server.next() == '1:ok credentials "a" "••••"'
    await fresh_browser.kill_worker()
    await fresh_browser.open(pages.url("/later"))  # as without us: the browser would ask its user


class LoginBrowser:
    """A browser that asks whoever wants to answer."""

    def __init__(self) -> None:
        self.responders: list[Any] = []

    def add_responder(self, event: str, responder: Any, *options: Any) -> None:
        self.responders.append(responder)

    def remove_responder(self, event: str, responder: Any) -> None:
        self.responders.remove(responder)

    def asks(self, url: str, tab: int = 1, request: str = "1", **more: Any) -> Any:
        (responder,) = self.responders
        return responder({"url": url, "tabId": tab, "requestId": request, **more})


def test_a_login_is_for_its_servers_and_the_sessions_tabs_alone() -> None:
    browser: Any = LoginBrowser()
    logins = HttpAuthHandler(browser, lambda tab: tab == 1)
    logins.set(HttpCredentials("ada", "secret", ["https://shop.example:8443"]))
    given = {"authCredentials": {"username": "ada", "password": "secret"}}
    assert browser.asks("https://shop.example:8443/in") == given
    assert browser.asks("https://shop.example:8443/in") == {"cancel": True}, "it was refused"
    assert browser.asks("https://ada@Shop.example:8443/in", request="2") == given
    for other in ("http://shop.example:8443/", "https://shop.example/", "https://shop.example:8443.evil.example/"):
        assert browser.asks(other, request=other) == {"cancel": True}
    assert browser.asks("https://shop.example:8443/in", tab=2, request="3") is None
    assert browser.asks("https://shop.example:8443/in", request="4", isProxy=True) is None
    logins.set(None)
    assert browser.responders == []
    logins.set(None)
