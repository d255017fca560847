"""`python -m oryn.research.workers.extraction_process MODULE:FUNCTION`: a process of `extraction_pool`, which calls the
function for each page. A page, and its article or error, is a pickled value."""

from __future__ import annotations

import importlib
import logging
import pickle
import sys
from collections.abc import Callable

from oryn.errors import ExtractionFailed, OrynError
from oryn.research.documents import Article, FetchedPage
from oryn.system.worker_process import serve

MAX_MEMORY_BYTES = 3 << 30
"""The limit of the address space: a page that needs more fails before the machine runs out of memory."""


def main(name: str) -> None:
    """Serve pages until standard input ends. `name` is `MODULE:FUNCTION`, the function that extracts an article."""
    logging.lastResort = None
    _limit_memory()
    module, _, function = name.partition(":")
    read: Callable[[FetchedPage], Article] = getattr(importlib.import_module(module), function)

    def answer(request: bytes) -> bytes:
        page: FetchedPage = pickle.loads(request)
        try:
            return pickle.dumps(read(page))
        except OrynError as error:
            return pickle.dumps(error)
        except Exception as error:  # noqa: BLE001 - what parsers raise on broken pages has no common base
            return pickle.dumps(ExtractionFailed(f"{page.url} can't be read: {type(error).__name__}: {error}"))

    serve(answer)


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


if __name__ == "__main__":
    main(sys.argv[1])
