"""What may stand behind the `?` of an address: a parameter that nobody reads would be a wish that nobody hears."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from oryn.errors import RequestError
from oryn.language.strings import shorten

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

Refuse = Callable[[RequestError, "Scope", "Receive", "Send"], Awaitable[None]]

REPEATABLE = frozenset({"type"})
"""Parameters that may be there more than once."""
_MOST = 100
"""Parameters of one address."""


class Queries:
    """Lets through requests whose parameters their address takes: `known` has those by path, of all others there are
    none. `elsewhere` are paths that see to it themselves."""

    def __init__(
        self, app: ASGIApp, known: Mapping[str, Collection[str]], refuse: Refuse, elsewhere: Collection[str] = ()
    ) -> None:
        self._app = app
        self._known = known
        self._refuse = refuse
        self._elsewhere = elsewhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and scope["query_string"] and scope["path"] not in self._elsewhere:
            try:
                check(scope["query_string"], self._known.get(scope["path"], ()))
            except RequestError as error:
                await self._refuse(error, scope, receive, send)
                return
        await self._app(scope, receive, send)


def check(query: bytes, known: Collection[str]) -> None:
    """Raises `RequestError` for a parameter that is not among those known, or there twice."""
    takes = f"It takes {', '.join(known)}." if known else "It takes none."
    try:
        given = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST)
    except ValueError:
        raise RequestError("the address has too many parameters", takes) from None
    names = [name for name, _ in given]
    for number, name in enumerate(names):
        if name not in known:
            raise RequestError(f"the address has no parameter {shorten(name)}", takes)
        if name in names[:number] and name not in REPEATABLE:
            raise RequestError(f"the address has the parameter {name} twice", takes)
