"""A child process that parses large requests, so that no request, whatever its content, blocks the daemon.

A thread would not do: one pass over two megabytes holds the interpreter's lock for seconds.

A request is a letter for its kind, and the body; the result is a pickle (`oryn.system.process_pool`)."""

from __future__ import annotations

import io
import json
import os
import pickle
import pickletools
import signal
from collections.abc import Mapping
from functools import cache
from typing import Any

from oryn.daemon.request.json_body import read_json
from oryn.daemon.request.parser import parse_request
from oryn.errors import LanguageError, OrynError, RequestError, RequestTooLarge
from oryn.language import api_vocabulary
from oryn.language.command import Argument, Command, CommandSpec, Option
from oryn.language.kinds import ValueKind
from oryn.language.vocabulary import LINE_VOCABULARY
from oryn.system.worker_process import serve

COMMAND, DATA, TOOL = b"c", b"d", b"t"
"""Kinds of requests: parse a `/command`'s body, parse a body as JSON data, parse a tool call into a line."""
MAX_PICKLE_OPCODES = 60_000
"""Maximum number of opcodes in the pickle of a result.

A long text is one opcode; a value, an option or a line of a definition is about ten. The daemon unpickles this many in
a few hundredths of a second."""


def parse_frame(frame: bytes) -> Any:
    """Process a frame: return what its kind requests. Raises `OrynError`."""
    kind, body = frame[:1], frame[1:]
    data = read_json(body)
    pack(data)  # too many parts: reject it before the parser spends time on it
    if kind == DATA:
        return data
    if kind == COMMAND:
        return parse_request(data)
    from oryn.tools import line_of

    return line_of(data["name"], data["arguments"])


def pack(result: Any) -> bytes:
    """Pickle a result. Raises `RequestTooLarge` if unpickling it would take the daemon too long."""
    stream = io.BytesIO()
    _Pickler(stream, protocol=5).dump(result)
    data = stream.getvalue()
    for number, _ in enumerate(pickletools.genops(data)):
        if number > MAX_PICKLE_OPCODES:
            raise RequestTooLarge("a large request of too many parts", "Say it in several, with fewer values each.")
    return data


class _Pickler(pickle.Pickler):
    """Pickles objects of the command table by reference, so that the daemon gets its own table's objects."""

    def reducer_override(self, part: Any) -> Any:
        if isinstance(part, CommandSpec):
            return _spec, (part.type,)
        if isinstance(part, Argument | Option | ValueKind) and (place := _part_locations().get(id(part))):
            return _part, place
        return NotImplemented


def _spec(command: type[Command]) -> CommandSpec:
    return command.spec


def _part(command: type[Command], name: str, is_kind: bool) -> Any:
    field = command.__fields__[name]
    return field.kind if is_kind else field  # type: ignore[attr-defined]


@cache
def _part_locations() -> Mapping[int, tuple[type, str, bool]]:
    """The locations of all arguments, options and kinds in the command table, by the object's `id`."""
    found: dict[int, tuple[type, str, bool]] = {}
    for vocabulary in (LINE_VOCABULARY, api_vocabulary()):
        for verb in vocabulary.verbs.values():
            for spec in verb.commands:
                for name, field in spec.type.__fields__.items():
                    if isinstance(field, Argument | Option):
                        found.setdefault(id(field), (spec.type, name, False))
                        found.setdefault(id(field.kind), (spec.type, name, True))
    return found


def answer(request: bytes) -> bytes:
    """The pickled response to a request: `(True, result)`, or `(False, error)`."""
    try:
        return pack((True, parse_frame(request)))
    except LanguageError as error:
        return pickle.dumps((False, without_cause(error)))
    except OrynError as error:
        return pickle.dumps((False, error))
    except RecursionError:
        return pickle.dumps((False, RequestError("the request is too deep")))


def without_cause(error: LanguageError) -> LanguageError:
    """The error without its `__cause__` and `__context__`."""
    return type(error)(error.message, error.hint, error.position)


def main() -> None:
    """Answer the requests on standard input until it ends."""
    for name in ("SIGHUP", "SIGTERM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)  # the daemon ends this process
    if hasattr(os, "nice"):
        os.nice(10)  # the daemon has priority over all parsing
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    api_vocabulary()
    serve(answer)


def tool_call_body(name: str, arguments: Mapping[str, Any]) -> bytes:
    """The body of a request to parse a tool call, as JSON. `arguments` are JSON data, by name."""
    return json.dumps({"name": name, "arguments": dict(arguments)}).encode()


if __name__ == "__main__":
    # Pickles refer to this module's objects by its import path.
    from oryn.daemon.request.parser_process import main as properly

    properly()
