"""What a terminal, or `nohup` in front of one, does to the processes that are started in it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ignoring_hang_ups() -> Iterator[None]:
    """What is started in the block ignores SIGHUP from the start, as under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)
