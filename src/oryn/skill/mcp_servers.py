"""The MCP servers called `oryn` in the files of assistants, both the user's and the current project's.

The module also checks whether such a server starts: it runs the command and initializes the server as the assistant
would."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from oryn import __version__
from oryn.core.error_text import last_error
from oryn.core.records import Record
from oryn.skill.assistant import Assistant, LocalMachine, assistants
from oryn.skill.install import DOCUMENTS, entry_at


class ConfiguredServer(Record):
    """One assistant's server: the command that starts it, which is empty if the server is reached over HTTP.

    `problem` describes what is wrong with the file, if something is."""

    assistant: Assistant
    file: Path
    is_project: bool
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    problem: str = ""


def configured_servers(here: LocalMachine | None = None) -> Iterator[ConfiguredServer]:
    """All servers on this machine. Files without one, and missing files, are skipped."""
    here = here or LocalMachine.now()
    for assistant in assistants().values():
        for is_project in (False, True):
            place = assistant.configuration_path(here.platform, project=is_project)
            if place and (found := _read_server(assistant, here.path(place), is_project)):
                yield found


def _read_server(assistant: Assistant, file: Path, is_project: bool) -> ConfiguredServer | None:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return ConfiguredServer(assistant, file, is_project, problem=f"can't be read: {error}")
    try:
        entry = entry_at(DOCUMENTS[assistant.format].read(text), assistant.keys)
    except (ValueError, RecursionError) as error:
        return ConfiguredServer(
            assistant, file, is_project, problem=f"is not valid {assistant.format.upper()}: {error}"
        )
    if entry is None:
        return None
    if not isinstance(entry, dict):
        return ConfiguredServer(assistant, file, is_project, problem="has something else than a server called oryn")
    environment = entry.get("env") or entry.get("environment") or {}
    variables = {str(name): str(value) for name, value in environment.items()} if isinstance(environment, dict) else {}
    return ConfiguredServer(assistant, file, is_project, _command_of(entry), variables)


def _command_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The program and its arguments, which an entry has in one list or separately."""
    command, words = entry.get("command"), entry.get("args")
    first = command if isinstance(command, list) else [command] if command else []
    return tuple(map(str, [*first, *(words if isinstance(words, list) else [])]))


START_SECONDS = 30.0
SHUTDOWN_SECONDS = 5.0
INHERITED_VARIABLES = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "ORYN_HOME")
"""Variables that the checked server inherits from this process.

Assistants pass on few variables (`get_default_environment` of the official SDK). The check therefore also finds what
works only in this shell. On Windows all variables are passed on, as no process starts without them."""

_INITIALIZE_REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "oryn skill", "version": __version__},
    },
}


class ServerFailure(Record):
    """Why a server does not start, and a hint if its own output contains one."""

    message: str
    hint: str | None = None

    @classmethod
    def from_output(cls, program: str, said: str) -> ServerFailure:
        """Create it from a program's standard error, which has the form of `core.error_text` if it is Oryn's own."""
        message, hint = last_error(said) or (" ".join(said.split())[-500:], None)
        return cls(f"{program}: {message}", hint)


def check_server(
    command: Sequence[str], environment: Mapping[str, str] | None = None, *, seconds: float = START_SECONDS
) -> ServerFailure | None:
    """Check that the command starts a server of the Model Context Protocol within `seconds`; return None or the
    failure.

    The command runs in the home folder, with the variables of `environment` and few others, and is ended afterwards."""
    names = os.environ if os.name == "nt" else INHERITED_VARIABLES
    variables = {name: os.environ[name] for name in names if name in os.environ} | dict(environment or {})
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            list(command), cwd=Path.home(), env=variables, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except (OSError, ValueError) as error:
        return ServerFailure(f"{command[0]} can't be run: {getattr(error, 'strerror', None) or error}")
    complaints: list[bytes] = []
    # Read continuously: a server that writes much to standard error would block.
    listening = threading.Thread(target=_read_stderr, args=(process, complaints), daemon=True)
    limit = threading.Timer(seconds, _kill, [process])
    listening.start()
    limit.start()
    with process, contextlib.suppress(OSError):
        answers = _initializes(process)
        is_late = not limit.is_alive()
        limit.cancel()
        _stop(process)
    listening.join(SHUTDOWN_SECONDS)
    if answers:
        return None
    if is_late:
        return ServerFailure(f"{command[0]} did not answer within {seconds:g} s")
    said = b"".join(complaints).decode("utf-8", "replace").strip()
    return ServerFailure.from_output(
        command[0], said or f"it ended with exit code {process.returncode}, and printed nothing"
    )


def _initializes(process: subprocess.Popen[bytes]) -> bool:
    """Whether the server answers the `initialize` request before its output ends."""
    assert process.stdin and process.stdout
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(_INITIALIZE_REQUEST).encode() + b"\n")
        process.stdin.flush()
    for line in process.stdout:
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and message.get("id") == _INITIALIZE_REQUEST["id"]:
                return "serverInfo" in (message.get("result") or {})
    return False


def _read_stderr(process: subprocess.Popen[bytes], into: list[bytes]) -> None:
    assert process.stderr
    with contextlib.suppress(OSError, ValueError):
        into.extend(process.stderr)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server as an assistant does, by closing its input, and else by force."""
    assert process.stdin
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(SHUTDOWN_SECONDS)
    except subprocess.TimeoutExpired:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the server and the processes that it has started."""
    with contextlib.suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
