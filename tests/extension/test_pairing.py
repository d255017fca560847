"""Pairing through the popup, in a real browser, with servers of every kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.extension_server import pairing
from oryn.extension_server.messages import Accepted, Paired
from scripts.extension.browser import ExtendedBrowser
from tests.extension.conftest import RecordingServer
from tests.extension.popup_user import NONCE, User, control, forget, paired_with, registration


@pytest.fixture
def user(extension_browser: ExtendedBrowser, run: Any) -> Iterator[User]:
    user = run(User.at(extension_browser))
    yield user
    run(forget(user))


@pytest.fixture
def own_user(fresh_browser: ExtendedBrowser, run: Any) -> User:
    """The user of a browser of the test's own, whose worker it may end."""
    return run(User.at(fresh_browser))


@pytest.mark.slow
async def test_pairing_by_code_then_by_key(user: User, recording_server: RecordingServer) -> None:
    await user.asks(type="settings", changes={"endpoint": recording_server.url})
    await user.asks(type="connect")
    connection = await recording_server.connection()
    state = await user.sees("state.code")
    assert re.fullmatch("[A-Z0-9]{6}", state["code"])
    assert (state["status"], state["endpoint"], state["warning"]) == ("connecting", recording_server.url, None)
    told = await registration(recording_server)
    assert told.protocol == 2
    assert re.fullmatch(r"Chrome/\d+\.\d+\.\d+\.\d+", told.browser)
    assert (told.key, told.reconnected) == (None, False)
    await connection.send("1:observe")
    assert await recording_server.next() == "0:error pairing required"
    assert told.nonce is not None
    await connection.send(Accepted(pairing.server_proof(state["code"], told.nonce), NONCE, files=True).frame)
    paired = await control(recording_server)
    assert isinstance(paired, Paired)
    assert paired.proof == pairing.extension_proof(state["code"], NONCE)
    state = await user.sees("state.status === 'connected'")
    assert state["code"] is None
    assert [each["endpoint"] for each in state["paired"]] == [recording_server.url]
    await connection.send("1:help exit")
    assert (await recording_server.next()).startswith("1:ok help exit\n")

    await connection.close()
    again = await recording_server.connection()
    told = await registration(recording_server)
    assert told.nonce is not None
    assert paired.secret is not None
    assert (told.key, told.reconnected) == (paired.key, True)
    await again.send(Accepted(pairing.server_proof(paired.secret, told.nonce), NONCE).frame)
    assert await control(recording_server) == Paired(pairing.extension_proof(paired.secret, NONCE))
    await user.sees("state.status === 'connected'")
    await user.asks(type="disconnect")
    await again.wait_closed()
    assert again.close_code == 1000
    state = await user.sees("state.status === 'disconnected'")
    assert state["detail"] == ""


@pytest.mark.slow
async def test_a_restart_of_the_worker_is_told_to_the_server(
    own_user: User, fresh_browser: ExtendedBrowser, recording_server: RecordingServer
) -> None:
    connection, paired = await paired_with(own_user, recording_server)
    await fresh_browser.kill_worker()
    await connection.wait_closed()
    await fresh_browser.open("about:blank")  # any event of a tab wakes it, else its alarm
    again = await recording_server.connection()
    told = await registration(recording_server)
    assert (told.key, told.reconnected) == (paired.key, True)
    assert told.nonce is not None
    assert paired.secret is not None
    await again.send(Accepted(pairing.server_proof(paired.secret, told.nonce), NONCE).frame)
    await control(recording_server)
    await again.send("1:help exit")
    assert (await recording_server.next()).startswith("1:ok help exit\n")


@pytest.mark.slow
async def test_a_restart_while_a_code_is_shown_keeps_the_code(
    own_user: User, fresh_browser: ExtendedBrowser, recording_server: RecordingServer
) -> None:
    await own_user.asks(type="settings", changes={"endpoint": recording_server.url})
    await own_user.asks(type="connect")
    await registration(recording_server)
    state = await own_user.sees("state.code")
    await recording_server.connection()
    await fresh_browser.kill_worker()
    await fresh_browser.open("about:blank")
    connection = await recording_server.connection()
    told = await registration(recording_server)
    assert not told.reconnected, "nothing was in flight"
    assert told.nonce is not None
    await connection.send(Accepted(pairing.server_proof(state["code"], told.nonce), NONCE).frame)
    assert isinstance(await control(recording_server), Paired)


@pytest.mark.slow
async def test_a_wrong_code_is_refused(user: User, recording_server: RecordingServer) -> None:
    await user.asks(type="settings", changes={"endpoint": recording_server.url})
    await user.asks(type="connect")
    connection = await recording_server.connection()
    told = await registration(recording_server)
    state = await user.sees("state.code")
    wrong = "AAAAAA" if state["code"] != "AAAAAA" else "BBBBBB"
    assert told.nonce is not None
    await connection.send(Accepted(pairing.server_proof(wrong, told.nonce), NONCE).frame)
    assert await recording_server.next() == "0:error pairing failed"
    await connection.wait_closed()
    assert connection.close_code == 4403
    state = await user.sees("state.status === 'waiting'")
    assert state["detail"] == "the server did not prove that it is the right one"
    assert (await registration(recording_server)).nonce != told.nonce, "a nonce is for one connection"


@pytest.mark.slow
async def test_a_server_that_is_given_the_code_later(user: User, recording_server: RecordingServer) -> None:
    await user.asks(type="settings", changes={"endpoint": recording_server.url})
    await user.asks(type="connect")
    connection = await recording_server.connection()
    first = await registration(recording_server)
    await connection.send("0:error pairing required")
    state = await user.sees("state.status === 'pairing'")
    told = await registration(recording_server)
    assert told == first
    assert told.nonce is not None
    await connection.send(Accepted(pairing.server_proof(state["code"], told.nonce)).frame)
    assert await recording_server.next() == "0:paired", "a server without a nonce gets no key"
    state = await user.sees("state.status === 'connected'")
    assert state["paired"] == []


@pytest.mark.slow
async def test_a_hostile_server_is_answered_and_then_cut_off(user: User, recording_server: RecordingServer) -> None:
    await user.asks(type="settings", changes={"endpoint": recording_server.url})
    await user.asks(type="connect")
    connection = await recording_server.connection()
    await registration(recording_server)
    for frame in (
        "",
        "click 3",
        "0:ok nonce=1",
        "0:" + "x" * 100_000,
        "0:ok pairing=" + "0" * 5000,
        "1:" + "x" * 1_900_000,
    ):
        await connection.send(frame)
    await connection.send("2:click 3")
    assert [await recording_server.next() for _ in range(6)] == [
        "0:error a message without an id",
        "0:error a message without an id",
        "0:error 'nonce' is not of its form",
        "0:error a 'ok' of 5011 characters",
        "0:error a message of 1900002 characters",
        "0:error pairing required",
    ]
    for _ in range(300):
        await connection.send("3:click 3")
    await connection.wait_closed()
    assert connection.close_code == 4429
    await user.sees("state.detail === 'the server sends more than it may'")


async def test_only_this_computer_and_what_the_user_allows_is_connected(
    user: User, recording_server: RecordingServer
) -> None:
    await user.asks(type="settings", changes={"endpoint": "ws://192.168.1.7:8080"})
    await user.asks(type="connect")
    assert await user.page.until("refused[0]") == (
        "192.168.1.7 is not this computer, and ws:// is not encrypted. Use wss://192.168.1.7."
    )
    await user.asks(type="settings", changes={"endpoint": "wss://agent.example.com"})
    await user.asks(type="connect")
    assert await user.page.until("refused[1]") == (
        "wss://agent.example.com is not on the list of allowed servers. Allow it first if you trust its operator."
    )
    state = await user.sees("state.endpoint === 'wss://agent.example.com'")
    assert state["status"] == "disconnected"
    assert state["warning"].startswith("agent.example.com is not this computer")
    await user.asks(type="allow", endpoint="ws://192.168.1.7:8080")
    await user.page.until("refused.length === 3")
    await user.asks(type="allow", endpoint="wss://127.0.0.2.nip.invalid/x")
    state = await user.sees("state.settings.allowlist.length")
    assert state["settings"]["allowlist"] == ["wss://127.0.0.2.nip.invalid"]


@pytest.mark.slow
async def test_a_revoked_server_is_out_at_once(user: User, recording_server: RecordingServer) -> None:
    connection, _ = await paired_with(user, recording_server)
    await user.sees("state.status === 'connected'")
    await user.asks(type="revoke", endpoint=recording_server.url)
    await connection.wait_closed()
    state = await user.sees("state.status === 'disconnected'")
    assert (state["detail"], state["paired"]) == ("its pairing was revoked", [])


@pytest.mark.parametrize("message", [{"type": "eval"}, {}, {"type": "settings", "changes": {"endpoint": 7}}])
async def test_the_popup_is_told_what_is_not_done(user: User, message: Any) -> None:
    await user.asks(**message)
    await user.page.until("refused.length === 1")


@pytest.mark.slow
async def test_the_alarm_brings_a_stopped_worker_back(
    own_user: User, fresh_browser: ExtendedBrowser, recording_server: RecordingServer
) -> None:
    connection, paired = await paired_with(own_user, recording_server)
    await own_user.sees("state.status === 'connected'")
    await fresh_browser.open("about:blank")
    await fresh_browser.close_tab(own_user.page)  # its port would wake the worker too
    alarms = "new Promise((done) => chrome.alarms.getAll((all) => done(all.map((each) => each.name).sort())))"
    page = await fresh_browser.open(f"chrome-extension://{fresh_browser.id}/manifest.json")
    assert await page.until(f"({alarms}).then((names) => names.length === 2 && names)") == [
        "connection",
        "connection-between",
    ]
    await fresh_browser.close_tab(page)
    await fresh_browser.kill_worker()
    await connection.wait_closed()
    await recording_server.connection()
    told = await registration(recording_server)
    assert (told.key, told.reconnected) == (paired.key, True)
