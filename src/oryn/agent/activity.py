"""`<api_activity>`: what a tab's page has asked servers for since its last snapshot (seed 001, API Activity)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.agent.context import Shown, address
from oryn.agent.markup import attribute, text
from oryn.engine.exchanges import as_text
from oryn.errors import NotSupported, OrynError
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.browsers.base.network import Exchange
    from oryn.engine import Session

KINDS = frozenset({"xhr", "fetch"})
MOST_CALLS = 10
"""Calls that a snapshot tells of: the last ones."""
BODY_LIMIT = 300
"""Characters of a body."""
BODY_SECONDS = 2.0


class ApiCall(Record):
    """One request of a page's script. `body` is what it sent, empty where that was nothing or no text."""

    method: str
    url: str
    body: str = ""
    failed: str = ""
    """Its status from 400 on, or why there was no answer."""


class Activity:
    """The requests of one tab, which are told once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._told = 0
        self._documents: list[str] = []

    def watch(self) -> None:
        """The tab's document now is one whose requests are told; so is the one before it."""
        document = self._session.page.document
        if document not in self._documents:
            self._documents = [*self._documents[-1:], document]

    async def take(self) -> list[ApiCall]:
        """What was not told yet, in order. Nothing where the browser does not tell of requests."""
        try:
            self.watch()
            network = self._session.browser.network
            found = [each for each in network.exchanges() if self._is_new(each)]
        except OrynError:
            return []
        if not found:
            return []
        self._told = found[-1].number
        return [await self._call(each) for each in found]

    def _is_new(self, exchange: Exchange) -> bool:
        return exchange.number > self._told and exchange.kind in KINDS and exchange.document in self._documents

    async def _call(self, exchange: Exchange) -> ApiCall:
        failed = exchange.failure or (str(exchange.status) if (exchange.status or 0) >= 400 else "")
        body = "" if exchange.method in ("GET", "HEAD", "OPTIONS") else await self._body(exchange.number)
        return ApiCall(exchange.method, exchange.url, body, failed)

    async def _body(self, number: int) -> str:
        try:
            found = await self._session.browser.network.transcript(number, timeout=BODY_SECONDS)
        except (NotSupported, OrynError):
            return ""
        content = found.sent.content if found and found.sent else None
        return (as_text(content) or "") if content else ""


def activity(calls: Iterable[ApiCall], page_url: str, shown: Shown) -> str:
    """The block, or nothing where there was nothing."""
    told = list(calls)
    if not told:
        return ""
    rows = [f"  ({len(told) - MOST_CALLS} calls before these)"] if len(told) > MOST_CALLS else []
    rows += [_row(call, page_url, shown) for call in told[-MOST_CALLS:]]
    return "<api_activity>\n{}\n</api_activity>".format("\n".join(rows))


def _row(call: ApiCall, page_url: str, shown: Shown) -> str:
    url = address(call.url, shown).replace('"', "&quot;")
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(page_url))
    if url.startswith(f"{origin}/"):
        url = url[len(origin) :]
    head = f'  <call{attribute("method", call.method, 20)} url="{url}"'
    head += attribute("failed", call.failed, 80) if call.failed else ""
    if not call.body:
        return f"{head}></call>"
    body = text(shown.body(call.body), BODY_LIMIT)
    return f"{head}>\n    {body}\n  </call>"
