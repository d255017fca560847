"""Messages read back as they were written, and what is none is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.errors import MalformedMessage, ProtocolMismatch
from oryn.extension_server import messages
from oryn.extension_server.messages import (
    Accepted,
    AnswerOptions,
    Control,
    EngineOptions,
    ExtensionRegistration,
    Failed,
    File,
    OfferedTools,
    Paired,
    Ping,
    PluginMessage,
    Pong,
    WireMessage,
    read_control,
    require_version,
)

LIMIT = 100
NONCE = "0123456789abcdef" * 2
DIGEST = "0123456789abcdef" * 4

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=100)
HEX = st.text("0123456789abcdef", min_size=32, max_size=32)
KEYS = st.text("0123456789abcdef", min_size=8, max_size=8)


def read(frame: str) -> Control | None:
    message = WireMessage.read(frame, messages.ANSWER_LIMIT)
    assert message.id == 0
    return read_control(message.content)


def test_a_command_and_its_answer() -> None:
    assert WireMessage.read("42:click 3", LIMIT) == WireMessage(42, "click 3")
    assert WireMessage.read("7:ok goto a\n\n@ a: b", LIMIT) == WireMessage(7, "ok goto a\n\n@ a: b")
    assert WireMessage(42, "click 3").frame == "42:click 3"
    assert WireMessage.read("3:", LIMIT) == WireMessage(3, "")


@given(st.integers(0, messages.MAX_ID), st.text())
def test_every_message_reads_back(id: int, content: str) -> None:
    assert WireMessage.read(WireMessage(id, content).frame, messages.ANSWER_LIMIT) == WireMessage(id, content)


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "click 3",
        ":click",
        "-1:click",
        "+1:x",
        "01:x",
        "1.0:x",
        " 1:x",
        "1 :x",
        "٣:x",
        "9007199254740992:x",
        "1" * 17 + ":",
    ],
)
def test_message_without_an_id_is_rejected(frame: str) -> None:
    with pytest.raises(MalformedMessage, match="a message without an id"):
        WireMessage.read(frame, LIMIT)


def test_a_message_has_a_limit() -> None:
    assert WireMessage.read("1:" + "x" * 98, LIMIT).id == 1
    with pytest.raises(MalformedMessage, match="a message of 101 characters"):
        WireMessage.read("1:" + "x" * 99, LIMIT)


@pytest.mark.parametrize(
    ("control", "frame"),
    [
        (
            ExtensionRegistration(2, "0.1.0", "0.1.0", "Chrome/156.0.1.2", NONCE),
            f"0:register protocol=2 engine=0.1.0 extension=0.1.0 browser=Chrome/156.0.1.2 pairing={NONCE}",
        ),
        (
            ExtensionRegistration(2, "0.1.0", "0.1.0", "A b=c%", NONCE, "89abcdef", reconnected=True),
            "0:register protocol=2 engine=0.1.0 extension=0.1.0 browser=A%20b%3Dc%25 "
            f"pairing={NONCE} key=89abcdef reconnected=true",
        ),
        (Accepted(), "0:ok"),
        (OfferedTools(True), "0:tools offered=1"),
        (OfferedTools(False), "0:tools offered=0"),
        (PluginMessage("oryn:a.b", {"type": "é"}), '0:plugin oryn:a.b {"type":"\\u00e9"}'),
        (Accepted(DIGEST), f"0:ok pairing={DIGEST}"),
        (Accepted(DIGEST, NONCE, files=True), f"0:ok pairing={DIGEST} nonce={NONCE} files=1"),
        (Failed("pairing required"), "0:error pairing required"),
        (Paired(), "0:paired"),
        (Paired(DIGEST, "89abcdef", DIGEST), f"0:paired proof={DIGEST} key=89abcdef secret={DIGEST}"),
        (Ping(), "0:ping"),
        (Pong(), "0:pong"),
        (File(7, "a b.png", b"\x89PNG"), "0:file 7 YSBiLnBuZw== iVBORw=="),
        (File(7, "empty", b""), "0:file 7 ZW1wdHk= "),
        (AnswerOptions(True), "0:answers data=1"),
        (EngineOptions(), "0:options"),
        (EngineOptions(strict=False), "0:options strict=0"),
        (
            EngineOptions(timeout=60, strict=True, settle_limit=0.25, observe_limit=0, confirms_presses=True),
            "0:options timeout=60 strict=1 settle_limit=0.25 observe_limit=0 confirms_presses=1",
        ),
    ],
)
def test_control_messages(control: Control, frame: str) -> None:
    assert control.frame == frame
    assert read(frame) == control


@given(st.integers(2, 999), NAMES, NAMES, NAMES, st.none() | HEX, st.none() | KEYS, st.booleans())
def test_every_registration_reads_back(
    protocol: int, engine: str, extension: str, browser: str, nonce: str | None, key: str | None, again: bool
) -> None:
    given = ExtensionRegistration(protocol, engine, extension, browser, nonce, key, again)
    assert len(given.frame.split(" ")) == 5 + (nonce is not None) + (key is not None) + again
    assert read(given.frame) == given


def test_unknown_words_and_fields_are_ignored() -> None:
    assert read("0:hello world=1") is None
    assert read("0:") is None
    assert read(f"0:ok welcome new=1 pairing={DIGEST}") == Accepted(DIGEST)
    assert read("0:pong 7") == Pong()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ("0:register", "a registration needs protocol, engine, extension and browser"),
        ("0:register protocol=2 engine=1 extension= browser=c", "a registration needs"),
        ("0:register protocol=x engine=1 extension=1 browser=c", "'protocol' is not of its form"),
        ("0:register protocol=2 engine=1 extension=1 browser=c pairing=A7X9K2", "'pairing' is not of its form"),
        (f"0:register protocol=2 engine=1 extension=1 browser=c pairing={NONCE} key=../../x", "'key' is not"),
        ("0:register protocol=2 protocol=3 engine=1 extension=1 browser=c", "'protocol' twice"),
        ("0:ok nonce=12", "'nonce' is not of its form"),
        ("0:ok pairing=%FF", "'pairing' is not UTF-8"),
        ("0:paired key=89ABCDEF", "'key' is not of its form"),
        ("0:paired key=89abcdef secret=1", "'secret' is not of its form"),
        ("0:ok pairing=" + "a" * 5000, "a 'ok' of 5011 characters"),
        ("0:plugin other {}", "needs the plugin's id"),
        ("0:plugin oryn:a::b {}", "needs the plugin's id"),
        ("0:plugin oryn:a [1]", "not an object"),
        ("0:plugin oryn:a {", "not JSON"),
        ("0:file 7 YQ==", "a file needs a command's id"),
        ("0:file 0 YQ== YQ==", "a file needs a command's id"),
        ("0:file 7 a YQ==", "not in base64"),
        ("0:file 7 /w== YQ==", "not in base64"),
        ("0:file 7 YQ== a*==", "not in base64"),
        ("0:options timeout=1h", "'timeout' is not of its form"),
        ("0:options settle_limit=-1", "'settle_limit' is not of its form"),
        ("0:options observe_limit=1.5", "'observe_limit' is not of its form"),
        ("0:options strict=yes", "'strict' is not of its form"),
        ("0:options strict=1 strict=0", "'strict' twice"),
    ],
)
def test_invalid_control_message_is_rejected(frame: str, message: str) -> None:
    with pytest.raises(MalformedMessage, match=message):
        read(frame)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../../.bashrc", "c:\\x", "a\x00b", "a\nb", "con:", "x" * 256])
def test_a_file_has_no_way_out_of_a_folder(name: str) -> None:
    with pytest.raises(MalformedMessage, match="a file whose name is invalid"):
        read(File(1, name, b"").frame)


def test_a_file_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "FILE_LIMIT", 3)
    assert read(File(1, "a", b"123").frame) == File(1, "a", b"123")
    with pytest.raises(MalformedMessage, match="a file of 4 bytes"):
        read(File(1, "a", b"1234").frame)


def test_a_refusal_is_one_short_line() -> None:
    assert Failed("two\nlines  and\tmore").frame == "0:error two lines and more"
    assert len(Failed("x" * 9999).frame) < messages.FIELDS_LIMIT


def test_versions_as_the_seed_has_them() -> None:
    """The same and a newer extension work, an older one lacks what is required."""
    require_version(2, required=2)
    require_version(3, required=2)
    with pytest.raises(ProtocolMismatch) as caught:
        require_version(1, required=2)
    assert str(caught.value) == "unsupported protocol version 1, require 2+"


def test_a_registration_of_version_1_can_be_read_and_so_refused() -> None:
    control = read("0:register protocol=1 engine=1.0.0 extension=1.0.0 browser=Chrome/120.0 pairing=A7X9K2")
    assert control == ExtensionRegistration(1, "1.0.0", "1.0.0", "Chrome/120.0")
