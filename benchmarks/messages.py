"""A million messages over one web socket of a page: what they cost Oryn, and whether the latest are right.

A page receives them from a server in another process. Prints, for each tenth of them, the memory of Oryn's process,
then whether the count and the last 20 messages are right. Exits with 1 if they are not, or if the memory grows by more
than `FLAT_MB` after the first tenth.

    python -m benchmarks.messages [--messages 1000000]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks._session import headless_session
from oryn.engine import Session

FLAT_MB = 5.0
_PARTS = 10
_SERVER = """
import asyncio, sys
from websockets.asyncio.server import serve
from websockets.datastructures import Headers
from websockets.http11 import Response

page = Response(200, "OK", Headers({"Content-Type": "text/html", "Connection": "close"}), sys.argv[1].encode())

async def answer(socket):
    number = 0
    async for message in socket:
        for _ in range(int(message)):
            number += 1
            await socket.send('{"number": %d, "price": "%d.99"}' % (number, number % 97))

async def main():
    process = lambda socket, request: None if "Upgrade" in request.headers else page
    async with serve(answer, "127.0.0.1", 0, compression=None, process_request=process) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()

asyncio.run(main())
"""
_PAGE = """<link rel=icon href=data:,><title>Messages</title><script>
let got = 0, awaited
const socket = new WebSocket(location.href.replace("http", "ws"))
socket.onmessage = () => { got += 1; if (got === awaited?.count) awaited.resolve(got) }
const opened = new Promise((resolve) => { socket.onopen = resolve })
const ask = (number) => opened.then(() => new Promise((resolve) => {
  awaited = {count: got + number, resolve}
  socket.send(number)
}))
</script>"""


@contextmanager
def message_server() -> Iterator[int]:
    """The port of a server of messages, in a process of its own."""
    process = subprocess.Popen([sys.executable, "-c", _SERVER, _PAGE], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def memory() -> float:
    """Megabytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


async def count_of(session: Session) -> int:
    """How many messages were received, as `requests` counts them."""
    answer = await session.execute("requests --last 1")
    assert answer.error is None, answer.error
    count: int = answer.data[0]["message_count"] - _PARTS  # those that were sent
    return count


async def received(session: Session, total: int) -> None:
    """Wait until the browser has reported all messages to Oryn, which may be later than the page has them."""
    while await count_of(session) < total:
        await session.execute("observe")


async def measure(total: int) -> bool:
    """Whether the memory is flat, and the last messages are right."""
    measured: list[float] = []
    async with headless_session() as session:
        with message_server() as port:
            answer = await session.execute(f"goto http://127.0.0.1:{port}/")
            assert answer.error is None, answer.error
            began = time.perf_counter()
            for part in range(1, _PARTS + 1):
                answer = await session.execute(f'eval "ask({total // _PARTS})" --timeout 300s')
                assert answer.error is None, answer.error
                gc.collect()
                measured.append(memory())
                print(f"{part * total // _PARTS:>9,} messages  {measured[-1]:6.1f} MB", flush=True)
            await received(session, total)
            seconds = time.perf_counter() - began
            [row] = (await session.execute("requests --messages --last 20")).data
            texts = [each["body"]["text"] for each in row["messages"]]
            count = await count_of(session)
    wanted = [f'{{"number": {number}, "price": "{number % 97}.99"}}' for number in range(total - 19, total + 1)]
    growth = max(measured[1:]) - measured[0]
    print(f"{total / seconds:,.0f} messages a second, memory after the first tenth: {growth:+.1f} MB")
    print(f"counted {count:,}, the last 20 are {'right' if texts == wanted else 'wrong'}")
    return texts == wanted and count == total and growth <= FLAT_MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000)
    sys.exit(not asyncio.run(measure(parser.parse_args().messages)))


if __name__ == "__main__":
    main()
