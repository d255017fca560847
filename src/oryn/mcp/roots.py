"""The folders that an assistant works in bound what its commands read and write: roots.

https://modelcontextprotocol.io/specification/2025-11-25/client/roots. They hold beside what the user has chosen
(`--files-root`), for the commands of this client alone, and can only take away. A client that has no folder open says
nothing by that: then the user's choice holds alone, and where there is none, the session's private folder. The newest
era has them as a question that a call's result asks (2026-07-28, deprecated)."""

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

from oryn.engine.files import CALLERS_ROOTS, CONFINED
from oryn.language.kinds import PATH
from oryn.mcp import state

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams

    from oryn.language import Command
    from oryn.language.command import Argument, Option
    from oryn.mcp.clients import Client

    Context = ServerRequestContext[Any, Any]

QUESTION = "roots"
"""The question's name among those of a call."""

Bounds = tuple[Path, ...] | None
"""The folders that a caller lets a command use; None where it does not say."""


async def bounds_of(
    context: Context, params: CallToolRequestParams, client: Client, command: Command
) -> Bounds | InputRequiredResult:
    """The roots for one call. A client of the older era is asked before its first command, and again when it says that
    they are others. One of the newer, whose calls stand alone, is asked by the result of each that is about a file."""
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return None
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return await _known(context, client)
    if kept := state.read(params):  # it was asked before it was asked something else
        return tuple(map(Path, kept[QUESTION])) if QUESTION in kept else None
    listed = (params.input_responses or {}).get(QUESTION)
    if isinstance(listed, ListRootsResult):
        return folders_of(listed.roots)
    if _is_about_files(command):
        return InputRequiredResult(input_requests={QUESTION: ListRootsRequest()})
    return ()


async def _known(context: Context, client: Client) -> Bounds:
    if not client.roots_are_known:
        client.roots_are_known = True
        try:
            listed = await context.session.send_request(ListRootsRequest(), ListRootsResult)
            client.roots = folders_of(listed.roots)
        except MCPError:  # it says that it has them, and then has not
            client.roots = None
    return client.roots


def _is_about_files(command: Command) -> bool:
    """Whether a path is given, or, in an intent's steps, may be."""
    fields: list[Argument | Option] = [*command.spec.arguments, *command.spec.options.values()]
    paths = (each.name for each in fields if each.kind is not None and each.kind.label == PATH.label)
    return command.spec.open or any(getattr(command, name) is not None for name in paths)


@contextmanager
def holding(bounds: Bounds) -> Iterator[None]:
    """Bound what is done meanwhile, here and in tasks that begin here."""
    token, confined = CALLERS_ROOTS.set(bounds), CONFINED.set(True)
    try:
        yield
    finally:
        CONFINED.reset(confined)
        CALLERS_ROOTS.reset(token)


def folders_of(roots: Iterable[Root]) -> Bounds:
    """The folders of this machine among them. None where there is no root at all: the client bounds nothing."""
    listed = list(roots)
    if not listed:
        return None
    found = (urlsplit(str(root.uri)) for root in listed)
    return tuple(Path(url2pathname(url.path)) for url in found if url.netloc in ("", "localhost") and url.path)
