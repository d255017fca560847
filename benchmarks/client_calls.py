"""What the methods of the Python library add to the lines that they stand for: the same command of one engine, sent as
a line and called as a method, taken in turn. At most 0.3 ms more in the median. The last column is the time to read the
answer's record, which is a part of it.

usage: python -m benchmarks.client_calls [-n ROUNDS]"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from benchmarks._host import FORM, OnePage
from benchmarks._session import paired, row, run
from oryn import Oryn, Result


def calls(oryn: Oryn) -> dict[str, Callable[[], Awaitable[Any]]]:
    """Lines, and the methods for the same commands."""
    return {
        "title": oryn.title,
        "url": oryn.url,
        "value 1": partial(oryn.value, 1),
        "observe": oryn.observe,
        "is visible 1": partial(oryn.is_visible, 1),
    }


def reading_ms(record: dict[str, Any]) -> float:
    """Milliseconds to read a record, without an engine."""
    text = json.dumps(record)
    began = time.perf_counter()
    for _ in range(100):
        Result.of_record(json.loads(text))
    return (time.perf_counter() - began) * 10


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    page = OnePage(FORM)
    async with Oryn() as oryn:
        await oryn.goto(page.url)
        await oryn.observe()
        row("command", "line (ms)", "method (ms)", "more (ms)", "reading (ms)")
        for line, method in calls(oryn).items():
            by_line, by_method = await paired(partial(oryn.send, line), method, rounds=rounds)
            answer = await oryn._request({"line": line})
            record = {"ok": True, "command": line, "text": answer.text, "result": answer.data}
            row(
                line,
                *(f"{each * 1000:.3f}" for each in (by_line, by_method, by_method - by_line)),
                f"{reading_ms(record):.3f}",
            )


if __name__ == "__main__":
    run(main)
