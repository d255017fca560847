"""The control messages that go with commands and their answers (docs/remote-protocol.md): files, data, what the engine
is told about its ways. Pure."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from oryn.errors import MalformedMessage
from oryn.remote.control import Control, checked, fields_of, frame_of

FILE_LIMIT = 32 * 1024 * 1024
"""Bytes of a file that a command wrote."""
GIVEN_LIMIT = 700 * 1024
"""Bytes of a file that a command reads: as text it has to be no longer than any message to an extension may be."""

_ID = re.compile(r"[1-9][0-9]{0,15}", re.ASCII)
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?", re.ASCII)
_SWITCH = re.compile(r"[01]", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)


class File(Control):
    """A file that command `id` wrote, sent before its answer; or one that it is to read, sent before the command.
    `name` is a name alone, in no folder."""

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
        if len(parts) != 3 or not _ID.fullmatch(parts[0]):
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


class EngineOptions(Control):
    """The server's word: how its user wants the engine to go about the commands from the next one on. What is None is
    as the engine has it by itself; `oryn.engine.options` says what each means."""

    word = "options"

    timeout: float | None = None
    strict: bool | None = None
    settle_limit: float | None = None
    observe_limit: int | None = None

    @property
    def frame(self) -> str:
        return frame_of(
            self.word,
            timeout=_amount(self.timeout),
            strict=None if self.strict is None else "1" if self.strict else "0",
            settle_limit=_amount(self.settle_limit),
            observe_limit=_amount(self.observe_limit),
        )

    @classmethod
    def of(cls, rest: str) -> EngineOptions:
        fields = fields_of(rest)
        timeout = checked(fields, "timeout", _AMOUNT)
        strict = checked(fields, "strict", _SWITCH)
        settle_limit = checked(fields, "settle_limit", _AMOUNT)
        observe_limit = checked(fields, "observe_limit", _COUNT)
        return cls(
            None if timeout is None else float(timeout),
            None if strict is None else strict == "1",
            None if settle_limit is None else float(settle_limit),
            None if observe_limit is None else int(observe_limit),
        )

    @property
    def given(self) -> dict[str, Any]:
        """What was said."""
        return {name: value for name, value in self.values().items() if value is not None}


class Answers(Control):
    """The server's word: whether a `Data` message is to come before each answer, from the next command on."""

    word = "answers"

    data: bool = False

    @property
    def frame(self) -> str:
        return frame_of(self.word, data="1" if self.data else "0")

    @classmethod
    def of(cls, rest: str) -> Answers:
        return cls(fields_of(rest).get("data") == "1")


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
        if not _ID.fullmatch(id):
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


def _amount(value: float | None) -> str | None:
    return None if value is None else f"{value:.6f}".rstrip("0").rstrip(".")
