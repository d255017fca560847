"""The folders that an assistant works in bound what its commands read and write: roots.

https://modelcontextprotocol.io/specification/2025-11-25/client/roots. They hold beside what the user has chosen
(`--files-root`), for the commands of this client alone, and can only take away. A client that has no folder open says
nothing by that: then the user's choice holds alone. The newest era has them as a question that a call's result asks
(2026-07-28, deprecated)."""

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

from oryn.engine.files import CALLERS_ROOTS

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams

    from oryn.mcp.clients import Client

    Context = ServerRequestContext[Any, Any]

QUESTION = "roots"
"""The question's name among those of a call."""


async def known(context: Context, params: CallToolRequestParams, client: Client) -> InputRequiredResult | None:
    """Learn a client's roots before its first command, and again when it says that they are others. The result, where
    there is one, asks for them: the call comes again."""
    if client.roots_are_known:
        return None
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        client.roots_are_known = True
        return None
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        listed = (params.input_responses or {}).get(QUESTION)
        if not isinstance(listed, ListRootsResult):
            return InputRequiredResult(input_requests={QUESTION: ListRootsRequest()})
    else:
        try:
            listed = await context.session.send_request(ListRootsRequest(), ListRootsResult)
        except MCPError:  # it says that it has them, and then has not
            listed = ListRootsResult(roots=[])
    client.roots = folders_of(listed.roots)
    client.roots_are_known = True
    return None


@contextmanager
def holding(client: Client) -> Iterator[None]:
    """Bound what is done meanwhile, here and in tasks that begin here, by a client's roots."""
    token = CALLERS_ROOTS.set(client.roots)
    try:
        yield
    finally:
        CALLERS_ROOTS.reset(token)


def folders_of(roots: Iterable[Root]) -> tuple[Path, ...] | None:
    """The folders of this machine among them. None where there is no root at all: the client bounds nothing."""
    listed = list(roots)
    if not listed:
        return None
    found = (urlsplit(str(root.uri)) for root in listed)
    return tuple(Path(url2pathname(url.path)) for url in found if url.netloc in ("", "localhost") and url.path)
