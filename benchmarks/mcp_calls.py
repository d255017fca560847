"""What the Model Context Protocol adds to the engine's own time: the same lines in a session of this process, as calls
of tools of `oryn mcp` over its standard input, and of a daemon's `/mcp`, taken in turn. At most 5 ms in the median,
with the official client's own time in it. Besides, the tokens (o200k) of what a model is shown of the tools.

usage: mcp_calls.py [-n ROUNDS]"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial

import bpe_openai
import httpx2
from _host import FORM, OnePage
from _session import headless_session, must, paired, row, run
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from oryn.client.daemon import Daemon
from oryn.client.exchange import token_in
from oryn.daemon.lifecycle import Place
from oryn.paths import find

FRAME = 1 / 60
"""Seconds between two pictures of a browser: whoever waits for one waits up to that long."""

CALLS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("title", "oryn", {"line": "title"}),
    ("observe", "observe", {}),
    ('type "Name" "Ann"', "type", {"target": "Name", "text": "Ann"}),
    ('click "More"', "click", {"target": "More"}),
)
"""Each as a line, and as a call."""


def tokens(listing: object) -> int:
    return len(bpe_openai.get_encoding("o200k_base").encode(json.dumps(listing)))


async def show_listing(client: Client, name: str) -> None:
    listing = (await client.list_tools()).model_dump(by_alias=True, exclude_none=True, mode="json")
    row(f"tools/list, {name}", f"{len(listing['tools'])} tools", f"{tokens(listing)} tokens")


async def called_well(client: Client, tool: str, arguments: dict[str, str]) -> None:
    answer = await client.call_tool(tool, dict(arguments))
    if answer.is_error:
        raise SystemExit(str(answer.content))


async def compare(page: OnePage, clients: Sequence[tuple[str, Client]], rounds: int) -> None:
    medians: dict[str, float] = {}
    async with headless_session() as session:
        await must(session, f"goto {page.url}")
        for name, client in clients:
            await client.call_tool("goto", {"url": page.url})
            row(name, "engine ms", "call ms", "added ms")
            added = []
            for line, tool, arguments in CALLS:
                own, called = await paired(
                    partial(must, session, line),
                    partial(called_well, client, tool, arguments),
                    rounds=rounds,
                    spread=FRAME,
                )
                added.append((called - own) * 1000)
                row(line, f"{own * 1000:.2f}", f"{called * 1000:.2f}", f"{added[-1]:.2f}")
            medians[name] = statistics.median(added)
    print("median added:", ", ".join(f"{name} {value:.1f} ms" for name, value in medians.items()))


async def measure(page: OnePage, daemon: Daemon, rounds: int) -> None:
    port, token = daemon.status()["port"], token_in(str(find().daemon))
    stdio = StdioServerParameters(command=sys.executable, args=["-m", "oryn", "mcp"], env=dict(os.environ))
    async with AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {token}"}
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
        address = f"http://127.0.0.1:{port}/mcp"
        clients = [
            ("standard input", Client(stdio)),
            ("standard input, handshake", Client(stdio, mode="legacy")),
            ("/mcp", Client(streamable_http_client(address, http_client=http))),
            ("/mcp, handshake", Client(streamable_http_client(address, http_client=http), mode="legacy")),
        ]
        everything = Client(streamable_http_client(f"{address}?tools=all", http_client=http))
        for _, client in [*clients, ("", everything)]:
            await stack.enter_async_context(client)
        await show_listing(clients[0][1], "core")
        await show_listing(everything, "all")
        await compare(page, clients, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--rounds", type=int, default=60)
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as home, OnePage(FORM) as page:
        os.environ.update({"ORYN_HOME": home, "ORYN_PORT": "0"})
        oryn = [sys.executable, "-m", "oryn", "daemon"]
        subprocess.run([*oryn, "start"], check=True, stdout=subprocess.DEVNULL)
        try:
            run(lambda: measure(page, Daemon(Place(find())), rounds))
        finally:
            subprocess.run([*oryn, "stop"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
