"""Interception and the life of who intercepts: a page goes on when the engine is busy, and when it dies."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from oryn.browsers.base.network import HttpCredentials, InterceptionRule, MockResponse
from oryn.browsers.chromium import ChromiumBrowser

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and a pipe")

# Another engine: it attaches to a browser that runs, opens a page, and stops every request of it.
ENGINE = """
import asyncio, sys
from pathlib import Path
from oryn.browsers.base.network import HttpCredentials
from oryn.browsers.chromium import ChromiumBrowser

async def main(endpoint, url, folder):
    guest = ChromiumBrowser(runtime_dir=Path(folder), endpoint=endpoint)
    guest._context._options["disposeOnDetach"] = "maybe"  # refused: so it is in the default context, among others
    await guest.start()
    await guest.new_tab(url)
    await guest.network.set_credentials(HttpCredentials("a", "b"))
    print("intercepting", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


async def endpoint_of(profile: Path, wait_until) -> str:
    port_file = profile / "DevToolsActivePort"
    await wait_until(lambda: port_file.exists() and len(port_file.read_text().split()) == 2, 15)
    port, path = port_file.read_text().split()
    return f"ws://127.0.0.1:{port}{path}"


@pytest.mark.slow
@posix
async def test_a_page_goes_on_when_the_engine_that_intercepts_is_killed(server, runtime_dir, tmp_path, wait_until):
    profile = tmp_path / "profile"
    host = ChromiumBrowser(runtime_dir=runtime_dir, profile=profile, extra_args=["--remote-debugging-port=0"])
    await host.start()
    endpoint = await endpoint_of(profile, wait_until)
    url = server.url("/ok?title=guest")
    engine = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ENGINE, endpoint, url, str(tmp_path / "guest"), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert engine.stdout is not None
        assert await asyncio.wait_for(engine.stdout.readline(), 30) == b"intercepting\n"
        await host.switch_tab(next(tab.number for tab in await host.tabs() if tab.url == url))
        page = host.page
        assert await page.evaluate("fetch('/ok').then(r => r.status)") == 200

        engine.send_signal(signal.SIGSTOP)
        await page.evaluate("void (answer = fetch('/ok').then(r => r.status))")
        held = "Promise.race([answer, new Promise(done => setTimeout(done, 300, 'held'))])"
        assert await page.evaluate(held) == "held"

        engine.kill()
        assert await page.evaluate("answer", timeout=10) == 200
        assert (await page.goto(server.url("/ok?title=after"))).status == 200
    finally:
        if engine.returncode is None:
            engine.kill()
        await engine.wait()
        await host.close()


async def test_a_page_loads_while_a_command_runs(browser, page, server):
    """Every request is stopped and let go while the engine waits for something else."""
    await browser.network.set_credentials(HttpCredentials("a", "b"))
    try:
        await page.goto(server.page("x"))
        asking = (
            "Promise.all([...Array(20)].map((_, n) => fetch('/ok?' + n).then(r => r.status))).then(all => all.length)"
        )
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(
                page.scanner({"cmd": "wait_for", "condition": "exists", "selector": "#done", "timeout": 8000})
            )
            started = page.channel.session.send(
                "Runtime.evaluate",
                {
                    "expression": f"{asking}.then(n => document.body.innerHTML += '<p id=done>' + n)",
                    "awaitPromise": True,
                },
            )
            await started
        assert waiting.result()["ok"]
        assert await page.evaluate("document.getElementById('done').innerText") == "20"
    finally:
        await browser.network.set_credentials(None)


async def test_a_page_loads_while_a_dialog_of_another_is_open(browser, page, server):
    await browser.network.add_rule(
        InterceptionRule("*/ok?mine", reply=MockResponse(200, (("Content-Type", "text/plain"),), b"mine"))
    )
    browser.dialog_policy = "off"
    try:
        await page.goto(server.page("x"))
        await page.evaluate("void setTimeout(() => confirm('wait'))")
        assert await page.channel.signal.until(lambda: page.dialog is not None, 5)
        await browser.new_tab(server.page("x"), timeout=10)
        assert await browser.page.evaluate("fetch('/ok?mine').then(r => r.text())") == "mine"
    finally:
        await browser.network.remove_rules()
        page.dialogs.dismiss()


@pytest.mark.slow
async def test_a_rule_holds_while_the_page_is_busy(browser, page, server):
    """A page in a loop hears nothing, but what is stopped is decided on by us and the browser alone."""
    await page.goto(server.page("x"))
    await page.evaluate("setTimeout(() => { const end = Date.now() + 1500; while (Date.now() < end); })")
    await browser.network.add_rule(InterceptionRule("/ok", reply=MockResponse(201)))
    try:
        assert await page.evaluate("fetch('/ok').then(r => r.status)", timeout=10) == 201
    finally:
        assert await browser.network.remove_rules() == 1


async def test_nothing_is_stopped_once_nothing_needs_it(browser, page, server):
    paused = []
    page.channel.session.on("Fetch.requestPaused", paused.append)
    await browser.network.add_rule(InterceptionRule("/ok", block=True))
    await page.goto(server.page("x"))
    await page.evaluate("fetch('/status?code=200').then(r => r.status)")
    assert paused == []  # no pattern fits
    await browser.network.add_rule(InterceptionRule("*"))
    await page.evaluate("fetch('/status?code=200').then(r => r.status)")
    assert paused == []  # a rule that only marks stops nothing
    await browser.network.remove_rules()
    assert await page.evaluate("fetch('/ok').then(r => r.status)") == 200
    assert paused == []
