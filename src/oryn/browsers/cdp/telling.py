"""Telling all tabs of a session the same, and waiting no longer than for the one that somebody looks at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.cdp.failures import SessionGone
from oryn.browsers.cdp.features import Sessions
from oryn.browsers.common.life import DocumentGone
from oryn.errors import OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Answer, Session

OTHERS_SECONDS = 1.0
"""What tabs that nobody looks at get to answer in: one of them may hang."""

Answers = Sequence["asyncio.Future[Answer]"]


class Channel(Sessions, Protocol):
    def check(self) -> None:
        """A command begins: raise what would keep it from being answered."""

    def check_alive(self) -> None:
        """As `check`, within a command."""

    async def call(
        self, method: str, params: dict[str, Any] | None = None, *, session: Session | None = None, timeout: float = 30
    ) -> Answer:
        """As `calls.Calls.call`."""


class Tab(Protocol):
    @property
    def channel(self) -> Channel: ...


class Tabs(Protocol):
    """A session's tabs, as far as they can be told something."""

    def __iter__(self) -> Iterator[Tab]: ...

    def get(self, number: None, /) -> Tab:
        """The current one. Raises `TabNotFound`, and `NotSupported` where it can't be told anything."""


async def answered(tabs: Tabs, sent: Mapping[Session, Answers], timeout: float) -> list[asyncio.Future[Answer]]:
    """Wait for the answers that targets were `sent` commands for: those of the current tab, which are returned, and a
    moment for the others. A frame that leaves meanwhile need not answer. Raises `Timeout` when the current tab does
    not."""
    current = tabs.get(None)
    mine = {answer: session for session in current.channel.sessions for answer in sent.get(session, ())}
    others = [
        answer
        for page in tabs
        if page is not current and _answers(page)
        for session in page.channel.sessions
        for answer in sent.get(session, ())
    ]
    late = (await asyncio.wait(mine, timeout=timeout))[1] if mine else ()
    if others:
        await asyncio.wait(others, timeout=min(timeout, OTHERS_SECONDS))
    if late:
        raise Timeout("the page did not answer", "It may be busy: 'goto' another; the change holds from then on.")
    return [answer for answer, session in mine.items() if session is current.channel.session or not _has_left(answer)]


def _has_left(answer: asyncio.Future[Answer]) -> bool:
    """Whether a frame was gone, or another document in it, before it could answer; what comes is told as it comes."""
    return isinstance(answer.exception(), (DocumentGone, SessionGone))


def _answers(page: Tab) -> bool:
    try:
        page.channel.check_alive()
    except OrynError:
        return False
    return True
