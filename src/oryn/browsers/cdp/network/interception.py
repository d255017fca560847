"""Request interception: holds requests back, carries the decisions about them out, and answers HTTP authentication.

The only owner of the Fetch domain. It is enabled only while something needs it, for no more URLs than needed, and each
paused request is decided at once, in the event's own callback, without waiting. If Oryn disconnects or dies, the
browser releases the paused requests.
https://chromedevtools.github.io/devtools-protocol/tot/Fetch/"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import (
    HeldRequest,
    HttpCredentials,
    InterceptionRule,
    MockResponse,
    RequestFailure,
)
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
from oryn.browsers.cdp.network.log import request_body
from oryn.core.json_edit import edited
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.feature import InterceptedPage
    from oryn.browsers.cdp.network.client_certificate import ClientCertificateHandler
    from oryn.browsers.common.protocol_session import Answer
    from oryn.core.urls import DomainRefusal

_EVERYTHING = {"urlPattern": "*"}
_RESOURCE_TYPES = {
    "fetch": ("XHR", "Fetch", "EventSource"),
    "other": ("Other", "Ping", "CSPViolationReport"),
}
"""By kind of a rule: https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ResourceType; others are the
capitalized kind. The browser accepts no more types here, and reports preflights as XHR and manifests as Other."""
_HEADERS_OF_BODY = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers of a response that are not true of a changed body."""
_FAILURES = frozenset(
    {
        *("Failed", "TimedOut", "AccessDenied", "ConnectionClosed", "ConnectionReset", "ConnectionRefused"),
        *("ConnectionAborted", "ConnectionFailed", "NameNotResolved", "InternetDisconnected", "AddressUnreachable"),
        *("BlockedByClient", "BlockedByResponse"),
    }
)
"""The failures that a request may be given, but for that of one that is given up.
https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ErrorReason"""
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
        self._editing: set[asyncio.Task[None]] = set()
        self._enabled: set[CdpSession] = set()
        self._without_workers: set[CdpSession] = set()
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
        self._without_workers.discard(session)

    def _listen(self, page: InterceptedPage, session: CdpSession) -> None:
        session.on("Fetch.requestPaused", lambda event: self._on_paused(page, session, event))
        session.on("Fetch.authRequired", lambda event: self._on_challenged(session, event))

    def _apply(self, page: InterceptedPage, session: CdpSession) -> asyncio.Future[Answer] | None:
        self._bypass_service_workers(session)
        patterns = list(self._patterns(page))
        if patterns:
            self._enabled.add(session)
            return session.send("Fetch.enable", {"patterns": patterns, "handleAuthRequests": self._authenticates})
        if session not in self._enabled:
            return None
        self._enabled.discard(session)
        return session.send("Fetch.disable")

    def _bypass_service_workers(self, session: CdpSession) -> None:
        """While there is a responder, let no service worker answer requests: those that it sends itself are not held
        back."""
        if (self.responder is not None) != (session in self._without_workers):
            session.send("Network.setBypassServiceWorker", {"bypass": self.responder is not None})
            self._without_workers ^= {session}

    @property
    def _authenticates(self) -> bool:
        return self.login is not None or self._proxy_login is not None

    def _patterns(self, page: InterceptedPage) -> Iterator[dict[str, Any]]:
        if self.domains or self._authenticates or self.responder is not None:
            yield _EVERYTHING  # the browser reports HTTP authentication only for requests that it has paused
            return
        if self.files is not None:
            yield {"urlPattern": "file:*"}
        for pattern in self._certificates.patterns if self._certificates else ():
            yield {"urlPattern": pattern}
        for rule, _ in self._rules.values():
            if rule.acts:
                yield from _rule_patterns(rule)
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
        rule = self.rule_for(url, event["resourceType"].lower())
        if rule is None or is_preflight(event["request"]):
            self._carry_out(page, session, event, rule)
        elif rule.edit is not None and "responseStatusCode" in event:
            self._start_edit(session, event, rule.edit)
        elif rule.delay and not _is_answered(event):
            asyncio.get_running_loop().call_later(rule.delay, self._carry_out, page, session, event, rule)
        else:
            self._carry_out(page, session, event, rule)

    def _carry_out(
        self, page: InterceptedPage, session: CdpSession, event: dict[str, Any], rule: InterceptionRule | None
    ) -> None:
        """End the pause of a request as its rule says."""
        if session.ended is not None:
            return
        if not _is_answered(event) and self._answer_here(session, event, rule):
            return
        if self._certificates and self._certificates.is_for(event["request"]["url"]) and not _prevents_request(rule):
            headers = merge_headers(event["request"]["headers"], self._added_headers(page, event))
            self._certificates.start(page, session, event, headers)
            return
        method, params = self._decide(page, event, rule)
        session.send(f"Fetch.{method}", {"requestId": event["requestId"], **params})

    def _decide(
        self, page: InterceptedPage, event: dict[str, Any], rule: InterceptionRule | None
    ) -> tuple[str, dict[str, Any]]:
        """The command that ends the pause of a request, and its parameters."""
        request = event["request"]
        if rule is not None and rule.reply is not None:
            return "fulfillRequest", _mock_response(rule.reply, request)
        if rule is not None and rule.block:
            return "failRequest", {"errorReason": "BlockedByClient"}
        if _is_answered(event) and not is_preflight(request):
            return "continueResponse", {}
        extra = self._added_headers(page, event)
        if rule is not None and rule.edit is not None and not is_preflight(request):
            merged = merge_headers(request["headers"], extra)
            changed = {"headers": _header_entries(merged.items())} if extra else {}
            return "continueRequest", {**changed, "interceptResponse": True}
        if not extra:
            return "continueRequest", {}
        if is_preflight(request):
            return _decide_preflight(event, [*extra, *self.general_headers])
        return "continueRequest", {"headers": _header_entries(merge_headers(request["headers"], extra).items())}

    def _answer_here(self, session: CdpSession, event: dict[str, Any], rule: InterceptionRule | None) -> bool:
        """Let the responder answer a request, if it covers it and the rule lets it go on. Returns whether it has."""
        request = event["request"]
        if self.responder is None or _prevents_request(rule) or not self.responder.covers(request["url"]):
            return False
        pause = {"requestId": event["requestId"]}
        if is_preflight(request):
            session.send("Fetch.fulfillRequest", {**pause, **_mock_response(MockResponse(), request)})
            return True
        answer = self.responder.answer(HeldRequest(request["method"], request["url"], request_body(request)))
        if isinstance(answer, MockResponse):
            if rule is not None and rule.edit is not None:
                answer = self._edit_response(answer, event, rule.edit)
            session.send("Fetch.fulfillRequest", {**pause, **_mock_response(answer, request)})
        elif answer.error is not None:
            session.send("Fetch.failRequest", {**pause, "errorReason": _failure_reason(answer)})
        return True

    def _edit_response(self, response: MockResponse, event: dict[str, Any], edit: Mapping[str, Any]) -> MockResponse:
        try:
            return replace(response, body=_edited_body(response.fields, response.body, edit))
        except _NotEdited as error:
            self._note_unedited(event.get("networkId", ""), str(error))
            return response

    def _start_edit(self, session: CdpSession, event: dict[str, Any], edit: Mapping[str, Any]) -> None:
        task = asyncio.create_task(self._edit(session, event, edit))
        self._editing.add(task)
        task.add_done_callback(self._editing.discard)

    async def _edit(self, session: CdpSession, event: dict[str, Any], edit: Mapping[str, Any]) -> None:
        """Answer a request with the server's response as `edit` changes it; without a change if it is no JSON."""
        pause = {"requestId": event["requestId"]}
        fields = [(field["name"], field["value"]) for field in event.get("responseHeaders", ())]
        try:
            _require_json(fields)
            answer = await session.call("Fetch.getResponseBody", pause)
            body = base64.b64decode(answer["body"]) if answer["base64Encoded"] else answer["body"].encode()
            content = _edited_body(fields, body, edit)
        except OrynError:  # a redirect has no body, or the page is gone
            session.send("Fetch.continueResponse", pause)
            return
        except _NotEdited as error:
            self._note_unedited(event.get("networkId", ""), str(error))
            session.send("Fetch.continueResponse", pause)
            return
        changed = [field for field in fields if field[0].lower() not in _HEADERS_OF_BODY]
        params = {"responseCode": event["responseStatusCode"], "responseHeaders": _header_entries(changed)}
        session.send("Fetch.fulfillRequest", {**pause, **params, "body": base64.b64encode(content).decode()})

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


def _is_answered(event: dict[str, Any]) -> bool:
    """Whether a request is paused because its response has come."""
    return "responseStatusCode" in event or "responseErrorReason" in event


class _NotEdited(Exception):
    """Why a response can't be changed."""


def _require_json(fields: Iterable[tuple[str, str]]) -> None:
    media = next((value for name, value in fields if name.lower() == "content-type"), "").partition(";")[0].strip()
    if not media.lower().endswith(("/json", "+json")):
        raise _NotEdited("the answer is no JSON")


def _edited_body(fields: Iterable[tuple[str, str]], body: bytes, edit: Mapping[str, Any]) -> bytes:
    """The body of a response as `edit` changes it. Raises `_NotEdited`."""
    _require_json(fields)
    try:
        return json.dumps(edited(json.loads(body), edit), ensure_ascii=False).encode()
    except LookupError as error:
        raise _NotEdited(str(error.args[0])) from error
    except (ValueError, RecursionError) as error:
        raise _NotEdited("the answer is no JSON") from error


def _failure_reason(failure: RequestFailure) -> str:
    """The name of a failure in the protocol: `NameNotResolved` for `net::ERR_NAME_NOT_RESOLVED`."""
    words = (failure.error or "").removeprefix("net::ERR_").split("_")
    reason = "".join(word.capitalize() for word in words)
    return reason if reason in _FAILURES else "Failed"


def _rule_patterns(rule: InterceptionRule) -> Iterator[dict[str, Any]]:
    pattern = {"urlPattern": _fetch_pattern(rule.pattern)}
    if rule.kind is None:
        yield pattern
        return
    for resource_type in _RESOURCE_TYPES.get(rule.kind, (rule.kind.capitalize(),)):
        yield {**pattern, "resourceType": resource_type}


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
