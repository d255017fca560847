"""Allowed and denied domains, and files, in WebKit: the tests of Chromium with the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.core.urls import DomainPolicy
from oryn.engine import Options, Session
from oryn.engine.file_access import HostFolders
from oryn.engine.policy.policy import Policy
from oryn.errors import ConfigurationError
from tests.headless.conftest import Driver, Pages
from tests.headless.test_policy_domains import (
    ADS,
    DOMAINS,
    FETCHES,
    UNSEEN,
    ForbiddenServer,
    forbidden_server,
    script,
    show_shop,
    test_a_beacon_goes_nowhere,
    test_a_link_is_pressed_and_its_page_refused,
    test_a_new_tab_stays_empty,
    test_a_page_of_another_host_is_refused_before_anything_is_sent,
    test_a_redirect_of_a_request_is_looked_at,
    test_a_rule_that_answers_is_no_way_to_a_refused_host,
    test_a_rule_with_a_port_is_for_that_port,
    test_a_service_worker_reaches_no_other_host,
    test_allowed_host_matches_in_any_spelling,
    test_denied_domains_leave_all_others,
    test_each_hop_of_a_redirect_is_looked_at,
    test_headers_and_logins_are_for_allowed_hosts_alone,
    test_history_and_reload_work_on_allowed_domains,
    test_host_spellings_do_not_bypass_allowed_domains,
    test_many_hosts_are_told_in_a_few_lines,
    test_no_other_scheme_is_a_way_out,
)
from tests.headless.test_policy_files import (
    Folders,
    folders,
    test_a_file_that_is_open_already_is_not_read,
    test_a_page_of_the_web_opens_none,
    test_a_page_opens_no_file_that_is_refused,
    test_allowed_file_is_opened,
    test_no_command_reads_oryns_own_files,
    test_no_spelling_opens_what_is_refused,
)
from tests.webkit import webkit_browser

__all__ = [
    "folders",
    "forbidden_server",
    "test_a_beacon_goes_nowhere",
    "test_a_file_that_is_open_already_is_not_read",
    "test_a_link_is_pressed_and_its_page_refused",
    "test_a_new_tab_stays_empty",
    "test_a_page_of_another_host_is_refused_before_anything_is_sent",
    "test_a_page_of_the_web_opens_none",
    "test_a_page_opens_no_file_that_is_refused",
    "test_a_redirect_of_a_request_is_looked_at",
    "test_a_rule_that_answers_is_no_way_to_a_refused_host",
    "test_a_rule_with_a_port_is_for_that_port",
    "test_a_service_worker_reaches_no_other_host",
    "test_allowed_file_is_opened",
    "test_allowed_host_matches_in_any_spelling",
    "test_denied_domains_leave_all_others",
    "test_each_hop_of_a_redirect_is_looked_at",
    "test_headers_and_logins_are_for_allowed_hosts_alone",
    "test_history_and_reload_work_on_allowed_domains",
    "test_host_spellings_do_not_bypass_allowed_domains",
    "test_many_hosts_are_told_in_a_few_lines",
    "test_no_command_reads_oryns_own_files",
    "test_no_other_scheme_is_a_way_out",
    "test_no_spelling_opens_what_is_refused",
]
pytestmark = [pytest.mark.webkit, pytest.mark.other_engine]


@pytest.fixture
def limited(pages: Pages, run: Any, tmp_path: Path) -> Iterator[Callable[[DomainPolicy], Driver]]:
    """Sessions with these limits."""
    sessions: list[Session] = []

    def make(domains: DomainPolicy) -> Driver:
        pages.bodies.clear()
        options = Options(timeout=60, policy=Policy.of(domains=domains))
        sessions.append(Session(webkit_browser(runtime_dir=tmp_path, load_timeout=10), options=options))
        return Driver(sessions[-1], pages)

    yield make
    for session in sessions:
        run(session.close())


@pytest.fixture
def shop(limited: Callable[[DomainPolicy], Driver]) -> Driver:
    """A session that may speak to the shop alone."""
    return limited(DOMAINS)


@pytest.fixture(params=["root", "none"])
def oryn(request: pytest.FixtureRequest, pages: Pages, run: Any, tmp_path: Path, folders: Folders) -> Iterator[Driver]:
    """A session with a files root, and one without."""
    roots = [folders.root] if request.param == "root" else []
    places = HostFolders(own=[folders.own], shared=[folders.own / "shared"])
    options = Options(timeout=60, files_root=roots, host_folders=places)
    session = Session(webkit_browser(runtime_dir=tmp_path / "run", load_timeout=10), options=options)
    yield Driver(session, pages)
    run(session.close())


@pytest.mark.parametrize("way", [way for way in FETCHES if way != "prefetch"])
async def test_no_request_of_a_script_goes_out(shop: Driver, forbidden_server: ForbiddenServer, way: str) -> None:
    await show_shop(shop, "<p>shop")
    assert (await script(shop, FETCHES[way].format(forbidden_server.url("/leak")))).startswith("refused")
    assert forbidden_server.connections == 0


async def test_nothing_is_loaded_ahead(shop: Driver, forbidden_server: ForbiddenServer) -> None:
    links = "".join(
        f"<link rel={kind} href='{forbidden_server.url('/ahead')}'>"
        for kind in ("prefetch", "preconnect", "dns-prefetch", "preload as=script", "modulepreload")
    )
    await show_shop(shop, f"{links}<p>shop")
    await shop.ok("wait idle")
    assert (await script(shop, FETCHES["fetch"].format(forbidden_server.url("/leak")))).startswith("refused")
    assert forbidden_server.connections == 0


@pytest.mark.parametrize("way", ["websocket", "shared worker"])
async def test_what_interception_does_not_see_connects_to_no_other_host(
    shop: Driver, forbidden_server: ForbiddenServer, way: str
) -> None:
    await show_shop(shop)
    place = forbidden_server.url().removeprefix("http://").removesuffix("/")
    for address in (place, place.replace(ADS, "127.0.0.1"), place.replace(ADS, "[::1]")):
        assert (await script(shop, UNSEEN[way].format(address))).startswith("refused"), address
    assert forbidden_server.connections == 0
    if way == "websocket":
        assert "failed websocket" in await shop.ok("requests --last 1")


WORKER_SOCKET = """new Promise(done => { const it = new Worker(URL.createObjectURL(new Blob([`
    const it = new WebSocket('ws://PLACE/ws'); it.onopen = () => postMessage('out');
    it.onerror = () => postMessage('refused')`]))); it.onmessage = told => done(told.data) })"""


async def test_a_socket_of_a_worker_does_not_either(shop: Driver, forbidden_server: ForbiddenServer) -> None:
    await show_shop(shop)
    place = forbidden_server.url().removeprefix("http://").removesuffix("/")
    assert (await script(shop, WORKER_SOCKET.replace("PLACE", place).replace("\n", " "))).startswith("refused")
    assert forbidden_server.connections == 0


async def test_pages_have_no_other_way_to_the_network(shop: Driver) -> None:
    """Datagrams would pass by the gateway."""
    await show_shop(shop)
    assert "undefined undefined" in await script(shop, "typeof RTCPeerConnection + ' ' + typeof WebTransport")


async def test_subresource_requests_to_other_hosts_are_blocked_and_reported(
    shop: Driver, forbidden_server: ForbiddenServer
) -> None:
    answer = await show_shop(
        shop,
        f'<img src="{forbidden_server.url("/a.gif")}"><script src="{forbidden_server.url("/a.js")}"></script>'
        f'<link rel=stylesheet href="{forbidden_server.url("/a.css")}">'
        f'<iframe src="{forbidden_server.url("/frame")}"></iframe>',
    )
    assert f"blocked 4 requests: {ADS} is not in allowed_domains" in answer
    assert forbidden_server.connections == 0
    assert (await shop.ok("requests")).count("net::ERR_BLOCKED_BY_CLIENT") == 4


async def test_a_page_may_connect_to_its_own_host(shop: Driver) -> None:
    """Through the gateway, with what it has been made for."""
    shop.pages["/api"] = "x" * 300_000
    await show_shop(shop)
    assert (await script(shop, "fetch('/api').then(it => it.text()).then(it => it.length)")).startswith("300000")


async def test_a_browser_that_is_started_before_its_session_is_limited_too(
    pages: Pages, forbidden_server: ForbiddenServer, tmp_path: Path
) -> None:
    """As a host starts the first one."""
    browser = webkit_browser(runtime_dir=tmp_path, load_timeout=10, domains=DOMAINS)
    await browser.start()
    session = Session(browser, options=Options(timeout=60, policy=Policy.of(domains=DOMAINS)))
    shop = Driver(session, pages)
    await show_shop(shop)
    assert f"{ADS} is not in allowed_domains" in await shop(f"goto {forbidden_server.url()}")
    place = forbidden_server.url().removeprefix("http://").removesuffix("/")
    assert (await script(shop, UNSEEN["websocket"].format(place))).startswith("refused")
    await session.close()
    assert forbidden_server.connections == 0


async def test_a_browser_that_runs_without_limits_gets_none(run: Any, tmp_path: Path) -> None:
    browser = webkit_browser(runtime_dir=tmp_path, load_timeout=10)
    await browser.start()
    with pytest.raises(ConfigurationError, match="only when it starts"):
        browser.restrict(DOMAINS)
    await browser.close()
