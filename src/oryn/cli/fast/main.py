"""Sends a verb of the command line to the daemon and prints the answer: `oryn click 3`.

`oryn --session work observe --json` has options before and after it. At the top, this module imports only what Python's
own start has imported already, and the daemon parses the words: a command-line framework would cost more time than all
of this (`benchmarks/command_line.py`)."""

from __future__ import annotations

import os
import sys

from oryn.cli.fast.commands import COMMANDS, SHORTCUTS

TYPE_CHECKING = False  # without the import of `typing`
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Sequence

    from oryn.daemon_client.http import DaemonResponse

_OPTIONS_WITH_VALUE = ("--session", "--backend")
ANSWER_OPTIONS = ("--raw", "--exit-code")
HELP = ("--help", "-h")
STREAMED = ("search", "extract", "crawl", "map", "research", "graph", "login")
"""Verbs that take a while: the terminal shows their progress (`oryn.cli.fast.stream`)."""
SESSION_COMMANDS = ("do", "run", "headless", "remote", "demo")
"""Commands that accept the settings of a session."""
INTERRUPTED = 130
"""The exit code of a command that was cancelled with Ctrl-C."""
INTERRUPTION = "interrupted: the command is cancelled"


class VerbRequest:
    """A request of the command line to the daemon: a verb with its words, and the options before it."""

    __slots__ = ("backend", "json", "options", "session", "settings", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.session = session_of(None)
        self.backend: str | None = None
        self.json = False
        self.options: list[str] = []
        """Options before the verb that the daemon reads behind it: `--raw`, `--exit-code`."""
        self.settings: dict[str, str | bool] = {}
        """Settings of the session, if this command opens it."""

    def body(self) -> bytes:
        """The envelope as JSON. Raises `RequestError` for words that are not UTF-8."""
        from oryn.daemon_client.http import current_folder, json_text
        from oryn.system.daemon_paths import DAEMON_PROTOCOL

        words = [*self.words, *self.options]
        try:
            "\0".join(words).encode()
        except UnicodeEncodeError:
            from oryn.errors import RequestError

            raise RequestError("the command is not valid UTF-8", "Write it in UTF-8.") from None
        envelope = {
            "protocol_version": DAEMON_PROTOCOL,
            "argv": words,
            "session": self.session,
            "backend": self.backend,
            "folder": current_folder(),
            "settings": self.settings,
        }
        return json_text({name: value for name, value in envelope.items() if value}).encode("ascii")


def session_of(option: str | None) -> str:
    """The session of a command: the given one, else the one that the environment names."""
    return option or os.environ.get("ORYN_SESSION") or "default"


def parse_request(words: Sequence[str]) -> VerbRequest | None:
    """Parse the words of a command line as a request to the daemon.

    Returns None if they are for a command of the command line itself (`oryn run`, `oryn --help`). Raises
    `ConfigurationError` for an invalid setting."""
    request, rest = VerbRequest(), list(words)
    while rest and rest[0].startswith("-"):
        if not _take_option(request, rest):
            return None
    if not rest or _is_own_command(rest[1:] if rest[0] == "help" else rest):
        return None
    request.words = rest
    return request


def _is_own_command(words: Sequence[str]) -> bool:
    """Whether the words call a command of the command line itself.

    `oryn open` shows the daemon's page; with a URL it is an alias of `goto`."""
    if words[:1] == ["open"]:
        return all(word.startswith("-") for word in words[1:])
    return bool(words) and (words[0] in COMMANDS or words[0] in SHORTCUTS)


def _take_option(request: VerbRequest, rest: list[str]) -> bool:
    """Parse the option at the start of `rest` and remove it. Returns False, without a change, if it is not a known
    option."""
    name, equals, value = rest[0].partition("=")
    if name == "--json" and not equals:
        request.json = True
        del rest[0]
    elif name in ANSWER_OPTIONS and not equals:
        request.options.append(name)
        del rest[0]
    elif name in ("--color", "--colour"):
        from oryn.cli.fast.colour import take_colour_flag

        return take_colour_flag(rest)
    elif name in _OPTIONS_WITH_VALUE and (equals or len(rest) > 1):
        setattr(request, name[2:], value if equals else rest[1])
        del rest[: 1 if equals else 2]
    else:
        from oryn.cli.fast.session_settings import take_setting

        return take_setting(rest, request.settings)
    return True


def after_options(words: Sequence[str]) -> list[str]:
    """The words from the command's name on, without the options before it; they may begin with an unknown option."""
    from oryn.errors import ConfigurationError

    rest = list(words)
    while rest and rest[0].startswith("-"):
        try:
            if not _take_option(VerbRequest(), rest):
                break
        except ConfigurationError:  # reported already: it removes what it could not parse
            break
    return rest


def own_command_words(words: Sequence[str]) -> list[str]:
    """The words for a command of the command line itself, in the order that its parser expects.

    Options before its name (`oryn --json daemon status`) are moved behind it, and `help run` becomes `run --help`."""
    rest, before, sessions = list(words), list[str](), list[str]()
    while rest and rest[0].startswith("-"):
        found = list(rest)
        if not _take_option(VerbRequest(), rest):
            return list(words)
        taken = found[: len(found) - len(rest)]
        (sessions if taken[0].startswith("--session") else before).extend(taken)
    if rest[:1] == ["help"]:
        rest = [*rest[1:], "--help"]
    if not rest:
        return list(words)
    if rest[0] in SESSION_COMMANDS:
        return [rest[0], *sessions, *before, *rest[1:]]
    # A command of a group (`daemon status`) follows the group's name.
    names = next((number for number, word in enumerate(rest) if word.startswith("-")), len(rest))
    return [*sessions, *rest[:names], *before, *rest[names:]]


def requested_help(words: Sequence[str]) -> str | None:
    """The help text that `oryn help …` and `oryn click --help` request; None if these words don't request help.

    Raises `UnknownCommand`."""
    if words[0] != "help" and words[-1] not in HELP:
        return None
    from oryn.cli.fast.errors import explanation, help_for

    return help_for(words[1:]) if words[0] == "help" else explanation(words[:-1])


def run(request: VerbRequest) -> int:
    """Send the command and print its answer; return the exit code. Raises `OrynError`."""
    try:
        if (text := requested_help(request.words)) is not None:
            return _write_answer(_painted(text.encode(), 1), 0)
        response = _send(request)
    except KeyboardInterrupt:
        sys.stderr.write(f"{INTERRUPTION}\n")
        return INTERRUPTED
    if "oryn-exit-code" not in response.headers or response.headers.get("oryn-error-kind") == "unknown_command":
        from oryn.cli.fast.errors import require_verb
        from oryn.daemon_client.client import error_of_response

        require_verb(request.words)
        raise error_of_response(response.status, response.body)
    code = int(response.headers.get("oryn-exit-code", 0))
    as_text = response.headers.get("content-type", "").startswith("text/plain")
    stream = 2 if "oryn-error-kind" in response.headers and as_text else 1
    if "oryn-raw" in response.headers:  # the daemon has escaped it for a terminal
        return _write_answer(response.body, code, stream)
    return _write_answer(_painted(response.body, stream) if as_text else _escaped(response.body), code, stream)


def _escaped(answer: bytes) -> bytes:
    """JSON; for a terminal without the controls that JSON allows in a string (U+0080 to U+009F)."""
    if not os.isatty(1):
        return answer
    from oryn.core.text_safety import visible

    return visible(answer.decode()).encode()


def _painted(text: bytes, stream: int) -> bytes:
    """The text, coloured if the stream is a terminal or the user wants it."""
    if not (os.isatty(stream) or "FORCE_COLOR" in os.environ or "ORYN_COLOUR" in os.environ):
        return text
    from oryn.cli.fast.colour import painted

    return painted(text.decode(), sys.stdout if stream == 1 else sys.stderr).encode()


def _send(request: VerbRequest) -> DaemonResponse:
    from time import monotonic

    from oryn.daemon_client.http import (
        MAX_ATTEMPTS,
        RequestNotTaken,
        command_lost,
        connect,
        person_header,
        read_token,
        request_bytes,
        send_request,
    )
    from oryn.system import daemon_paths

    if request.words[0] == "program" and "-" in request.words:
        request.words = [f"--text={sys.stdin.read()}" if word == "-" else word for word in request.words]
    body = request.body()
    accept = "application/json" if request.json else "text/plain" if os.isatty(1) else "text/plain;output=pipe"
    runtime, folder = daemon_paths.daemon_folders()
    begun = monotonic()
    for _ in range(MAX_ATTEMPTS):
        on_silence: Callable[[], None] | None = lambda: _report_delay(request, begun)  # noqa: E731 - and None below
        if os.environ.get(daemon_paths.DAEMON_URL):
            return _send_to_remote(body, accept, on_silence)
        try:
            connection, token = connect(runtime), read_token(folder)
        except (OSError, ImportError):
            connection, token = _start(request)
            on_silence = None  # it has just started, and its session's browser starts now
        try:
            # The person who types it approves: the key is read for this verb alone.
            more = person_header(folder) if request.words[:1] == ["confirm"] else ""
            return send_request(connection, request_bytes("POST", "/command", token, body, accept, more), on_silence)
        except RequestNotTaken:
            continue
    raise command_lost()


def _send_to_remote(body: bytes, accept: str, on_silence: Callable[[], None] | None) -> DaemonResponse:
    """Send a command to the daemon that the environment names. It is never sent again."""
    from oryn.daemon_client.http import RequestNotTaken, command_lost, request_bytes, send_request
    from oryn.daemon_client.remote import RemoteDaemon

    remote = RemoteDaemon.of_environment()
    assert remote is not None
    request = request_bytes("POST", "/command", remote.token, body, accept, host=remote.host)
    try:
        return send_request(remote.connect(), request, on_silence)
    except RequestNotTaken:
        raise command_lost() from None


def _start(request: VerbRequest) -> tuple[socket, str]:
    """Start the daemon for a verb, and connect to it; nothing is started for an unknown verb."""
    from oryn.cli.fast.errors import require_verb
    from oryn.daemon_client.launcher import connect_or_start
    from oryn.system.daemon_instance import DaemonInstance
    from oryn.system.paths import find

    require_verb(request.words)
    return connect_or_start(DaemonInstance(find()))


def _report_delay(request: VerbRequest, sent: float) -> None:
    """Print what a command that has no answer yet waits for; `sent` is a time of `monotonic`, not after it was sent."""
    from oryn.cli.fast.delay import delay_notice  # takes a while to import

    if notice := delay_notice(request.words, request.session, sent):
        sys.stderr.write(f"{notice}\n")
        sys.stderr.flush()


def _write_answer(answer: bytes, code: int, stream: int = 1) -> int:
    """Write the answer; return the exit code. A reader that closes the pipe early (`oryn text | head`) is not
    an error. Raises `FileError`, for a full disk."""
    rest = memoryview(answer + b"\n")
    try:
        while rest:
            rest = rest[os.write(stream, rest) :]
    except BrokenPipeError:
        pass
    except OSError as error:
        from oryn.errors import FileError

        raise FileError(f"the answer can't be written: {error.strerror}") from error
    return code
