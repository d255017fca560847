"""The messages between the extension and a server (docs/remote-protocol.md; seed 000 §4.4, §6.2–6.4). Pure.

A message is one text frame, `<id>:<content>`. Commands and their answers have an id of the server's choice; what both
ends say about the connection itself has the id 0, and is a `Control` here: a word and fields, percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from oryn import PROTOCOL_VERSION
from oryn.errors import MalformedMessage, ProtocolMismatch
from oryn.records import Record
from oryn.remote.attachments import Answers, Data, EngineOptions, File
from oryn.remote.control import FIELDS_LIMIT, Control, checked, fields_of, frame_of

COMMAND_LIMIT = 1024 * 1024
"""Characters of a message to the extension, which reads it in one go: so long its user can't stop it."""
ANSWER_LIMIT = 48 * 1024 * 1024
"""Characters of a message to the server."""
LARGEST_ID = 2**53 - 1
"""The largest integer that every language's JSON has."""

_MESSAGE = re.compile(r"(0|[1-9][0-9]{0,15}):", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_NONCE = re.compile(r"[0-9a-f]{32}", re.ASCII)
_KEY = re.compile(r"[0-9a-f]{8}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class Message(Record):
    """One frame. `content` is a line of the Intent Language, its answer, or a control message's where `id` is 0."""

    id: int
    content: str

    @property
    def frame(self) -> str:
        return f"{self.id}:{self.content}"

    @classmethod
    def read(cls, frame: str, limit: int) -> Message:
        """A frame of at most `limit` characters. Raises `MalformedMessage`."""
        if len(frame) > limit:
            raise MalformedMessage(f"a message of {len(frame)} characters", f"One may have {limit} at most.")
        found = _MESSAGE.match(frame)
        if found is None or int(found[1]) > LARGEST_ID:
            raise MalformedMessage("a message without an id")
        return cls(int(found[1]), frame[found.end() :])


def require_version(protocol: int, required: int = PROTOCOL_VERSION) -> None:
    """Newer extensions are welcome, older ones lack what a server requires (seed 000 §6.4). Raises
    `ProtocolMismatch`, with the seed's words."""
    if protocol < required:
        raise ProtocolMismatch(
            f"unsupported protocol version {protocol}, require {required}+", "Update the Oryn extension."
        )


class Registration(Control):
    """The extension's first message. `nonce` is what the server has to answer with a proof, `key` names the kept key
    to prove with instead of a code; `reconnected` says that nothing that was in flight will be answered."""

    word = "register"

    protocol: int
    engine: str
    extension: str
    browser: str
    nonce: str | None = None
    key: str | None = None
    reconnected: bool = False

    @property
    def frame(self) -> str:
        return frame_of(
            self.word,
            protocol=str(self.protocol),
            engine=self.engine,
            extension=self.extension,
            browser=self.browser,
            pairing=self.nonce,
            key=self.key,
            reconnected="true" if self.reconnected else None,
        )

    @classmethod
    def of(cls, rest: str) -> Registration:
        fields = fields_of(rest)
        given = checked(fields, "protocol", _NUMBER)
        if given is None or not all(fields.get(name) for name in ("engine", "extension", "browser")):
            raise MalformedMessage("a registration needs protocol, engine, extension and browser")
        protocol = int(given)
        names = fields["engine"], fields["extension"], fields["browser"]
        if protocol < PROTOCOL_VERSION:  # version 1 sent another thing as `pairing`
            return cls(protocol, *names)
        return cls(
            protocol,
            *names,
            nonce=checked(fields, "pairing", _NONCE),
            key=checked(fields, "key", _KEY),
            reconnected=fields.get("reconnected") == "true",
        )


class Accepted(Control):
    """The server's answer to a registration. A `proof` may be anything here: who verifies it says whether it is one.
    `files` is whether the server takes `File` messages."""

    word = "ok"

    proof: str | None = None
    nonce: str | None = None
    files: bool = False

    @property
    def frame(self) -> str:
        return frame_of(self.word, pairing=self.proof, nonce=self.nonce, files="1" if self.files else None)

    @classmethod
    def of(cls, rest: str) -> Accepted:
        fields = fields_of(rest)
        return cls(fields.get("pairing"), checked(fields, "nonce", _NONCE), fields.get("files") == "1")


class Failed(Control):
    """Either end refuses; `message` is plain text, with `error` before it on the wire."""

    word = "error"

    message: str

    @property
    def frame(self) -> str:
        return f"0:error {' '.join(self.message.split())[: FIELDS_LIMIT // 2]}"

    @classmethod
    def of(cls, rest: str) -> Failed:
        return cls(rest.strip())


class Paired(Control):
    """The extension has verified the server. `proof` answers the server's nonce; `key` and `secret` are for the next
    registrations, where a code was used."""

    word = "paired"

    proof: str | None = None
    key: str | None = None
    secret: str | None = None

    @property
    def frame(self) -> str:
        return frame_of(self.word, proof=self.proof, key=self.key, secret=self.secret)

    @classmethod
    def of(cls, rest: str) -> Paired:
        fields = fields_of(rest)
        return cls(fields.get("proof"), checked(fields, "key", _KEY), checked(fields, "secret", _DIGEST))


class Ping(Control):
    """The extension says that it lives, and stays alive by it; the answer is a `Pong`."""

    word = "ping"


class Pong(Control):
    word = "pong"


_KINDS: Mapping[str, type[Control]] = {
    kind.word: kind for kind in (Registration, Accepted, Failed, Paired, Ping, Pong, EngineOptions, File, Answers, Data)
}


def read_control(content: str) -> Control | None:
    """The control message with this content; None for a word that this version does not know, which is to be ignored.
    Raises `MalformedMessage`."""
    word, _, rest = content.partition(" ")
    kind = _KINDS.get(word)
    if kind is None:
        return None
    if kind not in (File, Data) and len(content) > FIELDS_LIMIT:
        raise MalformedMessage(f"a '{word}' of {len(content)} characters", f"One may have {FIELDS_LIMIT} at most.")
    return kind.of(rest)
