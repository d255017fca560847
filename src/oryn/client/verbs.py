"""Verbs of the command line, on their way to the daemon and back: `oryn click 3`, `oryn --session work observe --json`.

Nothing is imported here that Python's own start has not imported, and the daemon reads the words: a command-line
framework would cost more than all of this."""

from __future__ import annotations

import os
import sys

from oryn.client.names import COMMANDS, SHORTCUTS

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from collections.abc import Sequence

    from oryn.client.exchange import Response

_VALUED = ("--session", "--backend")
HELP = ("--help", "-h")
STREAMED = ("search", "extract", "crawl", "research", "graph")
"""Verbs that take a while: whoever waits may see how far they are (`oryn.cli.streaming`)."""
SETTABLE = ("do", "run", "headless", "remote", "demo")
"""Commands that know the settings of a session."""
INTERRUPTED = 130
"""The exit code of what was given up with Ctrl-C."""
INTERRUPTION = "interrupted; the command goes on in the daemon ('oryn close' ends its session)"


class Asked:
    """What the command line asks of the daemon: a verb with its words, and the options before it."""

    __slots__ = ("backend", "json", "session", "settings", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.session = session_of(None)
        self.backend: str | None = None
        self.json = False
        self.settings: dict[str, str | bool] = {}
        """Settings of the session, where this command opens it."""

    def body(self) -> bytes:
        """The envelope, as JSON. Raises `UnicodeEncodeError` for words that are no UTF-8."""
        from oryn.client.exchange import current_folder
        from oryn.client.json_text import json_text

        "\0".join(self.words).encode()
        envelope = {
            "protocol_version": _protocol(),
            "argv": self.words,
            "session": self.session,
            "backend": self.backend,
            "folder": current_folder(),
            "settings": self.settings,
        }
        return json_text({name: value for name, value in envelope.items() if value}).encode("ascii")


def session_of(given: str | None) -> str:
    """The session that a command is for: the one that was given, else the one that the environment names."""
    return given or os.environ.get("ORYN_SESSION") or "default"


def asked_by(words: Sequence[str]) -> Asked | None:
    """What these words of a command line ask of the daemon, or None where they are for a command of its own (`oryn
    run`, `oryn --help`). Raises `ConfigurationError` for a setting that can't be."""
    asked, rest = Asked(), list(words)
    while rest and rest[0].startswith("-"):
        if not _option(asked, rest):
            return None
    if not rest or _is_own(rest[1:] if rest[0] == "help" else rest):
        return None
    asked.words = rest
    return asked


def _is_own(words: Sequence[str]) -> bool:
    """Whether a command of the command line's own is meant. `oryn open` shows the daemon's page, and with a URL it is
    another name of `goto`."""
    if words[:1] == ["open"]:
        return all(word.startswith("-") for word in words[1:])
    return bool(words) and (words[0] in COMMANDS or words[0] in SHORTCUTS)


def _option(asked: Asked, rest: list[str]) -> bool:
    """Take the option that `rest` begins with; False (and nothing is taken) where it is none of ours."""
    name, equals, value = rest[0].partition("=")
    if name == "--json" and not equals:
        asked.json = True
        del rest[0]
    elif name in _VALUED and (equals or len(rest) > 1):
        setattr(asked, name[2:], value if equals else rest[1])
        del rest[: 1 if equals else 2]
    else:
        from oryn.client.session_settings import take_setting

        return take_setting(rest, asked.settings)
    return True


def own(words: Sequence[str]) -> list[str]:
    """The words for a command of the command line's own, with the options before its name (`oryn --json daemon status`)
    behind it, and `help run` as `run --help`."""
    rest, before, sessions = list(words), list[str](), list[str]()
    while rest and rest[0].startswith("-"):
        found = list(rest)
        if not _option(Asked(), rest):
            return list(words)
        taken = found[: len(found) - len(rest)]
        (sessions if taken[0].startswith("--session") else before).extend(taken)
    if rest[:1] == ["help"]:
        rest = [*rest[1:], "--help"]
    if not rest:
        return list(words)
    if rest[0] in SETTABLE:
        return [rest[0], *sessions, *before, *rest[1:]]
    # A command of a group (`daemon status`) stands behind the group's name.
    names = next((number for number, word in enumerate(rest) if word.startswith("-")), len(rest))
    return [*sessions, *rest[:names], *before, *rest[names:]]


def explained(words: Sequence[str]) -> str | None:
    """The explanation that `oryn help …` and `oryn click --help` ask for; None where these words ask for none. Raises
    `UnknownCommand`."""
    if words[0] != "help" and words[-1] not in HELP:
        return None
    from oryn.client.explaining import explanation, helped

    return helped(words[1:]) if words[0] == "help" else explanation(words[:-1])


def run(asked: Asked) -> int:
    """Send the command and print its answer; the exit code. Raises `OrynError`."""
    try:
        if (text := explained(asked.words)) is not None:
            return _written(text.encode(), 0)
        response = _response(asked)
    except KeyboardInterrupt:
        sys.stderr.write(f"{INTERRUPTION}\n")
        return INTERRUPTED
    if "oryn-exit-code" not in response.headers or response.headers.get("oryn-error-kind") == "unknown_command":
        from oryn.client.refused import refusal

        raise refusal(response, asked.words)
    code = int(response.headers.get("oryn-exit-code", 0))
    as_text = response.headers.get("content-type", "").startswith("text/plain")
    return _written(response.body, code, 2 if code and as_text else 1)


def _response(asked: Asked) -> Response:
    from oryn import places
    from oryn.client.exchange import ENDING, Vanished, answered, connected, request, token_in

    try:
        body = asked.body()
    except UnicodeEncodeError:
        from oryn.errors import RequestError

        raise RequestError("the command is no UTF-8", "Write it in UTF-8.") from None
    accept = "application/json" if asked.json else "text/plain"
    runtime, folder = places.of_daemon()
    for _ in range(10):
        try:
            connection, token = connected(runtime), token_in(folder)
        except (OSError, ImportError):
            from oryn.client.starting import reached

            connection, token = reached(asked.words)
        try:
            response = answered(connection, request("POST", "/command", token, body, accept))
            if response.status != ENDING:
                return response
        except Vanished as vanished:
            if not vanished.unread:
                break
    from oryn.errors import DaemonFailed

    raise DaemonFailed("the daemon ended in the middle of the command", "'oryn daemon logs' may tell why.")


def _written(answer: bytes, code: int, stream: int = 1) -> int:
    """Write the answer; the exit code. A reader that has seen enough (`oryn text | head`) is no failure."""
    rest = memoryview(answer + b"\n")
    try:
        while rest:
            rest = rest[os.write(stream, rest) :]
    except BrokenPipeError:
        pass
    except OSError as error:
        sys.stderr.write(f"error: the answer can't be written: {error.strerror}\n")
        return code or 1
    return code


def _protocol() -> str:
    from oryn.places import PROTOCOL

    return PROTOCOL
