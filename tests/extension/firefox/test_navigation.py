"""Navigations in Firefox, whose events have another shape and order than Chromium's."""

from __future__ import annotations

import socket

from tests.extension.driver import PairedBrowser


async def test_a_page_that_does_not_load_is_reported(paired_browser: PairedBrowser) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    answer = await paired_browser(f"goto http://127.0.0.1:{port}/")
    assert "the connection was refused (net::ERR_CONNECTION_REFUSED)" in answer
    assert (await paired_browser("click 1")).startswith("error click 1:")
    assert '"back"' in await paired_browser.show("<title>back</title>")


async def test_a_host_without_an_address_is_reported(paired_browser: PairedBrowser) -> None:
    answer = await paired_browser("goto http://nowhere.invalid/")
    assert "the host's name does not resolve (net::ERR_NAME_NOT_RESOLVED)" in answer


async def test_a_blocked_port_is_reported(paired_browser: PairedBrowser) -> None:
    assert "net::ERR_UNSAFE_PORT" in await paired_browser("goto http://127.0.0.1:9/")


async def test_another_host_is_another_process_and_one_navigation(paired_browser: PairedBrowser) -> None:
    await paired_browser.show("<title>first</title>")
    url = paired_browser.pages.url("/").replace("127.0.0.1", "localhost")
    answer = await paired_browser.ok(f"goto {url}")
    assert answer.startswith(f"ok goto {url}\n\n@ ") and '"first"' in answer


async def test_going_back_and_forward(paired_browser: PairedBrowser) -> None:
    await paired_browser.show("<title>first</title>", "/first")
    await paired_browser.show("<title>second</title><a href='#part'>Part</a>", "/second")
    assert '"first"' in await paired_browser.ok("back")
    assert '"second"' in await paired_browser.ok("forward")
    assert "#part" in await paired_browser.ok('click "Part"')
    assert '"second"' in await paired_browser.ok("refresh")
