"""The Python library does what `protocol.json` says, as every other client library does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from oryn.client import Oryn, SyncOryn, engine_process, quote
from oryn.client.engine_process import parse_ready
from oryn.client.local_engine import engine_command
from oryn.errors import OrynError
from oryn.extension_server.credentials import ServerCredentials
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.messages import COMMAND_LIMIT, Accepted, ExtensionRegistration, WireMessage, read_control
from oryn.extension_server.pairing import server_proof
from oryn.extension_server.peer import Peer
from oryn.sessions.framing import AnswerSplitter, decode
from tests.clients.conftest import PROTOCOL, Program
from tests.headless.conftest import Pages

READY = "ready oryn-h v1.0.0 protocol=2\n---\n"


def cases(section: str, kind: str) -> pytest.MarkDecorator:
    found = PROTOCOL[section][kind]
    return pytest.mark.parametrize(
        "case", found, ids=[str(each.get("name", number)) for number, each in enumerate(found)]
    )


def check_failure(error: OrynError, case: dict[str, Any]) -> None:
    assert error.code == case.get("fails", case.get("refused")), error
    for text in case.get("has", ()):
        assert text in error.message
    for text in case.get("hint_has", ()):
        assert text in (error.hint or "")
    for text in case.get("has_not", ()):
        assert text not in f"{error.message} {error.hint}"


def test_all_sections_of_the_protocol_file_are_tested() -> None:
    sections = {name: sorted(set(section) - {"comment"}) for name, section in PROTOCOL.items() if name != "comment"}
    assert sections == {
        "framing": ["answers", "commands", "streams"],
        "ready": ["lines"],
        "quoting": ["quote"],
        "discovery": ["cases"],
        "modes": ["refused"],
        "faults": ["cases"],
        "remote": ["frames", "proofs", "registrations", "replies"],
        "live": ["cases"],
    }


# --- pure ---


@pytest.mark.parametrize("client", [Oryn, SyncOryn])
@cases("modes", "refused")
def test_modes(case: dict[str, Any], client: type[Oryn] | type[SyncOryn]) -> None:
    with pytest.raises(OrynError) as caught:
        client(case["mode"], binary="/bin/false")
    check_failure(caught.value, case)


@cases("framing", "answers")
def test_answers(case: dict[str, Any]) -> None:
    assert decode(case["wire"].encode()) == case["payload"]


@cases("framing", "streams")
def test_streams(case: dict[str, Any]) -> None:
    splitter = AnswerSplitter()
    assert [each for piece in case["pieces"] for each in splitter.feed(bytes.fromhex(piece))] == case["payloads"]


@cases("ready", "lines")
def test_ready_lines(case: dict[str, Any]) -> None:
    if "fails" in case:
        with pytest.raises(OrynError) as failed:
            parse_ready(case["line"])
        check_failure(failed.value, case)
    else:
        assert parse_ready(case["line"]).values() == {name: case[name] for name in ("engine", "version", "protocol")}


@cases("quoting", "quote")
def test_quotes(case: dict[str, Any]) -> None:
    assert quote(case["text"]) == case["written"]


@cases("discovery", "cases")
def test_discovery(case: dict[str, Any], tmp_path: Path) -> None:
    for each in case["files"]:
        file = tmp_path / each
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    path = os.pathsep.join(str(tmp_path / each) for each in case["path"])
    folders = [tmp_path / each for each in ("home/.local/bin", "local/bin", "home/.cargo/bin", "beside")]
    binary = str(tmp_path / case["binary"]) if "binary" in case else None
    if "fails" in case:
        with pytest.raises(OrynError) as failed:
            engine_command(case["mode"], binary, path=path, folders=folders)
        check_failure(failed.value, case)
    else:
        program, *rest = case["found"]
        assert engine_command(case["mode"], binary, path=path, folders=folders) == [str(tmp_path / program), *rest]


# --- with a process ---


@cases("framing", "commands")
async def test_commands(case: dict[str, Any], fake_engine: Any) -> None:
    engine = fake_engine([{"say": READY}, {"hear": 1}, {"say": "heard {heard}\n---\n"}, {"wait": True}])
    async with Oryn(binary=engine) as oryn:
        if "refused" in case:
            with pytest.raises(OrynError) as failed:
                await oryn.send(case["command"])
            check_failure(failed.value, case)
            assert await oryn.send("url") == "heard url"
        else:
            assert f"{await oryn.send(case['command'])}\n" == f"heard {case['wire']}"


@cases("faults", "cases")
async def test_faults(case: dict[str, Any], fake_engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if {"refuse_to_end": True} in case["engine"]:
        monkeypatch.setattr(engine_process, "QUIT_SECONDS", 0.2)
        monkeypatch.setattr(engine_process, "TERMINATE_SECONDS", 0.2)
    oryn = Oryn(binary=fake_engine(case["engine"]))
    for call in case["calls"]:
        made = oryn.send(call["send"]) if "send" in call else oryn.connect()
        if "fails" in call:
            with pytest.raises(OrynError) as failed:
                await made
            check_failure(failed.value, call)
        else:
            assert await made == call.get("answer", oryn)
    await oryn.close()
    assert not oryn.connected


@pytest.mark.slow
@pytest.mark.browser
@cases("live", "cases")
async def test_live(case: dict[str, Any], program: Program, site: Pages) -> None:
    for path, page in case["pages"].items():
        site[path] = page
    host = site.url("").removeprefix("http://")

    def here(text: str) -> str:
        return text.replace("{site}", host)

    async with Oryn(session=case["session"], binary=program.path) as oryn:
        for step in case["steps"]:
            assert await oryn.send(here(step["send"])) == here(step["answer"])


# --- the extension's protocol ---


@cases("remote", "frames")
def test_frames(case: dict[str, Any]) -> None:
    if "fails" in case:
        with pytest.raises(OrynError) as failed:
            WireMessage.read(case["frame"], COMMAND_LIMIT)
        check_failure(failed.value, case)
    else:
        message = WireMessage.read(case["frame"], COMMAND_LIMIT)
        assert (message.id, message.content, message.frame) == (case["id"], case["content"], case["frame"])


@cases("remote", "registrations")
def test_registrations(case: dict[str, Any]) -> None:
    content = WireMessage.read(case["frame"], COMMAND_LIMIT).content
    if "fails" in case:
        with pytest.raises(OrynError) as failed:
            read_control(content)
        check_failure(failed.value, case)
    else:
        read = read_control(content)
        assert isinstance(read, ExtensionRegistration)
        assert read.values() == {name: value for name, value in case.items() if name != "frame"}


@cases("remote", "proofs")
def test_proofs(case: dict[str, Any]) -> None:
    assert server_proof(case["secret"], case["message"]) == case["proof"]


@cases("remote", "replies")
async def test_replies(case: dict[str, Any], tmp_path: Path) -> None:
    keys = KeyStore(tmp_path / "keys.json")
    for id, secret in case["keys"].items():
        keys.save(id, secret, "Chrome/156")
    sent: list[str] = []
    peer = Peer(sent.append, lambda *_: None, ServerCredentials(keys, case["code"]), NullListener())
    peer.receive(case["frame"])
    peer.on_lost()
    if "reply" in case:
        assert sent == [case["reply"]]
    else:
        assert len(sent) == 1 and sent[0].startswith(f"{case['reply_begins']} ")
        accepted = read_control(sent[0].removeprefix("0:"))
        assert isinstance(accepted, Accepted) and accepted.nonce


class NullListener:
    """Wants to know nothing of conversations."""

    def on_arrived(self, peer: Peer) -> None: ...

    def on_left(self, peer: Peer) -> None: ...

    def on_refused(self, error: OrynError) -> None: ...
