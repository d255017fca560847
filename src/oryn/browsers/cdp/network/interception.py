"""Request interception: holds requests back, carries the decisions about them out, and answers HTTP authentication.

The only owner of the Fetch domain. It is enabled only while something needs it, for no more URLs than needed, and each
paused request is decided at once, in the event's own callback, without waiting. If Oryn disconnects or dies, the
browser releases the paused requests.
https://chromedevtools.github.io/devtools-protocol/tot/Fetch/"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import HttpCredentials, InterceptionRule, MockResponse
from oryn.browsers.cdp.network.decisions import RequestDecisions
from oryn.browsers.cdp.network.headers import (
    add_allowed_headers,
    allow_origin_headers,
    allow_preflight_headers,
    fetch_patterns,
    is_preflight,
    merge_headers,
    requests_any,
    requests_only,
)

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import InterceptedPage
    from oryn.browsers.cdp.network.client_certificate import ClientCertificateHandler
    from oryn.browsers.common.protocol_session import Answer
    from oryn.core.urls import DomainRefusal

_EVERYTHING = {"urlPattern": "*"}
_MAX_CHALLENGES = 1000


class RequestInterception(RequestDecisions["CdpSession"]):
    """Decides on paused requests. After changing an attribute or a rule, call `apply`.

    proxy_login: the credentials for the proxy.
    certificates: answers requests to servers that require a client certificate."""

    def __init__(
        self, proxy_login: HttpCredentials | None = None, certificates: ClientCertificateHandler | None = None
    ) -> None:
        super().__init__()
        self._proxy_login = proxy_login
        self._certificates = certificates
        self._enabled: set[CdpSession] = set()
        self._answered_challenges: dict[tuple[str, str], None] = {}
        """Requests that were answered with credentials before."""

    def _refuse(
        self, page: InterceptedPage, session: CdpSession, event: dict[str, Any], refusal: DomainRefusal
    ) -> None:
        self.count(refusal)
        reason = "BlockedByClient"
        if event["resourceType"] == "Document" and event["frameId"] == page.target_id:
            reason = "Aborted"  # any other reason would replace the present page with an error page
            page.navigations.refuse(event.get("networkId", ""), event["request"]["url"], refusal)
        session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason})

    # --- targets ---

    def detach(self, page: InterceptedPage, session: CdpSession) -> None:
        super().detach(page, session)
        self._enabled.discard(session)

    def _listen(self, page: InterceptedPage, session: CdpSession) -> None:
        session.on("Fetch.requestPaused", lambda event: self._on_paused(page, session, event))
        session.on("Fetch.authRequired", lambda event: self._on_challenged(session, event))

    def _apply(self, page: InterceptedPage, session: CdpSession) -> asyncio.Future[Answer] | None:
        patterns = list(self._patterns(page))
        if patterns:
            self._enabled.add(session)
            return session.send("Fetch.enable", {"patterns": patterns, "handleAuthRequests": self._authenticates})
        if session not in self._enabled:
            return None
        self._enabled.discard(session)
        return session.send("Fetch.disable")

    @property
    def _authenticates(self) -> bool:
        return self.login is not None or self._proxy_login is not None

    def _patterns(self, page: InterceptedPage) -> Iterator[dict[str, Any]]:
        if self.domains or self._authenticates:
            yield _EVERYTHING  # the browser reports HTTP authentication only for requests that it has paused
            return
        if self.files is not None:
            yield {"urlPattern": "file:*"}
        for pattern in self._certificates.patterns if self._certificates else ():
            yield {"urlPattern": pattern}
        for rule, _ in self._rules.values():
            if rule.block or rule.reply:
                yield {"urlPattern": _fetch_pattern(rule.pattern)}
        for domain in self.domain_headers:
            yield from ({"urlPattern": pattern} for pattern in fetch_patterns(domain))
        if page in self._navigations:
            yield {**_EVERYTHING, "resourceType": "Document"}

    # --- paused requests ---

    def _on_paused(self, page: InterceptedPage, session: CdpSession, event: dict[str, Any]) -> None:
        url = event["request"]["url"]
        if refusal := self.refusal(url):
            self._refuse(page, session, event, refusal)
            return
        if self._certificates and self._certificates.is_for(url) and not _prevents_request(self.rule_for(url)):
            headers = merge_headers(event["request"]["headers"], self._added_headers(page, event))
            self._certificates.start(page, session, event, headers)
            return
        method, params = self._decide(page, event)
        session.send(f"Fetch.{method}", {"requestId": event["requestId"], **params})

    def _decide(self, page: InterceptedPage, event: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The command that ends the pause of a request, and its parameters."""
        request = event["request"]
        rule = self.rule_for(request["url"])
        if rule is not None and rule.reply is not None:
            return "fulfillRequest", _mock_response(rule.reply, request)
        if rule is not None and rule.block:
            return "failRequest", {"errorReason": "BlockedByClient"}
        extra = self._added_headers(page, event)
        if not extra:
            return "continueRequest", {}
        if is_preflight(request):
            return _decide_preflight(event, [*extra, *self.general_headers])
        return "continueRequest", {"headers": _header_entries(merge_headers(request["headers"], extra).items())}

    def _added_headers(self, page: InterceptedPage, event: dict[str, Any]) -> dict[str, str]:
        return self._extra_headers(page, event["request"]["url"], document=event["resourceType"] == "Document")

    def _on_challenged(self, session: CdpSession, event: dict[str, Any]) -> None:
        source = event["authChallenge"].get("source", "Server")
        login = self._proxy_login if source == "Proxy" else self.login
        key = (event["requestId"], source)
        if login is None:
            answer: dict[str, str] = {"response": "Default"}
        elif key in self._answered_challenges or (
            login.origins and event["authChallenge"]["origin"].lower() not in login.origins
        ):
            # The server has refused the credentials, or they are for another server: the page gets its response.
            answer = {"response": "CancelAuth"}
        else:
            answer = {"response": "ProvideCredentials", "username": login.user, "password": login.password}
            self._answered_challenges[key] = None
            if len(self._answered_challenges) > _MAX_CHALLENGES:
                del self._answered_challenges[next(iter(self._answered_challenges))]
        session.send("Fetch.continueWithAuth", {"requestId": event["requestId"], "authChallengeResponse": answer})


def _prevents_request(rule: InterceptionRule | None) -> bool:
    """Whether a rule keeps requests from reaching their server."""
    return rule is not None and (rule.block or rule.reply is not None)


def _fetch_pattern(pattern: str) -> str:
    """A pattern of the Intent Language as one of the Fetch domain, where `?` is a wildcard and `\\` escapes."""
    escaped = pattern.replace("\\", "\\\\").replace("?", "\\?")
    return escaped if "*" in pattern else f"*{escaped}*"


def _header_entries(fields: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in fields]


def _mock_response(reply: MockResponse, request: dict[str, Any]) -> dict[str, Any]:
    """The parameters that answer a request with a mock response, which the page can read from any origin."""
    if is_preflight(request):
        return {"responseCode": 204, "responseHeaders": _header_entries(allow_preflight_headers(request))}
    names = {name.lower() for name, _ in reply.fields}
    fields = [
        *reply.fields,
        *(field for field in allow_origin_headers(request) if field[0].lower() not in names),
    ]
    body = base64.b64encode(reply.body).decode()
    return {"responseCode": reply.status, "responseHeaders": _header_entries(fields), "body": body}


def _decide_preflight(event: dict[str, Any], added: list[str]) -> tuple[str, dict[str, Any]]:
    """The command for a preflight. It must not ask the server to allow our headers, which the page has not set."""
    request = event["request"]
    if "responseStatusCode" in event or "responseErrorReason" in event:
        received = [(field["name"], field["value"]) for field in event.get("responseHeaders", ())]
        if "responseErrorReason" in event:
            return "continueRequest", {}
        return "continueResponse", {
            "responseCode": event["responseStatusCode"],
            "responseHeaders": _header_entries(add_allowed_headers(received, added)),
        }
    if not requests_any(request, added):
        return "continueRequest", {}
    if requests_only(request, added):
        return "fulfillRequest", {
            "responseCode": 204,
            "responseHeaders": _header_entries(allow_preflight_headers(request)),
        }
    return "continueRequest", {"interceptResponse": True}
