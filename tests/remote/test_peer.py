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
from oryn.remote import in_flight
from oryn.remote import peer as module
from oryn.remote.credentials import ServerCredentials
from oryn.remote.keys import KeyStore
from oryn.remote.messages import (
    ANSWER_LIMIT,
    COMMAND_LIMIT,
    Accepted,
    Control,
    Data,
    ExtensionRegistration,
    Failed,
    File,
    Paired,
    Ping,
    read_control,
)
from oryn.remote.pairing import PairingKey, extension_proof, new_nonce, server_proof
from oryn.remote.peer import Peer

CODE = "A7X9K2"


class Ends:
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

    def arrived(self, peer: Peer) -> None:
        self.events.append(f"arrived {peer.browser}")

    def left(self, peer: Peer) -> None:
        self.events.append("left")

    def refused(self, error: OrynError) -> None:
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
def create_ends(tmp_path: Path) -> Callable[..., Ends]:
    return lambda *arguments, **named: Ends(tmp_path / "keys.json", *arguments, **named)


CreateEnds = Callable[..., Ends]


async def begun(ends: Ends, line: str, **named: object) -> asyncio.Task[in_flight.CommandReply]:
    """A command that has been sent."""
    task = asyncio.create_task(ends.peer.request(line, timeout=30, **named))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    return task


# --- who is let in ---


async def test_both_ends_prove_that_they_know_the_code_and_keep_a_key(create_ends: CreateEnds) -> None:
    ends, key = create_ends(), PairingKey.new()
    ends.pair(new=key)
    assert ends.events == ["arrived Chrome/156.0"]
    assert ends.peer.key == key.id
    stored = ends.keys.find(key.id)
    assert stored is not None and (stored.secret, stored.browser) == (key.secret, "Chrome/156.0")


async def test_the_kept_key_is_enough_the_next_time(create_ends: CreateEnds) -> None:
    ends, key = create_ends(), PairingKey.new()
    ends.pair(new=key)
    ends.peer.lost()
    ends.peer = ends.another()
    ends.pair(key.secret, key)
    assert ends.events == ["arrived Chrome/156.0", "left", "arrived Chrome/156.0"]


async def test_a_code_is_spent_by_the_first_registration_that_it_answers(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.register()
    assert isinstance(ends.last(), Accepted)
    ends.register()
    assert ends.last() == Failed("pairing required")


@pytest.mark.parametrize("key", [None, "0123abcd"])
async def test_without_code_and_key_pairing_is_required(create_ends: CreateEnds, key: str | None) -> None:
    ends = create_ends(code=None if key is None else CODE)
    ends.register(key)
    assert ends.last() == Failed("pairing required")
    assert [type(error) for error in ends.errors] == [PairingRequired]
    assert ends.closed == []  # its user may give a code now
    ends.credentials.set_code(CODE)
    ends.pair()


async def test_a_code_is_not_given_to_who_claims_a_key(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.register("0123abcd")
    assert ends.credentials.has_code


@pytest.mark.parametrize("protocol", ["0", "1"])
async def test_an_older_protocol_is_refused_in_the_seeds_words(create_ends: CreateEnds, protocol: str) -> None:
    ends = create_ends()
    ends.say(f"0:register protocol={protocol} engine=1.0 extension=1.0 browser=Chrome/120.0 pairing=A7X9K2")
    assert ends.sent == [f"0:error unsupported protocol version {protocol}, require 2+"]
    assert ends.closed == [(4403, f"unsupported protocol version {protocol}, require 2+")]
    assert [type(error) for error in ends.errors] == [ProtocolMismatch]


async def test_a_newer_protocol_is_welcome(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.say(ExtensionRegistration(3, "0.1.0", "0.1.0", "Chrome/156.0", new_nonce()))
    assert isinstance(ends.last(), Accepted)


@pytest.mark.parametrize("proof", ["", "0" * 64, None, "é" * 64])
async def test_a_wrong_proof_ends_it(create_ends: CreateEnds, proof: str | None) -> None:
    ends, key = create_ends(), PairingKey.new()
    ends.register()
    ends.say(Paired(proof, key.id, key.secret))
    assert ends.sent[-1] == "0:error pairing failed"
    assert ends.closed == [(4403, "pairing failed")]
    assert (ends.peer.paired, ends.events, ends.keys.all()) == (False, [], [])


async def test_the_servers_own_proof_is_none_of_the_extensions(create_ends: CreateEnds) -> None:
    """An extension that knows nothing can't send back what it was sent."""
    ends = create_ends()
    ends.register()
    accepted = ends.last()
    assert isinstance(accepted, Accepted)
    ends.say(Paired(accepted.proof))
    assert not ends.peer.paired


async def test_a_proof_that_does_not_come_in_time(create_ends: CreateEnds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROOF_SECONDS", 0.01)
    ends = create_ends()
    ends.register()
    async with asyncio.timeout(10):
        await ends.ended.wait()
    assert ends.closed == [(4403, "pairing failed")]
    assert [type(error) for error in ends.errors] == [PairingFailed]


async def test_an_extension_that_refuses_the_code(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.register()
    ends.say("0:error pairing failed")
    assert ends.closed == [(4403, "pairing failed")]
    assert [type(error) for error in ends.errors] == [PairingFailed]


async def test_no_more_than_five_wrong_pairings_a_minute_but_keys_still_work(create_ends: CreateEnds) -> None:
    now = [1000.0]
    ends, key = create_ends(clock=lambda: now[0]), PairingKey.new()
    ends.keys.save(key.id, key.secret, "Chrome/156.0")
    for _ in range(5):
        ends.credentials.set_code(CODE)
        ends.peer = ends.another()
        ends.register()
        ends.say(Paired("0" * 64))
    ends.credentials.set_code(CODE)
    ends.peer = ends.another()
    ends.register()
    assert ends.sent[-1] == "0:error pairing failed"
    ends.peer = ends.another()
    ends.pair(key.secret, key)
    now[0] += 61
    ends.peer = ends.another()
    ends.pair()


async def test_silent_peer_is_disconnected(create_ends: CreateEnds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REGISTER_SECONDS", 0.01)
    ends = create_ends()
    async with asyncio.timeout(10):
        await ends.ended.wait()
    assert ends.closed == [(4408, "no registration")]


async def test_a_ping_is_answered_also_before_pairing(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.say(Ping())
    assert ends.sent == ["0:pong"]


# --- commands ---


async def test_unpaired_peer_gets_no_commands(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.register()
    with pytest.raises(BackendUnavailable):
        await ends.peer.request("click 3", timeout=1)
    assert len(ends.sent) == 1


async def test_answers_find_their_commands_in_any_order(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    first, second = await begun(ends, "@tab1 click 3"), await begun(ends, "@tab2 text")
    assert ends.sent == ["1:@tab1 click 3", "2:@tab2 text"]
    ends.say("2:ok text\n\n| 1:not an answer", "1:ok click 3")
    assert [(await first).text, (await second).text] == ["ok click 3", "ok text\n\n| 1:not an answer"]


async def test_a_definition_goes_as_one_message(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "define buy:\n  click 3")
    assert ends.sent == ["1:define buy:\n  click 3"]
    task.cancel()


async def test_ids_grow_also_after_the_browser_has_begun_anew(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    lost = await begun(ends, "click 1")
    ends.credentials.set_code(CODE)
    ends.pair()
    task = await begun(ends, "click 2")
    assert ends.sent == ["2:click 2"]
    ends.say("1:ok click 1", "2:ok click 2")
    assert (await task).text == "ok click 2"
    with pytest.raises(ConnectionLost):
        await lost


async def test_no_id_of_an_earlier_connection_comes_again(create_ends: CreateEnds) -> None:
    """An extension would take the command for the one that it has not answered then."""
    ends = create_ends()
    ids = []
    for _ in range(3):
        ends.peer = Peer(ends.sent.append, ends.close, ends.credentials, ends)
        ends.credentials.set_code(CODE)
        ends.pair()
        task = await begun(ends, "click 3")
        ids.append(int(ends.sent[-1].partition(":")[0]))
        ends.peer.lost()
        with pytest.raises(ConnectionLost):
            await task
        await asyncio.sleep(0.002)  # the ids of a command, and not more, may be of the same millisecond
    assert sorted(set(ids)) == ids


async def test_commands_in_flight_fail_after_a_browser_restart(
    create_ends: CreateEnds,
) -> None:
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "click 3")
    ends.sent.clear()
    ends.register(reconnected=True)
    with pytest.raises(ConnectionLost) as caught:
        await task
    assert caught.value.hint and "may have been done" in caught.value.hint
    assert [frame for frame in ends.sent if not frame.startswith("0:")] == []
    assert ends.events == ["arrived Chrome/156.0", "left"]


async def test_commands_in_flight_fail_if_the_connection_is_lost(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "click 3")
    ends.peer.lost()
    ends.peer.lost()
    with pytest.raises(ConnectionLost):
        await task
    with pytest.raises(BackendUnavailable):
        await ends.peer.request("click 3", timeout=1)
    assert (ends.events, ends.closed) == (["arrived Chrome/156.0", "left"], [])


async def test_an_answer_that_does_not_come_in_time_is_nobodys_later(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    with pytest.raises(Timeout) as caught:
        await ends.peer.request("click 3", timeout=0.01)
    assert caught.value.hint and "may have been done" in caught.value.hint
    ends.say("1:ok click 3")
    task = await begun(ends, "click 4")
    ends.say("2:ok click 4")
    assert (await task).text == "ok click 4"


async def test_a_line_that_no_browser_takes_is_not_sent(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    with pytest.raises(UnexpectedInput):
        await ends.peer.request("x" * COMMAND_LIMIT, timeout=1)
    assert ends.sent == []


async def test_no_more_commands_in_flight_than_a_browser_can_do(
    create_ends: CreateEnds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_flight, "MAX_PENDING_COMMANDS", 1)
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "click 3")
    with pytest.raises(BackendUnavailable):
        await ends.peer.request("click 4", timeout=1)
    ends.say("1:ok click 3")
    await task


async def test_data_comes_where_it_is_wanted(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "title", data=True)
    ends.say(Data(1, {"ok": True, "command": "title"}, 7), "1:ok title")
    assert (await task).data == Data(1, {"ok": True, "command": "title"}, 7)
    without = await begun(ends, "title")
    ends.say("2:ok title")
    assert (await without).data is None
    assert ends.sent == ["0:answers data=1", "1:title", "0:answers data=0", "2:title"]


async def test_files_come_with_the_answer_of_their_command(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "screenshot")
    ends.say(File(1, "a.png", b"one"), File(2, "b.png", b"nobody's"), "1:ok screenshot", File(1, "c.png", b"late"))
    assert dict((await task).files) == {"a.png": b"one"}


async def test_files_of_one_command_have_a_limit(create_ends: CreateEnds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_flight, "MAX_FILES", 2)
    monkeypatch.setattr(in_flight, "MAX_FILES_BYTES", 10)
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "screenshot")
    ends.say(File(1, "a", b"x" * 8), File(1, "b", b"x" * 8), File(1, "c", b"x"), File(1, "d", b"x"), "1:ok")
    assert list((await task).files) == ["a", "c"]


# --- what is none of it ---

JUNK = [
    "", "\0", ":", "0:", "x", "1", "-1:ok", "1.5:ok", "01:ok", " 1:ok", "99999999999999999999:ok", "7:ok", "7:ok",
    "0:unknown word", "0:paired proof=" + "0" * 64, "0:ok pairing=1", "0:file", "0:file 1 !! !!", "0:file 1 Li4= YQ==",
    "0:data 1 {", "0:data x {}", "0:data 1 []", "0:data 1 " + "[" * 5000, "0:register", "0:error pairing failed",
    "0:paired proof=1 proof=2", "0:ping " + "x" * 5000,
]  # fmt: skip


async def test_junk_does_no_harm_once_both_know_each_other(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "click 3")
    ends.say(*JUNK)
    assert ends.peer.paired
    ends.say("1:ok click 3", "1:ok click 4")
    assert (await task).text == "ok click 3"
    assert ends.closed == []


@pytest.mark.parametrize("frame", JUNK)
async def test_junk_before_that_gets_nothing(create_ends: CreateEnds, frame: str) -> None:
    ends = create_ends()
    ends.say(frame)
    assert not ends.peer.paired
    assert all(sent.startswith("0:") and "ok" not in sent for sent in ends.sent)


async def test_messages_before_pairing_are_limited(create_ends: CreateEnds) -> None:
    ends = create_ends(code=None)
    for _ in range(2 * module.MAX_EARLY_MESSAGES):
        ends.say(Ping())
    assert ends.closed == [(4429, "too many messages")]
    assert len(ends.sent) == module.MAX_EARLY_MESSAGES
    known = create_ends()
    known.pair()
    for _ in range(2 * module.MAX_EARLY_MESSAGES):
        known.say(Ping())
    assert known.closed == []


async def test_a_message_that_is_too_long_ends_it(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    task = await begun(ends, "text")
    ends.say("1:" + "x" * ANSWER_LIMIT)
    assert ends.closed[0][0] == 1009
    with pytest.raises(ConnectionLost):
        await task


async def test_messages_after_the_end_are_ignored(create_ends: CreateEnds) -> None:
    ends = create_ends()
    ends.pair()
    ends.peer.end(1001, "bye")
    ends.peer.end(1001, "bye")
    ends.credentials.set_code(CODE)
    ends.register()
    assert (ends.closed, ends.sent, ends.events) == ([(1001, "bye")], [], ["arrived Chrome/156.0", "left"])
