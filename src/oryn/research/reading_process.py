"""`python -m oryn.research.reading_process MODULE:FUNCTION`: a process of `reading`, whose pages the function reads.

Pages come on standard input, articles and errors go out; each is a pickled value behind eight bytes that tell its
length. Ends with its input."""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

from oryn.errors import OrynError
from oryn.research.documents import Article, Page
from oryn.research.failures import ExtractionFailed

_SIZE = 8

MEMORY = 3 << 30
"""Bytes of address space: a page that wants more is given up before the machine is."""


Reading = Callable[[Page], Article]


def main(name: str) -> None:
    # Whoever started this ends it; an interrupt at the terminal is theirs to hear.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.lastResort = None
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between answers
    _bound()
    module, _, function = name.partition(":")
    read: Reading = getattr(importlib.import_module(module), function)
    while (page := _next(sys.stdin.buffer)) is not None:
        said = pickle.dumps(_answer(read, page))
        try:
            answers.write(len(said).to_bytes(_SIZE, "big") + said)
            answers.flush()
        except BrokenPipeError:
            # Nobody is there any more; what is left in the buffer is nobody's.
            os._exit(0)


def _bound() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _next(pages: BinaryIO) -> Page | None:
    size = pages.read(_SIZE)
    if len(size) < _SIZE:
        return None
    page: Page = pickle.loads(pages.read(int.from_bytes(size, "big")))
    return page


def _answer(read: Reading, page: Page) -> Article | OrynError:
    try:
        return read(page)
    except OrynError as error:
        return error
    except Exception as error:  # noqa: BLE001 - what parsers raise on broken pages has no common base
        return ExtractionFailed(f"{page.url} can't be read: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
