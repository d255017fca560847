"""Runs long verbs (`crawl`, `research` …): prints pages as they arrive, and progress bars on a terminal.

The bars are Rich's (extra `daemon`). Ctrl-C, or a reader that closes the pipe, cancels the command."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from oryn.cli.fast.colour import is_coloured, print_text
from oryn.cli.fast.main import INTERRUPTED, INTERRUPTION, VerbRequest, requested_help
from oryn.core.text_safety import plain, shortened, visible
from oryn.daemon_client.client import DaemonClient
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

ProgressCallback = Callable[[Mapping[str, Any] | None], None]
"""Takes `oryn.research.documents.ResearchProgress`; None ends it."""

_INNER_LINK = re.compile(r"(?<!\\)\[((?:\\.|[^\[\]\\])++)\]\(#[\w-]++\)")
_INNER_NAME = re.compile(r'<a id="[\w-]+"></a>')
"""Links of a report to its own passages, and their targets. Text of pages can't be either: its brackets are escaped."""
_LOGIN_CONTINUES = "interrupted; the login continues in the daemon ('oryn close' ends its session)"
_MAX_DETAIL_CHARACTERS = 60
"""Maximum length of the description of a stage's current item."""


@contextmanager
def progress_bars() -> Iterator[ProgressCallback]:
    """Show progress bars on standard error while the block runs. Does nothing if Rich is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
    except ImportError:
        yield lambda progress: None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
    )
    stages: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:

        def show(progress: Mapping[str, Any] | None) -> None:
            if progress is None:
                bars.stop()
                return
            stage = str(progress["stage"])
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=None, detail="")
            detail = plain(shortened(str(progress.get("detail", "")), _MAX_DETAIL_CHARACTERS))
            bars.update(stages[stage], completed=progress["done"], total=progress.get("total"), detail=detail)

        yield show


def run(request: VerbRequest) -> int:
    """Send the command, print its parts and its answer; return the exit code. Raises `OrynError`."""
    if (text := requested_help(request.words)) is not None:
        print_text(text)
        return 0
    last: dict[str, Any] = {}
    try:
        daemon = DaemonClient(DaemonInstance(find()), start=True)
        with daemon.stream(request.body()) as answer, _progress_display(request) as show:
            for each in answer:
                if "progress" in each:
                    show(each["progress"])
                elif "notice" in each:
                    _print(f"{each['notice']}\n", 2)
                elif "item" in each:
                    line = json.dumps(each["item"], ensure_ascii=False)
                    _print(f"{visible(line) if os.isatty(1) else line}\n")  # a terminal gets no controls of a page
                else:
                    last = each
            show(None)
            return _print_response(request, last)
    except BrokenPipeError:  # the reader has closed the pipe: closing the connection has cancelled the command
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        sys.stderr.write(f"{_LOGIN_CONTINUES if request.words[0] == 'login' else INTERRUPTION}\n")
        return INTERRUPTED


def _print_response(request: VerbRequest, last: dict[str, Any]) -> int:
    code: int = last["exit_code"]
    response = last["response"]
    if failed := last.get("failed"):
        print_text(failed, sys.stderr)
    if request.json or last["json"]:
        _print(f"{json.dumps(response)}\n")
    elif code and not response["ok"]:
        print_text(response["text"], sys.stderr)
    elif "markdown" in last and os.isatty(1):
        _print_document(last["markdown"])
    elif (text := last.get("printed" if os.isatty(1) else "piped")) is not None:
        _print(f"{text}\n")
    elif not _has_printed(response) or sys.stderr.isatty():
        print_text(response["text"], sys.stderr if _has_printed(response) else sys.stdout)
    return code


def _print_document(markdown: str) -> None:
    """Render a document of Oryn's on the terminal; without Rich (extra `daemon`), print it as it is. Links within it
    lead nowhere on a terminal."""
    text = _INNER_LINK.sub(r"\1", _INNER_NAME.sub("", markdown))
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        _print(f"{text}\n")
        return
    console = Console(color_system="auto" if is_coloured(sys.stdout) else None)
    with console.capture() as rendered:
        console.print(Markdown(text, hyperlinks=False))
    _print(rendered.get())


def _has_printed(response: dict[str, Any]) -> bool:
    """Whether the result was printed already: the pages of a crawl that were not written to a file."""
    return response["action"] == "crawl" and "path" not in response["data"]["result"]


def _progress_display(request: VerbRequest) -> AbstractContextManager[ProgressCallback]:
    """The display of the progress: bars on a terminal, unless the terminal gets the pages of a crawl."""
    into_file = any(word.partition("=")[0] in ("--output", "--out", "--to") for word in request.words)
    lines_come = request.words[0] == "crawl" and sys.stdout.isatty() and not into_file
    if request.words[0] == "login" or lines_come or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return nullcontext(lambda progress: None)
    return progress_bars()


def _print(text: str, stream: int = 1) -> None:
    """Write a text to a descriptor. Raises `BrokenPipeError`."""
    rest = memoryview(text.encode("utf-8", "backslashreplace"))  # JSON may contain unpaired surrogates
    while rest:
        rest = rest[os.write(stream, rest) :]
