"""`<api_activity>`: the requests of a tab's page since its last snapshot (docs/spec/agent-protocol.md#snapshots)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.agent.context import PageRedactor, display_url
from oryn.agent.sanitization import attribute, escape_line
from oryn.core.records import Record
from oryn.engine.output.exchanges import as_text
from oryn.errors import NotSupported, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base.network import Exchange
    from oryn.engine import Session

KINDS = frozenset({"xhr", "fetch"})
MAX_CALLS = 10
"""Maximum number of calls that a snapshot lists; it lists the latest."""
MAX_BODY_CHARACTERS = 300
"""Maximum length of a request body in the block, in characters."""
BODY_TIMEOUT_SECONDS = 2.0


class ApiCall(Record):
    """One request by a script of the page. `body` is the request body; it is empty if there was no body or it is not
    text."""

    method: str
    url: str
    body: str = ""
    failed: str = ""
    """The HTTP status if it is 400 or above, or the reason why there was no response; empty on success."""


class ApiActivityLog:
    """The XHR and fetch requests of one tab. Each request is returned once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last_number = 0
        self._documents: list[str] = []

    def watch(self) -> None:
        """Report requests of the tab's current document and of the watched document before it. Raises `OrynError` if
        the tab has no page."""
        document = self._session.page.document
        if document not in self._documents:
            self._documents = [*self._documents[-1:], document]

    async def take_new(self) -> list[ApiCall]:
        """Return the requests that were not returned before, in order. The list is empty if the browser doesn't report
        requests."""
        try:
            self.watch()
            network = self._session.browser.network
            found = [
                each
                for each in network.exchanges()
                if each.number > self._last_number and each.kind in KINDS and each.document in self._documents
            ]
        except OrynError:
            return []
        if not found:
            return []
        self._last_number = found[-1].number
        return [await self._call(each) for each in found]

    async def _call(self, exchange: Exchange) -> ApiCall:
        failed = exchange.failure or (str(exchange.status) if (exchange.status or 0) >= 400 else "")
        body = "" if exchange.method in ("GET", "HEAD", "OPTIONS") else await self._body(exchange.number)
        return ApiCall(exchange.method, exchange.url, body, failed)

    async def _body(self, number: int) -> str:
        try:
            found = await self._session.browser.network.exchange_with_bodies(number, timeout=BODY_TIMEOUT_SECONDS)
        except (NotSupported, OrynError):
            return ""
        content = found.sent.content if found and found.sent else None
        return (as_text(content) or "") if content else ""


def render_activity(calls: Iterable[ApiCall], page_url: str, redactor: PageRedactor) -> str:
    """Render the `<api_activity>` block; the result is empty if there are no calls."""
    listed = list(calls)
    if not listed:
        return ""
    rows = [f"  ({len(listed) - MAX_CALLS} calls before these)"] if len(listed) > MAX_CALLS else []
    rows += [_row(call, page_url, redactor) for call in listed[-MAX_CALLS:]]
    return "<api_activity>\n{}\n</api_activity>".format("\n".join(rows))


def _row(call: ApiCall, page_url: str, redactor: PageRedactor) -> str:
    url = display_url(call.url, redactor).replace('"', "&quot;")
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(page_url))
    if url.startswith(f"{origin}/"):
        url = url[len(origin) :]
    head = f'  <call{attribute("method", call.method, 20)} url="{url}"'
    head += attribute("failed", call.failed, 80) if call.failed else ""
    if not call.body:
        return f"{head}></call>"
    body = escape_line(redactor.body(call.body), MAX_BODY_CHARACTERS)
    return f"{head}>\n    {body}\n  </call>"
