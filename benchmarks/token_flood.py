"""What others notice while one token sends 10,000 requests a minute, of which it may send 600: how long their
answers take, beside those without the flood, in alternate phases of one run. The flood comes from another process.

    .venv/bin/python -m benchmarks.token_flood [REQUESTS]
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

import httpx

from benchmarks._session import row
from oryn.daemon.access.audit import AuditFile
from oryn.daemon.access.principals import TokenLimits
from oryn.daemon.access.token_file import TokenFile
from oryn.daemon.access.tokens import Token, hash_of, new_token
from tests.daemon.daemon_process import RunningDaemon

A_MINUTE = 10_000
RATE = 600
PHASE_REQUESTS = 1_000
PROBES = 100


def _client(url: str, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False, verify=False)


def flood(url: str, token: str, orders: Connection) -> None:
    """Send as many requests as each order says, at the rate of `A_MINUTE`; answer with their statuses and seconds."""
    with _client(url, token) as client:
        while count := orders.recv():
            statuses, begin = Counter[int](), time.perf_counter()
            for number in range(count):
                # requests that are late follow at once, so a slow answer does not lower the rate
                time.sleep(max(0.0, begin + number * 60 / A_MINUTE - time.perf_counter()))
                statuses[client.get("/status").status_code] += 1
            orders.send((statuses, time.perf_counter() - begin))


def probe(client: httpx.Client, times: list[float], failures: Counter[int]) -> None:
    begin = time.perf_counter()
    status = client.get("/status").status_code
    times.append((time.perf_counter() - begin) * 1000)
    failures[status] += status != 200
    time.sleep(0.02)


async def main(requests: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        daemon = RunningDaemon(Path(folder))
        try:
            own = daemon.home / "data" / "daemon"
            tokens = {"flood": new_token(), "other": new_token()}
            for name, rate in (("flood", RATE), ("other", 0)):
                store = TokenFile(own / "tokens.json")
                store.put(Token(name, hash_of(tokens[name]), frozenset({"see"}), TokenLimits(rate)))
            await asyncio.to_thread(measure, str(daemon.url), tokens, requests)
        finally:
            await daemon.stop()
        rows = [each for each in AuditFile(own).newest() if each.principal == "flood"]
        row("rows of the audit", len(rows), "that stand for", sum(each.count for each in rows))


def measure(url: str, tokens: dict[str, str], requests: int) -> None:
    context = multiprocessing.get_context("spawn")
    orders, theirs = context.Pipe()
    process = context.Process(target=flood, args=(url, tokens["flood"], theirs), daemon=True)
    process.start()
    quiet, during = list[float](), list[float]()
    failures, statuses, seconds = Counter[int](), Counter[int](), 0.0
    with _client(url, tokens["other"]) as client:
        for _ in range(PROBES):  # connections and caches are warm
            probe(client, [], failures)
        for _ in range(max(1, requests // PHASE_REQUESTS)):
            for _ in range(PROBES):
                probe(client, quiet, failures)
            orders.send(min(requests, PHASE_REQUESTS))
            while not orders.poll():
                probe(client, during, failures)
            found, took = orders.recv()
            statuses += found
            seconds += took
    orders.send(0)
    process.join()
    row("requests of the token", statuses.total(), "a minute", round(statuses.total() * 60 / seconds))
    row("answered", statuses[200], "429", statuses[429])
    row("answered otherwise", statuses.total() - statuses[200] - statuses[429])
    row("requests of others", len(quiet) + len(during), "refused", failures.total())
    before, meanwhile = median(quiet), median(during)
    row("median of others, ms", f"{before:.2f} → {meanwhile:.2f}", "ratio", f"{meanwhile / before:.2f}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else A_MINUTE))
