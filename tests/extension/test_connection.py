"""The extension's end of a connection: when it connects, pairs, connects again and gives up. No browser, no clock."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.errors import EndpointNotAllowed
from oryn.extension.server_connection import connection as linking
from oryn.extension.server_connection.client import ReconnectingClient
from oryn.extension.server_connection.connection import ExtensionVersions
from oryn.extension.storage import ExtensionStorage
from oryn.extension_server import messages, pairing
from oryn.extension_server.messages import AnswerOptions, Control, Failed, Paired, Ping, Pong, WireMessage
from tests.extension.fake_environment import SERVER_NONCE, FakeBrowser, FakeSocket, FakeWorld, proves

LOCAL = "ws://localhost:8080"


class RecordingCommands:
    """Records its calls."""

    def __init__(self) -> None:
        self.received: list[Any] = []
        self.has_room = True

    def begin(self, *, files: bool) -> None:
        self.received.append(("begin", files))

    def receive(self, message: WireMessage) -> bool:
        self.received.append(message.frame)
        return self.has_room

    def on_control(self, control: Control) -> None:
        self.received.append(control)

    def stop(self) -> None:
        self.received.append("stop")

    def drop(self) -> None:
        self.received.append("drop")

    def take(self) -> list[Any]:
        received, self.received = self.received, []
        return received


class Worker:
    """One life of the worker, in a world and a browser that outlive it."""

    def __init__(self, fake_world: FakeWorld, browser: FakeBrowser) -> None:
        self.world = fake_world
        self.browser = browser
        self.commands = RecordingCommands()
        self.stored = ExtensionStorage(browser)
        self.connection = ReconnectingClient(
            fake_world,
            self.stored,
            ExtensionVersions("0.1.0", "0.1.0", "Chrome/156.0.1.2"),
            self.commands,
            lambda: None,
        )

    async def start(self) -> Worker:
        await self.stored.load()
        self.connection.resume()
        await self.world.settle()
        return self

    @property
    def state(self) -> tuple[str, str]:
        return self.connection.status, self.connection.detail

    async def connects(self) -> FakeSocket:
        """The socket that is opened now, the server being there."""
        socket = self.world.socket
        socket.opened()
        await self.world.settle()
        return socket

    def waits(self) -> float:
        """Let the time until the next try pass; how long that was."""
        assert self.connection.retry_at is not None
        seconds = self.connection.retry_at - self.world.time
        self.world.pass_time(seconds)
        return seconds

    async def pairs(self) -> FakeSocket:
        """Connect, and be paired with the code that is shown."""
        self.connection.connect()
        socket = await self.connects()
        assert self.connection.offer is not None
        proves(socket, socket.registration(), self.connection.offer.code, files=True)
        await self.world.settle()
        assert self.connection.status == "connected"
        return socket


@pytest.fixture
def fake_world() -> FakeWorld:
    return FakeWorld()


async def worker(fake_world: FakeWorld, browser: FakeBrowser | None = None) -> Worker:
    return await Worker(fake_world, browser or FakeBrowser()).start()


async def test_no_connection_before_the_user_requests_one(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    assert one.state == ("disconnected", "")
    assert fake_world.sockets == []
    assert not fake_world.has_alarm


async def test_pairing_by_a_code(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    assert one.state == ("connecting", "")
    assert fake_world.has_alarm
    socket = await one.connects()
    assert (socket.url, one.connection.endpoint.url) == ("ws://127.0.0.1:8080", LOCAL)
    registration = socket.registration()
    assert (registration.protocol, registration.browser) == (2, "Chrome/156.0.1.2")
    assert (registration.key, registration.reconnected) == (None, False)
    offer = one.connection.offer
    assert offer is not None
    proves(socket, registration, offer.code, files=True)
    await fake_world.settle()
    paired = socket.hears_one()
    assert isinstance(paired, Paired)
    assert paired.proof == pairing.extension_proof(offer.code, SERVER_NONCE)
    assert one.state == ("connected", "")
    assert one.connection.offer is None
    assert one.commands.take() == [("begin", True)]
    row = one.browser.area("local")["pairings"][LOCAL]
    assert (row["id"], row["secret"]) == (paired.key, paired.secret)
    assert one.browser.levels == {"local": "TRUSTED_CONTEXTS", "sync": "TRUSTED_CONTEXTS"}
    socket.says("1:title")
    socket.says(AnswerOptions(True).frame)
    assert one.commands.take() == ["1:title", AnswerOptions(True)]
    one.connection.send("1:ok title")
    assert socket.hears() == ["1:ok title"]


async def test_the_key_is_written_before_the_server_has_it(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    socket = await one.connects()
    assert one.connection.offer is not None
    proves(socket, socket.registration(), one.connection.offer.code)
    assert socket.hears() == []
    socket.says("1:title")
    await fake_world.settle()
    assert "pairings" in one.browser.area("local")
    assert socket.hears()[0].startswith("0:paired ")
    assert one.commands.take() == [("begin", False), "1:title"], "what came early is not lost"


async def test_a_server_that_only_knows_codes_is_given_no_key(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    socket = await one.connects()
    assert one.connection.offer is not None
    registration = socket.registration()
    socket.says(f"0:ok pairing={pairing.server_proof(one.connection.offer.code, registration.nonce or '')}")
    await fake_world.settle()
    assert socket.hears() == ["0:paired"]
    assert one.connection.status == "connected"
    assert one.stored.pairings == {}


async def test_a_kept_key_is_used_the_next_time(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    await one.pairs()
    one.connection.disconnect()
    key = one.stored.pairings[LOCAL].key
    one.connection.connect()
    assert one.connection.offer is None
    socket = await one.connects()
    registration = socket.registration()
    assert registration.key == key.id
    assert not registration.reconnected, "the user has ended what was before"
    proves(socket, registration, key.secret)
    await fake_world.settle()
    assert socket.hears_one() == Paired(pairing.extension_proof(key.secret, SERVER_NONCE))
    assert one.connection.status == "connected"


async def test_a_wrong_proof_is_refused_and_costs_a_try(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    offer = one.connection.offer
    assert offer is not None
    for tries in (4, 3, 2, 1):
        socket = await one.connects()
        proves(socket, socket.registration(), "WRONG0")
        assert socket.hears() == ["0:error pairing failed"]
        assert socket.closed == (4403, "")
        assert offer.tries == tries
        assert one.state == ("waiting", "the server did not prove that it is the right one")
        one.waits()
    socket = await one.connects()
    proves(socket, socket.registration(), "WRONG0")
    assert one.state == (
        "disconnected",
        "the server did not prove that it is the right one: the code is no longer valid, connect again for a new one",
    )
    await fake_world.settle()
    assert one.browser.area("session")["wanted"] is False
    fake_world.pass_time(1000)
    assert len(fake_world.sockets) == 5


async def test_a_wrong_key_does_not_cost_the_right_server_its_key(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    (await one.pairs()).closes(1006, "")
    fake_world.pass_time(2)
    socket = await one.connects()
    proves(socket, socket.registration(), "0" * 64)
    assert socket.closed == (4403, "")
    one.waits()
    socket = await one.connects()
    proves(socket, socket.registration(), one.stored.pairings[LOCAL].key.secret)
    await fake_world.settle()
    assert one.connection.status == "connected"


async def test_nothing_but_control_messages_passes_before_pairing(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    socket = await one.connects()
    socket.hears()
    for frame in ("1:observe", "click 3", "", "0:answers data=1", "0:pong", "0:surprise x=1", "0:ok nonce=1"):
        socket.says(frame)
    assert socket.hears() == [
        "0:error pairing required",
        "0:error a message without an id",
        "0:error a message without an id",
        "0:error 'nonce' is not of its form",
    ]
    assert one.commands.take() == []
    assert socket.closed is None


async def test_a_flood_is_cut_off(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    socket = await one.connects()
    for _ in range(linking.MAX_REFUSED_MESSAGES + 5):
        socket.says("1:observe")
    assert socket.closed == (4429, "")
    assert one.state == ("waiting", "the server sends more than it may")
    assert len(socket.hears()) == linking.MAX_REFUSED_MESSAGES + 2


async def test_commands_for_which_there_is_no_room_are_a_flood_too(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    socket = await one.pairs()
    one.commands.has_room = False
    for id in range(1, linking.MAX_REFUSED_MESSAGES + 1):
        socket.says(f"{id}:observe")
    assert socket.closed == (4429, "")
    assert one.commands.take()[-1] == "drop"


async def test_few_wrong_messages_over_a_long_time_are_no_flood(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    socket = await one.pairs()
    for _ in range(3 * linking.MAX_REFUSED_MESSAGES):
        socket.says("junk")
        fake_world.pass_time(1)
    assert socket.closed is None


async def test_a_giant_message_is_refused(fake_world: FakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "COMMAND_LIMIT", 200)
    one = await worker(fake_world)
    socket = await one.pairs()
    socket.hears()
    socket.says("1:" + "x" * 199)
    assert socket.hears() == ["0:error a message of 201 characters"]
    assert one.commands.take() == [("begin", True)]


async def test_a_lost_connection_is_tried_again_after_2_seconds_then_twice_as_long(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    socket = await one.pairs()
    socket.closes(1006, "")
    assert one.state == ("waiting", "the connection was lost")
    assert one.commands.take() == [("begin", True), "drop"]
    for seconds in (2, 4, 8, 16, 30, 30):
        assert one.connection.retry_at == fake_world.time + seconds
        fake_world.pass_time(seconds - 0.1)
        assert fake_world.socket is socket
        fake_world.pass_time(0.1)
        assert one.connection.status == "connecting"
        socket = fake_world.socket
        socket.closes(1006, "")
        assert one.state == ("waiting", "no server answers there")
    assert one.waits() == 30
    socket = await one.connects()
    registration = socket.registration()
    assert registration.reconnected
    proves(socket, registration, one.stored.pairings[LOCAL].key.secret)
    await fake_world.settle()
    assert one.connection.status == "connected"
    socket.closes(1000, "good\nbye")
    assert one.state == ("waiting", r"the server has closed the connection: good\nbye")
    assert one.connection.retry_at == fake_world.time + 2


async def test_a_restart_of_the_worker_comes_back_to_the_same_state(fake_world: FakeWorld) -> None:
    browser = FakeBrowser()
    one = await worker(fake_world, browser)
    one.connection.connect()
    await fake_world.settle()
    offer = one.connection.offer
    fake_world = FakeWorld()  # the sockets and timers of the worker before it are gone
    fake_world.time += 60
    two = await worker(fake_world, browser)
    assert two.connection.offer == offer
    assert two.connection.status == "connecting"
    socket = await two.connects()
    registration = socket.registration()
    assert not registration.reconnected
    assert offer is not None
    proves(socket, registration, offer.code)
    await fake_world.settle()
    assert two.connection.status == "connected"
    fake_world = FakeWorld()
    three = await worker(fake_world, browser)
    registration = (await three.connects()).registration()
    assert registration.key == three.stored.pairings[LOCAL].key.id
    assert registration.reconnected
    three.connection.disconnect()
    await fake_world.settle()
    four = await worker(FakeWorld(), browser)
    assert four.state == ("disconnected", "")


async def test_a_code_that_expired_while_there_was_no_worker_ends_the_wish(fake_world: FakeWorld) -> None:
    browser = FakeBrowser()
    one = await worker(fake_world, browser)
    one.connection.connect()
    await fake_world.settle()
    later = FakeWorld()
    later.time += 301
    two = await worker(later, browser)
    assert two.state == ("disconnected", "the code has expired: connect again for a new one")
    assert later.sockets == []


async def test_a_restart_in_the_middle_of_pairing_spends_no_code_twice(fake_world: FakeWorld) -> None:
    browser = FakeBrowser()
    one = await worker(fake_world, browser)
    one.connection.connect()
    socket = await one.connects()
    proves(socket, socket.registration(), "WRONG0")
    await fake_world.settle()
    two = await worker(FakeWorld(), browser)
    assert two.connection.offer is not None
    assert two.connection.offer.tries == 4


async def test_invalid_stored_values_are_ignored(fake_world: FakeWorld) -> None:
    browser = FakeBrowser(endpoint=7, allowlist=["ws://evil.example"], tab_scope="every", auto_connect=False, new=1)
    browser.areas["local"] = '{"pairings": {"ws://localhost:8080": {"id": "x"}, "b": 3}}'
    browser.areas["session"] = '{"wanted": true, "connection": {"offer": {"code": "A"}}}'
    one = await worker(fake_world, browser)
    assert one.state == ("disconnected", "")
    assert one.stored.settings.endpoint == LOCAL
    assert one.stored.settings.allowlist == ()
    assert one.stored.pairings == {}


async def test_auto_connect_connects_at_the_start_but_not_against_a_later_wish(fake_world: FakeWorld) -> None:
    browser = FakeBrowser(auto_connect=True, endpoint="ws://127.0.0.1:9000/oryn")
    one = await worker(fake_world, browser)
    assert one.connection.status == "connecting"
    assert fake_world.socket.url == "ws://127.0.0.1:9000/oryn"
    one.connection.disconnect()
    await fake_world.settle()
    two = await worker(FakeWorld(), browser)
    assert two.connection.status == "disconnected"


async def test_a_server_without_a_code_is_asked_again_until_it_has_one(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    socket = await one.connects()
    registration = socket.registration()
    socket.says(Failed("pairing required").frame)
    assert one.state == ("pairing", "")
    fake_world.pass_time(2)
    assert socket.registration() == registration, "the nonce is the connection's"
    socket.says(Failed("pairing required").frame)
    assert one.connection.offer is not None
    proves(socket, registration, one.connection.offer.code)
    await fake_world.settle()
    assert one.connection.status == "connected"
    socket.hears()
    fake_world.pass_time(2)
    assert socket.hears() == []


async def test_a_server_that_hangs_up_for_want_of_a_code_is_called_again_soon(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    for _ in range(4):
        socket = await one.connects()
        socket.says(Failed("pairing required").frame)
        socket.closes(1000, "")
        assert one.connection.status == "waiting"
        fake_world.pass_time(2)
        assert one.connection.status == "pairing"


async def test_expired_code_ends_the_connection_request(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    socket = await one.connects()
    socket.says(Failed("pairing required").frame)
    fake_world.pass_time(300)
    assert socket.closed == (1000, "the code has expired")
    assert one.state == ("disconnected", "the code has expired: connect again for a new one")
    assert one.connection.offer is None
    assert not fake_world.has_alarm
    one.connection.connect()
    assert one.connection.offer is not None


async def test_a_server_that_has_lost_its_keys_is_paired_with_a_new_code(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    (await one.pairs()).closes(1006, "")
    old = one.stored.pairings[LOCAL].key
    fake_world.pass_time(2)
    socket = await one.connects()
    socket.says(Failed("pairing required").frame)
    assert one.state == ("waiting", "the server does not know this browser any more")
    assert one.stored.pairings[LOCAL].key == old
    one.connection.new_code()
    socket = await one.connects()
    registration = socket.registration()
    assert registration.key is None
    assert one.connection.offer is not None
    proves(socket, registration, one.connection.offer.code)
    await fake_world.settle()
    assert one.stored.pairings[LOCAL].key not in (old, None)


async def test_an_unused_new_code_gives_way_to_the_key(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    await one.pairs()
    one.connection.new_code()
    await one.connects()
    fake_world.pass_time(300)
    socket = await one.connects()
    assert socket.registration().key == one.stored.pairings[LOCAL].key.id


async def test_protocol_mismatch_ends_the_connection_request(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    one.connection.connect()
    socket = await one.connects()
    socket.says("0:error unsupported protocol version 2, require 3+")
    assert one.state == ("disconnected", "unsupported protocol version 2, require 3+")
    assert socket.closed == (1000, "")


async def test_silence_ends_an_attempt(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    await one.pairs()
    one.connection.connect()
    fake_world.pass_time(15)
    assert one.state == ("waiting", "the server does not answer")
    fake_world.pass_time(2)
    socket = await one.connects()
    fake_world.pass_time(10)
    assert socket.closed == (4408, "")
    assert one.state == ("waiting", "the server does not answer the registration")


async def test_a_ping_every_20_seconds(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    socket = await one.pairs()
    socket.hears()
    fake_world.pass_time(60)
    assert socket.hears() == [Ping().frame] * 3, "a server that knows no ping is left in peace"


async def test_a_server_that_falls_silent_is_gone(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    socket = await one.pairs()
    fake_world.pass_time(20)
    socket.says(Pong().frame)
    fake_world.pass_time(20)
    assert socket.closed is None
    fake_world.pass_time(20)
    assert socket.closed == (4408, "")
    assert one.state == ("waiting", "the server is silent")


async def test_messages_after_disconnect_are_ignored(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    socket = await one.pairs()
    one.connection.disconnect()
    assert socket.closed == (1000, "disconnected by the user")
    assert one.commands.take() == [("begin", True), "stop"]
    socket.says("1:click 3")
    socket.closes(1000, "")
    assert one.commands.take() == []
    assert one.state == ("disconnected", "")
    fake_world.pass_time(100)
    assert fake_world.socket is socket


async def test_the_alarm_tries_again_when_that_is_due(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    (await one.pairs()).closes(1006, "")
    one.connection.wake()
    assert len(fake_world.sockets) == 1
    fake_world.timers.clear()  # the computer has slept, and timers with it
    fake_world.time += 3
    one.connection.wake()
    one.connection.wake()
    assert len(fake_world.sockets) == 2


async def test_a_server_elsewhere_is_asked_about_before(fake_world: FakeWorld) -> None:
    one = await worker(fake_world, FakeBrowser(endpoint="wss://agent.example.com"))
    with pytest.raises(EndpointNotAllowed, match="is not on the list of allowed servers"):
        one.connection.connect()
    assert one.connection.status == "disconnected"
    assert fake_world.sockets == []
    await one.stored.change({"allowlist": ["wss://agent.example.com"]})
    one.connection.connect()
    assert fake_world.socket.url == "wss://agent.example.com"
    assert one.connection.endpoint is not None
    assert one.connection.endpoint.warning is not None


async def test_an_endpoint_that_is_not_allowed_any_more_is_not_connected_at_the_start(fake_world: FakeWorld) -> None:
    browser = FakeBrowser(endpoint="wss://agent.example.com", auto_connect=True)
    one = await worker(fake_world, browser)
    assert one.state == ("disconnected", "wss://agent.example.com is not on the list of allowed servers")
    assert fake_world.sockets == []


async def test_a_long_refusal_is_short_for_the_user(fake_world: FakeWorld) -> None:
    one = await worker(fake_world)
    await one.pairs()
    one.connection.connect()
    socket = await one.connects()
    socket.says("0:error " + "\x1b[31m" + "x" * 1000)
    assert len(one.connection.detail) <= 200
    assert "\x1b" not in one.connection.detail


def test_limits_are_those_of_the_documentation() -> None:
    assert messages.COMMAND_LIMIT == 1024 * 1024
