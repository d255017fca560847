"""The child's side of `oryn.system.process_pool`: answers requests on standard input until it ends.

Frames on both pipes are eight bytes of length, big-endian, and the content. The process ends when its input ends, and
so with its parent."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

SIZE_BYTES = 8


def serve(answer: Callable[[bytes], bytes]) -> None:
    """Answer requests until standard input ends. `answer` turns a request's content into that of its response."""
    # An interrupt at the terminal concerns the parent process, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between responses
    while (request := _next_frame(sys.stdin.buffer)) is not None:
        try:
            responses.write(frame(answer(request)))
            responses.flush()
        except BrokenPipeError:
            # Nobody is there any more; what is left in the buffer is nobody's.
            os._exit(0)


def frame(content: bytes) -> bytes:
    """Prefix `content` with its length."""
    return len(content).to_bytes(SIZE_BYTES, "big") + content


def _next_frame(stream: BinaryIO) -> bytes | None:
    head = stream.read(SIZE_BYTES)
    size = int.from_bytes(head, "big")
    content = stream.read(size) if len(head) == SIZE_BYTES else b""
    return content if len(content) == size and size else None
