"""Request interception: holds requests back, and carries the decisions about them out.

Only the first request of a load is held back, not the redirects that follow: hosts that those lead to are the matter of
the gateway (`gateway.py`), and headers that we add go along to them (`Browser.forwards_headers`). Each held request is
decided at once, in the event's own callback, unless its server must be asked about credentials first. If Oryn
disconnects, the browser releases them all.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Network.json"""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from oryn.browsers.base.network import MockResponse
from oryn.browsers.cdp.network.conditions import RequestConditions
from oryn.browsers.cdp.network.decisions import RequestDecisions
from oryn.browsers.cdp.network.headers import allow_origin_headers, merge_headers
from oryn.browsers.webkit.inflight import resource_kind

if TYPE_CHECKING:
    from oryn.browsers.base.network import HttpCredentials
    from oryn.browsers.common.protocol_session import Answer, ProtocolSession
    from oryn.browsers.common.target_feature import InterceptedTarget
    from oryn.browsers.webkit.network.challenges import HttpChallenges
    from oryn.browsers.webkit.network.loaded_page import LoadedPage
    from oryn.core.urls import DomainRefusal

    Target: TypeAlias = InterceptedTarget[ProtocolSession]

_REQUEST = {"stage": "request"}
_EVERYTHING, _FILES = ".*", "^file:"
_MAX_REMEMBERED = 1000
_SAME_SECONDS = 1.0
"""The browser may connect several times for one request, and before it."""
NO_DOCUMENT = "application/x-no-document"
"""A media type that WebKit does not show: a navigation that is answered so ends, and the page stays."""
_UTF8_MARK = b"\xef\xbb\xbf"
_DECODED_TYPES = ("text/", "application/javascript")
"""Media types that are not always taken as UTF-8. A document of any type may not be."""


Decision = tuple[str, dict[str, Any]]


class WebKitInterception(RequestDecisions["ProtocolSession"]):
    """Decides on requests that are held back. After changing an attribute or a rule, call `apply`.

    challenges: what servers answer about credentials."""

    edits_responses = False
    unheld = "redirects and the preflights of requests to other origins"

    def __init__(self, challenges: HttpChallenges) -> None:
        self._challenges = challenges
        super().__init__()
        self._asking: set[asyncio.Task[None]] = set()
        self._counted: dict[DomainRefusal, float] = {}
        """When a request was last refused for a reason, in seconds of the event loop's clock."""
        self._unreported: dict[DomainRefusal, float] = {}
        """When the gateway last refused a connection of which no request was reported before, likewise."""
        self.offline = False
        """Whether all requests fail as without a network."""
        self.own_headers: dict[str, str] = {}
        """Headers of every request that emulation adds; those of the user win."""
        self._held_back: dict[ProtocolSession, str] = {}
        """By session, the pattern of the URLs whose requests are held back."""
        self._sent: dict[tuple[ProtocolSession, str], dict[str, Any]] = {}
        """The events of requests that have begun: the event of a held one tells neither its frame nor its kind."""
        self._reasons: dict[tuple[ProtocolSession, str], str] = {}

    def reason_of(self, session: ProtocolSession, request_id: str) -> str | None:
        """The `net::ERR_…` with which a request was failed here, or None."""
        return self._reasons.get((session, request_id))

    # --- targets ---

    def detach(self, page: Target, session: ProtocolSession) -> None:
        super().detach(page, session)
        self._held_back.pop(session, None)
        for table in (self._sent, self._reasons):
            for key in [key for key in table if key[0] is session]:
                del table[key]

    def _listen(self, page: Target, session: ProtocolSession) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._on_sent(page, session, event))
        session.on("Network.requestIntercepted", lambda event: self._on_held(page, session, event))
        session.on("Network.responseReceived", lambda event: self._sent.pop((session, event["requestId"]), None))
        session.on("Network.loadingFailed", lambda event: self._sent.pop((session, event["requestId"]), None))

    def _apply(self, page: Target, session: ProtocolSession) -> asyncio.Future[Answer] | None:
        pattern, held_back = self._pattern(page), self._held_back.get(session, "")
        if pattern == held_back:
            return None
        self._held_back[session] = pattern
        if held_back:
            session.send("Network.removeInterception", _interception(held_back))
        if pattern:
            session.send("Network.addInterception", _interception(pattern))
        return session.send("Network.setInterceptionEnabled", {"enabled": bool(pattern)})

    def _pattern(self, page: Target) -> str:
        """The pattern of the URLs whose requests are to be held back; an empty string for none."""
        rules = any(rule.acts for rule in self.rules)
        headers = self.own_headers or self.general_headers or self.domain_headers or page in self._navigations
        if rules or headers or self.domains or self.login or self.offline:
            return _EVERYTHING
        return "" if self.files is None else _FILES

    # --- requests ---

    def _on_sent(self, page: Target, session: ProtocolSession, event: dict[str, Any]) -> None:
        if not self._held_back.get(session):
            return
        self._sent[session, event["requestId"]] = event
        while len(self._sent) > _MAX_REMEMBERED:
            del self._sent[next(iter(self._sent))]
        if "redirectResponse" in event and (refusal := self.refusal(event["request"]["url"])):
            self._refuse_redirect(page, session, event, refusal)

    def _on_held(self, page: Target, session: ProtocolSession, event: dict[str, Any]) -> None:
        sent = self._sent.get((session, event["requestId"]), {})
        event = {**sent, **event}
        rule = self.rule_for(event["request"]["url"], resource_kind(event).lower())
        if rule is not None and rule.delay and not self.refusal(event["request"]["url"]):
            asyncio.get_running_loop().call_later(rule.delay, self._carry_out, page, session, event)
        else:
            self._carry_out(page, session, event)

    def _carry_out(self, page: Target, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Let a request go on, or answer it, as is decided."""
        if session.ended is not None:
            return
        decision = self._decide(page, session, event)
        if decision is not None:
            _send(session, event, decision)
            return
        task = asyncio.create_task(self._ask_server(page, session, event))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _ask_server(self, page: Target, session: ProtocolSession, event: dict[str, Any]) -> None:
        """Ask the server of a request whether it wants credentials, and let the request go on with them, or answer it
        as the server has answered."""
        request = event["request"]
        refused = await self._challenges.ask(request["url"], request["headers"])
        if refused is None:
            decision = self._decide(page, session, event) or ("interceptContinue", _REQUEST)
        else:
            reply = MockResponse(refused.status, refused.fields, refused.body)
            decision = "interceptRequestWithResponse", _mock_response(reply, request, is_document=True)
        _send(session, event, decision)

    def _decide(self, page: Target, session: ProtocolSession, event: dict[str, Any]) -> Decision | None:
        """The command that ends the wait of a request, and its parameters; None if its server must be asked first."""
        request = event["request"]
        if refusal := self.refusal(request["url"]):
            self.count(refusal)
            if _is_top(page, session, event):
                page.navigations.refuse(event.get("loaderId", ""), request["url"], refusal)
                self._note(session, event, "net::ERR_ABORTED")
                return "interceptRequestWithResponse", _response(200, NO_DOCUMENT, {}, b"")
            return self._fail(page, session, event, "net::ERR_BLOCKED_BY_CLIENT")
        rule = self.rule_for(request["url"], resource_kind(event).lower())
        if rule is not None and rule.reply is not None:
            is_document = resource_kind(event) == "Document"
            return "interceptRequestWithResponse", _mock_response(rule.reply, request, is_document=is_document)
        if rule is not None and rule.block:
            return self._fail(page, session, event, "net::ERR_BLOCKED_BY_CLIENT")
        if self.offline and request["url"].startswith(("http:", "https:")):
            return self._fail(page, session, event, "net::ERR_INTERNET_DISCONNECTED")
        extra = self._extra_headers(page, request["url"], document=resource_kind(event) == "Document")
        extra = merge_headers(self.own_headers, merge_headers(self.general_headers, extra))
        if not any(name.lower() == "authorization" for name in (*extra, *request["headers"])):
            if (credentials := self._challenges.headers(request["url"])) is None:
                return None
            extra = {**credentials, **extra}
        if extra:
            return "interceptWithRequest", {"headers": merge_headers(request["headers"], extra)}
        return "interceptContinue", _REQUEST

    def _fail(self, page: Target, session: ProtocolSession, event: dict[str, Any], error: str) -> Decision:
        self._note(session, event, error)
        if _is_top(page, session, event):
            navigations = cast("LoadedPage", page).navigations
            navigations.record_failure(navigations.begin(event["loaderId"], event["request"]["url"]), error)
        # Images get no event of a request that was cancelled.
        return "interceptRequestWithError", {"errorType": "AccessControl"}

    def _note(self, session: ProtocolSession, event: dict[str, Any], error: str) -> None:
        self._reasons[session, event["requestId"]] = error
        while len(self._reasons) > _MAX_REMEMBERED:
            del self._reasons[next(iter(self._reasons))]

    # --- credentials ---

    @property
    def login(self) -> HttpCredentials | None:
        return self._challenges.login

    @login.setter
    def login(self, login: HttpCredentials | None) -> None:
        self._challenges.set_login(login)

    # --- redirects, and other requests that are not held back ---

    def count(self, refusal: DomainRefusal) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._unreported.pop(refusal, 0.0) > _SAME_SECONDS:  # else it is the request of that connection
            super().count(refusal)
        self._counted[refusal] = now
        while len(self._counted) > _MAX_REMEMBERED:
            del self._counted[next(iter(self._counted))]

    def count_connection(self, refusal: DomainRefusal) -> None:
        """The gateway has refused a connection: of a request that was counted a moment ago, or of one that nothing else
        has reported."""
        now = asyncio.get_running_loop().time()
        if now - self._counted.get(refusal, 0.0) > _SAME_SECONDS:
            self.count(refusal)
            self._unreported[refusal] = now
            while len(self._unreported) > _MAX_REMEMBERED:
                del self._unreported[next(iter(self._unreported))]

    def _refuse_redirect(
        self, page: Target, session: ProtocolSession, event: dict[str, Any], refusal: DomainRefusal
    ) -> None:
        """A request is redirected to a host that the gateway refuses."""
        self.count(refusal)
        self._note(session, event, "net::ERR_BLOCKED_BY_CLIENT")
        if _is_top(page, session, event):
            page.navigations.refuse(event["loaderId"], event["request"]["url"], refusal)
            cast("LoadedPage", page).navigator.stop_loading()


class WebKitConditions(RequestConditions):
    """The use of the cache, for every target; the interception adds the headers of every request, as WebKit has no
    command that removes one, and fails all requests while the session is offline. WebKit can't be slowed down."""

    def __init__(self, interception: WebKitInterception, *, cache: bool = True) -> None:
        super().__init__(() if cache else [("Network.setResourceCachingDisabled", {"disabled": True})])
        self._interception = interception

    async def set_offline(self, offline: bool) -> None:
        self.offline = self._interception.offline = offline
        await self._interception.apply()

    async def apply_headers(self) -> None:
        await self._interception.apply()

    async def set_languages(self, languages: str | None) -> None:
        """Set `Accept-Language` of every request; None leaves it to the browser. The user's headers win."""
        self._interception.own_headers = {} if languages is None else {"Accept-Language": languages}
        await self._interception.apply()


def _is_top(page: Target, session: ProtocolSession, event: dict[str, Any]) -> bool:
    """Whether a request is that of a top document."""
    if resource_kind(event) != "Document" or "loaderId" not in event:
        return False
    if session is not page.channel.session:
        return True  # a process that is to take the page over has loaded nothing else
    top = cast("LoadedPage", page).frame_tree.top.id
    return top in ("", event.get("frameId"))


def _send(session: ProtocolSession, event: dict[str, Any], decision: Decision) -> None:
    method, params = decision
    session.send(f"Network.{method}", {"requestId": event["requestId"], **params})


def _interception(pattern: str) -> dict[str, Any]:
    return {"url": pattern, "stage": "request", "caseSensitive": False, "isRegex": True}


def _mock_response(reply: MockResponse, request: dict[str, Any], *, is_document: bool) -> dict[str, Any]:
    """The parameters that answer a request with a mock response, which the page can read from any origin."""
    headers = merge_headers(dict(allow_origin_headers(request)), dict(reply.fields))
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), "text/plain")
    mime = content_type.partition(";")[0].strip()
    body = reply.body
    is_decoded = is_document or mime.startswith(_DECODED_TYPES)
    if is_decoded and not body.isascii() and not body.startswith(_UTF8_MARK):
        body = _UTF8_MARK + body  # the encoding can't be told in another way
    return _response(reply.status, mime, headers, body)


def _response(status: int, mime: str, headers: dict[str, str], body: bytes) -> dict[str, Any]:
    return {
        "content": base64.b64encode(body).decode(),
        "base64Encoded": True,
        "mimeType": mime,
        "status": status,
        "statusText": "",
        "headers": headers,
    }
