"""Sessions whose browser others can attach to (`--attachable`)."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.sessions.sessions import Sessions
from oryn.settings import load
from oryn.system import paths
from tests.headless.attached_browser import client_of

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]

ENDPOINT = r"ws://127\.0\.0\.1:\d+/devtools/browser/[0-9a-f-]+"


@pytest.fixture
def host(run: Any, tmp_path: Path) -> Iterator[Sessions]:
    """The sessions of a host like the daemon: none to begin with."""
    sessions = sessions_of(load({}, paths.find({"ORYN_HOME": str(tmp_path)}), {}))
    yield sessions
    run(sessions.close())


async def answer_in(host: Sessions, name: str, line: str, **settings: object) -> str:
    return (await host.execute_in(name, parse(line), settings)).render()


@pytest.mark.slow
async def test_another_program_sees_and_drives_the_page(host, pages):
    pages["/"] = "<title>Shop</title><button onclick='document.title = \"Sold\"'>Buy</button>"
    answer = await answer_in(host, "work", f"goto {pages.url()}", attachable=True)
    place = pages.url().removeprefix("http://").rstrip("/")
    found = re.fullmatch(
        f'ok goto {pages.url()}\n\n@ {place} "Shop"\n\n# note\n'
        f"anyone on this computer can drive this session's browser: ({ENDPOINT})",
        answer,
    )
    assert found, answer
    async with client_of(found[1]) as client:
        [tab] = await client.pages()
        assert await client.evaluate(tab, "document.title") == "Shop"
        await client.evaluate(tab, "document.querySelector('button').click()")
    assert await answer_in(host, "work", "title") == 'ok title\n\n"Sold"'


@pytest.mark.slow
async def test_sessions_say_where_others_can_attach(host):
    shown = await answer_in(host, "open", "session", attachable=True)
    await answer_in(host, "shut", "url")
    found = re.search(f"^endpoint: ({ENDPOINT})$", shown, re.MULTILINE)
    assert found, shown
    assert "endpoint" not in await answer_in(host, "shut", "session")
    answer = await host.execute_in("open", parse("sessions"), {})
    told = {one["name"]: one["endpoint"] for one in answer.data}
    assert told == {"open": found[1], "shut": None}


@pytest.mark.slow
async def test_others_do_not_see_the_sessions_beside_it(host, pages):
    pages["/"] = "<title>Secret</title>"
    await answer_in(host, "shut", f"goto {pages.url()}")
    await answer_in(host, "open", "url", attachable=True)
    endpoint = next(one.endpoint for one in host.session_infos() if one.name == "open")
    assert endpoint is not None
    async with client_of(endpoint) as client:
        assert set((await client.pages()).values()) == {"about:blank"}


@pytest.mark.slow
async def test_after_a_crash_the_endpoint_is_the_new_browsers(host, pages):
    pages["/"] = "<title>Shop</title>"
    await answer_in(host, "work", "url", attachable=True)
    session = host.get("work")
    assert session is not None
    before = session.browser.info.endpoint
    os.kill(session.browser._shared.process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
    assert (await answer_in(host, "work", "observe")).startswith("error observe: ")
    await answer_in(host, "work", f"goto {pages.url()}")
    after = session.browser.info.endpoint
    assert after not in (None, before)
    async with client_of(str(after)) as client:
        assert list((await client.pages()).values()) == [pages.url()]


async def test_an_attachable_profile_does_not_tell_the_port_of_a_browser_that_is_gone(host, tmp_path):
    folder = tmp_path / "data" / "profiles" / "shop"
    folder.mkdir(parents=True)
    (folder / "DevToolsActivePort").write_text("9\n/devtools/browser/old")
    answer = await answer_in(host, "work", "url", attachable=True, profile="shop")
    found = re.search(ENDPOINT, answer)
    assert found, answer
    async with client_of(found[0]) as client:
        assert len(await client.pages()) == 1


@pytest.mark.slow
async def test_a_session_may_attach_to_anothers_browser(host, pages):
    pages["/"] = "<title>Shop</title>"
    await answer_in(host, "open", "url", attachable=True)
    session = host.get("open")
    assert session is not None
    endpoint = session.browser.info.endpoint
    await answer_in(host, "attach_session", f"goto {pages.url()}", browser_url=endpoint)
    assert (await answer_in(host, "attach_session", "session")).endswith(f"endpoint: {endpoint}\nurl: {pages.url()}")
    assert "pages: 1" in await answer_in(host, "open", "session")
    await host.close_session("attach_session")
    assert await answer_in(host, "open", "url") == "ok url\n\nabout:blank"
