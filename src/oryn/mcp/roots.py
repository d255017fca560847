"""Roots: the folders that a client works in limit what its commands read and write.

https://modelcontextprotocol.io/specification/2025-11-25/client/roots. They apply in addition to the user's setting
(`--files-root`), for the commands of this client alone, and can only restrict. A client with no open folder restricts
nothing: then the user's setting applies alone, or without one the session's private folder. In the newest era a call's
result requests the roots (2026-07-28, deprecated)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp.shared.exceptions import MCPError
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult, Root
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oryn.engine.file_access import CALLER_ROOTS, CONFINED
from oryn.mcp import results

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams

    from oryn.language import Command
    from oryn.mcp.clients import McpClient

    Context = ServerRequestContext[Any, Any]

QUESTION = "roots"
"""The key of this request among the input requests of a call."""

Bounds = tuple[Path, ...] | None
"""The folders that a client lets a command use; None if the client does not restrict them."""


async def bounds_of(
    context: Context, params: CallToolRequestParams, client: McpClient, command: Command
) -> Bounds | InputRequiredResult:
    """The roots for one call.

    A client of the older era is asked before its first command, and again after it reports that they have changed. A
    client of the newer era, whose calls are independent, is asked in the result of each call that uses a file."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return None
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return await _client_roots(context, client)
    if state := results.read_state(params):  # the roots were requested before another question
        return tuple(map(Path, state[QUESTION])) if QUESTION in state else None
    listed = (params.input_responses or {}).get(QUESTION)
    if isinstance(listed, ListRootsResult):
        return folders_of(listed.roots)
    if command.spec.open or command.paths:  # the steps of an intent may have a path, too
        return InputRequiredResult(input_requests={QUESTION: ListRootsRequest()})
    return ()


async def _client_roots(context: Context, client: McpClient) -> Bounds:
    if not client.roots_loaded:
        client.roots_loaded = True
        try:
            listed = await context.session.send_request(ListRootsRequest(), ListRootsResult)
            client.roots = folders_of(listed.roots)
        except MCPError:  # the client declared the capability but does not implement it
            client.roots = None
    return client.roots


@contextmanager
def restricted_to(bounds: Bounds) -> Iterator[None]:
    """Limit file access to `bounds` while the block runs, also in tasks that are started in it."""
    token, confined = CALLER_ROOTS.set(bounds), CONFINED.set(True)
    try:
        yield
    finally:
        CONFINED.reset(confined)
        CALLER_ROOTS.reset(token)


def folders_of(roots: Iterable[Root]) -> Bounds:
    """The folders of this machine among the roots. None if the list is empty: the client then restricts no files."""
    listed = list(roots)
    if not listed:
        return None
    found = (urlsplit(str(root.uri)) for root in listed)
    return tuple(Path(url2pathname(url.path)) for url in found if url.netloc in ("", "localhost") and url.path)
