"""Stopping requests on their way out: rules, headers of some requests, HTTP authentication.

The one owner of the Fetch domain. It is enabled only while something needs it, for no more URLs than need it, and each
request that is stopped is decided on at once, in the event's own callback: nothing is waited for while it stands. When
we hang up or die, the browser lets go of what it has stopped.
https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
"""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import Login, Reply, Rule
from oryn.browsers.base.patterns import url_pattern
from oryn.browsers.cdp.features import Feature
from oryn.browsers.cdp.traffic import cors
from oryn.browsers.cdp.traffic import headers as extra
from oryn.browsers.cdp.traffic.conditions import heard
from oryn.domains import Refusal

if TYPE_CHECKING:
    from re import Pattern

    from oryn.browsers.cdp.connection import Answer, Session
    from oryn.browsers.cdp.page import CdpPage
    from oryn.browsers.cdp.traffic.presenting import Presenting
    from oryn.domains import Domains

_EVERYTHING = {"urlPattern": "*"}
_MOST_ASKED = 1000
_LONGEST_SHOWN = 200
_MOST_REFUSED = 100
"""Hosts that are told apart: a page may make up as many as it likes."""


class Interception(Feature):
    """What is decided on while a request stands still. Change it, then `apply`."""

    def __init__(self, proxy_login: Login | None = None, presenting: Presenting | None = None) -> None:
        self.domains: Domains | None = None
        """Where requests may go; set before there is a target, for the first request of all counts too."""
        self.files: Callable[[str], bool] | None = None
        """Whether the file of a URL may be loaded; without it, each."""
        self._refused: Counter[Refusal] = Counter()
        self.domain_headers: dict[str, dict[str, str]] = {}
        self.everywhere: dict[str, str] = {}
        """Headers that the browser itself adds to every request. Once a request is changed, it asks leave for them."""
        self.login: Login | None = None
        self._proxy_login = proxy_login
        self._presenting = presenting
        self._rules: dict[str, tuple[Rule, Pattern[str]]] = {}
        self._navigations: dict[CdpPage, tuple[extra.Origin, dict[str, str]]] = {}
        self._targets: dict[Session, CdpPage] = {}
        self._enabled: set[Session] = set()
        self._asked: dict[tuple[str, str], None] = {}
        """Requests that were answered with a login before."""

    # --- rules ---

    @property
    def rules(self) -> list[Rule]:
        return [rule for rule, _ in self._rules.values()]

    def add_rule(self, rule: Rule) -> None:
        self._rules.pop(rule.pattern, None)  # so that it is the last
        self._rules[rule.pattern] = rule, url_pattern(rule.pattern)

    def drop_rules(self, pattern: str | None) -> int:
        gone = list(self._rules) if pattern is None else [pattern] if pattern in self._rules else []
        for each in gone:
            del self._rules[each]
        return len(gone)

    def rule_for(self, url: str) -> Rule | None:
        """The last rule that fits a URL, the last given first."""
        return next((rule for rule, fits in reversed(self._rules.values()) if fits.search(url)), None)

    # --- where requests may go ---

    def refused(self) -> Mapping[Refusal, int]:
        """How many requests were refused since this was last asked."""
        told, self._refused = self._refused, Counter()
        return told

    def _refuse(self, page: CdpPage, session: Session, event: dict[str, Any], refusal: Refusal) -> None:
        if refusal in self._refused or len(self._refused) < _MOST_REFUSED:
            self._refused[refusal] += 1
        reason = "BlockedByClient"
        if event["resourceType"] == "Document" and event["frameId"] == page.frame_tree.top.id:
            reason = "Aborted"  # with any other, a page of the browser's own would take the place of the present one
            page.navigations.refuse(event.get("networkId", ""), event["request"]["url"], refusal)
        session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason})

    # --- headers of one navigation ---

    @asynccontextmanager
    async def during(self, page: CdpPage, url: str, headers: dict[str, str]) -> AsyncIterator[None]:
        """While the block runs, requests of documents of `page` from the origin of `url` carry `headers`, and no
        other: not those of subresources, not those to another host."""
        self._navigations[page] = extra.origin_of(url), headers
        self._tell(page)
        try:
            yield
        finally:
            del self._navigations[page]
            self._tell(page)

    # --- the targets ---

    def attach(self, page: CdpPage, session: Session) -> None:
        for ended in [each for each in self._targets if each.ended is not None]:
            self.detach(self._targets[ended], ended)  # a browser that has crashed detaches nothing
        self._targets[session] = page
        session.on("Fetch.requestPaused", lambda event: self._paused(page, session, event))
        session.on("Fetch.authRequired", lambda event: self._challenged(session, event))
        self._apply(page, session)

    def detach(self, page: CdpPage, session: Session) -> None:
        self._targets.pop(session, None)
        self._enabled.discard(session)

    async def apply(self) -> None:
        """Tell every target what has changed, and wait until they have heard it."""
        await heard(self._tell())

    def _tell(self, only: CdpPage | None = None) -> list[asyncio.Future[Answer]]:
        """All targets, or those of one page."""
        chosen = [(page, session) for session, page in self._targets.items() if only is None or page is only]
        return [answer for page, session in chosen if (answer := self._apply(page, session))]

    def _apply(self, page: CdpPage, session: Session) -> asyncio.Future[Answer] | None:
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

    def _patterns(self, page: CdpPage) -> Iterator[dict[str, Any]]:
        if self.domains or self._authenticates:
            yield _EVERYTHING  # the browser asks for a login only for requests that it has stopped before
            return
        if self.files is not None:
            yield {"urlPattern": "file:*"}
        for pattern in self._presenting.patterns if self._presenting else ():
            yield {"urlPattern": pattern}
        for rule, _ in self._rules.values():
            if rule.block or rule.reply:
                yield {"urlPattern": _fetch_pattern(rule.pattern)}
        for domain in self.domain_headers:
            yield from ({"urlPattern": pattern} for pattern in extra.url_patterns(domain))
        if page in self._navigations:
            yield {**_EVERYTHING, "resourceType": "Document"}

    # --- a request stands still ---

    def _paused(self, page: CdpPage, session: Session, event: dict[str, Any]) -> None:
        url = event["request"]["url"]
        if self.domains and (refusal := self.domains.refusal(url)):
            self._refuse(page, session, event, refusal)
            return
        if self.files is not None and url[:5].lower() == "file:" and not self.files(url):
            self._refuse(page, session, event, Refusal(url[:_LONGEST_SHOWN], "files_root"))
            return
        if self._presenting and self._presenting.is_for(url) and not _answers(self.rule_for(url)):
            headers = extra.merged(event["request"]["headers"], self._wanted_headers(page, event))
            self._presenting.begin(page, session, event, headers)
            return
        method, params = self._decided(page, event)
        session.send(f"Fetch.{method}", {"requestId": event["requestId"], **params})

    def _decided(self, page: CdpPage, event: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The command that lets a request go, and its parameters."""
        request = event["request"]
        rule = self.rule_for(request["url"])
        if rule is not None and rule.reply is not None:
            return "fulfillRequest", _answer(rule.reply, request)
        if rule is not None and rule.block:
            return "failRequest", {"errorReason": "BlockedByClient"}
        wanted = self._wanted_headers(page, event)
        if not wanted:
            return "continueRequest", {}
        if cors.is_preflight(request):
            return _preflight(event, [*wanted, *self.everywhere])
        return "continueRequest", {"headers": _entries(extra.merged(request["headers"], wanted).items())}

    def _wanted_headers(self, page: CdpPage, event: dict[str, Any]) -> dict[str, str]:
        url = event["request"]["url"]
        wanted = [headers for domain, headers in self.domain_headers.items() if extra.covers(domain, url)]
        origin, headers = self._navigations.get(page, (None, {}))
        if event["resourceType"] == "Document" and extra.origin_of(url) == origin:
            wanted.append(headers)
        return extra.merged({}, *wanted)

    def _challenged(self, session: Session, event: dict[str, Any]) -> None:
        source = event["authChallenge"].get("source", "Server")
        login = self._proxy_login if source == "Proxy" else self.login
        key = (event["requestId"], source)
        if login is None:
            answer: dict[str, str] = {"response": "Default"}
        elif key in self._asked or not _is_for(login, event["authChallenge"]["origin"]):
            # They were refused, or are not for this server: its answer is what the page gets.
            answer = {"response": "CancelAuth"}
        else:
            answer = {"response": "ProvideCredentials", "username": login.user, "password": login.password}
            self._asked[key] = None
            if len(self._asked) > _MOST_ASKED:
                del self._asked[next(iter(self._asked))]
        session.send("Fetch.continueWithAuth", {"requestId": event["requestId"], "authChallengeResponse": answer})


def _is_for(login: Login, origin: str) -> bool:
    return not login.origins or origin.lower() in login.origins


def _answers(rule: Rule | None) -> bool:
    """Whether a rule keeps requests from their server."""
    return rule is not None and (rule.block or rule.reply is not None)


def _fetch_pattern(pattern: str) -> str:
    """A pattern of the language as one of the Fetch domain, where `?` stands for a character and `\\` escapes."""
    escaped = pattern.replace("\\", "\\\\").replace("?", "\\?")
    return escaped if "*" in pattern else f"*{escaped}*"


def _entries(fields: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in fields]


def _answer(reply: Reply, request: dict[str, Any]) -> dict[str, Any]:
    """The answer as the page may read it from any origin."""
    if cors.is_preflight(request):
        return {"responseCode": 204, "responseHeaders": _entries(cors.granted(request))}
    given = {name.lower() for name, _ in reply.fields}
    fields = [*reply.fields, *(field for field in cors.readable(request) if field[0].lower() not in given)]
    body = base64.b64encode(reply.body).decode()
    return {"responseCode": reply.status, "responseHeaders": _entries(fields), "body": body}


def _preflight(event: dict[str, Any], ours: list[str]) -> tuple[str, dict[str, Any]]:
    """A server shall not be asked for leave of headers that the page has not set: it may know nothing of them."""
    request = event["request"]
    if "responseStatusCode" in event or "responseErrorReason" in event:
        told = [(field["name"], field["value"]) for field in event.get("responseHeaders", ())]
        if "responseErrorReason" in event:
            return "continueRequest", {}
        return "continueResponse", {
            "responseCode": event["responseStatusCode"],
            "responseHeaders": _entries(cors.with_ours(told, ours)),
        }
    if not cors.asks_for(request, ours):
        return "continueRequest", {}
    if cors.only_ours(request, ours):
        return "fulfillRequest", {"responseCode": 204, "responseHeaders": _entries(cors.granted(request))}
    return "continueRequest", {"interceptResponse": True}
