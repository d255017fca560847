"""Decides what becomes of the requests of a session: rules, headers of some requests, the domain policy, files.

The decisions are those of any protocol that holds requests back; subclasses hold them back and carry them out."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from oryn.browsers.base.network import HttpCredentials, InterceptionRule, Responder
from oryn.browsers.cdp.network.conditions import wait_acknowledged
from oryn.browsers.cdp.network.headers import Origin, merge_headers, origin_of
from oryn.browsers.common.protocol_session import ProtocolSession
from oryn.browsers.common.target_feature import InterceptedTarget, TargetFeature
from oryn.core.urls import DomainRefusal, matches_domain, url_pattern

if TYPE_CHECKING:
    from re import Pattern

    from oryn.browsers.common.protocol_session import Answer
    from oryn.core.urls import DomainPolicy

AnySession = TypeVar("AnySession", bound=ProtocolSession)
_MAX_URL_CHARACTERS = 200
_MAX_UNEDITED = 1000
_MAX_REFUSALS = 100
"""The number of refused hosts that are counted, because a page may invent any number."""


class RequestDecisions(TargetFeature[AnySession]):
    """What becomes of requests. After changing an attribute or a rule, call `apply`."""

    login: HttpCredentials | None
    edits_responses = True
    """Whether the browser lets us change responses."""
    unheld = ""
    """Which requests the browser does not hold back, if it is not each."""

    def __init__(self) -> None:
        self.domains: DomainPolicy | None = None
        """The hosts that requests may go to. Must be set before the first target, to apply to its first request."""
        self.files: Callable[[str], bool] | None = None
        """Returns whether the file of a URL may be loaded; None allows all files."""
        self._refusals: Counter[DomainRefusal] = Counter()
        self.domain_headers: dict[str, dict[str, str]] = {}
        self.general_headers: dict[str, str] = {}
        """Headers that the browser itself adds to every request. If we change a request, its preflight names them."""
        self.login = None
        self.responder: Responder | None = None
        """Answers requests that no rule blocks or answers."""
        self._rules: dict[tuple[str, str | None], tuple[InterceptionRule, Pattern[str]]] = {}
        self._unedited: dict[str, str] = {}
        self._navigations: dict[InterceptedTarget[AnySession], tuple[Origin, dict[str, str]]] = {}
        self._targets: dict[AnySession, InterceptedTarget[AnySession]] = {}

    # --- rules ---

    @property
    def rules(self) -> list[InterceptionRule]:
        return [rule for rule, _ in self._rules.values()]

    def add_rule(self, rule: InterceptionRule) -> None:
        key = rule.pattern, rule.kind
        self._rules.pop(key, None)  # so that it is the last
        self._rules[key] = rule, url_pattern(rule.pattern)

    def drop_rules(self, pattern: str | None) -> int:
        """Remove the rules with this pattern, or all of them. Returns the number of removed rules."""
        removed = [key for key in self._rules if pattern in (None, key[0])]
        for each in removed:
            del self._rules[each]
        return len(removed)

    def rule_for(self, url: str, kind: str) -> InterceptionRule | None:
        """The rule that was added last of those that match a URL and a kind of request, or None."""
        rules = reversed(self._rules.values())
        return next((rule for rule, matcher in rules if rule.is_for_kind(kind) and matcher.search(url)), None)

    def unedited(self, request_id: str) -> str:
        """Why the response to a request could not be changed, or an empty string."""
        return self._unedited.get(request_id, "")

    def _note_unedited(self, request_id: str, reason: str) -> None:
        self._unedited[request_id] = reason
        while len(self._unedited) > _MAX_UNEDITED:
            del self._unedited[next(iter(self._unedited))]

    # --- what is not allowed ---

    def refusal(self, url: str) -> DomainRefusal | None:
        """Why requests to a URL are not allowed, or None if they are."""
        if self.domains and (refusal := self.domains.refusal(url)):
            return refusal
        if self.files is not None and url[:5].lower() == "file:" and not self.files(url):
            return DomainRefusal(url[:_MAX_URL_CHARACTERS], "files_root")
        return None

    def count(self, refusal: DomainRefusal) -> None:
        """A request was refused."""
        if refusal in self._refusals or len(self._refusals) < _MAX_REFUSALS:
            self._refusals[refusal] += 1

    def take_refusals(self) -> Mapping[DomainRefusal, int]:
        """The number of refused requests since the last call, by refusal."""
        refusals, self._refusals = self._refusals, Counter()
        return refusals

    # --- headers ---

    @asynccontextmanager
    async def navigation_headers(
        self, page: InterceptedTarget[AnySession], url: str, headers: dict[str, str]
    ) -> AsyncIterator[None]:
        """Add `headers` to requests of `page` for documents from the origin of `url`, for the time of the block.

        Requests for subresources and requests to other hosts do not get them."""
        self._navigations[page] = origin_of(url), headers
        self._send_settings(page)
        try:
            yield
        finally:
            del self._navigations[page]
            self._send_settings(page)

    def _extra_headers(self, page: InterceptedTarget[AnySession], url: str, *, document: bool) -> dict[str, str]:
        """The headers that a request for a `document`, or for something else, gets."""
        extra = [headers for domain, headers in self.domain_headers.items() if matches_domain(domain, url)]
        origin, headers = self._navigations.get(page, (None, {}))
        if document and origin_of(url) == origin:
            extra.append(headers)
        return merge_headers({}, *extra)

    # --- targets ---

    def attach(self, page: InterceptedTarget[AnySession], session: AnySession) -> None:
        for ended in [each for each in self._targets if each.ended is not None]:
            self.detach(self._targets[ended], ended)  # the targets of a crashed browser are not detached
        self._targets[session] = page
        self._listen(page, session)
        self._apply(page, session)

    def detach(self, page: InterceptedTarget[AnySession], session: AnySession) -> None:
        self._targets.pop(session, None)

    async def apply(self) -> None:
        """Send changes to every target, and wait until the targets acknowledge them."""
        await wait_acknowledged(self._send_settings())

    def _send_settings(self, only: InterceptedTarget[AnySession] | None = None) -> list[asyncio.Future[Answer]]:
        """Send what is to be held back to all targets, or to those of one page. Returns the answers."""
        chosen = [(page, session) for session, page in self._targets.items() if only is None or page is only]
        return [answer for page, session in chosen if (answer := self._apply(page, session))]

    def _listen(self, page: InterceptedTarget[AnySession], session: AnySession) -> None:
        """Listen for the requests of a new target that are held back."""
        raise NotImplementedError

    def _apply(self, page: InterceptedTarget[AnySession], session: AnySession) -> asyncio.Future[Answer] | None:
        """Send to one target what it is to hold back. Returns the answer, or None if it knows that already."""
        raise NotImplementedError
