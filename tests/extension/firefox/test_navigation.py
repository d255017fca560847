"""Navigations in Firefox, whose events have another shape and order than Chromium's."""

from __future__ import annotations

import socket

from tests.extension.driver import Driven


async def test_a_page_that_does_not_load_is_reported(driven: Driven) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    answer = await driven(f"goto http://127.0.0.1:{port}/")
    assert "the connection was refused (net::ERR_CONNECTION_REFUSED)" in answer
    assert (await driven("click 1")).startswith("error click 1:")
    assert '"back"' in await driven.show("<title>back</title>")


async def test_a_host_without_an_address_is_reported(driven: Driven) -> None:
    answer = await driven("goto http://nowhere.invalid/")
    assert "the host's name does not resolve (net::ERR_NAME_NOT_RESOLVED)" in answer


async def test_a_blocked_port_is_reported(driven: Driven) -> None:
    assert "net::ERR_UNSAFE_PORT" in await driven("goto http://127.0.0.1:9/")


async def test_another_host_is_another_process_and_one_navigation(driven: Driven) -> None:
    await driven.show("<title>first</title>")
    url = driven.pages.url("/").replace("127.0.0.1", "localhost")
    answer = await driven.ok(f"goto {url}")
    assert answer.startswith(f"ok goto {url}\n\n@ ") and '"first"' in answer


async def test_going_back_and_forward(driven: Driven) -> None:
    await driven.show("<title>first</title>", "/first")
    await driven.show("<title>second</title><a href='#part'>Part</a>", "/second")
    assert '"first"' in await driven.ok("back")
    assert '"second"' in await driven.ok("forward")
    assert "#part" in await driven.ok('click "Part"')
    assert '"second"' in await driven.ok("refresh")
