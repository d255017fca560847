"""A person logs in on the live page, on a machine without a display."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.daemon.live import LivePage
from tests.headless.conftest import Pages

LOGIN = """<title>Log in</title><style>* { margin: 0 }
input { position: absolute; top: 40px; width: 300px; height: 40px }
</style><form method=post action=/enter><input name=user aria-label=User></form>"""
USER = (100, 60)


@pytest.fixture(scope="module")
def shared_daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    """Without a display."""
    daemon = RunningDaemon(tmp_path_factory.mktemp("login"), {"DISPLAY": "", "WAYLAND_DISPLAY": ""})
    yield daemon
    assert run(daemon.stop()) == 0, daemon.log()
    run(daemon.no_process())


@pytest.fixture
def login_url(pages: Pages) -> str:
    def enter(request: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], str]:
        return 303, {"Location": "/account", "Set-Cookie": "sid=ada"}, ""

    pages["/login"], pages["/enter"], pages["/account"] = LOGIN, enter, "<title>Account</title>"
    return pages.url("/login")


def start_login(daemon: RunningDaemon, *words: str, **envelope: Any) -> asyncio.Task[dict[str, Any]]:
    return asyncio.ensure_future(daemon.ask({"argv": ["login", *words]}, **envelope))


async def take_over(live: LivePage) -> None:
    await live.say('click "Take over and log in"')
    await live.until("document.activeElement.id === 'surface'")
    await live.until_text("#picture-state", "Live")
    await live.until_text("#page-title", "Log in")


async def enter(live: LivePage) -> None:
    await live.press_at(*USER)
    await live.type_keys("ada")
    await live.keys("enter")


@pytest.mark.slow
async def test_the_page_calls_the_person_who_takes_over_and_logs_in(live: LivePage, login_url: str) -> None:
    await live.open()
    login = start_login(live.daemon, login_url, "--until", "*/account")
    await live.until_text("#person-call", f"A person is to log in here: {login_url}")
    await live.until("document.querySelector('#announcement').textContent.includes('waits for a person to log in')")
    await take_over(live)
    assert not await live.js("document.querySelector('#person-call').checkVisibility()")
    waiting = asyncio.ensure_future(live.daemon.ask("cookies list"))
    await enter(live)
    answer = await login
    assert answer["ok"] and answer["data"]["result"] == {"ended": "fits"}, answer["text"]
    await live.until("document.querySelector('#surface').hidden")
    assert 'sid "ada"' in (await waiting)["text"]
    assert (await live.daemon.ok("title"))["data"]["result"] == "Account"


@pytest.mark.slow
async def test_giving_back_is_the_end(live: LivePage, login_url: str) -> None:
    await live.open()
    login = start_login(live.daemon, login_url)
    await live.until_text("#person-call", login_url)
    await take_over(live)
    await enter(live)
    await live.until_text("#page-title", "Account")
    await live.give_back()
    answer = await login
    assert answer["ok"] and answer["data"]["result"] == {"ended": "returned"}, answer["text"]
    assert "the person gave the session back" in answer["text"]


@pytest.mark.slow
async def test_giving_back_too_early(live: LivePage, login_url: str) -> None:
    await live.open()
    login = start_login(live.daemon, login_url, "--until", "*/account")
    await live.until_text("#person-call", login_url)
    await take_over(live)
    await live.say("reload")  # a lost connection does not end the login
    await live.until_text("#person-call", login_url)
    assert not login.done()
    await take_over(live)
    await live.give_back()
    answer = await login
    assert answer["error_kind"] == "login_not_done"
    assert answer["error"].startswith('the person gave the session back before the URL was "*/account"')


async def test_the_terminal_says_what_to_do_and_a_client_that_goes_ends_nothing(live: LivePage, login_url: str) -> None:
    command = (sys.executable, "-m", "oryn", "login", login_url)
    client = await asyncio.create_subprocess_exec(
        *command, stderr=asyncio.subprocess.PIPE, env=daemon_environment(live.daemon.home)
    )
    assert client.stderr is not None
    notice = await client.stderr.readline()
    client.kill()
    await client.wait()
    assert notice.decode() == (
        "there is no display for a window: run 'oryn open', and take over the session default to log in\n"
    )
    await live.open()
    await live.until_text("#person-call", login_url)
    done = await live.daemon.ok({"argv": ["login_done"]})
    assert done["data"]["result"] == {"ended": "said"}
    await live.until("document.querySelector('#person-call').hidden")


@pytest.mark.slow
async def test_what_a_person_logs_in_with_is_in_no_file(live: LivePage, login_url: str) -> None:
    await live.open()
    login = start_login(live.daemon, login_url, "--until", "*/account")
    await live.until_text("#person-call", login_url)
    await take_over(live)
    await live.press_at(*USER)
    await live.type_keys("hunter22")
    await live.keys("enter")
    assert (await login)["ok"]
    assert "hunter22" not in json.dumps(live.daemon.rows()) + live.daemon.log()
