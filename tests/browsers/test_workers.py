"""Workers of a page: the browser holds them until we let them go."""

from __future__ import annotations

import pytest

SCRIPT = "onmessage = e => postMessage(e.data + 1)"
ASK = "new Promise(done => {{ const worker = {0}; worker.onmessage = e => done(e.data); worker.postMessage(1) }})"


def worker(source: str) -> str:
    return f"new Worker(URL.createObjectURL(new Blob([{source!r}])))"


async def test_a_dedicated_worker_runs(page, server):
    await page.goto(server.page("x"))
    assert await page.evaluate(ASK.format(worker(SCRIPT)), timeout=5) == 2


async def test_a_worker_of_a_worker_runs(page, server):
    await page.goto(server.page("x"))
    outer = f"const inner = {worker(SCRIPT)}; inner.onmessage = e => postMessage(e.data + 1); onmessage = e => inner.postMessage(e.data)"
    assert await page.evaluate(ASK.format(worker(outer)), timeout=5) == 3


async def test_a_worker_of_a_frame_in_another_process_runs(page, server):
    server.pages["/frame"] = f"<script>{ASK.format(worker(SCRIPT))}.then(n => parent.postMessage(n, '*'))</script>"
    await page.goto(
        server.page(
            f"<script>got = new Promise(done => onmessage = e => done(e.data))</script><iframe src={server.url('/frame', 'localhost')}></iframe>"
        )
    )
    assert await page.evaluate("got", timeout=5) == 2


@pytest.mark.parametrize("kind", ["shared", "service"])
async def test_workers_of_other_kinds_run(page, server, kind):
    server.pages["/worker.js"] = ""
    scripts = {
        "shared": "new Promise(done => { const worker = new SharedWorker('/sw?shared'); worker.port.onmessage = e => done(e.data) })",
        "service": "navigator.serviceWorker.register('/sw?service').then(r => navigator.serviceWorker.ready).then(() => 1)",
    }
    await page.goto(server.page("x"))
    assert await page.evaluate(scripts[kind], timeout=8) == 1


async def test_a_page_whose_worker_has_loaded_is_idle(page, server):
    await page.goto(server.page("<script>new Worker('/sw?plain')</script>"))
    await page.wait_for("idle", timeout=5)


async def test_a_page_whose_worker_does_not_load_is_idle(page, server):
    await page.goto(server.page("<script>new Worker('/status?code=404')</script>"))
    await page.wait_for("idle", timeout=5)


async def test_a_worker_that_ends_is_forgotten(page, server, wait_until):
    await page.goto(server.page("x"))
    sessions = page.channel.session.connection._sessions
    before = set(sessions)
    await page.evaluate(f"v = {worker('postMessage(1)')}; new Promise(done => v.onmessage = done).then(() => 0)")
    assert len(sessions) == len(before) + 1
    await page.evaluate("v.terminate()")
    await wait_until(lambda: set(sessions) == before)
