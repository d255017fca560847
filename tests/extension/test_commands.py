"""Commands from a server to the user's own browser, through the worker's engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.extension_server.messages import File, read_control
from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.conftest import RecordingServer
from tests.extension.popup_user import User, paired_with
from tests.headless.conftest import Pages

SHOP = """<title>Shop</title><button onclick="document.title = 'Bought'">Buy</button><label>Name <input></label>"""


class Remote:
    """The browser of a user, who has paired it with a server: `await remote("line")` is an answer."""

    def __init__(
        self, browser: ExtendedBrowser, user: User, recording_server: RecordingServer, connection: Any, pages: Pages
    ) -> None:
        self.browser = browser
        self.user = user
        self.listening = recording_server
        self.connection = connection
        self.pages = pages
        self.id = 0

    async def send(self, line: str) -> int:
        self.id += 1
        await self.connection.send(f"{self.id}:{line}")
        return self.id

    async def __call__(self, line: str) -> str:
        id = await self.send(line)
        frame = await self.listening.next()
        head, _, answer = frame.partition(":")
        assert head == str(id), frame
        return answer

    async def tab(self, path: str, html: str) -> Target:
        """A tab in front with a page."""
        self.pages[path] = html
        return await self.browser.open(self.pages.url(path))


@pytest.fixture
def remote(
    extension_browser: ExtendedBrowser, recording_server: RecordingServer, pages: Pages, run: Any
) -> Iterator[Remote]:
    user = run(User.at(extension_browser))
    connection, _ = run(paired_with(user, recording_server))
    run(user.sees("state.status === 'connected'"))
    yield Remote(extension_browser, user, recording_server, connection, pages)
    run(user.asks(type="disconnect"))
    run(user.asks(type="revoke", endpoint=recording_server.url))
    run(user.asks(type="settings", changes={"tab_scope": "active"}))
    run(user.sees("state.status === 'disconnected' && !state.paired.length && state.settings.tab_scope === 'active'"))
    run(extension_browser.close_tab(user.page))


@pytest.mark.slow
async def test_the_active_tab_is_driven(remote: Remote) -> None:
    tab = await remote.tab("/shop", SHOP)
    seen = await remote("observe")
    assert "[1] button" in seen
    assert '"Buy"' in seen
    assert (await remote("click Buy")).startswith('ok click "Buy"\n')
    assert await tab.evaluate("document.title") == "Bought"
    state = await remote.user.sees("state.activity[0].id === 2 && state.activity[0].status !== 'running'")
    rows = state["activity"][:2]
    assert [(row["line"], row["status"]) for row in rows] == [('click "Buy"', "ok"), ("observe", "ok")]
    assert [each["title"] for each in state["controlled"]] == ["Bought"]
    assert [row["tab"] for row in rows] == [state["controlled"][0]["number"]] * 2


@pytest.mark.slow
async def test_each_tab_has_numbers_of_its_own(remote: Remote) -> None:
    await remote.user.asks(type="settings", changes={"tab_scope": "all"})
    await remote.user.sees("state.settings.tab_scope === 'all'")
    await remote.tab("/shop", SHOP)
    await remote.tab("/other", "<title>Other</title><a href=#x>Link</a><button>Go</button>")
    rows = json.loads((await remote("output json")) and (await remote("tabs")))["result"]
    await remote("output text")
    number = {row["title"]: row["id" if "id" in row else "number"] for row in rows}
    assert '"Buy"' in await remote(f"@tab{number['Shop']} observe")
    assert '"Link"' in await remote("observe")
    answer = await remote(f"@tab{number['Shop']} click 1")
    assert answer.startswith(f"ok @tab{number['Shop']} click 1\n"), answer
    assert "Bought" in await remote(f"@tab{number['Shop']} title")
    assert (await remote("@tab99 title")).startswith("error @tab99 title: tab not found\n")


@pytest.mark.slow
async def test_tabs_work_at_once_and_each_in_order(remote: Remote) -> None:
    await remote.user.asks(type="settings", changes={"tab_scope": "all"})
    await remote.user.sees("state.settings.tab_scope === 'all'")
    slow = await remote.tab("/slow", "<title>Slow</title>")
    await remote.tab("/quick", "<title>Quick</title>")
    await remote("output json")
    rows = json.loads(await remote("tabs"))["result"]
    number = {row["title"]: row["id" if "id" in row else "number"] for row in rows}
    await remote("output text")
    waits = await remote.send(f'@tab{number["Slow"]} wait exists "#ready"')
    then = await remote.send(f"@tab{number['Slow']} title")
    assert "Quick" in await remote("title")
    await slow.evaluate("document.body.id = 'ready'")
    assert (await remote.listening.next()).startswith(f"{waits}:ok ")
    assert (await remote.listening.next()).startswith(f"{then}:ok ")


@pytest.mark.slow
async def test_a_picture_comes_as_a_file_before_its_answer(remote: Remote) -> None:
    await remote.tab("/shop", SHOP)
    id = await remote.send("screenshot --output shop.png")
    file = read_control((await remote.listening.next()).removeprefix("0:"))
    assert isinstance(file, File)
    assert (file.id, file.name, file.content[:4]) == (id, "shop.png", b"\x89PNG")
    assert await remote.listening.next() == f'{id}:ok screenshot --output shop.png\n\n"/files/{id}/shop.png"'


async def test_a_server_that_wants_data_gets_it_with_each_answer(remote: Remote) -> None:
    await remote.tab("/shop", SHOP)
    await remote.connection.send("0:answers data=1")
    id = await remote.send("title")
    frame = await remote.listening.next()
    data = json.loads(frame.removeprefix(f"0:data {id} "))
    assert data["answer"]["result"] == "Shop"
    assert (await remote.listening.next()).startswith(f"{id}:ok title\n")


@pytest.mark.slow
async def test_a_command_ends_at_its_time(remote: Remote) -> None:
    await remote.tab("/shop", SHOP)
    answer = await remote('wait exists "#never" --timeout 1s')
    assert answer.startswith('error wait exists "#never" --timeout 1s: timeout: "#never" does not exist\n')


@pytest.mark.slow
@pytest.mark.parametrize("how", ["popup", "page"])
async def test_the_user_stops_what_runs(remote: Remote, how: str) -> None:
    tab = await remote.tab("/shop", SHOP)
    waits = await remote.send('wait exists "#never"')
    then = await remote.send("click Buy")
    await remote.user.sees("state.activity.slice(0, 2).every(row => row.status === 'running')")
    if how == "popup":
        await remote.user.asks(type="stop")
    else:
        await tab.evaluate_in_extension("chrome.runtime.sendMessage({type: 'stop'}).catch(() => {}), 1")
    hint = "\n\n# hint\nThe user wants it to end: ask before going on."
    assert await remote.listening.next() == f'{waits}:error wait exists "#never": stopped by the user{hint}'
    assert await remote.listening.next() == f'{then}:error click "Buy": stopped by the user{hint}'
    await remote.connection.wait_closed()
    state = await remote.user.sees("state.status === 'disconnected'")
    assert (state["detail"], state["controlled"]) == ("stopped", [])
    assert await tab.evaluate("document.title") == "Shop"


@pytest.mark.slow
async def test_a_bar_is_on_each_tab_under_control_while_it_is(remote: Remote) -> None:
    bar = "document.querySelector('[data-oryn-banner]') !== null"
    tab = await remote.tab("/shop", SHOP)
    other = await remote.tab("/other", SHOP)
    assert not await other.evaluate(bar)
    await remote("observe")
    await other.until(bar)
    assert not await tab.evaluate(bar)
    await remote(f"goto {remote.pages.url('/shop')}")
    await other.until(bar)
    await remote.user.asks(type="disconnect")
    await other.until(f"!({bar})")


@pytest.mark.slow
async def test_after_a_lost_connection_nothing_is_done_twice(remote: Remote) -> None:
    html = "<title>0</title><button onclick='document.title = +document.title + 1'>Count</button>"
    tab = await remote.tab("/count", html)
    assert (await remote("click Count")).startswith("ok")
    await remote.send('wait exists "#never"')
    await remote.send("click Count")
    await remote.user.sees("state.activity.slice(0, 2).every(row => row.status === 'running')")
    await remote.connection.close()
    state = await remote.user.sees("state.status === 'waiting'")
    assert [row["status"] for row in state["activity"][:2]] == ["error", "error"]
    assert await tab.evaluate("document.title") == "1"


@pytest.mark.slow
async def test_answers_of_large_pages_and_lines_in_any_writing_pass(remote: Remote) -> None:
    # A browser without a font for a character looks for one each time, which takes it a millisecond.
    await remote.tab("/large", "<title>大</title><p>" + ("日本語 🎉 " + "naïve words " * 20) * 1_000)
    text = await remote("text")
    assert text.count("日本語 🎉") == 1_000 and text.count("naïve") == 20_000
    assert (await remote('type "näh" "日本語 🎉"')).startswith('error type "näh" "日本語 🎉": ')


@pytest.mark.slow
async def test_the_popup_shows_no_password(remote: Remote) -> None:
    await remote.tab("/login", "<title>In</title><label>Password <input type=password></label>")
    assert (await remote('type Password "hunter2"')).startswith('ok type password "••••"')
    assert (await remote('type Nobody "hunter2"')).startswith("error ")
    state = await remote.user.sees("state.activity[0].id === 2 && state.activity[0].status === 'error'")
    assert "hunter2" not in json.dumps(state)
    assert [row["line"] for row in state["activity"][:2]] == ['type "Nobody" "••••"', 'type password "••••"']
