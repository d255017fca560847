"""Whether a server starts: what an assistant's configuration says is run, and greeted as the assistant would."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from oryn import __version__
from oryn.records import Record

SECONDS = 30.0
ENDING_SECONDS = 5.0
INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "ORYN_HOME")
"""Of our own environment. Assistants hand on little, so that what works in this shell alone is found here
(`get_default_environment` of the official SDK); on Windows all of it, without which no process starts."""

_GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "oryn skill", "version": __version__},
    },
}


class Failure(Record):
    """Why a server does not start, and what to do about it, where it says so itself."""

    message: str
    hint: str | None = None

    @classmethod
    def read(cls, program: str, said: str) -> Failure:
        """From what a program complained of: our own says `error: …`, `hint: …`."""
        error, hint = (re.search(rf"^{word}: (.*)$", said, re.MULTILINE) for word in ("error", "hint"))
        message = error[1] if error else " ".join(said.split())[-500:]
        return cls(f"{program}: {message}", hint[1] if hint else None)


def failure_of(
    command: Sequence[str], environment: Mapping[str, str] | None = None, *, seconds: float = SECONDS
) -> Failure | None:
    """Why the command starts no server of the Model Context Protocol within so many seconds; None if it does. It is run
    in the home folder, with the variables of `environment` and few others, and ended."""
    names = os.environ if os.name == "nt" else INHERITED
    variables = {name: os.environ[name] for name in names if name in os.environ} | dict(environment or {})
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            list(command), cwd=Path.home(), env=variables, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except (OSError, ValueError) as error:
        return Failure(f"{command[0]} can't be run: {getattr(error, 'strerror', None) or error}")
    complaints: list[bytes] = []
    # Read all the time: a server that complains at length would stand still.
    listening = threading.Thread(target=_read, args=(process, complaints), daemon=True)
    limit = threading.Timer(seconds, _kill, [process])
    listening.start()
    limit.start()
    with process, contextlib.suppress(OSError):
        answers = _answers(process)
        is_late = not limit.is_alive()
        limit.cancel()
        _end(process)
    listening.join(ENDING_SECONDS)
    if answers:
        return None
    if is_late:
        return Failure(f"{command[0]} did not answer within {seconds:g} s")
    said = b"".join(complaints).decode("utf-8", "replace").strip()
    return Failure.read(command[0], said or f"it ended with exit code {process.returncode}, and said nothing")


def _answers(process: subprocess.Popen[bytes]) -> bool:
    """Whether it answers the greeting, before its output ends."""
    assert process.stdin and process.stdout
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(_GREETING).encode() + b"\n")
        process.stdin.flush()
    for line in process.stdout:
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and message.get("id") == _GREETING["id"]:
                return "serverInfo" in (message.get("result") or {})
    return False


def _read(process: subprocess.Popen[bytes], into: list[bytes]) -> None:
    assert process.stderr
    with contextlib.suppress(OSError, ValueError):
        into.extend(process.stderr)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it as an assistant does, by the end of its input, and else by force."""
    assert process.stdin
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End it and what it has started."""
    with contextlib.suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
