"""The start and the end of a browser of WebKit's, and the port that is its own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.webkit import launch, listener
from oryn.browsers.webkit import process as webkit_process
from oryn.browsers.webkit.connection import WebKitConnection
from oryn.browsers.webkit.engines import ENGINES, WebKitEngine, browser_environment, find_browser_program
from oryn.browsers.webkit.launch import launch_webkit
from oryn.browsers.webkit.process import WebKitProcess, connect_to
from oryn.browsers.webkit.session import InnerSession
from oryn.browsers.webkit.target import WebKitTarget
from oryn.errors import BrowserFailed, BrowserNotFound, BrowserUnsuitable, ConfigurationError, OrynError, PageCrashed
from tests.headless.conftest import Pages
from tests.process_groups import await_end, member, members
from tests.soak import repeated, repetitions

pytestmark = pytest.mark.webkit

WPE = ENGINES["wpe"]
LIBRARY = "error while loading shared libraries: libX.so.2: cannot open shared object file"


@asynccontextmanager
async def browser(folder: Path, engine: WebKitEngine = WPE) -> AsyncIterator[WebKitProcess]:
    try:
        process = WebKitProcess(launch_webkit(engine, folder))
    except BrowserNotFound as error:
        pytest.skip(error.message)
    try:
        yield process
    finally:
        await process.end()
        await_end(process.pid)


async def open_page(connection: WebKitConnection) -> WebKitTarget:
    """The tab of a browser, which shows a page."""
    handle = (await connection.automation.call("Automation.createBrowsingContext"))["handle"]
    target = connection.attach(connection.tabs[0])
    session = await target.wait_for_session(10)
    loaded = asyncio.Event()
    session.on("Page.loadEventFired", lambda _: loaded.set())
    await session.call("Page.enable")
    where = {"handle": handle, "url": "data:text/html,<title>Shown</title>", "pageLoadStrategy": "None"}
    await connection.automation.call("Automation.navigateBrowsingContext", where)
    await asyncio.wait_for(loaded.wait(), 10)
    return target


async def title(target: WebKitTarget) -> str:
    answer = await target.session.call("Runtime.evaluate", {"expression": "document.title", "returnByValue": True})
    return str(answer["result"]["value"])


async def test_a_page(tmp_path: Path) -> None:
    async with browser(tmp_path) as process:
        connection = await process.connect()
        assert connection.version[1].count(".") >= 1
        target = await open_page(connection)
        assert await title(target) == "Shown"
        assert (process.downloads / "x").parent.is_dir()
        connection.close()


async def test_an_evaluation_takes_no_acknowledgement(tmp_path: Path) -> None:
    """0.3 ms on a quiet machine; 40 ms if the browser waited for the acknowledgement of each part."""
    async with browser(tmp_path) as process:
        target = await open_page(await process.connect())
        times = []
        for _ in range(40):
            start = time.perf_counter()
            await title(target)
            times.append(time.perf_counter() - start)
        assert sorted(times)[len(times) // 2] < 0.02


async def test_a_page_that_moves_to_another_process(tmp_path: Path, pages: Pages) -> None:
    """A document that asks for a process of its own (https://html.spec.whatwg.org/#cross-origin-opener-policies) is set
    up before it loads."""
    isolated = {"Cross-Origin-Opener-Policy": "same-origin"}
    pages["/isolated"] = 200, isolated, "<script>document.title = window.early</script>"
    async with browser(tmp_path) as process:
        connection = await process.connect()
        target = await open_page(connection)
        former = target.session
        loaded = asyncio.Event()

        def set_up(session: InnerSession) -> None:
            session.on("Page.loadEventFired", lambda _: loaded.set())
            session.send("Page.enable")
            session.send("Page.setBootstrapScript", {"source": "window.early = 'Before'"})

        target.follow(set_up, lambda _: None)
        never = former.send("Runtime.evaluate", {"expression": "new Promise(() => 0)"})
        promise = (await never)["result"]["objectId"]
        never = former.send("Runtime.awaitPromise", {"promiseObjectId": promise})
        (context,) = (await connection.automation.call("Automation.getBrowsingContexts"))["contexts"]
        where = {"handle": context["handle"], "url": pages.url("/isolated"), "pageLoadStrategy": "None"}
        await connection.automation.call("Automation.navigateBrowsingContext", where)
        with pytest.raises(DocumentGone):
            await asyncio.wait_for(never, 10)
        await asyncio.wait_for(loaded.wait(), 10)
        assert target.session is not former
        assert await title(target) == "Before"


# --- the port ---


async def test_nobody_else_connects(tmp_path: Path) -> None:
    async with browser(tmp_path) as process:
        connection = await process.connect()
        if not process.is_private:
            pytest.skip("needs a system that lets a process borrow another's socket")
        other = socket.socket()
        other.setblocking(False)
        with other, pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.get_running_loop().sock_connect(other, process.address), 0.5)
        assert await title(await open_page(connection)) == "Shown"


def test_a_connection_of_another_user_is_found() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs to be root, to start a process of another user")
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        with socket.create_connection((host, port)) as own, server.accept()[0]:
            assert own.getpeername() == (host, port)
            assert listener.strangers((host, port)) == []
            words = ["bash", "-c", f"exec 3<>/dev/tcp/{host}/{port}; read -r _ <&3"]
            other = subprocess.Popen(words, user=65534)
            with server.accept()[0] as accepted:
                assert listener.strangers((host, port)) == [accepted.getpeername()]
            other.wait()


async def test_a_browser_to_which_another_user_has_connected_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "strangers", lambda address: [("127.0.0.1", 1)])
    async with browser(tmp_path) as process:
        closed = asyncio.Event()
        connection = await process.connect(closed.set)
        await asyncio.wait_for(closed.wait(), 5)
        with pytest.raises(BrowserFailed, match="another user of this computer"):
            await connection.automation.call("Automation.getBrowsingContexts")


def test_who_listens_where_the_system_lends_no_sockets() -> None:
    if not listener.can_check():
        pytest.skip("needs a system that tells who listens")
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        child = subprocess.Popen(["sleep", "60"], pass_fds=[server.fileno()])
        assert listener.listens(os.getpid(), (host, port))
        assert not listener.listens(os.getpid(), (host, port - 1))
        assert not listener.listens(child.pid, (host, port))  # which has started nothing
        child.kill()
        child.wait()


async def test_a_port_that_another_program_has_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not listener.can_check():
        pytest.skip("needs a system that tells who listens")
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(launch, "_free_address", server.getsockname)
        async with browser(tmp_path) as process:
            with pytest.raises(BrowserFailed, match="another program has taken the port"):
                await process.connect()
            with server.accept()[0] as client:
                assert client.recv(100) == b""  # it was told nothing


# --- browsers that run already ---


async def test_a_browser_that_runs_already(tmp_path: Path) -> None:
    async with browser(tmp_path) as process:
        (await process._connect()).close()  # it listens now
        connection = await connect_to("{}:{}".format(*process.address))
        assert await title(await open_page(connection)) == "Shown"
        connection.close()


@pytest.mark.parametrize("address", ["", "localhost", ":80", "localhost:", "localhost:x", "localhost:70000"])
async def test_what_is_no_address(address: str) -> None:
    with pytest.raises(ConfigurationError):
        await connect_to(address)


async def test_no_browser_at_an_address() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        for host in ("127.0.0.1", "localhost", "[::1]", "no-such-host.invalid"):
            with pytest.raises(BrowserFailed, match="no browser answers at"):
                await connect_to(f"{host}:{port}", timeout=5)


async def test_another_server_at_an_address() -> None:
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    with pytest.raises(BrowserFailed, match="no WebKit browser"):
        await connect_to(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
    server.close()


async def test_a_server_that_is_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with pytest.raises(BrowserFailed, match="did not open its automation session"):
            await connect_to(f"127.0.0.1:{server.getsockname()[1]}", timeout=0.1)


async def test_a_browser_of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    if not listener.can_check():
        pytest.skip("needs a system that tells who listens")
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        with pytest.raises(BrowserFailed, match="another user's"):
            await connect_to(f"127.0.0.1:{server.getsockname()[1]}", timeout=5)


# --- browsers that do not start ---


def program(folder: Path, script: str) -> WebKitEngine:
    file = folder / "MiniBrowser"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o700)
    return WPE.replace(programs=(str(file),))


@pytest.mark.parametrize(
    ("script", "kind", "message"),
    [
        (f"echo '{LIBRARY}' >&2; exit 127", BrowserFailed, r"the library libX\.so\.2 is not installed"),
        (f"echo '{LIBRARY}' >&2; sleep 60", BrowserFailed, r"the library libX\.so\.2 is not installed"),
        ("exit 1", BrowserFailed, "ended as soon as it was started"),
        ("sleep 60", BrowserUnsuitable, "does not open the socket of its inspector"),
    ],
)
async def test_what_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, kind: type[OrynError], message: str
) -> None:
    monkeypatch.setattr(webkit_process, "START_SECONDS", 0.5)
    async with browser(tmp_path, program(tmp_path, script)) as process:
        with pytest.raises(kind, match=message):
            await process.connect()


@pytest.mark.parametrize(
    ("folder", "text", "arguments"),
    [
        ("wpe-webkit-1.1", "use-legacy-api", []),
        ("wpe-webkit-2.0", "", ["--size=1280x720"]),
        ("wpe-webkit-2.0", "use-legacy-api", ["--size=1280x720", "--use-legacy-api"]),
        ("webkitgtk-6.0", "use-legacy-api", []),
    ],
)
async def test_options_are_those_of_the_version(tmp_path: Path, folder: str, text: str, arguments: list[str]) -> None:
    place = tmp_path / folder
    place.mkdir()
    async with browser(tmp_path / "runtime", program(place, f'echo "$@" # {text}')) as process:
        with pytest.raises(BrowserFailed, match="ended as soon as it was started") as caught:
            await process.connect()
    assert caught.value.hint == " ".join([*WPE.arguments, *arguments])


def test_no_browser(tmp_path: Path) -> None:
    with pytest.raises(BrowserNotFound, match="wpe is not installed"):
        launch_webkit(WPE.replace(programs=("/nowhere/*/MiniBrowser",)), tmp_path)


def test_the_user_has_the_last_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oryn.browsers.process.run_folder import RunFolder

    monkeypatch.setenv("JSC_useDFGJIT", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "fontconfig").mkdir(parents=True)
    folder = RunFolder.create(tmp_path / "runtime")
    environment = browser_environment(folder, None)
    assert environment["JSC_useDFGJIT"] == "1" and environment["LP_NUM_THREADS"] == "0"
    configuration = Path(environment["XDG_CONFIG_HOME"])
    assert str(folder.downloads) in (configuration / "user-dirs.dirs").read_text()
    assert (configuration / "fontconfig").resolve() == tmp_path / "config" / "fontconfig"
    folder.release()


# --- ends ---


async def test_the_browser_is_killed(tmp_path: Path) -> None:
    async with browser(tmp_path) as process:
        closed = asyncio.Event()
        connection = await process.connect(closed.set)
        target = await open_page(connection)
        answer = target.session.send("Runtime.evaluate", {"expression": "for(;;);"})
        os.kill(member(process.pid, "MiniBrowser"), signal.SIGKILL)
        with pytest.raises(BrowserFailed, match="the browser has ended"):
            await asyncio.wait_for(answer, 5)
        await asyncio.wait_for(closed.wait(), 5)
        assert connection.closed is not None


@pytest.mark.parametrize("name", ["WPEWebProcess", "WPENetworkProce", "a loop"])
async def test_another_process_is_killed(tmp_path: Path, name: str) -> None:
    """The browser ends the automation session at once, and starts another; or goes on."""
    async with browser(tmp_path) as process:
        connection = await process.connect()
        target = await open_page(connection)
        lost = asyncio.Event()
        connection.on_automation_lost = lost.set
        if name == "a loop":
            target.session.send("Runtime.evaluate", {"expression": "for(;;);"})
            process.kill_pages()
        else:
            os.kill(member(process.pid, name), signal.SIGKILL)
        await asyncio.wait_for(lost.wait(), 5)
        with pytest.raises(PageCrashed):
            await connection.automation.call("Automation.getBrowsingContexts")
        await connection.start_automation(timeout=5)
        assert (await connection.automation.call("Automation.createBrowsingContext"))["handle"]


@repeated
async def test_no_process_is_left(tmp_path: Path) -> None:
    for round in range(repetitions(4, 100)):
        async with browser(tmp_path / str(round)) as process:
            await open_page(await process.connect())
            names = ("WPEWebProcess", "WPENetworkProce", "MiniBrowser", "sh")
            os.kill(member(process.pid, names[round % len(names)]), signal.SIGKILL)


def test_a_browser_ends_with_its_owner(tmp_path: Path) -> None:
    try:
        find_browser_program(WPE)
    except BrowserNotFound as error:
        pytest.skip(error.message)
    script = """
import asyncio, sys
from pathlib import Path
from oryn.browsers.webkit.engines import ENGINES
from oryn.browsers.webkit.launch import launch_webkit
from oryn.browsers.webkit.process import WebKitProcess

async def main():
    process = WebKitProcess(launch_webkit(ENGINES["wpe"], Path(sys.argv[1])))
    await process.connect()
    print(process.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""
    owner = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    group = int(owner.stdout.readline())
    assert "MiniBrowser" in members(group).values()
    owner.kill()
    owner.communicate()
    await_end(group)
