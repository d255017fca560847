"""Verbs that take a while (`crawl`, `research` …): pages are printed as they come, a terminal sees how far it is, and
Ctrl-C or a reader that has seen enough takes the command back."""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from oryn.cli.progress_bars import Show, bars
from oryn.client.streaming import begun
from oryn.client.verbs import INTERRUPTED, Asked, explained
from oryn.errors import RequestError


def run(asked: Asked) -> int:
    """Send the command, print what comes and its answer; the exit code. Raises `OrynError`."""
    if (text := explained(asked.words)) is not None:
        _print(f"{text}\n")
        return 0
    last: dict[str, Any] = {}
    try:
        with begun(_body(asked), asked.words) as answer, _watched(asked) as show:
            for each in answer:
                if "progress" in each:
                    show(each["progress"])
                elif "item" in each:
                    _print(f"{json.dumps(each['item'], ensure_ascii=False)}\n")
                else:
                    last = each
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


def _body(asked: Asked) -> bytes:
    try:
        return asked.body()
    except UnicodeEncodeError:
        raise RequestError("the command is no UTF-8", "Write it in UTF-8.") from None
