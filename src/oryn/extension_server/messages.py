"""The messages between the extension and a server (docs/spec/extension-protocol.md#messages). Pure.

A message is one text frame, `<id>:<content>`. Commands and their answers have an id that the server chooses. Messages
about the connection itself, or about a command beside its line (files, data, options of the engine), have the id 0 and
are a `Control` here: a word and fields, `name=value` between spaces, the values percent-encoded."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote_to_bytes

from oryn import PROTOCOL_VERSION
from oryn.core.records import Record
from oryn.errors import MalformedMessage, ProtocolMismatch

FIELDS_LIMIT = 4096
"""Characters of a control message that has fields."""


class Control(Record):
    """Base of the messages with the id 0. `frame` is the complete message."""

    word: ClassVar[str]

    @property
    def frame(self) -> str:
        """The complete frame, `0:<word>` with the message's fields."""
        return f"0:{self.word}"

    @classmethod
    def of(cls, rest: str) -> Self:
        """Parse the text after the word. Raises `MalformedMessage`."""
        return cls()


def build_frame(word: str, **fields: str | None) -> str:
    """A control message with these fields; those that are None are left out."""
    parts = (f" {name}={quote(value, safe='/.:+')}" for name, value in fields.items() if value is not None)
    return f"0:{word}{''.join(parts)}"


def parse_fields(text: str) -> dict[str, str]:
    """`name=value` pairs between spaces; words without a `=` are ignored. Raises `MalformedMessage`."""
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


def match_field(fields: Mapping[str, str], name: str, form: re.Pattern[str]) -> str | None:
    """The field `name`, or None if it is missing. Raises `MalformedMessage` if it does not match `form`."""
    value = fields.get(name)
    if value is not None and not form.fullmatch(value):
        raise MalformedMessage(f"'{name}' is not of its form")
    return value


FILE_LIMIT = 32 * 1024 * 1024
"""Bytes of a file that a command has written, or reads."""
PIECE_LIMIT = 700 * 1024
"""Bytes of a file that one message to the extension has: in base64 they must fit into it (`COMMAND_LIMIT`)."""

_ID = re.compile(r"[1-9][0-9]{0,15}", re.ASCII)
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?", re.ASCII)
_SWITCH = re.compile(r"[01]", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)


class File(Control):
    """A file that command `id` has written, sent before its answer; or one for it to read, sent before the command, in
    several messages if it is large: their contents follow each other. `name` has no folder."""

    word = "file"

    id: int
    name: str
    content: bytes

    def pieces(self) -> Iterator[File]:
        """The same file as messages to the extension."""
        for start in range(0, len(self.content) or 1, PIECE_LIMIT):
            yield self.replace(content=self.content[start : start + PIECE_LIMIT])

    @property
    def frame(self) -> str:
        name = base64.b64encode(self.name.encode()).decode()
        return f"0:file {self.id} {name} {base64.b64encode(self.content).decode()}"

    @classmethod
    def of(cls, rest: str) -> File:
        parts = rest.split(" ")
        if len(parts) != 3 or not _ID.fullmatch(parts[0]):
            raise MalformedMessage("a file needs a command's id, a name and a content")
        try:
            name = base64.b64decode(parts[1], validate=True).decode()
            content = base64.b64decode(parts[2], validate=True)
        except (binascii.Error, UnicodeDecodeError) as error:
            raise MalformedMessage("a file that is not in base64") from error
        if not is_file_name(name):
            raise MalformedMessage("a file whose name is invalid")
        if len(content) > FILE_LIMIT:
            raise MalformedMessage(f"a file of {len(content)} bytes", f"One may have {FILE_LIMIT} at most.")
        return cls(int(parts[0]), name, content)


class EngineOptions(Control):
    """From the server: the options of the engine from the next command on. None is the engine's default; see
    `oryn.engine.options` for each."""

    word = "options"

    timeout: float | None = None
    strict: bool | None = None
    settle_limit: float | None = None
    observe_limit: int | None = None
    confirms_presses: bool | None = None

    @property
    def frame(self) -> str:
        return build_frame(
            self.word,
            timeout=_amount(self.timeout),
            strict=_switch(self.strict),
            settle_limit=_amount(self.settle_limit),
            observe_limit=_amount(self.observe_limit),
            confirms_presses=_switch(self.confirms_presses),
        )

    @classmethod
    def of(cls, rest: str) -> EngineOptions:
        fields = parse_fields(rest)
        timeout = match_field(fields, "timeout", _AMOUNT)
        strict = match_field(fields, "strict", _SWITCH)
        settle_limit = match_field(fields, "settle_limit", _AMOUNT)
        observe_limit = match_field(fields, "observe_limit", _COUNT)
        confirms_presses = match_field(fields, "confirms_presses", _SWITCH)
        return cls(
            None if timeout is None else float(timeout),
            None if strict is None else strict == "1",
            None if settle_limit is None else float(settle_limit),
            None if observe_limit is None else int(observe_limit),
            None if confirms_presses is None else confirms_presses == "1",
        )

    @property
    def provided(self) -> dict[str, Any]:
        """The options that are not None, by name."""
        return {name: value for name, value in self.values().items() if value is not None}


class AnswerOptions(Control):
    """From the server: whether a `Data` message precedes each answer, from the next command on."""

    word = "answers"

    data: bool = False

    @property
    def frame(self) -> str:
        return build_frame(self.word, data="1" if self.data else "0")

    @classmethod
    def of(cls, rest: str) -> AnswerOptions:
        return cls(parse_fields(rest).get("data") == "1")


class Cancel(Control):
    """From the server: command `id` is to end, as its caller no longer waits for it. It is still answered."""

    word = "cancel"

    id: int

    @property
    def frame(self) -> str:
        return f"0:{self.word} {self.id}"

    @classmethod
    def of(cls, rest: str) -> Cancel:
        if not _ID.fullmatch(rest):
            raise MalformedMessage("a cancellation needs a command's id")
        return cls(int(rest))


class Data(Control):
    """The answer of command `id` for programs, sent just before it: `answer` in the form of `output json`, and the
    session's `generation`."""

    word = "data"

    id: int
    answer: Mapping[str, Any]
    generation: int

    @property
    def frame(self) -> str:
        payload = {"answer": dict(self.answer), "generation": self.generation}
        return f"0:{self.word} {self.id} {json.dumps(payload, ensure_ascii=True, separators=(',', ':'))}"

    @classmethod
    def of(cls, rest: str) -> Data:
        id, _, text = rest.partition(" ")
        if not _ID.fullmatch(id):
            raise MalformedMessage("data needs a command's id")
        try:
            payload = json.loads(text)
        except (ValueError, RecursionError):
            raise MalformedMessage("data that is not JSON") from None
        match payload:
            case {"answer": dict(answer), "generation": int(generation)}:
                return cls(int(id), answer, generation)
        raise MalformedMessage("data without an answer and a generation")


SERVER_PLUGIN_PREFIX = "oryn:"
"""Begins the ids of a server's plugins in the extension's hub. No extension has such an id."""

_PLUGIN = re.compile(r"oryn:[A-Za-z0-9._@-]{1,100}", re.ASCII)


class PluginMessage(Control):
    """A message of `harbor-plugin/v1` between the extension's hub and the plugin `plugin` of the server.

    plugin: its id in the hub, which begins with `SERVER_PLUGIN_PREFIX`.
    message: the envelope, which the hub and `PluginProvider` check."""

    word = "plugin"

    plugin: str
    message: Mapping[str, Any]

    @property
    def frame(self) -> str:
        text = json.dumps(dict(self.message), ensure_ascii=True, separators=(",", ":"))
        return f"0:{self.word} {self.plugin} {text}"

    @classmethod
    def of(cls, rest: str) -> PluginMessage:
        plugin, _, text = rest.partition(" ")
        if not _PLUGIN.fullmatch(plugin):
            raise MalformedMessage("a message of a plugin needs the plugin's id")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise MalformedMessage("a message of a plugin that is not JSON") from None
        if not isinstance(message, dict):
            raise MalformedMessage("a message of a plugin that is not an object")
        return cls(plugin, message)


class OfferedTools(Control):
    """From the extension: whether there are tools, of the page in front, or of other extensions or the server in its
    hub."""

    word = "tools"

    offered: bool

    @property
    def frame(self) -> str:
        return build_frame(self.word, offered="1" if self.offered else "0")

    @classmethod
    def of(cls, rest: str) -> OfferedTools:
        return cls(parse_fields(rest).get("offered") == "1")


def is_file_name(name: str) -> bool:
    """Whether a text is a valid file name on every system, without a folder."""
    return (
        name.strip(". ") != ""
        and len(name.encode("utf-8", "replace")) <= 255
        and not any(character in '/\\:*?"<>|' or ord(character) < 32 for character in name)
    )


def _switch(value: bool | None) -> str | None:
    return None if value is None else str(int(value))


def _amount(value: float | None) -> str | None:
    return None if value is None else f"{value:.6f}".rstrip("0").rstrip(".")


COMMAND_LIMIT = 1024 * 1024
"""Characters of a message to the extension. It parses a message in one go, during which its user can't stop it."""
ANSWER_LIMIT = 48 * 1024 * 1024
"""Characters of a message to the server."""
MAX_ID = 2**53 - 1
"""The largest integer that JSON parsers of every language read exactly."""

_MESSAGE = re.compile(r"(0|[1-9][0-9]{0,15}):", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_NONCE = re.compile(r"[0-9a-f]{32}", re.ASCII)
_KEY = re.compile(r"[0-9a-f]{8}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class WireMessage(Record):
    """One frame. `content` is a line of the Intent Language or its answer; that of a control message if `id` is 0."""

    id: int
    content: str

    @property
    def frame(self) -> str:
        """The complete frame, `<id>:<content>`."""
        return f"{self.id}:{self.content}"

    @classmethod
    def read(cls, frame: str, limit: int) -> WireMessage:
        """Parse a frame of at most `limit` characters. Raises `MalformedMessage`."""
        if len(frame) > limit:
            raise MalformedMessage(f"a message of {len(frame)} characters", f"One may have {limit} at most.")
        found = _MESSAGE.match(frame)
        if found is None or int(found[1]) > MAX_ID:
            raise MalformedMessage("a message without an id")
        return cls(int(found[1]), frame[found.end() :])


def require_version(protocol: int, required: int = PROTOCOL_VERSION) -> None:
    """Accept extensions of the protocol version `required` and newer ones. Raises `ProtocolMismatch`."""
    if protocol < required:
        raise ProtocolMismatch(
            f"unsupported protocol version {protocol}, require {required}+", "Update the Oryn extension."
        )


class ExtensionRegistration(Control):
    """The extension's first message. The server has to answer `nonce` with a proof; `key` is the id of the saved key
    to use for it instead of a code. `reconnected` says that earlier commands will not be answered any more."""

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
        return build_frame(
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
    def of(cls, rest: str) -> ExtensionRegistration:
        fields = parse_fields(rest)
        version = match_field(fields, "protocol", _NUMBER)
        if version is None or not all(fields.get(name) for name in ("engine", "extension", "browser")):
            raise MalformedMessage("a registration needs protocol, engine, extension and browser")
        protocol = int(version)
        names = fields["engine"], fields["extension"], fields["browser"]
        if protocol < PROTOCOL_VERSION:  # in version 1 `pairing` has another meaning
            return cls(protocol, *names)
        return cls(
            protocol,
            *names,
            nonce=match_field(fields, "pairing", _NONCE),
            key=match_field(fields, "key", _KEY),
            reconnected=fields.get("reconnected") == "true",
        )


class Accepted(Control):
    """The server's answer to a registration. `proof` is not checked here; `files` says whether the server takes `File`
    messages."""

    word = "ok"

    proof: str | None = None
    nonce: str | None = None
    files: bool = False

    @property
    def frame(self) -> str:
        return build_frame(self.word, pairing=self.proof, nonce=self.nonce, files="1" if self.files else None)

    @classmethod
    def of(cls, rest: str) -> Accepted:
        fields = parse_fields(rest)
        return cls(fields.get("pairing"), match_field(fields, "nonce", _NONCE), fields.get("files") == "1")


class Failed(Control):
    """A refusal, of either end. `message` is plain text."""

    word = "error"

    message: str

    @property
    def frame(self) -> str:
        return f"0:error {' '.join(self.message.split())[: FIELDS_LIMIT // 2]}"

    @classmethod
    def of(cls, rest: str) -> Failed:
        return cls(rest.strip())


class Paired(Control):
    """The extension has verified the server. `proof` answers the server's nonce; after pairing by a code, `key` and
    `secret` are for the next registrations."""

    word = "paired"

    proof: str | None = None
    key: str | None = None
    secret: str | None = None

    @property
    def frame(self) -> str:
        return build_frame(self.word, proof=self.proof, key=self.key, secret=self.secret)

    @classmethod
    def of(cls, rest: str) -> Paired:
        fields = parse_fields(rest)
        return cls(fields.get("proof"), match_field(fields, "key", _KEY), match_field(fields, "secret", _DIGEST))


class Ping(Control):
    """A sign of life of the extension, which also keeps its worker alive; the answer is a `Pong`."""

    word = "ping"


class Pong(Control):
    """The server's answer to a `Ping`."""

    word = "pong"


_KINDS: Mapping[str, type[Control]] = {
    kind.word: kind
    for kind in (
        *(ExtensionRegistration, Accepted, Failed, Paired, Ping, Pong),
        *(EngineOptions, File, AnswerOptions, Cancel, Data, PluginMessage, OfferedTools),
    )
}


def read_control(content: str) -> Control | None:
    """Parse the content of a control message; None for an unknown word, which is to be ignored. Raises
    `MalformedMessage`."""
    word, _, rest = content.partition(" ")
    kind = _KINDS.get(word)
    if kind is None:
        return None
    if kind not in (File, Data, PluginMessage) and len(content) > FIELDS_LIMIT:
        raise MalformedMessage(f"a '{word}' of {len(content)} characters", f"One may have {FIELDS_LIMIT} at most.")
    return kind.of(rest)
