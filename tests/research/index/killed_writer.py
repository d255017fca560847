"""A process that writes passages, reports it, and is killed.

usage: python -m tests.research.index.killed_writer FOLDER PASSAGES
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import numpy as np

from oryn.research.documents import Passage
from oryn.research.index import EmbeddedIndex
from tests.research.index.passages import DIMENSIONS, MODEL

EACH = 50


def written(begin: int, end: int) -> list[Passage]:
    return [
        Passage(
            id=str(number), url=f"https://botany.example/{number // EACH}", title="", text=f"word{number} of a fern"
        )
        for number in range(begin, end)
    ]


async def main(folder: str, number: int) -> None:
    index = EmbeddedIndex(Path(folder))
    for begin in range(0, number, EACH):
        passages = written(begin, begin + EACH)
        await index.upsert("plants", passages, np.ones((EACH, DIMENSIONS), np.float32), model=MODEL)
    await index.delete("plants", "https://botany.example/0")
    sys.stdout.write("done\n")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
