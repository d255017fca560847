"""The bridge in the real worker: Python calls the browser, the browser tells Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.extension.bridge import Bridge
from oryn.browsers.extension.error_mapping import NoContentScript, from_chrome
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.conftest import RecordingServer

# A bridge of the test's own beside that of the engine: its host hears the same browser.
SET_UP = """
from oryn.browsers.extension.bridge import Bridge, ChromeFailed
bridge = Bridge(host)
heard = []
bridge.attach()
"""
SOCKET = "bridge.socket({url!r}, lambda: heard.append('opened'), heard.append, lambda *end: heard.append(list(end)))"


class WorkerPython:
    """Python in the worker, in a namespace of its own."""

    def __init__(self, worker: Target) -> None:
        self.worker = worker

    async def start(self) -> None:
        await self.worker.evaluate(
            "{ globalThis.namespace = oryn.pyodide.toPy({});namespace.set('host', new oryn.Host(() => {}, () => {})); }"
        )
        await self(SET_UP)

    async def __call__(self, code: str) -> Any:
        """Run code that may `await`; the JSON value of its last expression."""
        run = f"oryn.pyodide.runPythonAsync({json.dumps(code)}, {{globals: namespace}})"
        return json.loads(
            await self.worker.evaluate(f"{run}.then((value) => JSON.stringify(value?.toJs?.() ?? value ?? null))")
        )

    async def events(self, count: int) -> list[Any]:
        """What was heard, once it is so much."""
        await self.worker.until(f"namespace.get('heard').length >= {count}")
        events: list[Any] = json.loads(await self("import json; json.dumps(heard)"))
        return events


@pytest.fixture
def python(worker: Target, run: Any) -> Iterator[WorkerPython]:
    within = WorkerPython(worker)
    run(within.start())
    yield within
    run(within("for event, all in bridge._listeners.items():\n    while all: bridge.off(event, all[0])"))


@pytest.fixture
def connected(python: WorkerPython, run: Any) -> Iterator[None]:
    """The pages that are opened now have content scripts, as those of a user who is connected."""

    async def connect(flag: bool) -> None:
        await python(f"await bridge.call('storage.session.set', {{'connected': {flag}}})")
        registered = "chrome.scripting.getRegisteredContentScripts({ids: ['oryn.scanner']})"
        await python.worker.until(f"{registered}.then((all) => all.length === {int(flag)})")

    run(connect(True))
    yield
    run(connect(False))


@pytest.mark.slow
async def test_a_call_brings_the_value(python: WorkerPython) -> None:
    assert await python("(await bridge.call('runtime.getManifest'))['name']") == "Oryn"
    assert await python("(await bridge.call('alarms.getAll'))") == []
    assert await python("await bridge.call('storage.session.set', {'kept': {'a': [1, None, 'é😀']}})") is None
    assert await python("await bridge.call('storage.session.get', 'kept') == {'kept': {'a': [1, None, 'é😀']}}") is True
    await python("await bridge.call('storage.session.remove', 'kept')")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("'tabs.get', 999999999", "No tab with id: 999999999."),
        ("'tabs.nothing'", "there is no chrome.tabs.nothing"),
        ("'nothing.at.all'", "there is no chrome.nothing.at.all"),
        ("'tabs.get', 'three'", "No matching signature"),
    ],
)
async def test_a_call_that_is_rejected_says_why(python: WorkerPython, call: str, message: str) -> None:
    code = f"try:\n    await bridge.call({call})\nexcept ChromeFailed as error:\n    said = error.message\nsaid"
    assert message in await python(code)


ASKING = """
import asyncio
[tab] = await bridge.call('tabs.query', {'url': URL})
[top] = await bridge.call('webNavigation.getAllFrames', {'tabId': tab['id']})
async def ask(document, **message):
    try:
        return await bridge.call('tabs.sendMessage', tab['id'], message, {'documentId': document})
    except ChromeFailed as error:
        return error.message
"""


@pytest.mark.slow
@pytest.mark.usefixtures("connected")
async def test_a_document_answers_while_it_is_there(
    python: WorkerPython, extension_browser: ExtendedBrowser, pages: Any
) -> None:
    pages["/asked"] = "<title>asked</title>"
    pages["/next"] = "<title>next</title>"
    tab = await extension_browser.open(pages.url("/asked"))
    await python(ASKING.replace("URL", repr(pages.url("/asked"))))
    wait = 'oryn="scan", request=\'{"cmd": "wait_for", "condition": "exists", "selector": "b", "timeout": 60000}\''
    await python(f"waiting = asyncio.ensure_future(ask(top['documentId'], {wait}))")
    assert await python("await ask(top['documentId'], oryn='ping')") is True
    assert await python("await ask(top['documentId'], oryn='toString')") is None
    assert await python("waiting.done()") is False
    await tab.evaluate("location.assign('/next')")
    assert isinstance(from_chrome(await python("(await waiting)")), DocumentGone)
    late = from_chrome(await python("await ask(top['documentId'], oryn='ping')"))
    assert isinstance(late, NoContentScript | DocumentGone)
    await extension_browser.close_tab(tab)


@pytest.mark.slow
async def test_bridge_events_arrive_until_the_listener_is_removed(
    python: WorkerPython, extension_browser: ExtendedBrowser
) -> None:
    await python("bridge.on('tabs.onCreated', heard.append)")
    first = await extension_browser.open("about:blank")
    created = (await python.events(1))[0]
    assert created["id"] > 0 and not created["pinned"]
    await python("bridge.off('tabs.onCreated', heard.append)")
    second = await extension_browser.open("about:blank")
    assert len(await python.events(1)) == 1
    for tab in (first, second):
        await extension_browser.close_tab(tab)


@pytest.mark.slow
async def test_web_request_events_arrive_with_a_listener(
    python: WorkerPython, extension_browser: ExtendedBrowser, pages: Any
) -> None:
    pages["/seen"] = "<p>seen"
    await python("def seen(details): heard.append(details['url'])")
    await python("bridge.on('webRequest.onCompleted', seen, {'urls': ['*://127.0.0.1/seen'], 'types': ['main_frame']})")
    tab = await extension_browser.open(pages.url("/seen"))
    assert await python.events(1) == [pages.url("/seen")]
    await extension_browser.close_tab(tab)


async def test_listener_for_an_unknown_event_is_rejected(python: WorkerPython) -> None:
    code = "try:\n    bridge.on('tabs.onNothing', print)\nexcept Exception as error:\n    said = str(error)\nsaid"
    assert "there is no event chrome.tabs.onNothing" in await python(code)
    await python("bridge._listeners.clear()")


async def test_a_socket_carries_text_both_ways(python: WorkerPython, recording_server: RecordingServer) -> None:
    await python("socket = " + SOCKET.format(url=recording_server.url))
    connection = await recording_server.connection()
    assert await python.events(1) == ["opened"]
    await python("socket.send('0:né 😀')")
    assert await recording_server.next() == "0:né 😀"
    await connection.send("0:ok ü")
    await connection.send(b"no text")
    await connection.close(4403, "enough")
    assert await python.events(3) == ["opened", "0:ok ü", [4403, "enough"]]
    assert await python("socket.send('into nothing'), socket.close(), bridge._sockets == {}") == [None, None, True]


async def test_a_socket_is_closed_from_here(python: WorkerPython, recording_server: RecordingServer) -> None:
    await python("socket = " + SOCKET.format(url=recording_server.url))
    connection = await recording_server.connection()
    await python.events(1)
    await python("socket.close(4000, 'done')")
    await connection.wait_closed()
    assert (connection.close_code, connection.close_reason) == (4000, "done")
    assert await python.events(2) == ["opened", [4000, "done"]]


async def test_a_socket_that_can_not_open_is_closed(python: WorkerPython) -> None:
    await python(SOCKET.format(url="ws://127.0.0.1:9"))
    assert await python.events(1) == [[1006, ""]]
    code = f"try:\n    {SOCKET.format(url='wss://')}\nexcept ChromeFailed as error:\n    said = error.message\nsaid"
    assert "is invalid" in await python(code)


async def test_a_port_of_the_popup_carries_messages_both_ways(
    python: WorkerPython, extension_browser: ExtendedBrowser
) -> None:
    await python("bridge.on('runtime.onConnect', heard.append)")
    await python("bridge.on('port.onMessage', lambda *told: heard.append(list(told)))")
    await python("bridge.on('port.onDisconnect', lambda port: heard.append(['gone', port]))")
    page = await extension_browser.open(f"chrome-extension://{extension_browser.id}/engine/built.json")
    await page.evaluate(
        "{ globalThis.port = chrome.runtime.connect({name: 'test'}); globalThis.said = [];"
        "port.onMessage.addListener((message) => said.push(message)); port.postMessage({a: [1]}); }"
    )
    opened, message = await python.events(2)
    assert opened["name"] == "test" and opened["sender"]["id"] == extension_browser.id
    number = opened["port"]
    assert message == [number, {"a": [1]}]
    await python(f"bridge.post({number}, {{'b': 'é'}}); bridge.post(12345, 'nobody')")
    assert await page.until("said.find((message) => message.b)?.b") == "é"
    await page.evaluate("port.disconnect()")
    assert (await python.events(3))[2] == ["gone", number]
    await extension_browser.close_tab(page)


@pytest.mark.slow
@pytest.mark.usefixtures("connected")
async def test_no_page_of_the_web_opens_a_port(
    python: WorkerPython, extension_browser: ExtendedBrowser, pages: Any
) -> None:
    """A content script lives in the page's process; were that taken over, it could do all that the popup can."""
    await python("bridge.on('runtime.onConnect', heard.append)")
    pages["/hostile"] = "<p>hostile"
    page = await extension_browser.open(pages.url("/hostile"))
    connect = (
        "new Promise((gone) => { const port = chrome.runtime.connect({name: 'popup'});"
        "port.onDisconnect.addListener(() => gone('refused')); })"
    )
    assert await page.evaluate_in_extension(connect) == "refused"
    assert await python("heard == []") is True
    await extension_browser.close_tab(page)


class Silent:
    """A host that does nothing."""

    def __init__(self) -> None:
        self.deliver: Any = None

    def attach(self, deliver: Any) -> None:
        self.deliver = deliver

    def listen(self, event: str, options: str) -> None:
        pass

    unlisten = listen


def test_a_listener_that_fails_does_not_keep_the_event_from_others(capsys: pytest.CaptureFixture[str]) -> None:
    host: Any = Silent()
    bridge, heard = Bridge(host), list[str]()

    def broken(_: str) -> None:
        raise ValueError("mine")

    bridge.on("tabs.onRemoved", broken)
    bridge.on("tabs.onRemoved", heard.append)
    bridge.attach()
    host.deliver("tabs.onRemoved", '["told"]')
    assert heard == ["told"]
    assert "ValueError: mine" in capsys.readouterr().err
