"""Verbs that take a while (`crawl`, `research` …): pages are printed as they come, a terminal sees how far it is, and
Ctrl-C or a reader that has seen enough takes the command back."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any

from oryn.cli.progress_bars import Show, bars
from oryn.client.exchange import Response
from oryn.client.refused import refusal
from oryn.client.starting import reached
from oryn.client.verbs import INTERRUPTED, Asked, explained
from oryn.errors import DaemonFailed, RequestError

_ATTEMPTS = 3


def run(asked: Asked) -> int:
    """Send the command, print what comes and its answer; the exit code. Raises `OrynError`."""
    if (text := explained(asked.words)) is not None:
        _print(f"{text}\n")
        return 0
    last: dict[str, Any] = {}
    try:
        with _asked(asked) as answer, _watched(asked) as show:
            for told in _lines(answer):
                if "progress" in told:
                    show(told["progress"])
                elif "item" in told:
                    _print(f"{json.dumps(told['item'], ensure_ascii=False)}\n")
                else:
                    last = told
            show(None)
            return _ended(asked, last)
    except BrokenPipeError:  # whoever reads has seen enough: the connection is closed, which ends the command
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED


def _ended(asked: Asked, last: dict[str, Any]) -> int:
    code: int = last["exit_code"]
    response = last["response"]
    if asked.json or last["json"]:
        _print(f"{json.dumps(response)}\n")
    elif code:
        _print(f"{response['text']}\n", 2)
    elif not _has_printed(response) or sys.stderr.isatty():
        _print(f"{response['text']}\n", 2 if _has_printed(response) else 1)
    return code


def _has_printed(response: dict[str, Any]) -> bool:
    """Whether the result was what came before: the pages of a crawl that went into no file."""
    return response["action"] == "crawl" and "path" not in response["data"]["result"]


def _watched(asked: Asked) -> AbstractContextManager[Show]:
    """What shows how far it is: bars on a terminal, unless lines come there anyway."""
    into_file = any(word.partition("=")[0] == "--to" for word in asked.words)
    lines_come = asked.words[0] == "crawl" and sys.stdout.isatty() and not into_file
    if lines_come or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return nullcontext(lambda progress: None)
    return bars()


def _print(text: str, stream: int = 1) -> None:
    """Raises `BrokenPipeError`."""
    rest = memoryview(text.encode("utf-8", "backslashreplace"))  # half a character, as JSON has it
    while rest:
        rest = rest[os.write(stream, rest) :]


# --- the daemon ---


def _asked(asked: Asked) -> HTTPResponse:
    """The answer as it begins. Raises what the daemon refuses, `DaemonFailed`."""
    try:
        body = asked.body()
    except UnicodeEncodeError:
        raise RequestError("the command is no UTF-8", "Write it in UTF-8.") from None
    for _ in range(_ATTEMPTS):  # one that is about to end hangs up before it says anything
        raw, token = reached(asked.words)
        connection = HTTPConnection("localhost")
        connection.sock = socket.socket(fileno=raw.detach())
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/x-ndjson",
            "Content-Type": "application/json",
            "Connection": "close",
        }
        try:
            connection.request("POST", "/command", body, headers)
            answer = connection.getresponse()
        except (OSError, HTTPException):
            connection.close()
            continue
        if answer.status != 200:
            raise refusal(Response(answer.status, {}, answer.read()), asked.words)
        return answer
    raise DaemonFailed("the daemon does not answer", "'oryn daemon logs' may tell why.")


def _lines(answer: HTTPResponse) -> Iterator[dict[str, Any]]:
    """All that is told; the last one is the response. Raises `DaemonFailed`."""
    told: dict[str, Any] = {}
    try:
        for line in answer:
            told = json.loads(line)
            yield told
    except (ConnectionError, HTTPException, ValueError):
        told = {}
    if "response" not in told:
        raise DaemonFailed("the daemon ended in the middle of the command", "'oryn daemon logs' may tell why.")
