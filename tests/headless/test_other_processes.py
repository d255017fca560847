"""Sessions of another process: listed, sent commands, and recognised when they are gone."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import oryn as package
from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.sessions.registry import running
from oryn.sessions.sessions import Sessions
from oryn.system import paths

pytestmark = [
    pytest.mark.whole_browser,
    pytest.mark.browser,
    pytest.mark.skipif(sys.platform == "win32", reason="sockets of POSIX systems"),
]

SOURCE = str(Path(package.__file__).parents[1])


class HeadlessProcess:
    """`oryn headless` in a process of its own, with the session `other`."""

    def __init__(self, home: Path, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": SOURCE, "ORYN_HOME": str(home)}
        self.folder = paths.find(environment).sessions
        self.process = subprocess.Popen(
            [sys.executable, "-m", "oryn", "headless", "--session", "other", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
        )  # fmt: skip
        self.read()
        self.ask("goto about:blank")

    def read(self) -> str:
        """The next answer."""
        assert self.process.stdout is not None
        lines: list[bytes] = []
        while (line := self.process.stdout.readline()) != b"---\n":
            assert line, f"oryn headless has ended, after {lines}"
            lines.append(line)
        return b"".join(lines).decode()

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()
        return self.read()

    async def reachable(self) -> Path:
        """Its socket, once it is there: after the first answer."""
        async with asyncio.timeout(10):
            while True:
                for listed in running(self.folder):
                    if listed.name == "other" and listed.socket is not None:
                        return listed.socket
                await asyncio.sleep(0)

    def end(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def other_process(home: Path, run: Any) -> Iterator[HeadlessProcess]:
    other_process = HeadlessProcess(home, "--files-root", str(home), "--timeout", "20s")
    run(other_process.reachable())
    yield other_process
    other_process.end()
    assert list(other_process.folder.iterdir()) == []


class LocalHost:
    """A host in this process, whose own session is `default`."""

    def __init__(self, browser: ChromiumBrowser, home: Path) -> None:
        def make(name: str, _: Any = None) -> Session:
            return Session(
                ChromiumBrowser(runtime_dir=Path("/nowhere"), shared_with=browser), name, Options(timeout=60)
            )

        self.sessions = Sessions(make, make("default"), paths.find({"ORYN_HOME": str(home)}))

    async def __call__(self, line: str) -> str:
        return (await self.sessions.execute(line)).render()


@pytest.fixture
def local_host(browser: ChromiumBrowser, home: Path, run: Any, pages: Any) -> Iterator[LocalHost]:
    pages.bodies.clear()
    local_host = LocalHost(browser, home)
    yield local_host
    run(local_host.sessions.close())


async def test_they_are_listed_with_their_mode_and_process(local_host, other_process):
    process = other_process.process.pid
    assert await local_host("sessions") == (
        f"ok sessions\n\n# active sessions\n- default (current)\n- other (headless, process {process})"
    )
    await local_host("output json")
    [own, listed] = json.loads(await local_host("sessions"))["result"]
    assert own["process"] is None
    assert listed["started"].endswith("Z")
    assert {**listed, "started": ""} == {
        "name": "other", "mode": "headless", "started": "", "current": False, "process": process,
        "dormant": False, "daemon": None, "profile": None, "endpoint": None,
    }  # fmt: skip


@pytest.mark.slow
async def test_they_are_sent_commands(local_host, other_process, pages):
    pages["/"] = "<title>Shop</title><button onclick=\"this.textContent = '---'\">Buy</button>"
    place = pages.url().removeprefix("http://").removesuffix("/")
    assert await local_host(f"@other goto {pages.url()}") == f'ok @other goto {pages.url()}\n\n@ {place} "Shop"'
    assert await local_host("session other observe") == f'@ {place} "Shop"\n\n[1] button "Buy"'
    assert await local_host("@other click 1  # buys") == 'ok @other click 1\n\n# changes\n~ [1] button "---" {focused}'
    assert await local_host("@other text") == "ok @other text\n\n| ---"
    assert await local_host("@other click 99") == other_process.ask("@other click 99").removesuffix("\n")
    assert (await local_host("@other session")).splitlines()[3] == "name: other"
    assert "about:blank" in await local_host("url")


async def test_the_form_of_their_answers_is_that_of_the_caller(local_host, other_process):
    await local_host("output json")
    answer = json.loads(await local_host("@other url"))
    assert answer == {"ok": True, "command": "@other url", "result": answer["result"]}
    refused = await local_host.sessions.execute("@other click 99")
    assert json.loads(refused.render())["error"]["code"] == refused.error.code == "ELEMENT_NOT_FOUND"
    assert other_process.ask("url").startswith("ok url")
    await local_host("output text")
    assert (await local_host("@other url")).startswith("ok @other url")


async def test_answer_of_another_process_has_masked_secrets_and_exit_code(local_host, other_process, pages):
    pages["/"] = "<input type=password>"
    await local_host(f"@other goto {pages.url()}")
    typed = await local_host.sessions.execute('@other type password "s3cret"')
    assert typed.ok
    assert "s3cret" not in typed.render() + typed.command
    refused = await local_host.sessions.execute("@other click 99")
    assert refused.error is not None
    assert refused.error.exit_code == 1
    assert not refused.exit


async def test_the_rules_of_their_own_host_hold(local_host, other_process, tmp_path):
    answer = await local_host(f"@other screenshot --output {tmp_path / 'picture.png'}")
    assert answer.startswith("error @other screenshot --output ")
    assert "folder" in answer
    assert not (tmp_path / "picture.png").exists()


async def test_session_commands_of_other_processes_are_rejected(local_host, other_process):
    process = other_process.process.pid
    for line, message, hint in [
        ("session other", f"the session other is in process {process}", "Send it commands with '@other …'."),
        ("session new other", f"the session other is open in process {process}", "Send it commands with '@other …'."),
        (
            "@other exit",
            "exit works only in the session's own process",
            "'session close <name>' ends a session.",
        ),
        (
            "@other session default",
            "session works only in the session's own process",
            "'session close <name>' ends a session.",
        ),
    ]:
        assert await local_host(line) == f"error {line.replace(' default', '')}: {message}\n\n# hint\n{hint}"
    assert other_process.ask("url").startswith("ok url")
    definition = await local_host("@other define mine:\n  url")
    assert definition == (
        "error @other define: a definition can't be sent to another process\n\n# hint\nDefine it where other runs."
    )


async def test_lines_of_several_callers_wait_for_each_other(local_host, other_process, pages):
    pages["/"] = "<button onclick='document.title += this.textContent'>a</button>"
    await local_host(f"@other goto {pages.url()}")
    await asyncio.gather(*(local_host('@other click "a"') for _ in range(4)))
    assert (await local_host("@other title")).endswith('"aaaa"')


async def test_disconnected_caller_cancels_its_line(local_host, other_process):
    waiting = asyncio.create_task(local_host.sessions.execute('@other wait until "false" --timeout 60s'))
    # The next line waits for the session until it has the one before.
    socket = await other_process.reachable()
    reader, writer = await asyncio.open_unix_connection(socket)
    writer.write(b"@other url\n")
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    async with asyncio.timeout(10):
        assert (await reader.readuntil(b"---\n")).startswith(b"ok @other url")
    writer.close()
    await writer.wait_closed()


async def test_one_that_does_not_answer(local_host, other_process):
    other_process.process.send_signal(signal.SIGSTOP)
    try:
        assert await local_host("@other url --timeout 200ms") == (
            "error @other url: the session other did not answer within 1.2 s\n\n# hint\nGive more time with --timeout."
        )
    finally:
        other_process.process.send_signal(signal.SIGCONT)
    assert (await local_host("@other url")).startswith("ok")


# --- the socket ---


async def test_the_socket_is_its_owners_alone(other_process):
    socket = await other_process.reachable()
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"url\n", "error line: a line without a session\n\n# hint\nBegin it with the session's name: '@name …'."),
        (b"@nobody url\r\n", "error @nobody url: session not found\n\n# hint\nSessions: other."),
        (b"\n", ""),
        (b"# nothing\n", ""),
        (b"@other \xff\n", "error line: not UTF-8 at byte 7\n\n# hint\nSend commands as UTF-8 text."),
        (b"@other clik 1\n", 'error line: unknown command "clik"\n\n# hint\ndid you mean click?'),
        (b"output json\n", '{"ok":true,"command":"output json"}'),
    ],
)
async def test_session_socket_answers_invalid_lines(other_process, sent, answer):
    reader, writer = await asyncio.open_unix_connection(await other_process.reachable())
    writer.write(sent)
    told = (await reader.readuntil(b"---\n")).decode().removesuffix("---\n").removesuffix("\n")
    writer.close()
    await writer.wait_closed()
    assert told == answer


async def test_lines_may_be_sent_ahead_of_their_answers(other_process):
    reader, writer = await asyncio.open_unix_connection(await other_process.reachable())
    writer.write(b"@other url\n@other title\n" * 20)
    for _ in range(20):
        for verb in (b"url", b"title"):
            assert (await reader.readuntil(b"---\n")).startswith(b"ok @other " + verb)
    writer.close()
    await writer.wait_closed()


# --- the end ---


@pytest.mark.slow
async def test_one_that_is_killed_is_forgotten(local_host, home):
    other_process = HeadlessProcess(home / "killed")
    socket = await other_process.reachable()
    there = LocalHost(local_host.sessions.current.browser, home / "killed")
    other_process.process.kill()
    other_process.process.wait()
    assert socket.exists()
    assert (await there("@other url")).startswith("error @other url: session not found")
    assert await there("sessions") == "ok sessions\n\n# active sessions\n- default (current)"
    assert not socket.exists()
    assert sorted(file.name for file in other_process.folder.iterdir()) == ["default.pid"]
    await there.sessions.close()
    other_process.end()


@pytest.mark.slow
async def test_one_is_closed_from_another_process(local_host, home):
    other_process = HeadlessProcess(home / "closed")
    await other_process.reachable()
    there = LocalHost(local_host.sessions.current.browser, home / "closed")
    assert await there("session close other") == "ok session close other"
    assert await there("sessions") == "ok sessions\n\n# active sessions\n- default (current)"
    assert "no session is open" in other_process.ask("url")
    assert other_process.ask("session new again").startswith("ok")
    assert (await there("@again url")).startswith("ok @again url")
    await there.sessions.close()
    other_process.end()
    assert list(other_process.folder.iterdir()) == []


async def test_one_whose_process_takes_no_commands(local_host, home):
    file = local_host.sessions._peers._paths.sessions / "other2.pid"
    code = (
        "import pathlib, sys; from oryn.sessions.registry import register;"
        "held = register(pathlib.Path(sys.argv[1]), 'other2'); print('held', flush=True); sys.stdin.read(); held.release()"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(file.parent),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": SOURCE},
    )  # fmt: skip
    assert process.stdout is not None
    await process.stdout.readline()
    answer = await local_host.sessions.execute("@other2 url")
    assert answer.error.code == "SESSION_UNREACHABLE"
    assert answer.render() == (
        f"error @other2 url: the session other2 (process {process.pid}) takes no commands\n\n"
        "# hint\nIt may only be starting: try again."
    )
    assert f"- other2 (starting, process {process.pid})" in await local_host("sessions")
    assert (await local_host("session close other2")).startswith(
        "error session close other2: the session other2 (process "
    )
    await process.communicate(b"")


async def test_a_host_with_limits_sends_them_nothing(local_host, other_process):
    local_host.sessions.limited = True
    answer = await local_host.sessions.execute("@other url")
    assert answer.error.code == "SESSION_UNREACHABLE"
    assert answer.render() == (
        "error @other url: the session other is another process's: the limits of this one do not hold there\n\n"
        "# hint\nUse a session of this process: 'sessions' lists them."
    )
    assert "the limits of this one do not hold there" in await local_host("session close other")
    assert "- other (headless" in await local_host("sessions")


async def test_a_request_for_them_is_answered_with_a_record(local_host, other_process, pages):
    pages["/"] = "<title>Shop</title><button>Buy</button>"
    for request in (
        {"action": "goto", "args": {"url": pages.url()}, "session": "other"},
        {"line": f"@other goto {pages.url()}"},
    ):
        answer = json.loads(await local_host(json.dumps(request)))
        assert answer["ok"] and answer["page"]["title"] == "Shop"
        assert answer["text"].startswith(f"ok @other goto {pages.url()}\n\n@ ")
    refused = await local_host.sessions.execute('{"line": "@other click 99"}')
    assert json.loads(refused.render())["error"]["code"] == refused.error.code == "ELEMENT_NOT_FOUND"
    body = {"name": "look", "body": ["url", "title"]}
    defined = json.loads(await local_host(json.dumps({"action": "define", "args": body, "session": "other"})))
    assert defined["ok"] and defined["result"]["name"] == "look"
    assert json.loads(await local_host('{"action": "type", "args": {"secret": "hunter2"}}'))["command"] == "request"
    assert (await local_host("url")).startswith("ok url")
