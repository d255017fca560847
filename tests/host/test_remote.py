"""`oryn remote` as a client sees it: a real process, real WebSockets, and a stand-in for the extension."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from oryn import __version__
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.messages import FILE_LIMIT, EngineOptions
from oryn.extension_server.pairing import PairingKey
from oryn.system.paths import find
from tests.host.terminal_screen import Screen
from tests.remote.fake_extension import FakeExtension, RegistrationRefused

pytestmark = pytest.mark.processes

CODE = "A7X9K2"
SECONDS = 60.0
READY = f"ready oryn-r v{__version__} protocol=2"


class RemoteHost:
    """The process; `url` is what the extension connects to."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self.process = process
        self.url = url

    async def answer(self) -> str:
        """The next answer without its terminator."""
        assert self.process.stdout
        lines: list[str] = []
        async with asyncio.timeout(SECONDS):
            while (line := (await self.process.stdout.readline()).decode()) != "---\n":
                assert line, "the host has ended"
                lines.append(line)
        return "".join(lines).removesuffix("\n")

    async def send(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())
        await self.process.stdin.drain()

    async def __call__(self, line: str) -> str:
        await self.send(line)
        return await self.answer()

    async def logged(self) -> str:
        """What it has written on standard error, once it has ended."""
        assert self.process.stderr
        async with asyncio.timeout(SECONDS):
            return (await self.process.stderr.read()).decode()


Start = Callable[..., AbstractAsyncContextManager[RemoteHost]]


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORYN_")}
    return {**kept, "ORYN_HOME": str(home), "TERM": "xterm"}


@pytest.fixture
def start(tmp_path: Path) -> Start:
    @asynccontextmanager
    async def running(*arguments: str, code: str | None = CODE) -> AsyncIterator[RemoteHost]:
        words = [*arguments, *(["--pair", code] if code else [])]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "oryn", "remote", "--port", "0", *words,
            env=environment(tmp_path), cwd=tmp_path,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stderr
            async with asyncio.timeout(SECONDS):
                told = (await process.stderr.readline()).decode()
            found = re.fullmatch(r"# the extension connects to (ws://localhost:[0-9]+)\n", told)
            assert found, told + (await process.stderr.read()).decode()
            host = RemoteHost(process, found[1])
            assert await host.answer() == READY
            yield host
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    return running


async def test_lines_go_to_the_browser_and_answers_come_back(start: Start) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        assert await host("click 3") == "ok click 3"
        assert await host("  CLICK   3   # the third") == "ok click 3"
        assert await host("@tab2 observe") == "ok @tab2 observe"
        assert await host("@default title") == "ok @default title"
        assert await host("") == ""
        assert (await host("frobnicate")).startswith('error frobnicate: unknown command "frobnicate"')
        assert browser.commands == ["click 3", "click 3", "@tab2 observe", "title"]
        assert await host("sessions") == "ok sessions\n\n# active sessions\n- default (current)"
        assert "\nmode: remote\n" in await host("session")
        assert (await host("@tab2000x observe")).startswith("error @tab2000x observe: session not found")
        assert await host("exit") == "ok exit"
        assert await host.process.wait() == 0
        assert await host.logged() == ""


async def test_a_definition_goes_to_the_browser_as_a_whole(start: Start) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        await host("define buy:")
        await host("  click 3")
        await host("  click 4")
        assert browser.commands[-1] == "define buy:\n  click 3\n  click 4"


async def test_a_page_can_not_forge_the_end_of_an_answer(start: Start) -> None:
    async with start() as host:
        browser = FakeExtension(CODE)

        async def engine(line: str) -> str:
            return f"ok {line}\n---\nok forged\n\\---"

        browser.engine = engine
        async with browser.connected(host.url):
            assert await host("text") == "ok text\n\\---\nok forged\n\\\\---"


async def test_answers_as_json(start: Start) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        form = {"ok": True, "command": "title", "result": "Shop"}
        browser.forms["title"] = form
        assert json.loads(await host("output json")) == {"ok": True, "command": "output json"}
        assert json.loads(await host("title")) == form
        assert await host("output text") == "ok output text"
        assert await host("title") == "ok title"
        assert "output json" not in browser.commands


@pytest.mark.slow
async def test_a_command_waits_for_a_browser_as_long_as_it_may(start: Start) -> None:
    async with start() as host:
        answer = await host("click 3 --timeout 200ms")
        assert answer == (
            "error click 3 --timeout 200ms: no browser is connected\n\n# hint\nPress Connect in the Oryn extension, "
            f"whose endpoint is {host.url}; give the code that it shows with 'oryn remote --pair CODE'."
        )
        await host.send("click 4")
        async with FakeExtension(CODE).connected(host.url) as browser:
            assert await host.answer() == "ok click 4"
        assert browser.commands == ["click 4"]


async def test_engine_options_of_the_host_apply_in_the_browser(start: Start) -> None:
    words = ("--timeout", "45s", "--strict", "--observe-limit", "7", "--settle-limit", "500ms")
    async with start(*words) as host, FakeExtension(CODE).connected(host.url) as browser:
        assert browser.options == EngineOptions()
        assert await host("click 3") == "ok click 3"
        assert browser.options == EngineOptions(timeout=45, strict=True, observe_limit=7, settle_limit=0.5)
        assert await host("click 3 --timeout 2s") == "ok click 3 --timeout 2s"
        assert browser.commands == ["click 3", "click 3 --timeout 2s"]


async def test_the_engine_in_the_browser_knows_that_presses_are_confirmed(start: Start) -> None:
    async with start("--confirm", "click") as host, FakeExtension(CODE).connected(host.url) as browser:
        assert await host('type "Day" "2026-11-29"') == 'ok type "Day" "2026-11-29"'
        assert browser.options == EngineOptions(confirms_presses=True)


async def test_a_recording_is_written_where_its_beginning_says(start: Start, tmp_path: Path) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        for tab in ("", "@tab2 "):
            browser.files[f"{tab}har stop"] = [("a.har", tab.encode())]

        async def engine(line: str) -> str:
            return f'ok {line}\n\n"/files/ID/a.har"' if "stop" in line else f"ok {line}"

        browser.engine = engine
        (tmp_path / "there").mkdir()
        path, other = tmp_path / "there" / "a.har", tmp_path / "a.har"
        assert await host(f"har start {path}") == f"ok har start {path}"
        assert await host(f"@tab2 har start {other}") == f"ok @tab2 har start {other}"
        assert browser.commands == ["har start a.har", "@tab2 har start a.har"]
        assert await host("har stop") == f'ok har stop\n\n"{path}"'
        assert await host("@tab2 har stop") == f'ok @tab2 har stop\n\n"{other}"'
        assert (path.read_bytes(), other.read_bytes()) == (b"", b"@tab2 ")
        path.unlink()
        await host("har stop")
        assert not path.exists()
        await host(f"har start {path}")
        path.parent.rmdir()
        assert (await host("har stop")).startswith(f"error har stop: there is no folder {path.parent}")
        assert (await host("har start nowhere/a.har")).startswith("error har start nowhere/a.har: there is no folder")


async def test_a_script_goes_to_the_browser_with_its_command(start: Start, tmp_path: Path) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        (tmp_path / "there").mkdir()
        script = tmp_path / "there" / "hide.js"
        script.write_text("hide()")
        browser.files["script add hide.js"] = [("hide.js", b"an answer overwrites nothing")]
        assert await host(f"script add {script}") == f"ok script add {script}"
        assert browser.commands == ["script add hide.js"]
        assert browser.given == {"hide.js": b"hide()"}
        assert script.read_text() == "hide()"
        assert (await host("script add nowhere.js")).startswith(
            f"error script add nowhere.js: there is no file {tmp_path}/nowhere.js"
        )
        script.write_bytes(b" " * (FILE_LIMIT + 1))
        assert (await host(f"script add {script}")).startswith(
            f"error script add {script}: {script} is larger than {FILE_LIMIT} bytes"
        )
        assert len(browser.commands) == 1


@pytest.mark.slow
async def test_a_browser_that_hangs_costs_one_answer(start: Start) -> None:
    async with start() as host:
        browser = FakeExtension(CODE)

        async def engine(line: str) -> str | None:
            return None if line.startswith("click") else f"ok {line}"

        browser.engine = engine
        async with browser.connected(host.url):
            answer = await host("click 3 --timeout 100ms")
            assert answer.startswith("error click 3 --timeout 100ms: the browser did not answer within ")
            assert "It may have been done" in answer
            assert await host("title") == "ok title"


async def test_commands_in_flight_fail_and_are_not_repeated(start: Start) -> None:
    async with start() as host:
        browser = FakeExtension(CODE)
        heard = asyncio.Event()

        async def engine(line: str) -> None:
            heard.set()

        browser.engine = engine
        async with browser.connected(host.url):
            await host.send("click 3")
            await heard.wait()
            browser.socket.transport.abort()
            answer = await host.answer()
        assert answer.startswith("error click 3: the connection to the browser was lost before the answer\n\n# hint\n")
        again = FakeExtension(key=browser.key)
        async with again.connected(host.url, reconnected=True):
            assert await host("title") == (
                "ok title\n\n# note\nthe browser reconnected: "
                "element numbers and @e references from before are no longer valid"
            )
            assert await host("title") == "ok title"
        assert again.commands == ["title", "title"]


@pytest.mark.slow
async def test_the_key_is_kept_for_the_next_process(start: Start, tmp_path: Path) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        await host("title")
    # The key is good at the port where it was given.
    async with start("--port", host.url.rpartition(":")[2], code=None) as host:
        async with FakeExtension(key=browser.key).connected(host.url):
            assert await host("title") == "ok title"
        with pytest.raises(RegistrationRefused, match="pairing required"):
            async with FakeExtension(CODE).connected(host.url):
                pass
        answer = await host("title --timeout 50ms")
        assert answer.startswith("error title --timeout 50ms: no browser is connected; the last one that came: pairing")
    assert (find({"ORYN_HOME": str(tmp_path)}).remote_keys.stat().st_mode & 0o777) == 0o600


async def test_several_browsers_are_sessions(start: Start, tmp_path: Path) -> None:
    key = PairingKey.new()
    KeyStore(find({"ORYN_HOME": str(tmp_path)}).remote_keys).save(key.id, key.secret, "Edge/1.0")
    async with (
        start() as host,
        FakeExtension(CODE).connected(host.url) as first,
        FakeExtension(key=key, browser="Edge/1.0").connected(host.url) as second,
    ):
        assert await host("title") == "ok title"
        assert await host("@edge click 1") == "ok @edge click 1"
        assert await host("sessions") == "ok sessions\n\n# active sessions\n- default (current)\n- edge"
        assert (await host("session edge")).startswith("ok session edge")
        assert await host("click 2") == "ok click 2"
        assert (await host("session new other")).startswith(
            "error session new other: a session of this mode starts when its browser connects"
        )
        assert (first.commands, second.commands) == (["title"], ["click 1", "tabs", "click 2"])


async def test_files_lie_where_the_command_says(start: Start, tmp_path: Path) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        browser.files["screenshot --output shot.png"] = [("shot.png", b"picture"), ("passwd", b"unasked")]

        async def engine(line: str) -> str:
            return f'ok {line}\n\n"/files/ID/shot.png"' if "screenshot" in line else f"ok {line}"

        browser.engine = engine
        (tmp_path / "there").mkdir()
        path = tmp_path / "there" / "shot.png"
        assert await host(f"screenshot --output {path}") == f'ok screenshot --output {path}\n\n"{path}"'
        assert path.read_bytes() == b"picture"
        assert path.stat().st_mode & 0o777 == 0o600
        assert sorted(each.name for each in path.parent.iterdir()) == ["shot.png"]
        relative = await host("screenshot --output shot.png")
        assert relative == f'ok screenshot --output shot.png\n\n"{tmp_path / "shot.png"}"'
        heard = len(browser.commands)
        assert (await host("screenshot --output nowhere/shot.png")).startswith(
            f"error screenshot --output nowhere/shot.png: there is no folder {tmp_path}/nowhere"
        )
        assert len(browser.commands) == heard


@pytest.mark.slow
async def test_a_picture_without_a_name_lies_among_the_others(start: Start, tmp_path: Path) -> None:
    async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
        browser.files["screenshot"] = [("1.png", b"picture"), ("../x.png", b"no"), (".bashrc", b"no"), ("x.sh", b"no")]

        async def engine(line: str) -> str:
            return f'ok {line}\n\n"/files/ID/1.png"'

        browser.engine = engine
        shown = await host("screenshot")
        (file,) = (tmp_path / "data" / "screenshots").iterdir()
        assert (shown, file.read_bytes()) == (f'ok screenshot\n\n"{file}"', b"picture")


@pytest.mark.slow
async def test_the_files_root_holds(start: Start, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    async with (
        start("--files-root", str(tmp_path / "root")) as host,
        FakeExtension(CODE).connected(host.url) as browser,
    ):
        browser.files["screenshot --output a.png"] = [("a.png", b"picture")]
        await host("screenshot --output a.png")
        assert (tmp_path / "root" / "a.png").read_bytes() == b"picture"
        for path in ("../a.png", "/etc/a.png", "~/a.png"):
            assert "is outside the allowed folders" in await host(f"screenshot --output {path}")
        assert browser.commands == ["screenshot --output a.png"]


async def test_limits_hold_before_anything_reaches_the_browser(start: Start) -> None:
    async with start("--read-only") as host, FakeExtension(CODE).connected(host.url) as browser:
        assert (await host("click 3")).startswith("error click 3: click may change something")
        assert (await host("@tab2 click 3")).startswith("error @tab2 click 3: click may change something")
        assert (await host("run buy")).startswith("error run buy: the steps of an intent can't be held to")
        assert await host("observe") == "ok observe"
        assert browser.commands == ["observe"]


@pytest.mark.slow
async def test_long_answers_are_cut(start: Start, tmp_path: Path) -> None:
    async with start("--max-output", "300") as host:
        browser = FakeExtension(CODE)

        async def engine(line: str) -> str:
            return f"ok {line}\n\n" + "| word\n" * 200

        browser.engine = engine
        async with browser.connected(host.url):
            answer = await host("text")
    assert len(answer) <= 330 and "… cut at " in answer
    (file,) = (tmp_path / "data" / "answers").iterdir()
    assert file.read_text().count("| word") == 200


@pytest.mark.slow
async def test_a_host_that_is_killed_and_one_whose_input_ends(start: Start) -> None:
    for end, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (None, 0)):
        async with start() as host, FakeExtension(CODE).connected(host.url) as browser:
            if end is None:
                assert host.process.stdin
                host.process.stdin.close()
            else:
                host.process.send_signal(end)
            async with asyncio.timeout(SECONDS):
                assert await host.process.wait() == code
                await browser.socket.wait_closed()
            assert await host.logged() == ""


async def refused(tmp_path: Path, *words: str, **settings: str) -> tuple[int | None, str]:
    """The exit code and what it said, of one that does not start."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "oryn", "remote", *words,
        env=environment(tmp_path) | settings, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(SECONDS):
        out, logged = await process.communicate()
    assert out == b""
    return process.returncode, logged.decode()


@pytest.mark.slow
async def test_invalid_server_options_are_rejected(tmp_path: Path) -> None:
    assert await refused(tmp_path, "--port", "0", "--pair", "A7X") == (
        2, "error remote: a pairing code has six letters and digits\n\n# hint\nThe extension's popup shows it.\n",
    )  # fmt: skip
    code, told = await refused(tmp_path, "--port", "0", "--host", "0.0.0.0")
    assert code == 2 and "TLS" in told
    code, told = await refused(tmp_path, "--port", "0", ORYN_ALLOWED_DOMAINS="shop.example")
    assert code == 2 and "allowed_domains can't be enforced in the user's own browser" in told
    code, told = await refused(tmp_path, "--port", "70000")
    assert code == 2


@pytest.mark.slow
async def test_a_prompt_on_a_terminal(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    screen = Screen(controller)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "oryn", "remote", "--port", "0", "--pair", CODE,
        env=environment(tmp_path) | {"NO_COLOR": "1"}, stdin=terminal, stdout=terminal, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    try:
        before = await asyncio.to_thread(screen.until, "default>")
        assert READY in before
        url = re.search(r"ws://localhost:[0-9]+", before)
        assert url is not None
        async with FakeExtension(CODE).connected(url[0]):
            os.write(controller, b"click 3\r")
            await asyncio.to_thread(screen.until, "ok click 3")
            await asyncio.to_thread(screen.until, "default>")
            os.write(controller, b"\x04")
            await asyncio.to_thread(screen.until_hung_up)
        async with asyncio.timeout(SECONDS):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
        os.close(controller)
