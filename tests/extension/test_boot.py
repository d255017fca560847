"""The engine in the service worker: it comes up when it is wanted, from its snapshot where that fits, and returns."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.extension.storage import ExtensionSettings
from scripts.extension.browser import WAIT, ExtendedBrowser, Target

RESTS = "globalThis.oryn && !chrome.tabs.onUpdated.hasListeners() && !chrome.webNavigation.onCommitted.hasListeners()"
ID = "kidkfejemcaammjoicambgihhoeehacc"
"""Of the key in the manifest."""


@pytest.fixture
def copied(extension: Path, run: Any, tmp_path: Path) -> Iterator[ExtendedBrowser]:
    """A Chromium that has not started yet, with a copy of the extension in `folder` that a test may spoil."""
    browser = ExtendedBrowser(shutil.copytree(extension, tmp_path / "extension"), tmp_path / "runtime")
    yield browser
    run(browser.close())


async def python(worker: Target, code: str) -> Any:
    return json.loads(await worker.evaluate(f"oryn.pyodide.runPython({json.dumps(code)})"))


@pytest.mark.slow
async def test_the_engine_starts_from_its_snapshot(worker: Target, extension_browser: ExtendedBrowser) -> None:
    assert extension_browser.id == ID
    assert await worker.evaluate("[oryn.engine.how, oryn.engine.error]") == ["snapshot", None]
    assert await worker.evaluate("oryn.engine.ms > 0 && oryn.engine.ms <= performance.now()")


async def test_boot_snapshot_contains_all_modules(worker: Target) -> None:
    """No command waits for Python to compile it."""
    code = "import json, sys, zipfile; names = zipfile.ZipFile('/oryn.zip').namelist()\n"
    code += "json.dumps([name for name in names if name.endswith('.py') and name[:-3].replace('/', '.')"
    code += ".removesuffix('.__init__') not in sys.modules])"
    assert await python(worker, code) == ["yaml/cyaml.py"]  # of the part in C, which is not there


@pytest.mark.slow
async def test_randomness_is_another_after_each_start(fresh_browser: ExtendedBrowser) -> None:
    """The snapshot holds the state of `random`: without care each browser would make the same numbers."""
    code = "import json, os, random, secrets, uuid; json.dumps([random.random(), secrets.token_hex(16), "
    code += "os.urandom(16).hex(), str(uuid.uuid4()), random.SystemRandom().random()])"
    seen = []
    for _ in range(2):
        worker = await fresh_browser.awake()
        seen.append(await python(worker, code))
        await fresh_browser.kill_worker()
    assert not set(seen[0]) & set(seen[1])


async def test_clocks_go_on_after_the_snapshot(worker: Target) -> None:
    code = "import json, time, asyncio; json.dumps([time.time(), time.monotonic(), asyncio.get_event_loop().time()])"
    first = await python(worker, code)
    assert abs(first[0] - await worker.evaluate("Date.now() / 1000")) < 30
    second = await python(worker, code)
    assert all(later > earlier for earlier, later in zip(first, second, strict=True))


def damage_snapshot(folder: Path) -> None:
    file = folder / "engine" / "snapshot.gz"
    memory = bytearray(gzip.decompress(file.read_bytes()))
    memory[len(memory) // 2] ^= 1
    file.write_bytes(gzip.compress(memory))


def remove_snapshot(folder: Path) -> None:
    (folder / "engine" / "snapshot.gz").unlink()


def change_engine(folder: Path) -> None:
    with zipfile.ZipFile(folder / "engine" / "oryn.zip", "a") as archive:
        archive.writestr("oryn/newer.py", "")


def change_pyodide(folder: Path) -> None:
    file = folder / "engine" / "built.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"pyodide": "1.2.3"}))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (remove_snapshot, "engine/snapshot.gz is not there"),
        (change_engine, "it was made of another engine"),
        (change_pyodide, "it was made by Pyodide 1.2.3, this is"),
    ],
)
async def test_a_snapshot_that_does_not_fit_is_not_used(
    copied: ExtendedBrowser, spoil: Callable[[Path], None], why: str
) -> None:
    spoil(copied.folder)
    await copied.start()
    await copied.open("popup")  # which needs the engine
    worker = await copied.worker()
    async with asyncio.timeout(WAIT):
        while not any("the engine starts without its snapshot" in line and why in line for line in worker.warnings):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_without_its_snapshot_it_starts_cold(copied: ExtendedBrowser) -> None:
    why = "it is damaged"
    damage_snapshot(copied.folder)
    await copied.start()
    worker = await copied.awake()
    assert await worker.evaluate("oryn.engine.how") == "cold"
    assert [line for line in worker.warnings if why in line]
    assert await python(worker, "import json, oryn.engine; json.dumps(oryn.__version__)")


@pytest.mark.slow
async def test_engine_stays_off_until_it_is_needed(fresh_browser: ExtendedBrowser) -> None:
    worker = await fresh_browser.worker()
    # A worker that rests is not woken by each tab of a user who is connected to nothing.
    await worker.until(RESTS)
    assert await worker.evaluate("oryn.engine.state") == "off"
    await fresh_browser.open("about:blank")
    assert await worker.evaluate("oryn.engine.state") == "off"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("area", "stored", "is_wanted"),
    [
        ("session", {"wanted": True}, True),
        ("sync", {"auto_connect": True}, True),
        ("session", {"wanted": False}, False),
    ],
)
async def test_restarted_worker_restores_the_engine_state(
    fresh_browser: ExtendedBrowser, area: str, stored: dict[str, bool], is_wanted: bool
) -> None:
    worker = await fresh_browser.worker()
    await worker.until("globalThis.oryn")
    if not is_wanted:
        await worker.call("storage.sync.set", {"auto_connect": True})
    await worker.call(f"storage.{area}.set", stored)
    await worker.call("alarms.create", "wake", {"delayInMinutes": 0.05, "periodInMinutes": 0.05})
    await fresh_browser.kill_worker()
    worker = await fresh_browser.worker()  # which the alarm starts
    if is_wanted:
        await worker.until("globalThis.oryn?.engine.state === 'ready'")
    else:
        await worker.until(RESTS)
        assert await worker.evaluate("oryn.engine.state") == "off"


@pytest.mark.slow
async def test_failed_engine_start_is_reported_and_retried(copied: ExtendedBrowser) -> None:
    await copied.start()
    engine, away = copied.folder / "engine" / "oryn.zip", copied.folder / "engine" / "away.zip"
    engine.rename(away)
    page = await copied.open(f"chrome-extension://{copied.id}/engine/built.json")
    await page.evaluate(
        "{ globalThis.states = []; globalThis.port = chrome.runtime.connect({name: 'popup'});"
        "port.onMessage.addListener((message) => states.push(message)); }"
    )
    await page.until("states.some(({engine}) => engine.state === 'failed')")
    failed = await page.evaluate("states.at(-1)")
    assert failed["type"] == "state" and failed["status"] == "disconnected"
    assert failed["engine"]["error"] == "engine/oryn.zip is not there"
    away.rename(engine)
    await page.evaluate("port.postMessage({type: 'disconnect'})")
    worker = await copied.worker()
    await worker.until("oryn.engine.state === 'ready'")
    assert await worker.evaluate("oryn.engine.error") is None
    # What the worker says in the engine's place looks like what that says.
    await page.until("states.at(-1).engine.state === 'ready'")
    ready = await page.evaluate("states.at(-1)")
    assert failed.keys() == ready.keys()
    assert failed["settings"] == ready["settings"] == json.loads(json.dumps(ExtensionSettings().values()))


@pytest.mark.slow
async def test_content_security_policy_blocks_fetch_from_the_extension(worker: Target, pages: Any) -> None:
    """Its policy holds what its permissions would allow: nothing is loaded from the web, and nothing sent there."""
    pages["/"] = "<p>away"
    for address in (pages.url("/"), "https://example.org/"):
        outcome = await worker.evaluate(f"fetch({address!r}).then(() => 'reached', (error) => error.message)")
        assert outcome == "Failed to fetch" or "Content Security Policy" in outcome
    # The browser says so in the console, which is to be empty.
    assert all("Content Security Policy" in each for each in worker.errors)
    worker.errors.clear()


@pytest.mark.slow
async def test_events_wait_for_the_engine(worker: Target, extension_browser: ExtendedBrowser) -> None:
    """What happens while it loads is told when it is there, in its order."""
    await worker.evaluate(
        "{ globalThis.early = new oryn.Host(() => {}, () => {}); early.listen('alarms.onAlarm', '[]'); }"
    )
    tabs = [await extension_browser.open("about:blank") for _ in range(2)]
    await worker.call("tabs.query", {})  # whose answer comes after the events
    await worker.evaluate(
        "{ globalThis.told = []; early.attach((event, values) => told.push([event, JSON.parse(values)])); }"
    )
    created = await worker.evaluate("told.filter(([event]) => event === 'tabs.onCreated').map(([, [{id}]]) => id)")
    assert len(created) == 2 and created == sorted(created)
    for tab in tabs:
        await extension_browser.close_tab(tab)
    removed = "told.filter(([event]) => event === 'tabs.onRemoved').map(([, [id]]) => id)"
    await worker.until(f"{json.dumps(created)}.every((id) => {removed}.includes(id))")
    await worker.evaluate("early.rest()")


async def test_an_engine_that_breaks_is_let_go(worker: Target) -> None:
    """Python never throws at an event while it can do anything: then it is dead, and the next wish starts another."""
    outcome = await worker.evaluate(
        "new Promise((done) => {"
        "const host = new oryn.Host(() => {}, (error) => { host.detach(); done(error.message); });"
        "host.attach(() => { throw new Error('memory access out of bounds'); });"
        "host.listen('storage.onChanged', '[]'); chrome.storage.session.set({broken: Math.random()}); })"
    )
    assert outcome == "memory access out of bounds"
