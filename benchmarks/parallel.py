"""Eight sessions at once through the daemon, each with a client of its own, beside bare contexts of the protocol in one
browser that do the same: navigate, look, click, look.

usage: python -m benchmarks.parallel [--times N]
"""

from __future__ import annotations

import argparse
import asyncio
from functools import partial

from benchmarks._host import FORM, OnePage
from benchmarks._session import run, timed
from benchmarks.daemon import Asking
from benchmarks.daemon_memory import daemon
from benchmarks.sessions import BUTTON, LIMIT_RATIO, NAMES, bare_at_once


def in_session(asking: Asking, name: str, url: str, times: int) -> None:
    for _ in range(times):
        for line in (f"goto {url}", "observe", f'click "{BUTTON}"'):
            asking.ask(line, session=name)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="not used: every benchmark is given the folder of the page set")
    parser.add_argument("--times", type=int, default=10, help="how often each of the eight does its work")
    chosen = parser.parse_args()
    with OnePage(FORM) as page:
        with daemon() as (_, asking):
            clients = {name: asking.another() for name in NAMES}
            for name, client in clients.items():
                client.ask("goto about:blank", session=name)
            work = [partial(in_session, client, name, page.url, chosen.times) for name, client in clients.items()]
            ours = await timed(lambda: asyncio.gather(*map(asyncio.to_thread, work)))
        bare = await bare_at_once(page.url, chosen.times)
    print(
        f"{len(NAMES)} sessions through the daemon, {chosen.times} x navigate, observe, click: {ours:.2f} s, "
        f"bare contexts {bare:.2f} s, ratio {ours / bare:.2f} (limit {LIMIT_RATIO})"
    )


if __name__ == "__main__":
    run(main)
