"""Several sessions in one host, in real Chromium."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.sessions.sessions import Sessions

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]
posix = pytest.mark.skipif(sys.platform == "win32", reason="scripts of POSIX systems")

NOTE = "\n\n# note\n"


class Host:
    """The sessions of one host, with the shorthand of the tests."""

    def __init__(self, browser: ChromiumBrowser, pages: Any) -> None:
        self.pages = pages
        self.shared = browser
        self.browsers: list[ChromiumBrowser] = []
        self.sessions = Sessions(self._make, self._make("default"))

    def _make(self, name: str, _: Any = None) -> Session:
        self.browsers.append(self.another())
        return Session(self.browsers[-1], name, Options(timeout=60))

    def another(self) -> ChromiumBrowser:
        return ChromiumBrowser(runtime_dir=Path("/nowhere"), shared_with=self.shared)

    async def __call__(self, line: str) -> str:
        return (await self.sessions.execute(line)).render()

    async def ok(self, line: str) -> str:
        answer = await self(line)
        assert not answer.startswith("error"), answer
        return answer


@pytest.fixture
def host(browser: ChromiumBrowser, pages: Any, run: Any) -> Iterator[Host]:
    pages.bodies.clear()
    host = Host(browser, pages)
    yield host
    run(host.sessions.close())


# --- commands ---


@pytest.mark.slow
async def test_a_session_is_opened_chosen_and_closed(host):
    assert await host("sessions") == "ok sessions\n\n# active sessions\n- default (current)"
    assert await host("session new work") == (
        f"ok session new work{NOTE}'session work' makes it the current one, '@work …' runs one line in it"
    )
    assert await host("sessions") == "ok sessions\n\n# active sessions\n- default (current)\n- work"
    host.pages["/there"] = "<title>There</title>"
    await host.ok(f"@work goto {host.pages.url('/there')}")
    place = host.pages.url("/there").removeprefix("http://")
    assert await host("session work") == f'ok session work\n\n@ {place} "There"'
    assert await host("sessions") == "ok sessions\n\n# active sessions\n- default\n- work (current)"
    for line in ("title", "session work title", "@work title"):
        assert (await host(line)).endswith('"There"')
    assert await host("session close work") == f"ok session close work{NOTE}the current session is default"
    assert await host("sessions") == "ok sessions\n\n# active sessions\n- default (current)"
    assert (await host("session new work --mode headless")).startswith("ok session new work --mode headless\n")


async def test_the_session_that_was_current_before_is_so_again(host):
    for name in ("a", "b", "c"):
        await host.ok(f"session new {name}")
    await host.ok("session b")
    await host.ok("session c")
    assert await host("session close a") == "ok session close a"
    assert await host("session close c") == f"ok session close c{NOTE}the current session is b"
    assert await host("session close b") == f"ok session close b{NOTE}the current session is default"


@pytest.mark.slow
async def test_a_session_shows_itself(host):
    host.pages["/"] = "here"
    await host.ok(f"goto {host.pages.url()}")
    started = r"started: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    url = re.escape(host.pages.url())
    shown = rf"\n\n# session\nname: (\w+)\nmode: headless\n{started}\npages: 1\nurl: "
    assert re.fullmatch(f"ok session{shown}{url}", await host("session"))
    await host.ok("session new work")
    found = re.fullmatch(f"ok @work session{shown}about:blank", await host("@work session"))
    assert found
    assert found[1] == "work"


async def test_sessions_for_programs(host):
    await host.ok("session new work")
    await host.ok("output json")
    rows = json.loads(await host("sessions"))["result"]
    started = rows[0].pop("started")
    nowhere = {"profile": None, "endpoint": None}
    assert rows[0] == {
        "name": "default",
        "mode": "headless",
        "current": True,
        "process": None,
        "dormant": False,
        "daemon": None,
        **nowhere,
    }
    assert [row["name"] for row in rows] == ["default", "work"]
    told = json.loads(await host("session"))["result"]
    about = {"name": "default", "mode": "headless", "started": started, "pages": 1, "url": "about:blank"}
    assert told == {**about, **nowhere}


async def test_the_form_of_answers_is_the_hosts(host):
    await host.ok("session new work")
    await host.ok("@work output json")
    for line in ("url", "@work url", "session work", "url", "@work nonsense", "nonsense", ""):
        answer = await host(line)
        assert not line or isinstance(json.loads(answer)["ok"], bool)
    assert await host("output text") == "ok output text"
    assert (await host("session default")).startswith("ok session default\n\n@ about:blank ")


async def test_when_no_session_is_open(host):
    assert await host("session close default") == (
        f"ok session close default{NOTE}no session is open: run 'session new <name>'"
    )
    none = "no session is open\n\n# hint\nRun 'session new <name>'."
    for line in ("session", "goto example.org", "observe", "click 1", "back", "tabs", "dialog accept"):
        assert await host(line) == f"error {line}: {none}"
    assert await host("sessions") == "ok sessions\n\nno session is open"
    assert await host("help sessions") == await host("help sessions")
    assert (await host("help session")).startswith("ok help session")
    assert (
        await host("@work url")
        == "error @work url: session not found\n\n# hint\nRun 'session new <name>': no session is open."
    )
    assert await host("session new work") == "ok session new work"
    assert await host("sessions") == "ok sessions\n\n# active sessions\n- work (current)"
    assert (await host.sessions.execute("exit")).exit


async def test_errors(host):
    await host.ok("session new work")
    for line, message, hint in [
        (
            "session new work",
            "the session work is open already",
            "'session work' makes it the current one, '@work …' runs one line in it.",
        ),
        ("session new other --mode remote", "not supported in this mode", "Leave --mode out, or say --mode headless."),
        (
            "session new other --mode embedded",
            "not supported in this mode",
            "Leave --mode out, or say --mode headless.",
        ),
        ("session other", "session not found", "Sessions: default, work."),
        ("session close other", "session not found", "Sessions: default, work."),
        ("@other observe", "session not found", "Sessions: default, work."),
        ("@other sessions", "session not found", "Sessions: default, work."),
    ]:
        assert await host(line) == f"error {line}: {message}\n\n# hint\n{hint}"
    for line in ("session new", "session new 1", "session new new", "session close", "@work @default url", "@work"):
        assert (await host.sessions.execute(line)).error is not None
    assert (await host("sessions")).count("\n- ") == 2


@posix
async def test_a_session_that_does_not_come_up_in_time_is_none(host, tmp_path):
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o700)
    host.another = lambda: ChromiumBrowser(str(silent), runtime_dir=tmp_path / "run")
    assert await host("session new work --timeout 100ms") == (
        "error session new work --timeout 100ms: not done after 0.1 s\n\n# hint\nGive more time with --timeout."
    )
    assert list((tmp_path / "run").iterdir()) == []
    del host.another
    assert await host("sessions") == "ok sessions\n\n# active sessions\n- default (current)"
    await host.ok("session new work")


async def test_a_session_alone_has_no_others(oryn):
    for line in ("sessions", "session", "session new work", "session work", "session close work"):
        assert await oryn(line) == (
            f"error {line}: not supported in this mode\n\n# hint\nUse another command, or a mode that supports this one."
        )
    assert await oryn("@other url") == "error @other url: session not found\n\n# hint\nSessions: default."


async def test_session_info_is_available_without_a_browser(host):
    await host.ok("url")
    await host.browsers[0].close()
    assert (await host("session")).endswith("\npages: 0")


# --- at the same time ---


@pytest.mark.slow
async def test_lines_to_several_sessions_run_at_once(host):
    released = threading.Event()

    def slow(_: Any) -> str:
        return "released" if released.wait(15) else "never released"

    def release(_: Any) -> str:
        released.set()
        return "releasing"

    host.pages["/slow"], host.pages["/release"] = slow, release
    await host.ok("session new work")
    answers = await asyncio.gather(
        host(f"@work goto {host.pages.url('/slow')}"), host(f"@default goto {host.pages.url('/release')}")
    )
    assert all(answer.startswith("ok") for answer in answers)
    assert "| released" in await host("@work text")


@pytest.mark.slow
async def test_lines_to_one_session_run_one_after_the_other(host):
    host.pages["/"] = "<button onclick='document.title += this.textContent'>a</button>"
    await host.ok(f"goto {host.pages.url()}")
    await asyncio.gather(*(host('click "a"') for _ in range(5)))
    assert (await host("title")).endswith('"aaaaa"')


@pytest.mark.slow
async def test_eight_sessions_work_at_once(host):
    host.pages["/"] = "<button onclick='this.textContent += 1'>go</button>"
    names = [f"s{number}" for number in range(8)]
    await asyncio.gather(*(host.ok(f"session new {name}") for name in names))

    async def work(name: str) -> str:
        for _ in range(3):
            await host.ok(f"@{name} goto {host.pages.url()}")
            await host.ok(f"@{name} observe")
            changed = await host.ok(f"@{name} click 1")
        return changed

    for name, changed in zip(names, await asyncio.gather(*map(work, names)), strict=True):
        assert changed.startswith(f"ok @{name} click 1")
        assert "go1" in changed


@pytest.mark.slow
async def test_one_session_hangs_and_the_others_do_not(host):
    host.pages["/"] = "<button onclick='for (;;);'>Hang</button>"
    await host.ok("session new work")
    await host.ok(f"@work goto {host.pages.url()}")
    hanging = asyncio.create_task(host('@work click "Hang" --timeout 3s'))
    await host.ok(f"goto {host.pages.url()}")
    await host.ok("observe")
    assert not hanging.done()
    await hanging
    await host.ok(f"@work goto {host.pages.url()}")


@pytest.mark.slow
async def test_a_session_that_is_closed_while_it_works(host):
    await host.ok("session new work")
    await host.ok("@work goto about:blank")
    working = asyncio.create_task(host('@work wait until "false"'))
    await host.ok("url")
    await host.ok("session close work")
    assert (await working).startswith('error @work wait until "false": ')


@pytest.mark.slow
async def test_after_a_crash_each_session_goes_on_with_its_next_goto(pages, tmp_path):
    first = ChromiumBrowser(runtime_dir=tmp_path)
    host = Host(first, pages)
    host.pages["/"] = "<title>There</title>"
    await host.ok("session new work")
    os.kill(first._shared.process.pid, signal.SIGKILL)
    for name in ("default", "work"):
        assert (await host(f"@{name} observe")).startswith(f"error @{name} observe: ")
    for answer in await asyncio.gather(*(host(f"@{name} goto {pages.url()}") for name in ("work", "default"))):
        assert answer.endswith('"There"')
    await host.sessions.close()
    assert list(tmp_path.iterdir()) == []


# --- what is left ---


@pytest.mark.slow
async def test_sessions_that_were_closed_leave_nothing(host, browser):
    host.pages["/"] = "<input type=file><script>setInterval(() => fetch('/x'), 50)</script>"
    root = browser._connection

    def held() -> Any:
        folder = browser._shared.run_folder
        return (
            sorted(root._sessions),
            {event: len(handlers) for event, handlers in root.root.handlers.items()},
            len(asyncio.all_tasks()),
            sorted(file.name for file in folder.folder.iterdir()) if folder else [],
            len(browser._shared._users),
        )

    await host.ok("url")
    before = held()
    for _ in range(5):
        await host.ok("session new work")
        for line in (
            f"goto {host.pages.url()}", "observe", "tab new about:blank", "headers set {\"X\": \"1\"}",
            "intercept \"*.png\" --block", "viewport 300 300", "offline on", "console", "requests", "session",
        ):  # fmt: skip
            await host(f"@work {line}")
        await host.ok("session close work")
    assert held() == before
    infos = (await root.root.call("Target.getTargets"))["targetInfos"]
    assert len(infos) == len(await browser.tabs()) + len(await host.browsers[0].tabs())
