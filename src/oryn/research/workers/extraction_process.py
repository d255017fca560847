"""`python -m oryn.research.workers.extraction_process MODULE:FUNCTION`: a process of `process_pool`, which calls the
function for each page.

Pages are read from standard input, articles and errors written to standard output; each is a pickled value after its
length in eight bytes. Exits at the end of its input."""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

from oryn.errors import ExtractionFailed, OrynError
from oryn.research.documents import Article, FetchedPage

_SIZE = 8

MAX_MEMORY_BYTES = 3 << 30
"""The limit of the address space: a page that needs more fails before the machine runs out of memory."""


ReadFunction = Callable[[FetchedPage], Article]


def main(name: str) -> None:
    """Serve pages until standard input ends. `name` is `MODULE:FUNCTION`, the function that extracts an article."""
    # An interrupt at the terminal concerns the parent process, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.lastResort = None
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between answers
    _limit_memory()
    module, _, function = name.partition(":")
    read: ReadFunction = getattr(importlib.import_module(module), function)
    while (page := _read_page(sys.stdin.buffer)) is not None:
        payload = pickle.dumps(_answer(read, page))
        try:
            answers.write(len(payload).to_bytes(_SIZE, "big") + payload)
            answers.flush()
        except BrokenPipeError:
            # Nobody is there any more; what is left in the buffer is nobody's.
            os._exit(0)


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def _read_page(pages: BinaryIO) -> FetchedPage | None:
    size = pages.read(_SIZE)
    if len(size) < _SIZE:
        return None
    page: FetchedPage = pickle.loads(pages.read(int.from_bytes(size, "big")))
    return page


def _answer(read: ReadFunction, page: FetchedPage) -> Article | OrynError:
    try:
        return read(page)
    except OrynError as error:
        return error
    except Exception as error:  # noqa: BLE001 - what parsers raise on broken pages has no common base
        return ExtractionFailed(f"{page.url} can't be read: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
