"""How embedded mode reaches the network: a proxy, and the settings that WebKit can't apply."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.browsers.webkit.browser import bypassed_hosts
from oryn.core.urls import DomainPolicy
from oryn.errors import ConfigurationError, NavigationError
from oryn.hosts.browser_factory import embedded_browser
from oryn.settings import load
from oryn.system import paths
from tests.browsers.test_traffic_access import Proxy
from tests.headless.conftest import Pages


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """A proxy that wants no login."""
    server = Proxy()
    server.wanted = None
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.browser
async def test_every_request_goes_through_the_proxy(tmp_path: Path, proxy: Proxy, pages: Pages) -> None:
    pages["/"], pages["/data"] = "<title>Far</title>", "x"
    browser = WebKitBrowser(runtime_dir=tmp_path, proxy=proxy.url, proxy_bypass="<-loopback>")
    await browser.start()
    try:
        assert (await browser.page.goto(pages.url(), timeout=20)).status == 200
        assert await browser.page.evaluate("fetch('/data').then(r => r.text())") == "x"
    finally:
        await browser.close()
    assert [pages.url(), pages.url("/data")] == [url for url in proxy.passed if "favicon" not in url]


@pytest.mark.browser
async def test_hosts_that_need_no_proxy(tmp_path: Path, proxy: Proxy, pages: Pages) -> None:
    pages["/"] = "<title>Near</title>"
    browser = WebKitBrowser(runtime_dir=tmp_path, proxy=proxy.url)
    await browser.start()
    try:
        assert (await browser.page.goto(pages.url(), timeout=20)).status == 200
        assert proxy.passed == []
        proxy.server_close()
        with pytest.raises(NavigationError):
            await browser.page.goto("http://192.0.2.1/", timeout=20)
    finally:
        await browser.close()


def test_the_hosts_of_the_setting() -> None:
    own = ("localhost", "127.0.0.0/8", "::1")
    assert bypassed_hosts("") == own
    assert bypassed_hosts("*.example.org, 10.0.0.0/8") == ("*.example.org", "10.0.0.0/8", *own)
    assert bypassed_hosts("<-loopback>,*.example.org") == ("*.example.org",)


def test_hosts_can_not_be_limited_behind_a_proxy(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="without a proxy"):
        WebKitBrowser(runtime_dir=tmp_path, proxy="http://127.0.0.1:1", domains=DomainPolicy.of(["a.example"], None))


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ({"proxy": "http://ada:lace@127.0.0.1:1"}, "asks a person for the login"),
        ({"certificate_pins": ["A" * 43 + "="]}, "either all invalid certificates or none"),
        ({"client_certificate": "/c.pem"}, "asks a person for a client certificate"),
    ],
)
def test_settings_that_webkit_can_not_apply(tmp_path: Path, flags: dict[str, Any], reason: str) -> None:
    place = paths.find({"ORYN_HOME": str(tmp_path)})
    with pytest.raises(ConfigurationError, match=reason):
        embedded_browser(load(flags, place, {}))
