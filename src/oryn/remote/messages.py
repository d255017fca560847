"""The messages between the extension and a server (docs/remote-protocol.md; seed 000 §4.4, §6.2–6.4). Pure.

A message is one text frame, `<id>:<content>`. Commands and their answers have an id of the server's choice; what both
ends say about the connection itself has the id 0, and is a `Control` here: a word and fields, percent-encoded.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote_to_bytes

from oryn import PROTOCOL_VERSION
from oryn.errors import MalformedMessage, ProtocolMismatch
from oryn.records import Record

COMMAND_LIMIT = 1024 * 1024
"""Characters of a message to the extension, which reads it in one go: so long its user can't stop it."""
ANSWER_LIMIT = 48 * 1024 * 1024
"""Characters of a message to the server."""
FILE_LIMIT = 32 * 1024 * 1024
"""Bytes of a file that a command wrote."""
FIELDS_LIMIT = 4096
"""Characters of a control message that carries no file."""
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


class Control(Record):
    """Base of what has the id 0. `frame` is the whole message."""

    word: ClassVar[str]

    @property
    def frame(self) -> str:
        return f"0:{self.word}"

    @classmethod
    def of(cls, rest: str) -> Self:
        """What the text after the word says. Raises `MalformedMessage`."""
        return cls()


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
        return _frame(
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
        fields = _fields(rest)
        given = _checked(fields, "protocol", _NUMBER)
        if given is None or not all(fields.get(name) for name in ("engine", "extension", "browser")):
            raise MalformedMessage("a registration needs protocol, engine, extension and browser")
        protocol = int(given)
        names = fields["engine"], fields["extension"], fields["browser"]
        if protocol < PROTOCOL_VERSION:  # version 1 sent another thing as `pairing`
            return cls(protocol, *names)
        return cls(
            protocol,
            *names,
            nonce=_checked(fields, "pairing", _NONCE),
            key=_checked(fields, "key", _KEY),
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
        return _frame(self.word, pairing=self.proof, nonce=self.nonce, files="1" if self.files else None)

    @classmethod
    def of(cls, rest: str) -> Accepted:
        fields = _fields(rest)
        return cls(fields.get("pairing"), _checked(fields, "nonce", _NONCE), fields.get("files") == "1")


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
        return _frame(self.word, proof=self.proof, key=self.key, secret=self.secret)

    @classmethod
    def of(cls, rest: str) -> Paired:
        fields = _fields(rest)
        return cls(fields.get("proof"), _checked(fields, "key", _KEY), _checked(fields, "secret", _DIGEST))


class Ping(Control):
    """The extension says that it lives, and stays alive by it; the answer is a `Pong`."""

    word = "ping"


class Pong(Control):
    word = "pong"


class File(Control):
    """A file that command `id` wrote, sent before its answer. `name` is a name alone, in no folder."""

    word = "file"

    id: int
    name: str
    content: bytes

    @property
    def frame(self) -> str:
        name = base64.b64encode(self.name.encode()).decode()
        return f"0:file {self.id} {name} {base64.b64encode(self.content).decode()}"

    @classmethod
    def of(cls, rest: str) -> File:
        parts = rest.split(" ")
        if len(parts) != 3 or not re.fullmatch(r"[1-9][0-9]{0,15}", parts[0], re.ASCII):
            raise MalformedMessage("a file needs a command's id, a name and a content")
        try:
            name = base64.b64decode(parts[1], validate=True).decode()
            content = base64.b64decode(parts[2], validate=True)
        except (binascii.Error, UnicodeDecodeError) as error:
            raise MalformedMessage("a file that is not in base64") from error
        if not is_file_name(name):
            raise MalformedMessage("a file whose name is none")
        if len(content) > FILE_LIMIT:
            raise MalformedMessage(f"a file of {len(content)} bytes", f"One may have {FILE_LIMIT} at most.")
        return cls(int(parts[0]), name, content)


class Answers(Control):
    """The server's word: whether a `Data` message is to come before each answer, from the next command on."""

    word = "answers"

    data: bool = False

    @property
    def frame(self) -> str:
        return _frame(self.word, data="1" if self.data else "0")

    @classmethod
    def of(cls, rest: str) -> Answers:
        return cls(_fields(rest).get("data") == "1")


class Data(Control):
    """The answer of command `id` for programs, sent just before it: `answer` in the form of `output json`, and the
    session's `generation`."""

    word = "data"

    id: int
    answer: Mapping[str, Any]
    generation: int

    @property
    def frame(self) -> str:
        told = {"answer": dict(self.answer), "generation": self.generation}
        return f"0:{self.word} {self.id} {json.dumps(told, ensure_ascii=True, separators=(',', ':'))}"

    @classmethod
    def of(cls, rest: str) -> Data:
        id, _, text = rest.partition(" ")
        if not re.fullmatch(r"[1-9][0-9]{0,15}", id, re.ASCII):
            raise MalformedMessage("data needs a command's id")
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            raise MalformedMessage("data that is not JSON") from None
        match told:
            case {"answer": dict(answer), "generation": int(generation)}:
                return cls(int(id), answer, generation)
        raise MalformedMessage("data without an answer and a generation")


def is_file_name(name: str) -> bool:
    """Whether a text is a name of a file on every system, and in no folder."""
    return (
        name.strip(". ") != ""
        and len(name.encode("utf-8", "replace")) <= 255
        and not any(character in '/\\:*?"<>|' or ord(character) < 32 for character in name)
    )


_KINDS: Mapping[str, type[Control]] = {
    kind.word: kind for kind in (Registration, Accepted, Failed, Paired, Ping, Pong, File, Answers, Data)
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


def _frame(word: str, **fields: str | None) -> str:
    shown = (f" {name}={quote(value, safe='/.:+')}" for name, value in fields.items() if value is not None)
    return f"0:{word}{''.join(shown)}"


def _fields(text: str) -> dict[str, str]:
    """`name=value` pairs between spaces; words without a `=` are ignored, as unknown names are."""
    found: dict[str, str] = {}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals:
            continue
        if name in found:
            raise MalformedMessage(f"'{name[:40]}' twice")
        try:
            found[name] = unquote_to_bytes(value).decode()
        except UnicodeDecodeError as error:
            raise MalformedMessage(f"'{name[:40]}' is not UTF-8") from error
    return found


def _checked(fields: Mapping[str, str], name: str, form: re.Pattern[str]) -> str | None:
    value = fields.get(name)
    if value is not None and not form.fullmatch(value):
        raise MalformedMessage(f"'{name}' is not of its form")
    return value
