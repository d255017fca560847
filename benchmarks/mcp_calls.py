"""What the Model Context Protocol adds to the engine's own time: the same lines in a session of this process, as calls
of tools of `oryn mcp` over its standard input, and of a daemon's `/mcp`, taken in turn. At most 5 ms in the median,
with the official client's own time in it; the last client does nothing but send a call and read what comes, so that
what is ours can be told from what is the client's. Besides, the tokens (o200k) of what a model is shown.

usage: python -m benchmarks.mcp_calls [-n ROUNDS]"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Protocol

import bpe_openai
import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from benchmarks._host import FORM, OnePage
from benchmarks._session import headless_session, must, paired, row, run
from oryn.daemon_client.client import DaemonClient
from oryn.daemon_client.http import read_token
from oryn.system.daemon_instance import DaemonInstance
from oryn.system.paths import find

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


class Caller(Protocol):
    """What calls tools."""

    async def call(self, tool: str, arguments: dict[str, str]) -> None: ...


class Official:
    """The SDK's client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, arguments: dict[str, str]) -> None:
        answer = await self._client.call_tool(tool, dict(arguments))
        if answer.is_error:
            raise SystemExit(str(answer.content))


class Bare:
    """A client of the handshake's era over one connection; it looks for nothing in an answer but its being an error."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self._id = 0
        about = {"name": "bare", "version": "1"}
        self._post("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)
        self._post("notifications/initialized", answered=False)

    async def call(self, tool: str, arguments: dict[str, str]) -> None:
        answer = self._post("tools/call", name=tool, arguments=arguments)
        if b'"isError":true' in answer:
            raise SystemExit(answer.decode())

    def _post(self, method: str, *, answered: bool = True, **params: object) -> bytes:
        self._id += 1
        numbered = {"id": self._id} if answered else {}
        body = json.dumps({"jsonrpc": "2.0", **numbered, "method": method, "params": params})
        self._connection.request("POST", "/mcp", body, self._headers)
        response = self._connection.getresponse()
        if (session := response.getheader("mcp-session-id")) is not None:
            self._headers["mcp-session-id"] = session
        return response.read()


async def show_listing(client: Client, name: str) -> None:
    listing = (await client.list_tools()).model_dump(by_alias=True, exclude_none=True, mode="json")
    row(f"tools/list, {name}", f"{len(listing['tools'])} tools", f"{tokens(listing)} tokens")


async def compare(page: OnePage, callers: Sequence[tuple[str, Caller]], rounds: int) -> None:
    medians: dict[str, float] = {}
    async with headless_session() as session:
        await must(session, f"goto {page.url}")
        for name, caller in callers:
            await caller.call("goto", {"url": page.url})
            row(name, "engine ms", "call ms", "added ms")
            added = []
            for line, tool, arguments in CALLS:
                own, called = await paired(
                    partial(must, session, line),
                    partial(caller.call, tool, arguments),
                    rounds=rounds,
                    spread=FRAME,
                )
                added.append((called - own) * 1000)
                row(line, f"{own * 1000:.2f}", f"{called * 1000:.2f}", f"{added[-1]:.2f}")
            medians[name] = statistics.median(added)
    print("median added:", ", ".join(f"{name} {value:.1f} ms" for name, value in medians.items()))


async def measure(page: OnePage, daemon: DaemonClient, rounds: int) -> None:
    port, token = daemon.status()["port"], read_token(str(find().daemon))
    stdio = StdioServerParameters(command=sys.executable, args=["-m", "oryn", "mcp"], env=dict(os.environ))
    async with AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {token}"}
        client = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
        address = f"http://127.0.0.1:{port}/mcp"
        clients = [
            ("standard input", Client(stdio)),
            ("standard input, handshake", Client(stdio, mode="legacy")),
            ("/mcp", Client(streamable_http_client(address, http_client=client))),
            ("/mcp, handshake", Client(streamable_http_client(address, http_client=client), mode="legacy")),
        ]
        everything = Client(streamable_http_client(f"{address}?tools=all", http_client=client))
        for _, opened in [*clients, ("", everything)]:
            await stack.enter_async_context(opened)
        await show_listing(clients[0][1], "core")
        await show_listing(everything, "all")
        official = [(name, Official(client)) for name, client in clients]
        await compare(page, [*official, ("/mcp, handshake, bare client", Bare(port, token))], rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--rounds", type=int, default=60)
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as home, OnePage(FORM) as page:
        os.environ.update({"ORYN_HOME": home, "ORYN_PORT": "0"})
        oryn = [sys.executable, "-m", "oryn", "daemon"]
        subprocess.run([*oryn, "start"], check=True, stdout=subprocess.DEVNULL)
        try:
            run(lambda: measure(page, DaemonClient(DaemonInstance(find())), rounds))
        finally:
            subprocess.run([*oryn, "stop"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
