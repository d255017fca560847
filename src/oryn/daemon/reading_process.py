"""A process that reads large requests for a daemon, so that none of them, however it is made, keeps the daemon from
answering others: a thread would not do, for one pass over two megabytes holds the interpreter's lock for seconds.

Over its pipes go frames: four bytes of length, then what is asked (a letter and a body), and what it means (a pickle).
It ends with its input, and so with its daemon.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import pickletools
import signal
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, BinaryIO

from oryn.daemon.bodies import read_json
from oryn.daemon.reading import meaning_of
from oryn.errors import LanguageError, OrynError, RequestError, RequestTooLarge
from oryn.language import doors
from oryn.language.command import Argument, Command, CommandSpec, Option
from oryn.language.kinds import Kind
from oryn.language.vocabulary import LINES

COMMAND, DATA, TOOL = b"c", b"d", b"t"
"""What is asked: the meaning of a `/command`'s body, a body as JSON data, the line that a tool's call means."""
MOST_STEPS = 60_000
"""Steps of the pickle that takes a meaning back: a long text is one, and some ten are a value, an option or a line of
a definition. As many take the daemon a few hundredths of a second."""


def read(asked: bytes) -> Any:
    """What a frame asks for. Raises `OrynError`."""
    kind, body = asked[:1], asked[1:]
    data = read_json(body)
    packed(data)  # what has too many parts is not worth the time that its meaning takes
    if kind == DATA:
        return data
    if kind == COMMAND:
        return meaning_of(data)
    from oryn.tools import line_of

    return line_of(data["name"], data["arguments"])


def packed(meaning: Any) -> bytes:
    """Raises `RequestTooLarge` where the daemon would take long to take it in."""
    stream = io.BytesIO()
    _Pickler(stream, protocol=5).dump(meaning)
    data = stream.getvalue()
    for number, _ in enumerate(pickletools.genops(data)):
        if number > MOST_STEPS:
            raise RequestTooLarge("a large request of too many parts", "Say it in several, with fewer values each.")
    return data


class _Pickler(pickle.Pickler):
    """Says of the table's own parts which they are, so that they are the table's own again."""

    def reducer_override(self, part: Any) -> Any:
        if isinstance(part, CommandSpec):
            return _spec, (part.type,)
        if isinstance(part, Argument | Option | Kind) and (place := _places().get(id(part))):
            return _part, place
        return NotImplemented


def _spec(command: type[Command]) -> CommandSpec:
    return command.spec


def _part(command: type[Command], name: str, is_kind: bool) -> Any:
    field = command.__fields__[name]
    return field.kind if is_kind else field  # type: ignore[attr-defined]


@cache
def _places() -> Mapping[int, tuple[type, str, bool]]:
    """Where in the table an argument, an option or a kind stands."""
    found: dict[int, tuple[type, str, bool]] = {}
    for vocabulary in (LINES, doors()):
        for verb in vocabulary.verbs.values():
            for spec in verb.commands:
                for name, field in spec.type.__fields__.items():
                    if isinstance(field, Argument | Option):
                        found.setdefault(id(field), (spec.type, name, False))
                        found.setdefault(id(field.kind), (spec.type, name, True))
    return found


def answer(asked: bytes) -> bytes:
    """The frame for what is asked: `(True, meaning)`, or `(False, error)`."""
    try:
        return packed((True, read(asked)))
    except LanguageError as error:
        return pickle.dumps((False, told(error)))
    except OrynError as error:
        return pickle.dumps((False, error))
    except RecursionError:
        return pickle.dumps((False, RequestError("the request is too deep")))


def told(error: LanguageError) -> LanguageError:
    """Without what it came from."""
    return type(error)(error.message, error.hint, error.position)


def frame(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _next(stream: BinaryIO) -> bytes | None:
    head = stream.read(4)
    size = int.from_bytes(head, "big")
    data = stream.read(size) if len(head) == 4 else b""
    return data if len(data) == size and size else None


def main(answering: Callable[[bytes], bytes] = answer) -> None:
    for name in ("SIGINT", "SIGHUP", "SIGTERM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)  # the daemon says when it is over
    if hasattr(os, "nice"):
        os.nice(10)  # whatever it reads, the daemon comes first
    doors()
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (asked := _next(source)) is not None:
        target.write(frame(answering(asked)))
        target.flush()


def said(name: str, arguments: Mapping[str, Any]) -> bytes:
    """The body that asks for a tool's line."""
    return json.dumps({"name": name, "arguments": dict(arguments)}).encode()


if __name__ == "__main__":
    # Pickles name what this module has by its proper name.
    from oryn.daemon.reading_process import main as properly

    properly()
