"""A server's end of a conversation: who is let in, and whose answer is whose, whatever the other end sends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from oryn.errors import (
    BackendUnavailable,
    ConnectionLost,
    OrynError,
    PairingFailed,
    PairingRequired,
    ProtocolMismatch,
    Timeout,
    UnexpectedInput,
)
from oryn.extension_server import peer as module
from oryn.extension_server import pending_commands
from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.messages import (
    ANSWER_LIMIT,
    COMMAND_LIMIT,
    Accepted,
    Cancel,
    Control,
    Data,
    ExtensionRegistration,
    Failed,
    File,
    Paired,
    Ping,
    read_control,
)
from oryn.extension_server.pairing import PairingKey, extension_proof, new_nonce, server_proof
from oryn.extension_server.peer import Peer

CODE = "A7X9K2"


class PeerHarness:
    """A peer, what it has sent, and the events that it has reported."""

    def __init__(self, file: Path, code: str | None = CODE, clock: Callable[[], float] = lambda: 1000.0) -> None:
        self.keys = KeyStore(file)
        self.credentials = ServerCredentials(self.keys, code, clock)
        self.sent: list[str] = []
        self.closed: list[tuple[int, str]] = []
        self.events: list[str] = []
        self.errors: list[OrynError] = []
        self.ended = asyncio.Event()
        self.peer = self.another()

    def another(self) -> Peer:
        return Peer(self.sent.append, self.close, self.credentials, self, first_id=1)

    def close(self, code: int, reason: str) -> None:
        self.closed.append((code, reason))
        self.ended.set()

    def on_arrived(self, peer: Peer) -> None:
        self.events.append(f"arrived {peer.browser}")

    def on_left(self, peer: Peer) -> None:
        self.events.append("left")

    def on_refused(self, error: OrynError) -> None:
        self.errors.append(error)

    def say(self, *what: Control | str) -> None:
        for each in what:
            self.peer.receive(each if isinstance(each, str) else each.frame)

    def last(self) -> Control | None:
        return read_control(self.sent[-1].removeprefix("0:"))

    def register(self, key: str | None = None, *, reconnected: bool = False) -> str:
        nonce = new_nonce()
        self.say(ExtensionRegistration(2, "0.1.0", "0.1.0", "Chrome/156.0", nonce, key, reconnected))
        return nonce

    def pair(self, secret: str = CODE, key: PairingKey | None = None, new: PairingKey | None = None) -> None:
        nonce = self.register(key.id if key else None)
        accepted = self.last()
        assert isinstance(accepted, Accepted) and accepted.nonce
        assert accepted.proof == server_proof(secret, nonce)
        self.say(Paired(extension_proof(secret, accepted.nonce), new.id if new else None, new.secret if new else None))
        assert self.peer.paired
        self.sent.clear()


@pytest.fixture
def create_harness(tmp_path: Path) -> Callable[..., PeerHarness]:
    return lambda *arguments, **named: PeerHarness(tmp_path / "keys.json", *arguments, **named)


CreateEnds = Callable[..., PeerHarness]


async def start(harness: PeerHarness, line: str, **named: object) -> asyncio.Task[pending_commands.CommandReply]:
    """A command that has been sent."""
    task = asyncio.create_task(harness.peer.request(line, timeout=30, **named))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    return task


# --- who is let in ---


async def test_both_ends_prove_that_they_know_the_code_and_keep_a_key(create_harness: CreateEnds) -> None:
    harness, key = create_harness(), PairingKey.new()
    harness.pair(new=key)
    assert harness.events == ["arrived Chrome/156.0"]
    assert harness.peer.key == key.id
    stored = harness.keys.find(key.id)
    assert stored is not None and (stored.secret, stored.browser) == (key.secret, "Chrome/156.0")


async def test_the_kept_key_is_enough_the_next_time(create_harness: CreateEnds) -> None:
    harness, key = create_harness(), PairingKey.new()
    harness.pair(new=key)
    harness.peer.on_lost()
    harness.peer = harness.another()
    harness.pair(key.secret, key)
    assert harness.events == ["arrived Chrome/156.0", "left", "arrived Chrome/156.0"]


async def test_a_code_is_spent_by_the_first_registration_that_it_answers(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.register()
    assert isinstance(harness.last(), Accepted)
    harness.register()
    assert harness.last() == Failed("pairing required")


@pytest.mark.parametrize("key", [None, "0123abcd"])
async def test_without_code_and_key_pairing_is_required(create_harness: CreateEnds, key: str | None) -> None:
    harness = create_harness(code=None if key is None else CODE)
    harness.register(key)
    assert harness.last() == Failed("pairing required")
    assert [type(error) for error in harness.errors] == [PairingRequired]
    assert harness.closed == []  # its user may give a code now
    harness.credentials.set_code(CODE)
    harness.pair()


async def test_a_code_is_not_given_to_who_claims_a_key(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.register("0123abcd")
    assert harness.credentials.has_code


@pytest.mark.parametrize("protocol", ["0", "1"])
async def test_an_older_protocol_is_refused_in_the_seeds_words(create_harness: CreateEnds, protocol: str) -> None:
    harness = create_harness()
    harness.say(f"0:register protocol={protocol} engine=1.0 extension=1.0 browser=Chrome/120.0 pairing=A7X9K2")
    assert harness.sent == [f"0:error unsupported protocol version {protocol}, require 2+"]
    assert harness.closed == [(4403, f"unsupported protocol version {protocol}, require 2+")]
    assert [type(error) for error in harness.errors] == [ProtocolMismatch]


async def test_a_newer_protocol_is_welcome(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.say(ExtensionRegistration(3, "0.1.0", "0.1.0", "Chrome/156.0", new_nonce()))
    assert isinstance(harness.last(), Accepted)


@pytest.mark.parametrize("proof", ["", "0" * 64, None, "é" * 64])
async def test_a_wrong_proof_ends_it(create_harness: CreateEnds, proof: str | None) -> None:
    harness, key = create_harness(), PairingKey.new()
    harness.register()
    harness.say(Paired(proof, key.id, key.secret))
    assert harness.sent[-1] == "0:error pairing failed"
    assert harness.closed == [(4403, "pairing failed")]
    assert (harness.peer.paired, harness.events, harness.keys.all()) == (False, [], [])


async def test_the_servers_own_proof_is_none_of_the_extensions(create_harness: CreateEnds) -> None:
    """An extension that knows nothing can't send back what it was sent."""
    harness = create_harness()
    harness.register()
    accepted = harness.last()
    assert isinstance(accepted, Accepted)
    harness.say(Paired(accepted.proof))
    assert not harness.peer.paired


async def test_a_proof_that_does_not_come_in_time(create_harness: CreateEnds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROOF_SECONDS", 0.01)
    harness = create_harness()
    harness.register()
    async with asyncio.timeout(10):
        await harness.ended.wait()
    assert harness.closed == [(4403, "pairing failed")]
    assert [type(error) for error in harness.errors] == [PairingFailed]


async def test_an_extension_that_refuses_the_code(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.register()
    harness.say("0:error pairing failed")
    assert harness.closed == [(4403, "pairing failed")]
    assert [type(error) for error in harness.errors] == [PairingFailed]


async def test_no_more_than_five_wrong_pairings_a_minute_but_keys_still_work(create_harness: CreateEnds) -> None:
    now = [1000.0]
    harness, key = create_harness(clock=lambda: now[0]), PairingKey.new()
    harness.keys.save(key.id, key.secret, "Chrome/156.0")
    for _ in range(5):
        harness.credentials.set_code(CODE)
        harness.peer = harness.another()
        harness.register()
        harness.say(Paired("0" * 64))
    harness.credentials.set_code(CODE)
    harness.peer = harness.another()
    harness.register()
    assert harness.sent[-1] == "0:error pairing failed"
    harness.peer = harness.another()
    harness.pair(key.secret, key)
    now[0] += 61
    harness.peer = harness.another()
    harness.pair()


async def test_silent_peer_is_disconnected(create_harness: CreateEnds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REGISTER_SECONDS", 0.01)
    harness = create_harness()
    async with asyncio.timeout(10):
        await harness.ended.wait()
    assert harness.closed == [(4408, "no registration")]


async def test_a_ping_is_answered_also_before_pairing(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.say(Ping())
    assert harness.sent == ["0:pong"]


# --- commands ---


async def test_unpaired_peer_gets_no_commands(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.register()
    with pytest.raises(BackendUnavailable):
        await harness.peer.request("click 3", timeout=1)
    assert len(harness.sent) == 1


async def test_answers_find_their_commands_in_any_order(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    first, second = await start(harness, "@tab1 click 3"), await start(harness, "@tab2 text")
    assert harness.sent == ["1:@tab1 click 3", "2:@tab2 text"]
    harness.say("2:ok text\n\n| 1:not an answer", "1:ok click 3")
    assert [(await first).text, (await second).text] == ["ok click 3", "ok text\n\n| 1:not an answer"]


async def test_a_definition_goes_as_one_message(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "define buy:\n  click 3")
    assert harness.sent == ["1:define buy:\n  click 3"]
    task.cancel()


async def test_ids_grow_also_after_the_browser_has_begun_anew(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    lost = await start(harness, "click 1")
    harness.credentials.set_code(CODE)
    harness.pair()
    task = await start(harness, "click 2")
    assert harness.sent == ["2:click 2"]
    harness.say("1:ok click 1", "2:ok click 2")
    assert (await task).text == "ok click 2"
    with pytest.raises(ConnectionLost):
        await lost


async def test_no_id_of_an_earlier_connection_comes_again(create_harness: CreateEnds) -> None:
    """An extension would take the command for the one that it has not answered then."""
    harness = create_harness()
    ids = []
    for _ in range(3):
        harness.peer = Peer(harness.sent.append, harness.close, harness.credentials, harness)
        harness.credentials.set_code(CODE)
        harness.pair()
        task = await start(harness, "click 3")
        ids.append(int(harness.sent[-1].partition(":")[0]))
        harness.peer.on_lost()
        with pytest.raises(ConnectionLost):
            await task
        await asyncio.sleep(0.002)  # the ids of a command, and not more, may be of the same millisecond
    assert sorted(set(ids)) == ids


async def test_commands_in_flight_fail_after_a_browser_restart(
    create_harness: CreateEnds,
) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "click 3")
    harness.sent.clear()
    harness.register(reconnected=True)
    with pytest.raises(ConnectionLost) as caught:
        await task
    assert caught.value.hint and "may have been done" in caught.value.hint
    assert [frame for frame in harness.sent if not frame.startswith("0:")] == []
    assert harness.events == ["arrived Chrome/156.0", "left"]


async def test_commands_in_flight_fail_if_the_connection_is_lost(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "click 3")
    harness.peer.on_lost()
    harness.peer.on_lost()
    with pytest.raises(ConnectionLost):
        await task
    with pytest.raises(BackendUnavailable):
        await harness.peer.request("click 3", timeout=1)
    assert (harness.events, harness.closed) == (["arrived Chrome/156.0", "left"], [])


async def test_an_answer_that_does_not_come_in_time_is_nobodys_later(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    with pytest.raises(Timeout) as caught:
        await harness.peer.request("click 3", timeout=0.01)
    assert caught.value.hint and "may have been done" in caught.value.hint
    harness.say("1:ok click 3")
    task = await start(harness, "click 4")
    harness.say("2:ok click 4")
    assert (await task).text == "ok click 4"


async def test_a_caller_that_is_cancelled_cancels_its_command(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "observe")
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() and harness.sent == ["1:observe", "0:cancel 1"]
    assert harness.last() == Cancel(1)


async def test_a_line_that_no_browser_takes_is_not_sent(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    with pytest.raises(UnexpectedInput):
        await harness.peer.request("x" * COMMAND_LIMIT, timeout=1)
    assert harness.sent == []


async def test_no_more_commands_in_flight_than_a_browser_can_do(
    create_harness: CreateEnds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_commands, "MAX_PENDING_COMMANDS", 1)
    harness = create_harness()
    harness.pair()
    task = await start(harness, "click 3")
    with pytest.raises(BackendUnavailable):
        await harness.peer.request("click 4", timeout=1)
    harness.say("1:ok click 3")
    await task


async def test_data_comes_where_it_is_wanted(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "title", data=True)
    harness.say(Data(1, {"ok": True, "command": "title"}, 7), "1:ok title")
    assert (await task).data == Data(1, {"ok": True, "command": "title"}, 7)
    without = await start(harness, "title")
    harness.say("2:ok title")
    assert (await without).data is None
    assert harness.sent == ["0:answers data=1", "1:title", "0:answers data=0", "2:title"]


async def test_files_come_with_the_answer_of_their_command(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "screenshot")
    harness.say(File(1, "a.png", b"one"), File(2, "b.png", b"nobody's"), "1:ok screenshot", File(1, "c.png", b"late"))
    assert dict((await task).files) == {"a.png": b"one"}


async def test_files_of_one_command_have_a_limit(create_harness: CreateEnds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_commands, "MAX_FILES", 2)
    monkeypatch.setattr(pending_commands, "MAX_FILES_BYTES", 10)
    harness = create_harness()
    harness.pair()
    task = await start(harness, "screenshot")
    harness.say(File(1, "a", b"x" * 8), File(1, "b", b"x" * 8), File(1, "c", b"x"), File(1, "d", b"x"), "1:ok")
    assert list((await task).files) == ["a", "c"]


# --- what is none of it ---

JUNK = [
    "", "\0", ":", "0:", "x", "1", "-1:ok", "1.5:ok", "01:ok", " 1:ok", "99999999999999999999:ok", "7:ok", "7:ok",
    "0:unknown word", "0:paired proof=" + "0" * 64, "0:ok pairing=1", "0:file", "0:file 1 !! !!", "0:file 1 Li4= YQ==",
    "0:data 1 {", "0:data x {}", "0:data 1 []", "0:data 1 " + "[" * 5000, "0:register", "0:error pairing failed",
    "0:paired proof=1 proof=2", "0:ping " + "x" * 5000,
]  # fmt: skip


async def test_junk_does_no_harm_once_both_know_each_other(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "click 3")
    harness.say(*JUNK)
    assert harness.peer.paired
    harness.say("1:ok click 3", "1:ok click 4")
    assert (await task).text == "ok click 3"
    assert harness.closed == []


@pytest.mark.parametrize("frame", JUNK)
async def test_junk_before_that_gets_nothing(create_harness: CreateEnds, frame: str) -> None:
    harness = create_harness()
    harness.say(frame)
    assert not harness.peer.paired
    assert all(sent.startswith("0:") and "ok" not in sent for sent in harness.sent)


async def test_messages_before_pairing_are_limited(create_harness: CreateEnds) -> None:
    harness = create_harness(code=None)
    for _ in range(2 * module.MAX_EARLY_MESSAGES):
        harness.say(Ping())
    assert harness.closed == [(4429, "too many messages")]
    assert len(harness.sent) == module.MAX_EARLY_MESSAGES
    known = create_harness()
    known.pair()
    for _ in range(2 * module.MAX_EARLY_MESSAGES):
        known.say(Ping())
    assert known.closed == []


async def test_a_message_that_is_too_long_ends_it(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    task = await start(harness, "text")
    harness.say("1:" + "x" * ANSWER_LIMIT)
    assert harness.closed[0][0] == 1009
    with pytest.raises(ConnectionLost):
        await task


async def test_messages_after_the_end_are_ignored(create_harness: CreateEnds) -> None:
    harness = create_harness()
    harness.pair()
    harness.peer.end(1001, "bye")
    harness.peer.end(1001, "bye")
    harness.credentials.set_code(CODE)
    harness.register()
    assert (harness.closed, harness.sent, harness.events) == ([(1001, "bye")], [], ["arrived Chrome/156.0", "left"])
