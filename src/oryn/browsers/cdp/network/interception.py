"""Request interception: mock and block rules, headers of some requests, HTTP authentication, the domain policy.

The only owner of the Fetch domain. It is enabled only while something needs it, for no more URLs than needed, and each
paused request is decided at once, in the event's own callback, without waiting. If Oryn disconnects or dies, the
browser releases the paused requests.
https://chromedevtools.github.io/devtools-protocol/tot/Fetch/"""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import HttpCredentials, InterceptionRule, MockResponse
from oryn.browsers.cdp.feature import TargetFeature
from oryn.browsers.cdp.network.conditions import wait_acknowledged
from oryn.browsers.cdp.network.headers import (
    Origin,
    add_allowed_headers,
    allow_origin_headers,
    allow_preflight_headers,
    fetch_patterns,
    is_preflight,
    merge_headers,
    origin_of,
    requests_any,
    requests_only,
)
from oryn.core.urls import DomainRefusal, matches_domain, url_pattern

if TYPE_CHECKING:
    from re import Pattern

    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import InterceptedPage
    from oryn.browsers.cdp.network.client_certificate import ClientCertificateHandler
    from oryn.browsers.common.protocol_session import Answer
    from oryn.core.urls import DomainPolicy

_EVERYTHING = {"urlPattern": "*"}
_MAX_CHALLENGES = 1000
_MAX_URL_CHARACTERS = 200
_MAX_REFUSALS = 100
"""The number of refused hosts that are counted, because a page may invent any number."""


class RequestInterception(TargetFeature):
    """Decides on paused requests. After changing an attribute or a rule, call `apply`.

    proxy_login: the credentials for the proxy.
    certificates: answers requests to servers that require a client certificate."""

    def __init__(
        self, proxy_login: HttpCredentials | None = None, certificates: ClientCertificateHandler | None = None
    ) -> None:
        self.domains: DomainPolicy | None = None
        """The hosts that requests may go to. Must be set before the first target, to apply to its first request."""
        self.files: Callable[[str], bool] | None = None
        """Returns whether the file of a URL may be loaded; None allows all files."""
        self._refusals: Counter[DomainRefusal] = Counter()
        self.domain_headers: dict[str, dict[str, str]] = {}
        self.general_headers: dict[str, str] = {}
        """Headers that the browser itself adds to every request. If we change a request, its preflight names them."""
        self.login: HttpCredentials | None = None
        self._proxy_login = proxy_login
        self._certificates = certificates
        self._rules: dict[str, tuple[InterceptionRule, Pattern[str]]] = {}
        self._navigations: dict[InterceptedPage, tuple[Origin, dict[str, str]]] = {}
        self._targets: dict[CdpSession, InterceptedPage] = {}
        self._enabled: set[CdpSession] = set()
        self._answered_challenges: dict[tuple[str, str], None] = {}
        """Requests that were answered with credentials before."""

    # --- rules ---

    @property
    def rules(self) -> list[InterceptionRule]:
        return [rule for rule, _ in self._rules.values()]

    def add_rule(self, rule: InterceptionRule) -> None:
        self._rules.pop(rule.pattern, None)  # so that it is the last
        self._rules[rule.pattern] = rule, url_pattern(rule.pattern)

    def drop_rules(self, pattern: str | None) -> int:
        """Remove the rule with this pattern, or all of them. Returns the number of removed rules."""
        removed = list(self._rules) if pattern is None else [pattern] if pattern in self._rules else []
        for each in removed:
            del self._rules[each]
        return len(removed)

    def rule_for(self, url: str) -> InterceptionRule | None:
        """The rule that was added last of those that match a URL, or None."""
        return next((rule for rule, matcher in reversed(self._rules.values()) if matcher.search(url)), None)

    # --- the domain policy ---

    def take_refusals(self) -> Mapping[DomainRefusal, int]:
        """The number of refused requests since the last call, by refusal."""
        refusals, self._refusals = self._refusals, Counter()
        return refusals

    def _refuse(
        self, page: InterceptedPage, session: CdpSession, event: dict[str, Any], refusal: DomainRefusal
    ) -> None:
        if refusal in self._refusals or len(self._refusals) < _MAX_REFUSALS:
            self._refusals[refusal] += 1
        reason = "BlockedByClient"
        if event["resourceType"] == "Document" and event["frameId"] == page.target_id:
            reason = "Aborted"  # any other reason would replace the present page with an error page
            page.navigations.refuse(event.get("networkId", ""), event["request"]["url"], refusal)
        session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason})

    # --- headers of one navigation ---

    @asynccontextmanager
    async def navigation_headers(self, page: InterceptedPage, url: str, headers: dict[str, str]) -> AsyncIterator[None]:
        """Add `headers` to requests of `page` for documents from the origin of `url`, for the time of the block.

        Requests for subresources and requests to other hosts do not get them."""
        self._navigations[page] = origin_of(url), headers
        self._send_patterns(page)
        try:
            yield
        finally:
            del self._navigations[page]
            self._send_patterns(page)

    # --- targets ---

    def attach(self, page: InterceptedPage, session: CdpSession) -> None:
        for ended in [each for each in self._targets if each.ended is not None]:
            self.detach(self._targets[ended], ended)  # the targets of a crashed browser are not detached
        self._targets[session] = page
        session.on("Fetch.requestPaused", lambda event: self._on_paused(page, session, event))
        session.on("Fetch.authRequired", lambda event: self._on_challenged(session, event))
        self._apply(page, session)

    def detach(self, page: InterceptedPage, session: CdpSession) -> None:
        self._targets.pop(session, None)
        self._enabled.discard(session)

    async def apply(self) -> None:
        """Send changes to every target, and wait until the targets acknowledge them."""
        await wait_acknowledged(self._send_patterns())

    def _send_patterns(self, only: InterceptedPage | None = None) -> list[asyncio.Future[Answer]]:
        """Send the patterns to all targets, or to those of one page. Returns the answers."""
        chosen = [(page, session) for session, page in self._targets.items() if only is None or page is only]
        return [answer for page, session in chosen if (answer := self._apply(page, session))]

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
        if self.domains and (refusal := self.domains.refusal(url)):
            self._refuse(page, session, event, refusal)
            return
        if self.files is not None and url[:5].lower() == "file:" and not self.files(url):
            self._refuse(page, session, event, DomainRefusal(url[:_MAX_URL_CHARACTERS], "files_root"))
            return
        if self._certificates and self._certificates.is_for(url) and not _prevents_request(self.rule_for(url)):
            headers = merge_headers(event["request"]["headers"], self._extra_headers(page, event))
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
        extra = self._extra_headers(page, event)
        if not extra:
            return "continueRequest", {}
        if is_preflight(request):
            return _decide_preflight(event, [*extra, *self.general_headers])
        return "continueRequest", {"headers": _header_entries(merge_headers(request["headers"], extra).items())}

    def _extra_headers(self, page: InterceptedPage, event: dict[str, Any]) -> dict[str, str]:
        url = event["request"]["url"]
        extra = [headers for domain, headers in self.domain_headers.items() if matches_domain(domain, url)]
        origin, headers = self._navigations.get(page, (None, {}))
        if event["resourceType"] == "Document" and origin_of(url) == origin:
            extra.append(headers)
        return merge_headers({}, *extra)

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
