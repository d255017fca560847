"""Commands to all tabs of a session, waiting in full only for the answers of the current tab."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.cdp.error_mapping import SessionGone
from oryn.browsers.cdp.feature import TargetSessions
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.common.protocol_session import Answer

OTHERS_SECONDS = 1.0
"""The time that tabs in the background get to answer in, because one of them may hang."""

Answers = Sequence["asyncio.Future[Answer]"]


class BroadcastConnection(TargetSessions, Protocol):
    def check(self) -> None:
        """Start a command. Raises the error that would keep it from being answered."""

    def check_alive(self) -> None:
        """Like `check`, within a command."""

    async def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: CdpSession | None = None,
        timeout: float = 30,
    ) -> Answer:
        """See `TabCommands.call`."""


class BroadcastTab(Protocol):
    @property
    def channel(self) -> BroadcastConnection: ...


class BroadcastTabs(Protocol):
    """The tabs of a session that commands can be sent to."""

    def __iter__(self) -> Iterator[BroadcastTab]: ...

    def get(self, number: None, /) -> BroadcastTab:
        """The current tab. Raises `TabNotFound`, and `NotSupported` if no command can be sent to it."""


async def wait_for_answers(
    tabs: BroadcastTabs, sent: Mapping[CdpSession, Answers], timeout: float
) -> list[asyncio.Future[Answer]]:
    """Wait for the answers to commands that were sent to many targets.

    sent: the answers by the session that the commands went to.
    timeout: seconds for the current tab; the other tabs get `OTHERS_SECONDS` at most.

    Returns the answers of the current tab, without those of frames that have gone meanwhile. Raises `Timeout` if the
    current tab does not answer."""
    current = tabs.get(None)
    awaited = {answer: session for session in current.channel.sessions for answer in sent.get(session, ())}
    others = [
        answer
        for page in tabs
        if page is not current and _can_answer(page)
        for session in page.channel.sessions
        for answer in sent.get(session, ())
    ]
    late = (await asyncio.wait(awaited, timeout=timeout))[1] if awaited else ()
    if others:
        await asyncio.wait(others, timeout=min(timeout, OTHERS_SECONDS))
    if late:
        raise Timeout(
            "the page did not answer", "It may be busy: 'goto' another page; the change applies from then on."
        )
    # A frame or a document that has gone before it could answer is left out: a new one gets the settings anyway.
    return [
        answer
        for answer, session in awaited.items()
        if session is current.channel.session or not isinstance(answer.exception(), (DocumentGone, SessionGone))
    ]


def _can_answer(page: BroadcastTab) -> bool:
    try:
        page.channel.check_alive()
    except OrynError:
        return False
    return True
